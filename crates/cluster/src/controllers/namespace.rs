//! Namespaces: furnished when they are made, emptied before they go.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::agenda::Actor;
use crate::api::DeleteOptions;
use crate::bootstrap;
use crate::store::ObjectKey;
use crate::{Cluster, json, meta};

impl Cluster {
    pub(crate) fn sync_namespace(&mut self, key: &ObjectKey) {
        let Some(space) = self.store.at(key).cloned() else { return };
        if !meta::is_going(&space) {
            return bootstrap::furnish(self, &key.name);
        }
        if json::list(&space, "spec.finalizers").is_empty() {
            return;
        }
        for object in self.contents(&key.name) {
            let is_going = self.store.at(&object).is_some_and(|object| meta::is_going(object));
            if !is_going {
                self.unmake(&object, &DeleteOptions { propagation: "Background".into(), ..DeleteOptions::default() });
            }
        }
        let left = self.contents(&key.name);
        if left.is_empty() {
            self.change(key, |space| {
                json::remove(space, "spec.finalizers");
            });
            return;
        }
        self.note_namespace(key, &left);
        self.plan(Actor::Namespace, key.clone(), Duration::from_secs(5));
    }

    /// Tells what keeps a namespace from going.
    fn note_namespace(&mut self, key: &ObjectKey, left: &[ObjectKey]) {
        let mut resources: BTreeMap<String, usize> = BTreeMap::new();
        let mut finalizers: BTreeMap<String, usize> = BTreeMap::new();
        for object in left {
            *resources.entry(object.resource.to_string()).or_default() += 1;
            let own = self
                .store
                .at(object)
                .map(|object| json::list(object, "metadata.finalizers").to_vec())
                .unwrap_or_default();
            for finalizer in own.iter().filter_map(Value::as_str) {
                *finalizers.entry(finalizer.into()).or_default() += 1;
            }
        }
        let remaining: Vec<_> =
            resources.iter().map(|(name, n)| format!("{} has {n} resource instances", dotted(name))).collect();
        let held: Vec<_> = finalizers.iter().map(|(name, n)| format!("{name} in {n} resource instances")).collect();
        let now = self.now;
        self.change(key, |space| {
            let all = [
                (
                    "NamespaceDeletionDiscoveryFailure",
                    "False",
                    "ResourcesDiscovered",
                    "All resources successfully discovered".to_string(),
                ),
                (
                    "NamespaceDeletionGroupVersionParsingFailure",
                    "False",
                    "ParsedGroupVersions",
                    "All legacy kube types successfully parsed".into(),
                ),
                (
                    "NamespaceDeletionContentFailure",
                    "False",
                    "ContentDeleted",
                    "All content successfully deleted, may be waiting on finalization".into(),
                ),
                (
                    "NamespaceContentRemaining",
                    "True",
                    "SomeResourcesRemain",
                    format!("Some resources are remaining: {}", remaining.join(", ")),
                ),
            ];
            for (kind, status, reason, message) in all {
                meta::set_condition(space, kind, status, reason, &message, now);
            }
            if held.is_empty() {
                let message = "All content-preserving finalizers finished";
                meta::set_condition(
                    space,
                    "NamespaceFinalizersRemaining",
                    "False",
                    "ContentHasNoFinalizers",
                    message,
                    now,
                );
            } else {
                let message = format!("Some content in the namespace has finalizers remaining: {}", held.join(", "));
                meta::set_condition(
                    space,
                    "NamespaceFinalizersRemaining",
                    "True",
                    "SomeFinalizersRemain",
                    &message,
                    now,
                );
            }
        });
    }
}

/// `configmaps.` for the core group, `deployments.apps` for others.
fn dotted(resource: &str) -> String {
    if resource.contains('.') { resource.into() } else { format!("{resource}.") }
}
