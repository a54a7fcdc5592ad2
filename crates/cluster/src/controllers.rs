//! Controllers: each makes the world of objects a little more like what is wanted, and rests where nothing differs.

mod autoscaler;
mod backends;
mod cronjob;
mod daemonset;
mod deployment;
mod disruption;
mod endpoints;
mod expiry;
mod garbage;
mod job;
mod namespace;
mod nodes;
mod pace;
mod replicaset;
mod revisions;
mod statefulset;
mod volumes;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::admission::{self, Admission, Operation};
use crate::agenda::Actor;
use crate::api::{DeleteOptions, Writer};
use crate::program::{PlainPrograms, Programs};
use crate::resource::built_in;
use crate::status::ApiError;
pub(crate) use crate::store::key_of;
use crate::store::{LongList, LookupField, ObjectKey, Stored};
use crate::{Cluster, json, meta};

impl Cluster {
    /// Creates an object in the name of a controller; everything that a client's object passes, it passes too.
    pub(crate) fn make(
        &mut self,
        programs: &mut dyn Programs,
        storage: &str,
        namespace: &str,
        object: Value,
    ) -> Result<Stored, ApiError> {
        let writer = Writer::controller("kube-controller-manager");
        self.create_object(programs, &writer, built_in(storage), namespace, object, &mut Vec::new())
    }

    /// Creates an object that the cluster keeps for itself, about which no webhook has anything to say.
    pub(crate) fn make_own(&mut self, storage: &str, namespace: &str, object: Value) -> Result<Stored, ApiError> {
        self.make(&mut PlainPrograms::default(), storage, namespace, object)
    }

    /// Whether webhooks that do not answer keep the new pods of a controller waiting. It looks again when they have been
    /// waited for; what comes of the pods shows then.
    pub(crate) fn is_held(&mut self, actor: Actor, owner: &Value, key: &ObjectKey) -> bool {
        if let Some(until) = self.held.get(key).copied() {
            if until > self.now {
                self.plan(actor, key.clone(), until.since(self.now));
                return true;
            }
            self.held.remove(key);
            return false;
        }
        if !admission::has_webhooks(self) {
            return false;
        }
        let writer = Writer::controller("kube-controller-manager");
        let ask = Admission { writer: &writer, resource: built_in("pods"), operation: Operation::Create, old: None };
        let mut pod = pod_from(json::at(owner, "spec.template"), owner, "");
        json::set(&mut pod, "metadata.namespace", &*key.namespace);
        let delay = admission::delay(self, &ask, &pod);
        if delay.is_zero() {
            return false;
        }
        self.held.insert(key.clone(), self.now.after(delay));
        self.plan(actor, key.clone(), delay);
        true
    }

    /// Changes an object in the name of a controller; says whether anything changed.
    pub(crate) fn change(&mut self, key: &ObjectKey, change: impl FnOnce(&mut Value)) -> bool {
        let Some(old) = self.store.at(key).cloned() else { return false };
        let mut new = Value::clone(&old);
        change(&mut new);
        if new == *old {
            return false;
        }
        if json::at(&new, "spec") != json::at(&old, "spec") && built_in_counts(&key.resource) {
            let generation = json::int(&old, "metadata.generation").unwrap_or(0);
            json::set(&mut new, "metadata.generation", generation + 1);
        }
        self.put_or_finish(key, new);
        true
    }

    /// Writes the status of an object, unless it is told already; says whether anything changed.
    pub(crate) fn change_status(&mut self, key: &ObjectKey, status: Value) -> bool {
        let Some(old) = self.store.at(key).cloned() else { return false };
        if *json::at(&old, "status") == status {
            return false;
        }
        let mut new = json::without(&old, "status");
        json::set(&mut new, "status", status);
        self.put_or_finish(key, new);
        true
    }

    /// Writes an object. If it is going and nothing holds it any longer, it is gone.
    pub(crate) fn put_or_finish(&mut self, key: &ObjectKey, new: Value) {
        let is_finished = is_finished(&new);
        self.put(key.clone(), new);
        if is_finished {
            self.remove(key);
        }
    }

    /// The same for an object without its list.
    fn put_short_or_finish(&mut self, key: &ObjectKey, head: Value, list: impl LongList) {
        let is_finished = is_finished(&head);
        self.store.put_short(key.clone(), head, list);
        if is_finished {
            self.remove(key);
        }
    }

    /// Deletes an object in the name of a controller.
    pub(crate) fn unmake(&mut self, key: &ObjectKey, options: &DeleteOptions) {
        let writer = Writer::controller("kube-controller-manager");
        let Some(resource) = self.registry.stored(&key.resource).cloned() else { return };
        // It may have gone in the meantime; then there is nothing to do.
        let _ = self.delete_object(&writer, &resource, key, options);
    }

    /// The pods of a controller, by name.
    pub(crate) fn pods_of(&self, owner: &Value) -> Vec<Stored> {
        self.children(owner, "pods")
    }

