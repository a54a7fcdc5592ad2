//! Time passes: work that is due is done, and every write wakes those whom it concerns.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::agenda::{Actor, Work};
use crate::api::{LabelSelector, matches_labels};
use crate::controllers::key_of;
use crate::program::Programs;
use crate::store::{ObjectKey, StoreChange};
use crate::time::Stamp;
use crate::{Cluster, json, meta};

impl Cluster {
    /// Lets time pass until then. Controllers, scheduler and kubelets do what is due, each at its time; where nothing
    /// changed and nothing is due, nothing is done.
    pub fn advance(&mut self, programs: &mut dyn Programs, to: Stamp) {
        assert!(to >= self.now, "time does not go back");
        loop {
            self.notice();
            let tick = self.next_tick(programs);
            if let Some((at, work)) = self.agenda.take(tick.unwrap_or(to).min(to)) {
                self.now = self.now.max(at);
                self.run(programs, &work);
                continue;
            }
            let Some(at) = tick.filter(|at| *at <= to) else { break };
            self.now = at;
            self.ticked = at;
            programs.tick(self, at);
        }
        self.now = to;
    }

    /// When programs live by themselves next: at the next multiple of their interval.
    fn next_tick(&self, programs: &dyn Programs) -> Option<Stamp> {
        let every = i64::try_from(programs.tick_every()?.as_micros()).ok().filter(|every| *every > 0)?;
        let after = |at: Stamp| Stamp((at.0.div_euclid(every) + 1) * every);
        Some(after(self.ticked).max(after(Stamp(self.now.0 - 1))))
    }

    /// The writes after a revision, oldest first; nothing if some of them are forgotten.
    pub fn changes_since(&self, revision: u64) -> Option<impl Iterator<Item = &StoreChange>> {
        self.store.since(revision).ok()
    }

    /// When there is something to do next; nothing if the cluster would stay as it is for ever.
    pub fn next_due(&mut self) -> Option<Stamp> {
        self.notice();
        self.agenda.next()
    }

    fn run(&mut self, programs: &mut dyn Programs, work: &Work) {
        let key = &work.key;
        match work.actor {
            Actor::Deployment => self.sync_deployment(programs, key),
            Actor::ReplicaSet => self.sync_replica_set(programs, key),
            Actor::StatefulSet => self.sync_stateful_set(programs, key),
            Actor::DaemonSet => self.sync_daemon_set(programs, key),
            Actor::Job => self.sync_job(programs, key),
            Actor::CronJob => self.sync_cron_job(programs, key),
            Actor::Endpoints => self.sync_endpoints(key),
            Actor::Namespace => self.sync_namespace(key),
            Actor::Garbage => self.collect_garbage(key),
            Actor::Autoscaler => self.sync_autoscaler(programs, key),
            Actor::Volumes => self.sync_volume(key),
            Actor::Disruption => self.sync_budget(key),
            Actor::Quota => self.sync_quota(key),
            Actor::Expiry => self.expire(key),
            Actor::NodeMonitor => self.monitor_node(key),
            Actor::Eviction => self.evict_tainted(key),
            Actor::Scheduler => self.schedule(key),
            Actor::Kubelet => self.sync_pod(programs, key),
            Actor::Probe => self.probe_pod(programs, key),
            Actor::Lease => self.renew_lease(key),
        }
    }

    /// Wakes those whom the writes since the last time concern.
    fn notice(&mut self) {
        if self.noticed == self.store.revision() {
            return;
        }
        let since = self.store.since(self.noticed);
        let changes =
            since.map(|changes| changes.filter(|change| wakes_a_controller(change)).cloned().collect::<Vec<_>>());
        match changes {
            Ok(changes) => {
                self.noticed = self.store.revision();
                for change in &changes {
                    self.route(change);
                }
            }
            // Too many writes at once to know them all: all of them look at everything.
            Err(_) => {
                self.noticed = self.store.revision();
                self.loads.clear();
                let resources: Vec<_> = self.store.resources().cloned().collect();
                for resource in resources {
                    let objects: Vec<_> = self.store.list(&resource, None).cloned().collect();
                    for object in objects {
                        let (space, name) =
                            (json::text(&object, "metadata.namespace"), json::text(&object, "metadata.name"));
                        let key = ObjectKey::new(&resource, space, name);
                        self.route(&StoreChange { revision: self.noticed, key, before: None, after: Some(object) });
                    }
                }
            }
        }
    }

