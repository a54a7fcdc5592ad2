//! Who names an object as owner, and what a controller counts of its pods.
//!
//! A controller of many pods looks whenever one of them changed. What it counts is noted at each write, so that it need not
//! read all the others again.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::{ObjectKey, ObjectStore};
use crate::time::Stamp;
use crate::{json, meta};

/// The objects that name one owner.
pub(super) type Dependants = BTreeMap<ObjectKey, Dependant>;

/// How an object hangs on its owner.
#[derive(Clone, Debug, Default)]
pub(super) struct Dependant {
    /// Whether the owner is its controller.
    pub(super) is_controlled: bool,
    /// Nothing for what is no pod.
    pod: Option<PodFacts>,
}

/// What a controller counts of a pod.
#[derive(Clone, Debug)]
pub(crate) struct PodFacts {
    /// Neither over nor going.
    pub(crate) is_active: bool,
    /// Whether it is ready.
    pub(crate) is_ready: bool,
    /// Since when it is ready, if that is told.
    pub(crate) ready_since: Option<Stamp>,
    /// Its labels. Pods of one owner share them where they are equal, so that a selector need be asked only once.
    pub(crate) labels: Arc<Value>,
}

impl PodFacts {
    fn of(pod: &Value, known: impl Iterator<Item = Arc<Value>>) -> Self {
        let status = json::at(pod, "status");
        let mut all = json::list(status, "conditions").iter().filter(|c| json::text(c, "type") == "Ready");
        let first = all.next();
        let is_true = |condition: &&Value| json::text(condition, "status") == "True";
        let holds = first.filter(is_true).or_else(|| all.find(is_true));
        let own = json::at(pod, "metadata.labels");
        let labels = known.into_iter().find(|labels| **labels == *own).unwrap_or_else(|| own.clone().into());
        Self {
            is_active: !matches!(json::text(status, "phase"), "Succeeded" | "Failed") && !meta::is_going(pod),
            is_ready: first.as_ref().is_some_and(is_true),
            ready_since: holds.and_then(|condition| meta::stamp(condition, "lastTransitionTime")),
            labels,
        }
    }
}

impl ObjectStore {
    /// The keys of those that name this uid as an owner.
    pub fn owned_by(&self, uid: &str) -> impl Iterator<Item = &ObjectKey> {
        self.owned.get(uid).into_iter().flat_map(|keys| keys.keys())
    }

    /// The keys of those that name this uid as their controller.
    pub fn controlled_by(&self, uid: &str) -> impl Iterator<Item = &ObjectKey> {
        let all = self.owned.get(uid).into_iter().flat_map(|keys| keys.iter());
        all.filter(|(_, dependant)| dependant.is_controlled).map(|(key, _)| key)
    }

    /// What is noted of the pods that name this uid as their controller, by name.
    pub(crate) fn pod_facts(&self, uid: &str) -> impl Iterator<Item = &PodFacts> {
        let all = self.owned.get(uid).into_iter().flat_map(|keys| keys.values());
        all.filter(|dependant| dependant.is_controlled).filter_map(|dependant| dependant.pod.as_ref())
    }

    pub(super) fn follow_owners(&mut self, key: &ObjectKey, before: Option<&Value>, after: Option<&Value>) {
        let (old, new) = (owners(before), owners(after));
        if old != new {
            for owner in old {
                self.leave(key, json::text(owner, "uid"));
            }
            for owner in new {
                let keys = self.owned.entry(json::text(owner, "uid").into()).or_default();
                Arc::make_mut(keys).entry(key.clone()).or_default().is_controlled |= json::flag(owner, "controller");
            }
        }
        if let Some(pod) = after.filter(|_| &*key.resource == "pods") {
            for owner in new {
                self.note_pod(key, json::text(owner, "uid"), pod);
            }
        }
    }

    fn leave(&mut self, key: &ObjectKey, uid: &str) {
        if let Some(keys) = self.owned.get_mut(uid) {
            Arc::make_mut(keys).remove(key);
            if keys.is_empty() {
                self.owned.remove(uid);
            }
        }
    }

    fn note_pod(&mut self, key: &ObjectKey, uid: &str, pod: &Value) {
        let Some(keys) = self.owned.get_mut(uid).map(Arc::make_mut) else { return };
        let labels = |dependant: &Dependant| dependant.pod.as_ref().map(|pod| pod.labels.clone());
        let own = keys.get(key).and_then(labels);
        let sibling = || keys.values().next().and_then(labels);
        let facts = PodFacts::of(pod, own.into_iter().chain(std::iter::once_with(sibling).flatten()));
        if let Some(dependant) = keys.get_mut(key) {
            dependant.pod = Some(facts);
        }
    }
}

fn owners(object: Option<&Value>) -> &[Value] {
    object.map(|object| json::list(object, "metadata.ownerReferences")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn key(name: &str) -> ObjectKey {
        ObjectKey::new("pods", "shop", name)
    }

    #[test]
    fn owners_are_followed() {
        let mut store = ObjectStore::default();
        store.put(key("a"), json!({"metadata": {"ownerReferences": [{"uid": "u1"}]}}));
        assert_eq!(store.owned_by("u1").count(), 1);
        store.put(key("a"), json!({"metadata": {}}));
        assert_eq!(store.owned_by("u1").count(), 0);
    }

    #[test]
    fn what_is_noted_of_pods_follows_their_writes() {
        let mut store = ObjectStore::default();
        let pod = |phase: &str, ready: &str| {
            json!({
                "metadata": {"labels": {"app": "web"}, "ownerReferences": [{"uid": "u1", "controller": true}]},
                "status": {"phase": phase, "conditions": [
                    {"type": "Ready", "status": ready, "lastTransitionTime": "1970-01-01T00:00:05Z"},
                ]},
            })
        };
        store.put(key("a"), pod("Running", "True"));
        store.put(key("b"), pod("Pending", "False"));
        store.put(key("c"), pod("Failed", "False"));
        let noted = |store: &ObjectStore| -> Vec<_> {
            store.pod_facts("u1").map(|pod| (pod.is_active, pod.is_ready, pod.ready_since)).collect()
        };
        let since = Some(Stamp::from_secs(5));
        assert_eq!(noted(&store), [(true, true, since), (true, false, None), (false, false, None)]);
        let labels: Vec<_> = store.pod_facts("u1").map(|pod| pod.labels.clone()).collect();
        assert!(labels.iter().all(|own| Arc::ptr_eq(own, &labels[0])), "equal labels are shared");
        store.put(key("b"), pod("Running", "True"));
        store.remove(&key("c"));
        assert_eq!(noted(&store), [(true, true, since), (true, true, since)]);
    }
}
