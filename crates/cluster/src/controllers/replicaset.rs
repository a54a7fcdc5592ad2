//! ReplicaSets: as many pods as wanted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{is_active, is_ready, key_of, pod_from};
use crate::agenda::Actor;
use crate::api::{DeleteOptions, LabelSelector};
use crate::events::Told;
use crate::program::Programs;
use crate::resource::built_in;
use crate::store::{ObjectKey, Stored};
use crate::time::Stamp;
use crate::{Cluster, json, meta};

const SOURCE: &str = "replicaset-controller";

impl Cluster {
    pub(crate) fn sync_replica_set(&mut self, programs: &mut dyn Programs, key: &ObjectKey) {
        let Some(set) = self.store.at(key).cloned() else {
            self.setbacks.remove(key);
            return;
        };
        let selector = LabelSelector::of(json::at(&set, "spec.selector"));
        self.adopt(&set, &selector);
        self.release_strays(&set, &selector);
        let wanted = json::int(&set, "spec.replicas").unwrap_or(1);
        let mut count = self.count_pods(&set);
        let mut failure = None;
        if !meta::is_going(&set) && count.active != wanted {
            if count.active < wanted && !self.is_held(Actor::ReplicaSet, &set, key) {
                let missing = self.may_make(Actor::ReplicaSet, key, wanted - count.active);
                failure = self.add_pods(programs, &set, missing);
            } else if count.active > wanted {
                let pods = self.pods_of(&set).into_iter().filter(|pod| is_active(pod)).collect();
                self.remove_pods(&set, pods, (count.active - wanted) as usize);
            }
            count = self.count_pods(&set);
        }
        self.retry(key, failure.is_some());
        self.note_replica_set(key, &count, wanted, failure);
    }

    /// Takes in pods without a controller that the selector matches.
    fn adopt(&mut self, set: &Stored, selector: &LabelSelector) {
        let namespace = json::text(set, "metadata.namespace").to_string();
        let orphans = self.loose_in("pods", &namespace).filter(|key| {
            let pod = self.store.at(key);
            pod.is_some_and(|pod| is_active(pod) && selector.matches(json::at(pod, "metadata.labels")))
        });
        let orphans: Vec<_> = orphans.cloned().collect();
        for orphan in orphans {
            let owner = meta::controlled_by(set);
            self.change(&orphan, |pod| json::list_mut(pod, "metadata.ownerReferences").push(owner));
        }
    }

    /// Lets go of pods that the selector no longer matches.
    fn release_strays(&mut self, set: &Stored, selector: &LabelSelector) {
        let uid = json::text(set, "metadata.uid").to_string();
        if !self.has_strays(&uid, selector) {
            return;
        }
        let pods = self.pods_of(set).into_iter();
        for stray in pods.filter(|pod| !selector.matches(json::at(pod, "metadata.labels"))) {
            self.change(&key_of("pods", &stray), |pod| {
                json::list_mut(pod, "metadata.ownerReferences").retain(|owner| json::text(owner, "uid") != uid);
            });
        }
    }

    fn has_strays(&self, uid: &str, selector: &LabelSelector) -> bool {
        let mut matches = asked_once(selector);
        self.store.pod_facts(uid).any(|pod| !matches(&pod.labels))
    }

    fn count_pods(&self, set: &Value) -> PodCount {
        let template = json!({"matchLabels": json::at(set, "spec.template.metadata.labels")});
        let selector = LabelSelector::of(&template);
        let mut is_labelled = asked_once(&selector);
        let mut count = PodCount::default();
        for pod in self.store.pod_facts(json::text(set, "metadata.uid")).filter(|pod| pod.is_active) {
            count.active += 1;
            count.labelled += i64::from(is_labelled(&pod.labels));
            if pod.is_ready {
                count.ready += 1;
                count.since.extend(pod.ready_since);
            }
        }
        count
    }