    fn route(&mut self, change: &StoreChange) {
        let key = &change.key;
        let object = change.after.as_ref().or(change.before.as_ref()).expect("a write has a before or an after");
        let object = object.head();
        match &*key.resource {
            "pods" => self.route_pod(change, object),
            "deployments.apps" => self.wake(Actor::Deployment, key.clone()),
            "replicasets.apps" => {
                self.note_loose(change, object);
                // Where pods were refused, any news is a reason to try again.
                if concerns_itself(change) || !self.setbacks.is_empty() {
                    self.wake(Actor::ReplicaSet, key.clone());
                }
                self.wake_owner(object);
            }
            "statefulsets.apps" => self.wake(Actor::StatefulSet, key.clone()),
            "daemonsets.apps" => self.wake(Actor::DaemonSet, key.clone()),
            "jobs.batch" => {
                self.wake(Actor::Job, key.clone());
                self.wake_owner(object);
            }
            "cronjobs.batch" => self.wake(Actor::CronJob, key.clone()),
            "services" => self.wake(Actor::Endpoints, key.clone()),
            "namespaces" => self.wake(Actor::Namespace, key.clone()),
            "nodes" => self.route_node(change),
            "horizontalpodautoscalers.autoscaling" if change.before.is_none() => {
                self.plan(Actor::Autoscaler, key.clone(), Duration::from_secs(5));
            }
            "persistentvolumeclaims" | "persistentvolumes" | "storageclasses.storage.k8s.io" => {
                self.route_volume(change)
            }
            "poddisruptionbudgets.policy" => self.wake(Actor::Disruption, key.clone()),
            "resourcequotas" => {
                let differs = change.before.as_ref().is_none_or(|b| json::at(b, "spec") != json::at(object, "spec"));
                if differs {
                    self.wake(Actor::Quota, key.clone());
                }
            }
            _ => {}
        }
        self.route_ownership(change, object);
        if change.after.is_none() || is_over(object) {
            self.wake_quotas(&key.namespace);
        }
    }

    fn route_pod(&mut self, change: &StoreChange, pod: &Value) {
        let key = &change.key;
        self.loads.follow(change);
        self.note_loose(change, pod);
        self.has_rules |= crate::scheduler::has_rules(pod);
        if concerns_owner(change, pod) || !self.setbacks.is_empty() {
            self.wake_owner(pod);
        }
        let node = json::text(pod, "spec.nodeName");
        if node.is_empty() {
            if change.after.is_some() {
                self.wake(Actor::Scheduler, key.clone());
            }
        } else if change.after.is_none() || concerns_kubelet(change) {
            self.wake(Actor::Kubelet, key.clone());
        }
        if change.after.is_none() {
            // A deployment that recreates waits for the last pod of the ReplicaSet before.
            let above = meta::controller(pod).and_then(|owner| self.owner_key(owner, &key.namespace));
            if let Some(above) = above.and_then(|above| self.store.at(&above).cloned()) {
                self.wake_owner(&above);
            }
        }
        if change.after.is_none() || is_over(pod) {
            self.wake_unscheduled();
            self.wake_claims(pod);
        }
        self.route_to_selectors(change);
    }

