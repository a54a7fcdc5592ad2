//! DaemonSets: one pod on every node that takes it.

use serde_json::{Value, json};

use super::revisions::of_pod;
use super::{available_at, is_ready, key_of, pod_from, share};
use crate::agenda::Actor;
use crate::api::DeleteOptions;
use crate::events::Told;
use crate::program::Programs;
use crate::resource::built_in;
use crate::scheduler::{fits_daemon, keeps_daemon};
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};

const SOURCE: &str = "daemonset-controller";
const SETS: &str = "daemonsets.apps";

impl Cluster {
    pub(crate) fn sync_daemon_set(&mut self, programs: &mut dyn Programs, key: &ObjectKey) {
        let Some(set) = self.store.at(key).cloned() else { return };
        if meta::is_going(&set) {
            return;
        }
        let (_, hash) = self.current_revision(&set);
        let places: Vec<_> = self.store.list("nodes", None).map(|node| DaemonPlace::of(&set, node)).collect();
        let mut has_failed = false;
        for place in &places {
            has_failed |= self.place_daemon(programs, &set, place, &hash);
        }
        self.roll_daemons(&set, &hash);
        self.retry(key, has_failed);
        let wanted: Vec<&str> = places.iter().filter(|place| place.fits).map(|place| &*place.node).collect();
        self.note_daemon_set(key, &wanted, &hash);
        let used: Vec<_> = self.pods_of(&set).iter().map(|pod| of_pod(pod).to_string()).chain([hash]).collect();
        self.forget_revisions(&set, &used);
    }

    /// Makes sure that a node has its pod, or has none. Says whether a pod was refused.
    fn place_daemon(&mut self, programs: &mut dyn Programs, set: &Stored, place: &DaemonPlace, hash: &str) -> bool {
        let name = &place.node;
        let pods: Vec<_> = self.pods_of(set).into_iter().filter(|pod| node_of(pod) == name).collect();
        let alive: Vec<_> = pods.iter().filter(|pod| !meta::is_going(pod)).cloned().collect();
        for pod in alive.iter().filter(|pod| matches!(json::text(pod, "status.phase"), "Failed")) {
            let pod_name = format!("{}/{}", json::text(pod, "metadata.namespace"), json::text(pod, "metadata.name"));
            let message = format!("Found failed daemon pod {pod_name} on node {name}, will try to kill it");
            self.tell(set, built_in(SETS), &Told::warning(SOURCE, "FailedDaemonPod", &message));
            self.drop_daemon(set, pod);
        }
        if place.fits && pods.is_empty() {
            let key = key_of(SETS, set);
            let spec = daemon_spec(json::at(set, "spec.template.spec"), name);
            return !self.is_held(Actor::DaemonSet, set, &key) && !self.add_daemon(programs, set, spec, hash);
        }
        if !place.keeps {
            for pod in &alive {
                self.drop_daemon(set, pod);
            }
        }
        for pod in alive.iter().skip(1) {
            self.drop_daemon(set, pod);
        }
        false
    }

    fn add_daemon(&mut self, programs: &mut dyn Programs, set: &Stored, spec: Value, hash: &str) -> bool {
        let namespace = json::text(set, "metadata.namespace").to_string();
        let mut pod = pod_from(json::at(set, "spec.template"), set, &format!("{}-", json::text(set, "metadata.name")));
        let mut labels = json::at(&pod, "metadata.labels").as_object().cloned().unwrap_or_default();
        labels.insert("controller-revision-hash".into(), hash.into());
        labels.insert(
            "pod-template-generation".into(),
            json::int(set, "metadata.generation").unwrap_or(1).to_string().into(),
        );
        json::set(&mut pod, "metadata.labels", labels);
        json::set(&mut pod, "spec", spec);
        match self.make(programs, "pods", &namespace, pod) {
            Ok(pod) => {
                let message = format!("Created pod: {}", json::text(&pod, "metadata.name"));
                self.tell(set, built_in(SETS), &Told::normal(SOURCE, "SuccessfulCreate", &message));
                true
            }
            Err(error) => {
                let message = format!("Error creating: {}", error.message);
                self.tell(set, built_in(SETS), &Told::warning(SOURCE, "FailedCreate", &message));
                false
            }
        }
    }

    fn drop_daemon(&mut self, set: &Stored, pod: &Value) {
        self.unmake(&key_of("pods", pod), &DeleteOptions::default());
        let message = format!("Deleted pod: {}", json::text(pod, "metadata.name"));
        self.tell(set, built_in(SETS), &Told::normal(SOURCE, "SuccessfulDelete", &message));
    }