    /// Objects of a namespace without a controller.
    pub(super) fn loose_in<'a>(&'a self, resource: &'a str, namespace: &'a str) -> impl Iterator<Item = &'a ObjectKey> {
        let from = self.loose.range(ObjectKey::new(resource, namespace, "")..);
        from.take_while(move |key| &*key.resource == resource && &*key.namespace == namespace)
    }

    /// Creates pods in batches of 1, 2, 4, ...; the first refusal stops them and is returned.
    fn add_pods(&mut self, programs: &mut dyn Programs, set: &Stored, missing: i64) -> Option<String> {
        let prefix = format!("{}-", json::text(set, "metadata.name"));
        let namespace = json::text(set, "metadata.namespace").to_string();
        let (mut left, mut batch) = (missing, 1);
        while left > 0 {
            let mut refusal = None;
            for _ in 0..batch.min(left) {
                let pod = pod_from(json::at(set, "spec.template"), set, &prefix);
                match self.make(programs, "pods", &namespace, pod) {
                    Ok(pod) => {
                        let message = format!("Created pod: {}", json::text(&pod, "metadata.name"));
                        self.tell(
                            set,
                            built_in("replicasets.apps"),
                            &Told::normal(SOURCE, "SuccessfulCreate", &message),
                        );
                    }
                    Err(error) => {
                        let message = format!("Error creating: {}", error.message);
                        self.tell(set, built_in("replicasets.apps"), &Told::warning(SOURCE, "FailedCreate", &message));
                        refusal.get_or_insert(error.message);
                    }
                }
            }
            if refusal.is_some() {
                return refusal;
            }
            left -= batch.min(left);
            batch *= 2;
        }
        None
    }

    fn remove_pods(&mut self, set: &Stored, pods: Vec<Stored>, count: usize) {
        for pod in first_to_go(pods).into_iter().take(count) {
            let message = format!("Deleted pod: {}", json::text(&pod, "metadata.name"));
            self.unmake(&key_of("pods", &pod), &DeleteOptions::default());
            self.tell(set, built_in("replicasets.apps"), &Told::normal(SOURCE, "SuccessfulDelete", &message));
        }
    }

    /// After a refusal the next try comes later and later: 5 ms, 10 ms, ... up to 1000 s.
    pub(super) fn retry(&mut self, key: &ObjectKey, has_failed: bool) {
        if !has_failed {
            self.setbacks.remove(key);
            return;
        }
        let tries = self.setbacks.entry(key.clone()).or_insert(0);
        *tries += 1;
        let millis = (5u64 << (*tries - 1).min(18)).min(1_000_000);
        let actor = match &*key.resource {
            "replicasets.apps" => Actor::ReplicaSet,
            "statefulsets.apps" => Actor::StatefulSet,
            "daemonsets.apps" => Actor::DaemonSet,
            _ => Actor::Job,
        };
        self.plan(actor, key.clone(), Duration::from_millis(millis));
    }

    fn note_replica_set(&mut self, key: &ObjectKey, count: &PodCount, wanted: i64, failure: Option<String>) {
        let Some(set) = self.store.at(key).cloned() else { return };
        let seconds = json::int(&set, "spec.minReadySeconds").unwrap_or(0);
        let times = || count.since.iter().map(|since| since.after_secs(seconds));
        let available = times().filter(|at| *at <= self.now).count() as i64;
        if let Some(next) = times().filter(|at| *at > self.now).min() {
            self.plan(Actor::ReplicaSet, key.clone(), next.since(self.now));
        }
        // Only the status is made anew: a set is looked at more often than it changes.
        let mut new = json::object([("status", json::at(&set, "status").clone())]);
        json::set(&mut new, "status.replicas", count.active);
        set_count(&mut new, "status.fullyLabeledReplicas", count.labelled);
        set_count(&mut new, "status.readyReplicas", count.ready);
        set_count(&mut new, "status.availableReplicas", available);
        json::set(&mut new, "status.observedGeneration", json::at(&set, "metadata.generation").clone());
        match failure {
            Some(message) => {
                meta::set_condition(&mut new, "ReplicaFailure", "True", "FailedCreate", &message, self.now);
            }
            None if count.active >= wanted => drop_condition(&mut new, "ReplicaFailure"),
            None => {}
        }
        self.change_status(key, new["status"].take());
    }
}

/// The pods of a set that are neither over nor going.
#[derive(Debug, Default)]
struct PodCount {
    active: i64,
    labelled: i64,
    ready: i64,
    /// Since when the ready ones are.
    since: Vec<Stamp>,
}

/// A selector that is not asked again about labels that were asked about last: pods of one set share theirs.
fn asked_once<'a>(selector: &LabelSelector) -> impl FnMut(&'a Arc<Value>) -> bool {
    let mut last: Option<(&'a Arc<Value>, bool)> = None;
    move |labels| match last {
        Some((own, matches)) if Arc::ptr_eq(own, labels) => matches,
        _ => {
            let matches = selector.matches(labels);
            last = Some((labels, matches));
            matches
        }
    }
}

/// A count that is left out where it is nothing.
pub(super) fn set_count(object: &mut Value, path: &str, count: i64) {
    if count == 0 {
        json::remove(object, path);
    } else {
        json::set(object, path, count);
    }
}

pub(super) fn drop_condition(object: &mut Value, kind: &str) {
    if meta::condition(object, kind).is_empty() {
        return;
    }
    let conditions = json::list_mut(object, "status.conditions");
    conditions.retain(|condition| json::text(condition, "type") != kind);
    if conditions.is_empty() {
        json::remove(object, "status.conditions");
    }
}

/// Pods in the order in which they go: without a node, pending, not ready, crowded, younger, restarted.
pub(super) fn first_to_go(mut pods: Vec<Stored>) -> Vec<Stored> {
    let mut crowds: BTreeMap<String, usize> = BTreeMap::new();
    for pod in &pods {
        *crowds.entry(json::text(pod, "spec.nodeName").into()).or_default() += 1;
    }
    pods.sort_by_cached_key(|pod| {
        let restarts: i64 = json::list(pod, "status.containerStatuses")
            .iter()
            .filter_map(|s| json::int(s, "restartCount"))
            .max()
            .unwrap_or(0);
        let phase = match json::text(pod, "status.phase") {
            "Pending" => 0,
            "Running" => 2,
            _ => 1,
        };
        let cost = json::at(pod, "metadata.annotations").get("controller.kubernetes.io/pod-deletion-cost");
        let cost = cost.and_then(Value::as_str).and_then(|cost| cost.parse::<i64>().ok()).unwrap_or(0);
        let born = std::cmp::Reverse(json::text(pod, "metadata.creationTimestamp").to_string());
        let name = std::cmp::Reverse(json::text(pod, "metadata.name").to_string());
        let is_bound = !json::text(pod, "spec.nodeName").is_empty();
        let crowd = crowds.get(json::text(pod, "spec.nodeName")).copied();
        (is_bound, phase, is_ready(pod), cost, std::cmp::Reverse(crowd), -restarts, born, name)
    });
    pods
}