    /// Services and budgets that select a pod, before or after a write.
    fn route_to_selectors(&mut self, change: &StoreChange) {
        let namespace = &*change.key.namespace;
        let pods = || [&change.before, &change.after].into_iter().flatten();
        if !is_seen_by_selectors(change) {
            return;
        }
        if pods().any(|pod| !json::text(pod, "status.podIP").is_empty()) {
            let mut services = BTreeSet::new();
            for labels in pods().map(|pod| json::at(pod, "metadata.labels")) {
                let near = self.store.services_near(namespace, labels).into_iter();
                let meant = near.filter(|(_, service)| matches_labels(json::at(service, "spec.selector"), labels));
                services.extend(meant.map(|(key, _)| key.clone()));
            }
            for service in services {
                self.wake(Actor::Endpoints, service);
            }
        }
        let budgets = self.store.list(BUDGETS, Some(namespace)).filter(|budget| {
            let selector = LabelSelector::of(json::at(budget, "spec.selector"));
            pods().any(|pod| selector.matches(json::at(pod, "metadata.labels")))
        });
        let budgets: Vec<_> = budgets.map(|budget| key_of(BUDGETS, budget)).collect();
        for budget in budgets {
            self.wake(Actor::Disruption, budget);
        }
    }

    fn note_loose(&mut self, change: &StoreChange, object: &Value) {
        let is_loose = change.after.is_some() && meta::controller(object).is_none();
        // Looked up first: a write to a part that clones share copies it.
        if is_loose != self.loose.contains(&change.key) {
            match is_loose {
                true => self.loose.insert(change.key.clone()),
                false => self.loose.remove(&change.key),
            };
        }
    }

    fn route_node(&mut self, change: &StoreChange) {
        let key = &change.key;
        if change.before.is_none() {
            self.plan(Actor::Lease, key.clone(), Duration::from_secs(10));
        }
        if self.loads.is_news(change) {
            self.loads.follow_node(change);
        }
        let seen = |node: &Option<crate::store::Stored>| {
            node.as_ref().map(|node| {
                let taints = json::at(node, "spec.taints").clone();
                (taints, json::at(node, "metadata.labels").clone(), json::at(node, "spec.unschedulable").clone())
            })
        };
        if seen(&change.before) == seen(&change.after) {
            return;
        }
        let sets: Vec<_> = self.store.list("daemonsets.apps", None).cloned().collect();
        for set in sets {
            let (space, name) = (json::text(&set, "metadata.namespace"), json::text(&set, "metadata.name"));
            self.wake(Actor::DaemonSet, ObjectKey::new("daemonsets.apps", space, name));
        }
        self.wake_unscheduled();
        let pods: Vec<_> = self.pods_on(&key.name);
        for pod in pods {
            self.wake(Actor::Eviction, pod);
        }
    }

    fn route_volume(&mut self, change: &StoreChange) {
        let key = &change.key;
        if &*key.resource != "storageclasses.storage.k8s.io" {
            self.wake(Actor::Volumes, key.clone());
        }
        if &*key.resource != "persistentvolumeclaims" {
            let claims: Vec<_> = self.store.list("persistentvolumeclaims", None).cloned().collect();
            for claim in claims.iter().filter(|claim| json::text(claim, "status.phase") == "Pending") {
                let (space, name) = (json::text(claim, "metadata.namespace"), json::text(claim, "metadata.name"));
                self.wake(Actor::Volumes, ObjectKey::new("persistentvolumeclaims", space, name));
            }
        }
        self.wake_unscheduled();
    }

    /// Dependants of what is gone, and what waits for its dependants.
    fn route_ownership(&mut self, change: &StoreChange, object: &Value) {
        let key = &change.key;
        if change.after.is_none() {
            let uid = json::text(object, "metadata.uid").to_string();
            let dependants: Vec<_> = self.store.owned_by(&uid).cloned().collect();
            for dependant in dependants {
                self.wake(Actor::Garbage, dependant);
            }
            for owner in json::list(object, "metadata.ownerReferences") {
                if let Some(owner) = self.owner_key(owner, &key.namespace)
                    && self.store.at(&owner).is_some_and(|owner| meta::is_going(owner))
                {
                    self.wake(Actor::Garbage, owner);
                }
            }
            if !key.namespace.is_empty() {
                let space = self.store.get("namespaces", "", &key.namespace);
                if space.is_some_and(|space| meta::is_going(space)) {
                    self.wake(Actor::Namespace, ObjectKey::new("namespaces", "", &key.namespace));
                }
            }
        } else if meta::is_going(object) || (change.before.is_none() && meta::controller(object).is_some()) {
            let waits =
                json::list(object, "metadata.finalizers").iter().any(|f| f == "foregroundDeletion" || f == "orphan");
            let orphaned = change.before.is_none() && !self.has_owner(object, &key.namespace);
            if waits || orphaned {
                self.wake(Actor::Garbage, key.clone());
            }
        }
    }