    /// The objects of a resource that a controller made, by name.
    pub(crate) fn children(&self, owner: &Value, storage: &str) -> Vec<Stored> {
        let keys = self.store.controlled_by(json::text(owner, "metadata.uid")).filter(|key| &*key.resource == storage);
        keys.filter_map(|key| self.store.at(key)).cloned().collect()
    }

    /// The keys of the pods on a node.
    pub(crate) fn pods_on(&self, node: &str) -> Vec<ObjectKey> {
        self.store.found("pods", LookupField::Node, node).map(|pod| key_of("pods", pod)).collect()
    }

    /// Where an owner stands.
    pub(crate) fn owner_key(&self, owner: &Value, namespace: &str) -> Option<ObjectKey> {
        let resource = self.registry.kind(json::text(owner, "apiVersion"), json::text(owner, "kind"))?;
        let namespace = if resource.namespaced { namespace } else { "" };
        Some(ObjectKey::new(&resource.storage, namespace, json::text(owner, "name")))
    }

    /// Wakes the scheduler for pods that have no node. Of many alike, some are enough: what keeps them waiting keeps all
    /// others of their controller waiting too, and a success wakes the next.
    pub(crate) fn wake_unscheduled(&mut self) {
        let mut alike: BTreeMap<&str, usize> = BTreeMap::new();
        let mut woken = Vec::new();
        for key in self.waiting.iter() {
            let owner = self.store.at(key).and_then(|pod| meta::controller(pod));
            let count = alike.entry(owner.map_or("", |owner| json::text(owner, "uid"))).or_default();
            *count += 1;
            if *count <= ALIKE || owner.is_none() {
                woken.push(key.clone());
            }
        }
        for key in woken {
            self.wake(Actor::Scheduler, key);
        }
    }

    /// Wakes the scheduler for a pod of the same controller, after one of its pods got a node.
    pub(crate) fn wake_next_sibling(&mut self, pod: &Value) {
        let Some(owner) = meta::controller(pod).filter(|_| !self.waiting.is_empty()) else { return };
        let siblings = self.store.controlled_by(json::text(owner, "uid"));
        let next = siblings.filter(|key| self.waiting.contains(key)).nth(ALIKE - 1).cloned();
        if let Some(next) = next {
            self.wake(Actor::Scheduler, next);
        }
    }
}

/// Whether an object that is being deleted has nothing left to wait for.
fn is_finished(object: &Value) -> bool {
    meta::is_going(object)
        && json::list(object, "metadata.finalizers").is_empty()
        && json::list(object, "spec.finalizers").is_empty()
        && json::int(object, "metadata.deletionGracePeriodSeconds").unwrap_or(0) == 0
}

/// So many pods of one controller are tried again at once.
const ALIKE: usize = 100;

fn built_in_counts(storage: &str) -> bool {
    crate::resource::BUILT_IN.iter().any(|resource| &*resource.storage == storage && resource.counts_generations)
}

/// A pod from a template, made by a controller.
pub(crate) fn pod_from(template: &Value, owner: &Value, prefix: &str) -> Value {
    let metadata = json::at(template, "metadata");
    let mut pod = json!({
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"generateName": prefix, "ownerReferences": [meta::controlled_by(owner)]},
    });
    // A copy; the macro would write the tree out and read it again.
    pod["spec"] = json::at(template, "spec").clone();
    for field in ["labels", "annotations", "finalizers"] {
        if let Some(value) = metadata.get(field) {
            pod["metadata"][field] = value.clone();
        }
    }
    pod
}

/// Whether a pod is ready.
pub(crate) fn is_ready(pod: &Value) -> bool {
    meta::condition(pod, "Ready") == "True"
}

/// Whether a pod is neither over nor going.
pub(crate) fn is_active(pod: &Value) -> bool {
    !matches!(json::text(pod, "status.phase"), "Succeeded" | "Failed") && !meta::is_going(pod)
}

/// When a ready pod counts as available; nothing if it is not ready.
pub(crate) fn available_at(pod: &Value, min_ready_seconds: i64) -> Option<crate::time::Stamp> {
    let conditions = json::list(pod, "status.conditions");
    let ready = conditions.iter().find(|c| json::text(c, "type") == "Ready" && json::text(c, "status") == "True")?;
    Some(meta::stamp(ready, "lastTransitionTime")?.after_secs(min_ready_seconds))
}

/// A number, or a percentage of a whole rounded up or down.
pub(crate) fn share(value: &Value, whole: i64, up: bool) -> i64 {
    match value {
        Value::Number(number) => number.as_i64().unwrap_or(0),
        Value::String(text) => {
            let percent: i64 = text.trim_end_matches('%').parse().unwrap_or(0);
            let product = percent.saturating_mul(whole);
            if up { product.saturating_add(99).div_euclid(100) } else { product.div_euclid(100) }
        }
        _ => 0,
    }
}
