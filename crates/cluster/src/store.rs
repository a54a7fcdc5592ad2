//! Objects by resource, namespace and name; a revision per write; what changed since a revision.
//!
//! Everything stands behind `Arc`, so a clone costs a handful of counters and shares all that neither side changes.

mod dependants;
mod history;
mod index;
mod key;
mod stored;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::copy_on_write::CopyOnWrite;
use crate::json;
use dependants::Dependants;
pub use history::{Gone, StoreChange};
pub use index::LookupField;
pub use key::ObjectKey;
pub(crate) use stored::LongList;
pub use stored::Stored;

type Names = BTreeMap<Arc<str>, Stored>;
type Namespaces = BTreeMap<Arc<str>, Arc<Names>>;

/// All objects of a cluster, and the recent writes.
#[derive(Clone, Debug, Default)]
pub struct ObjectStore {
    resources: CopyOnWrite<BTreeMap<Arc<str>, Arc<Namespaces>>>,
    /// Who names an object as owner, by the owner's uid.
    owned: CopyOnWrite<BTreeMap<Arc<str>, Arc<Dependants>>>,
    /// The names of pods by namespace, label and value: Services look for theirs at every change.
    labelled: CopyOnWrite<BTreeMap<String, Arc<BTreeSet<Arc<str>>>>>,
    index: index::FieldIndex,
    revision: u64,
    history: CopyOnWrite<history::WriteLog>,
}

impl ObjectStore {
    /// The revision of the latest write.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// One object.
    pub fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<&Stored> {
        self.resources.get(resource)?.get(namespace)?.get(name)
    }

    /// The object at a key.
    pub fn at(&self, key: &ObjectKey) -> Option<&Stored> {
        self.get(&key.resource, &key.namespace, &key.name)
    }

    /// All objects of a resource in one namespace, or in all, ordered by namespace and name.
    pub fn list<'a>(&'a self, resource: &str, namespace: Option<&'a str>) -> impl Iterator<Item = &'a Stored> {
        let all = self.resources.get(resource).into_iter().flat_map(|namespaces| namespaces.iter());
        all.filter(move |(name, _)| namespace.is_none_or(|wanted| wanted == &***name))
            .flat_map(|(_, names)| names.values())
    }

    /// The resources of which there is at least one object.
    pub fn resources(&self) -> impl Iterator<Item = &Arc<str>> {
        self.resources.keys()
    }

    /// The names of the pods of a namespace that carry a label.
    pub fn pods_with(&self, namespace: &str, label: &str, value: &str) -> Option<&BTreeSet<Arc<str>>> {
        self.labelled.get(&label_entry(namespace, label, value)).map(|names| &**names)
    }