    /// Wakes the controller of an object.
    fn wake_owner(&mut self, object: &Value) {
        let Some(owner) = meta::controller(object) else { return };
        let actor = match json::text(owner, "kind") {
            "Deployment" => Actor::Deployment,
            "ReplicaSet" => Actor::ReplicaSet,
            "StatefulSet" => Actor::StatefulSet,
            "DaemonSet" => Actor::DaemonSet,
            "Job" => Actor::Job,
            "CronJob" => Actor::CronJob,
            _ => return,
        };
        if let Some(key) = self.owner_key(owner, json::text(object, "metadata.namespace")) {
            self.wake(actor, key);
        }
    }

    fn wake_quotas(&mut self, namespace: &str) {
        if namespace.is_empty() {
            return;
        }
        let quotas: Vec<_> = self.store.list("resourcequotas", Some(namespace)).cloned().collect();
        for quota in quotas {
            self.wake(Actor::Quota, ObjectKey::new("resourcequotas", namespace, json::text(&quota, "metadata.name")));
        }
    }

    fn wake_claims(&mut self, pod: &Value) {
        let namespace = json::text(pod, "metadata.namespace");
        for volume in json::list(pod, "spec.volumes") {
            let claim = json::text(volume, "persistentVolumeClaim.claimName");
            if !claim.is_empty() {
                self.wake(Actor::Volumes, ObjectKey::new("persistentvolumeclaims", namespace, claim));
            }
        }
    }
}

/// Events and leases wake no controller.
fn wakes_a_controller(change: &StoreChange) -> bool {
    !matches!(&*change.key.resource, "events" | "leases.coordination.k8s.io")
}

fn is_over(object: &Value) -> bool {
    matches!(json::text(object, "status.phase"), "Succeeded" | "Failed")
}

/// Whether a kubelet has to look: at a new pod, a changed wish, or one that is being deleted. Its own notes are no news.
fn concerns_kubelet(change: &StoreChange) -> bool {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return true };
    let differs = |path: &str| json::at(before, path) != json::at(after, path);
    differs("spec") || differs("metadata.deletionTimestamp") || differs("metadata.deletionGracePeriodSeconds")
}

/// Whether a ReplicaSet has to look at itself: what it noted in its own status is no news to it.
fn concerns_itself(change: &StoreChange) -> bool {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return true };
    let differs = |path: &str| json::at(before, path) != json::at(after, path);
    differs("spec") || differs("metadata.labels") || differs("metadata.deletionTimestamp")
}

/// Whether the controller of a pod has to look. A ReplicaSet counts its pods and those that are ready; how far a pod is on
/// its way is nothing to it.
fn concerns_owner(change: &StoreChange, pod: &Value) -> bool {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return true };
    let counts = meta::controller(pod).is_some_and(|owner| json::text(owner, "kind") == "ReplicaSet");
    let differs = |path: &str| json::at(before, path) != json::at(after, path);
    !counts
        || differs("metadata.labels")
        || differs("metadata.deletionTimestamp")
        || differs("metadata.ownerReferences")
        || is_over(before) != is_over(after)
        || meta::condition(before, "Ready") != meta::condition(after, "Ready")
}

/// Whether Services and budgets see a difference.
fn is_seen_by_selectors(change: &StoreChange) -> bool {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return true };
    let differs = |path: &str| json::at(before, path) != json::at(after, path);
    differs("metadata.labels")
        || differs("metadata.deletionTimestamp")
        || differs("status.podIP")
        || is_over(before) != is_over(after)
        || meta::condition(before, "Ready") != meta::condition(after, "Ready")
}

const BUDGETS: &str = "poddisruptionbudgets.policy";