    /// Replaces pods of former templates, as many at once as may be missing.
    fn roll_daemons(&mut self, set: &Stored, hash: &str) {
        if json::text(set, "spec.updateStrategy.type") == "OnDelete" {
            return;
        }
        let pods = self.pods_of(set);
        let most =
            share(json::at(set, "spec.updateStrategy.rollingUpdate.maxUnavailable"), pods.len() as i64, true).max(1);
        let missing = pods.iter().filter(|pod| meta::is_going(pod) || !is_ready(pod)).count() as i64;
        let old: Vec<_> = pods.iter().filter(|pod| of_pod(pod) != hash && !meta::is_going(pod)).cloned().collect();
        // Those that serve nothing are replaced in any case.
        let (idle, busy): (Vec<_>, Vec<_>) = old.into_iter().partition(|pod| !is_ready(pod));
        for pod in &idle {
            self.drop_daemon(set, pod);
        }
        for pod in busy.iter().take((most - missing).max(0) as usize) {
            self.drop_daemon(set, pod);
        }
    }

    fn note_daemon_set(&mut self, key: &ObjectKey, wanted: &[&str], hash: &str) {
        let Some(set) = self.store.at(key).cloned() else { return };
        let pods: Vec<_> = self.pods_of(&set).into_iter().filter(|pod| !meta::is_going(pod)).collect();
        let on = |name: &str| pods.iter().find(|pod| node_of(pod) == name);
        let count =
            |test: &dyn Fn(&Stored) -> bool| wanted.iter().filter(|name| on(name).is_some_and(test)).count() as i64;
        let seconds = json::int(&set, "spec.minReadySeconds").unwrap_or(0);
        let now = self.now;
        let available = count(&|pod| available_at(pod, seconds).is_some_and(|at| at <= now));
        let strays = pods.iter().filter(|pod| !wanted.contains(&node_of(pod))).count();
        let (current, ready) = (count(&|_| true), count(&|pod| is_ready(pod)));
        let updated = count(&|pod| of_pod(pod) == hash);
        self.change(key, |set| {
            json::set(set, "status.desiredNumberScheduled", wanted.len());
            json::set(set, "status.currentNumberScheduled", current);
            json::set(set, "status.numberMisscheduled", strays);
            json::set(set, "status.numberReady", ready);
            super::replicaset::set_count(set, "status.updatedNumberScheduled", updated);
            super::replicaset::set_count(set, "status.numberAvailable", available);
            super::replicaset::set_count(set, "status.numberUnavailable", wanted.len() as i64 - available);
            let generation = json::at(set, "metadata.generation").clone();
            json::set(set, "status.observedGeneration", generation);
        });
    }
}

/// A node, and whether it takes a daemon and keeps one that it has.
struct DaemonPlace {
    node: String,
    fits: bool,
    keeps: bool,
}

impl DaemonPlace {
    fn of(set: &Value, node: &Value) -> Self {
        // Containers and volumes make no difference, and are most of a template.
        const DECIDES: [&str; 5] = ["affinity", "hostNetwork", "nodeName", "nodeSelector", "tolerations"];
        let name = json::text(node, "metadata.name");
        let template = json::at(set, "spec.template.spec");
        let fields = DECIDES.iter().filter_map(|field| Some(((*field).to_string(), template.get(field)?.clone())));
        let spec = daemon_spec(&Value::Object(fields.collect()), name);
        Self { node: name.into(), fits: fits_daemon(&spec, node), keeps: keeps_daemon(&spec, node) }
    }
}

/// The node that a daemon is for: the one it runs on, or the one that its affinity names.
fn node_of(pod: &Value) -> &str {
    let bound = json::text(pod, "spec.nodeName");
    if !bound.is_empty() {
        return bound;
    }
    let terms =
        json::list(pod, "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
    let fields = terms.iter().flat_map(|term| json::list(term, "matchFields"));
    let name = fields.filter_map(|field| json::list(field, "values").first()).find_map(Value::as_str);
    name.unwrap_or_default()
}

/// The specification of a daemon: bound to its node by affinity, and tolerant of what happens to nodes.
fn daemon_spec(spec: &Value, node: &str) -> Value {
    let mut spec = spec.clone();
    let field = json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]});
    let path = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    let terms = json::list_mut(&mut spec, path);
    if terms.is_empty() {
        terms.push(field);
    } else {
        for term in terms.iter_mut() {
            json::set(term, "matchFields", field["matchFields"].clone());
        }
    }
    let host = json::flag(&spec, "hostNetwork");
    let tolerations = json::list_mut(&mut spec, "tolerations");
    for (key, effect) in [
        ("node.kubernetes.io/not-ready", "NoExecute"),
        ("node.kubernetes.io/unreachable", "NoExecute"),
        ("node.kubernetes.io/disk-pressure", "NoSchedule"),
        ("node.kubernetes.io/memory-pressure", "NoSchedule"),
        ("node.kubernetes.io/pid-pressure", "NoSchedule"),
        ("node.kubernetes.io/unschedulable", "NoSchedule"),
    ] {
        tolerations.push(json!({"key": key, "operator": "Exists", "effect": effect}));
    }
    if host {
        tolerations.push(
            json!({"key": "node.kubernetes.io/network-unavailable", "operator": "Exists", "effect": "NoSchedule"}),
        );
    }
    spec
}