    /// The pods of a namespace with these names.
    pub fn pods_named<'a>(&'a self, namespace: &str, names: &BTreeSet<Arc<str>>) -> Vec<&'a Stored> {
        let Some(pods) = self.resources.get("pods").and_then(|spaces| spaces.get(namespace)) else { return Vec::new() };
        let mut found = Vec::with_capacity(names.len());
        found.extend(names.iter().filter_map(|name| pods.get(name)));
        found
    }

    /// The objects of a resource that have this value in that field, by namespace and name.
    pub fn found<'a>(&'a self, resource: &'a str, field: LookupField, value: &str) -> impl Iterator<Item = &'a Stored> {
        let keys = self.index.find(field, value).filter(move |key| &*key.resource == resource);
        keys.filter_map(|key| self.at(key))
    }

    /// The Services of a namespace that may select a pod with these labels, by name: one of the labels that each of them
    /// wants is there.
    pub fn services_near<'a>(&'a self, namespace: &str, labels: &Value) -> BTreeMap<&'a ObjectKey, &'a Stored> {
        let pairs = labels.as_object().into_iter().flatten();
        let entries = pairs.filter_map(|(label, value)| Some(label_entry(namespace, label, value.as_str()?)));
        let mut near = BTreeMap::new();
        for entry in entries {
            let keys = self.index.find(LookupField::Wanted, &entry);
            near.extend(keys.filter_map(|key| Some((key, self.at(key)?))));
        }
        near
    }

    /// Writes an object under the next revision, and returns it as stored.
    pub fn put(&mut self, key: ObjectKey, mut object: Value) -> Stored {
        self.stamp(&mut object);
        self.keep(key, object.into())
    }

    /// Writes an object without its list, which is written out when the object is read.
    pub(crate) fn put_short(&mut self, key: ObjectKey, mut head: Value, list: impl LongList) -> Stored {
        self.stamp(&mut head);
        self.keep(key, Stored::short(head, list))
    }

    fn stamp(&mut self, object: &mut Value) {
        self.revision += 1;
        json::set(object, "metadata.resourceVersion", self.revision.to_string());
    }

    fn keep(&mut self, mut key: ObjectKey, object: Stored) -> Stored {
        if let Some((resource, spaces)) = self.resources.get_key_value(&key.resource) {
            let space = spaces.get_key_value(&key.namespace).map(|(space, _)| space);
            key.share(resource, space);
        }
        let before = self.names(&key).insert(key.name.clone(), object.clone());
        let (old, new) = (before.as_ref().map(Stored::head), Some(object.head()));
        self.follow_owners(&key, old, new);
        self.follow_labels(&key, old, new);
        self.index.follow(&key, old, new);
        self.history.push(StoreChange { revision: self.revision, key, before, after: Some(object.clone()) });
        object
    }

    /// Removes an object under the next revision; the last state that is told carries that revision.
    pub fn remove(&mut self, key: &ObjectKey) -> Option<Stored> {
        let removed = self.names(key).remove(&key.name)?;
        self.revision += 1;
        self.follow_owners(key, Some(&removed), None);
        self.follow_labels(key, Some(&removed), None);
        self.index.follow(key, Some(&removed), None);
        let mut last = Value::clone(&removed);
        json::set(&mut last, "metadata.resourceVersion", self.revision.to_string());
        let last = Stored::from(last);
        let change = StoreChange { revision: self.revision, key: key.clone(), before: Some(last.clone()), after: None };
        self.history.push(change);
        Some(last)
    }

    /// The writes after a revision, oldest first; refused if some of them are forgotten.
    pub fn since(&self, revision: u64) -> Result<impl Iterator<Item = &StoreChange>, Gone> {
        self.history.since(revision, self.revision)
    }

    fn names(&mut self, key: &ObjectKey) -> &mut Names {
        let namespaces = Arc::make_mut(self.resources.entry(key.resource.clone()).or_default());
        Arc::make_mut(namespaces.entry(key.namespace.clone()).or_default())
    }

    fn follow_labels(&mut self, key: &ObjectKey, before: Option<&Value>, after: Option<&Value>) {
        if &*key.resource != "pods" {
            return;
        }
        fn labels(object: Option<&Value>) -> Option<&Map<String, Value>> {
            object.and_then(|object| json::at(object, "metadata.labels").as_object())
        }
        let (before, after) = (labels(before), labels(after));
        if before == after {
            return;
        }
        let entries = |labels: Option<&Map<String, Value>>| -> Vec<String> {
            let pairs = labels.into_iter().flatten();
            pairs.filter_map(|(label, value)| Some(label_entry(&key.namespace, label, value.as_str()?))).collect()
        };
        for entry in entries(before) {
            if let Some(names) = self.labelled.get_mut(&entry) {
                Arc::make_mut(names).remove(&key.name);
                if names.is_empty() {
                    self.labelled.remove(&entry);
                }
            }
        }
        for entry in entries(after) {
            Arc::make_mut(self.labelled.entry(entry).or_default()).insert(key.name.clone());
        }
    }
}

/// The signs between are in no valid name.
fn label_entry(namespace: &str, label: &str, value: &str) -> String {
    format!("{namespace} {label} {value}")
}

/// The key of an object.
pub(crate) fn key_of(storage: &str, object: &Value) -> ObjectKey {
    ObjectKey::new(storage, json::text(object, "metadata.namespace"), json::text(object, "metadata.name"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn key(name: &str) -> ObjectKey {
        ObjectKey::new("pods", "shop", name)
    }

    #[test]
    fn a_write_is_found_listed_and_told() {
        let mut store = ObjectStore::default();
        store.put(key("b"), json!({"metadata": {"name": "b"}}));
        store.put(key("a"), json!({"metadata": {"name": "a"}}));
        let names: Vec<_> = store.list("pods", Some("shop")).map(|o| json::text(o, "metadata.name")).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(store.list("pods", Some("bank")).count(), 0);
        store.remove(&key("b"));
        let told: Vec<_> = store.since(1).expect("kept").map(|c| (c.revision, c.after.is_some())).collect();
        assert_eq!(told, [(2, true), (3, false)]);
        assert!(store.get("pods", "shop", "b").is_none());
    }

    #[test]
    fn clones_share_and_part() {
        let mut store = ObjectStore::default();
        store.put(key("a"), json!({"n": 1}));
        let twin = store.clone();
        store.put(key("a"), json!({"n": 2}));
        assert_eq!(twin.get("pods", "shop", "a").expect("there")["n"], 1);
        assert_eq!(store.get("pods", "shop", "a").expect("there")["n"], 2);
    }

    #[test]
    fn labels_of_pods_are_followed() {
        let mut store = ObjectStore::default();
        let count = |store: &ObjectStore, value| store.pods_with("shop", "app", value).map_or(0, BTreeSet::len);
        for name in ["a", "b"] {
            store.put(key(name), json!({"metadata": {"labels": {"app": "web"}}}));
        }
        assert_eq!((count(&store, "web"), count(&store, "db")), (2, 0));
        store.put(key("a"), json!({"metadata": {"labels": {"app": "db"}}}));
        assert_eq!((count(&store, "web"), count(&store, "db")), (1, 1));
        store.remove(&key("b"));
        assert_eq!((count(&store, "web"), count(&store, "db")), (0, 1));
    }
}
