//! Garbage: what belonged to something that is gone.

use serde_json::Value;

use super::key_of;
use crate::api::DeleteOptions;
use crate::store::ObjectKey;
use crate::{Cluster, json, meta};

impl Cluster {
    pub(crate) fn collect_garbage(&mut self, key: &ObjectKey) {
        let Some(object) = self.store.at(key).cloned() else { return };
        let waits_for = |finalizer: &str| json::list(&object, "metadata.finalizers").iter().any(|own| own == finalizer);
        if meta::is_going(&object) && waits_for("orphan") {
            return self.orphan(key, &object);
        }
        if meta::is_going(&object) && waits_for("foregroundDeletion") {
            return self.delete_dependants(key, &object);
        }
        let owners = json::list(&object, "metadata.ownerReferences");
        if owners.is_empty() || meta::is_going(&object) {
            return;
        }
        if !self.has_owner(&object, &key.namespace) {
            return self.unmake(key, &DeleteOptions { propagation: "Background".into(), ..DeleteOptions::default() });
        }
        // Some owners are there: the others are forgotten.
        let present: Vec<Value> = owners.iter().filter(|owner| self.is_there(owner, &key.namespace)).cloned().collect();
        if present.len() < owners.len() {
            self.change(key, |object| json::set(object, "metadata.ownerReferences", present));
        }
    }

    /// Whether one of the owners that an object names is there. Without owners it needs none.
    pub(crate) fn has_owner(&self, object: &Value, namespace: &str) -> bool {
        let owners = json::list(object, "metadata.ownerReferences");
        owners.is_empty() || owners.iter().any(|owner| self.is_there(owner, namespace))
    }

    /// Whether an owner is there under the same uid. Kinds that are not known here are given the benefit of the doubt.
    fn is_there(&self, owner: &Value, namespace: &str) -> bool {
        let Some(key) = self.owner_key(owner, namespace) else { return true };
        let found = self.store.at(&key);
        found.is_some_and(|found| json::text(found, "metadata.uid") == json::text(owner, "uid"))
    }

    /// Dependants are told that they have no owner any more.
    fn orphan(&mut self, key: &ObjectKey, object: &Value) {
        let uid = json::text(object, "metadata.uid").to_string();
        let dependants: Vec<_> = self.store.owned_by(&uid).cloned().collect();
        for dependant in dependants {
            self.change(&dependant, |dependant| {
                json::list_mut(dependant, "metadata.ownerReferences").retain(|owner| json::text(owner, "uid") != uid);
                if json::list(dependant, "metadata.ownerReferences").is_empty() {
                    json::remove(dependant, "metadata.ownerReferences");
                }
            });
        }
        self.release(key, "orphan");
    }

    /// Dependants that hold their owner go first.
    fn delete_dependants(&mut self, key: &ObjectKey, object: &Value) {
        let uid = json::text(object, "metadata.uid").to_string();
        let dependants: Vec<_> = self.store.owned_by(&uid).cloned().collect();
        let mut is_held = false;
        for dependant in dependants {
            let Some(child) = self.store.at(&dependant).cloned() else { continue };
            let owners = json::list(&child, "metadata.ownerReferences").iter();
            is_held |= owners
                .filter(|owner| json::text(owner, "uid") == uid)
                .any(|owner| json::flag(owner, "blockOwnerDeletion"));
            if !meta::is_going(&child) {
                let options = DeleteOptions { propagation: "Foreground".into(), ..DeleteOptions::default() };
                self.unmake(&dependant, &options);
            }
        }
        let is_left = self.store.owned_by(&uid).next().is_some();
        if !is_held || !is_left {
            self.release(key, "foregroundDeletion");
        }
    }

    fn release(&mut self, key: &ObjectKey, finalizer: &str) {
        self.change(key, |object| {
            json::list_mut(object, "metadata.finalizers").retain(|own| own != finalizer);
            if json::list(object, "metadata.finalizers").is_empty() {
                json::remove(object, "metadata.finalizers");
            }
        });
    }

    /// All objects of a namespace, to be deleted with it.
    pub(super) fn contents(&self, namespace: &str) -> Vec<ObjectKey> {
        let resources: Vec<_> = self.store.resources().cloned().collect();
        let mut all = Vec::new();
        for resource in resources {
            all.extend(self.store.list(&resource, Some(namespace)).map(|object| key_of(&resource, object)));
        }
        all
    }
}
