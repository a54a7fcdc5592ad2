//! Volumes and nodes: claims must be there, and bound volumes may be tied to a node.

use serde_json::Value;

use super::filters::matches_terms;
use super::{Obstacle, VolumeCheck};
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};

const CLAIMS: &str = "persistentvolumeclaims";

/// The node that was chosen for a claim that waits for its first consumer.
pub(crate) const SELECTED: &str = "volume.kubernetes.io/selected-node";

impl Cluster {
    /// What can be said about the claims of a pod before any node is looked at.
    pub(super) fn check_volumes(&self, pod: &Value) -> VolumeCheck {
        let namespace = json::text(pod, "metadata.namespace");
        let mut is_pending = false;
        for name in claims(pod) {
            let Some(claim) = self.store.get(CLAIMS, namespace, name) else {
                return VolumeCheck::Impossible(format!("persistentvolumeclaim {name:?} not found"));
            };
            if meta::is_going(claim) {
                return VolumeCheck::Impossible(format!("persistentvolumeclaim {name:?} is being deleted"));
            }
            let volume = json::text(claim, "spec.volumeName");
            let is_bound = json::text(claim, "status.phase") == "Bound";
            if is_bound && self.store.get("persistentvolumes", "", volume).is_none() {
                let why = format!("persistentvolumeclaim {name:?} bound to non-existent persistentvolume {volume:?}");
                return VolumeCheck::Impossible(why);
            }
            if is_bound {
                continue;
            }
            if !self.waits_for_consumer(claim) {
                return VolumeCheck::Impossible("pod has unbound immediate PersistentVolumeClaims".into());
            }
            is_pending |= json::at(claim, "metadata.annotations").get(SELECTED).is_some();
        }
        if is_pending { VolumeCheck::Pending } else { VolumeCheck::Fine }
    }

    fn waits_for_consumer(&self, claim: &Value) -> bool {
        let class = self.store.get("storageclasses.storage.k8s.io", "", json::text(claim, "spec.storageClassName"));
        class.is_some_and(|class| json::text(class, "volumeBindingMode") == "WaitForFirstConsumer")
    }

    /// Whether the bound volumes of a pod can be reached from a node.
    pub(super) fn volume_obstacle(&self, pod: &Value, node: &Stored) -> Option<Obstacle> {
        let namespace = json::text(pod, "metadata.namespace");
        for name in claims(pod) {
            let Some(claim) = self.store.get(CLAIMS, namespace, name) else { continue };
            let Some(volume) = self.store.get("persistentvolumes", "", json::text(claim, "spec.volumeName")) else {
                continue;
            };
            let terms = json::list(volume, "spec.nodeAffinity.required.nodeSelectorTerms");
            if !terms.is_empty() && !matches_terms(terms, node) {
                return Some(Obstacle::fixed("node(s) had volume node affinity conflict"));
            }
            let once = json::list(claim, "spec.accessModes").iter().any(|mode| mode == "ReadWriteOncePod");
            let uses = |other: &&Stored| {
                json::text(other, "metadata.uid") != json::text(pod, "metadata.uid")
                    && !json::text(other, "spec.nodeName").is_empty()
                    && claims(other).any(|own| own == name)
            };
            if once && self.store.list("pods", Some(namespace)).any(|other| uses(&other)) {
                let reason =
                    "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode";
                return Some(Obstacle::clearable(reason));
            }
        }
        None
    }

    /// Tells waiting claims which node was chosen. Says whether there are any.
    pub(super) fn select_volumes(&mut self, pod: &Value, node: &str) -> bool {
        let namespace = json::text(pod, "metadata.namespace").to_string();
        let names: Vec<_> = claims(pod).map(ToString::to_string).collect();
        let mut has_any = false;
        for name in names {
            let key = ObjectKey::new(CLAIMS, &namespace, &name);
            let waits = self.store.at(&key).is_some_and(|claim| json::text(claim, "status.phase") != "Bound");
            if waits {
                has_any = true;
                self.change(&key, |claim| {
                    let mut annotations =
                        json::at(claim, "metadata.annotations").as_object().cloned().unwrap_or_default();
                    annotations.insert(SELECTED.into(), node.into());
                    json::set(claim, "metadata.annotations", annotations);
                });
            }
        }
        has_any
    }
}

/// The names of the claims that a pod mounts.
fn claims(pod: &Value) -> impl Iterator<Item = &str> {
    let names =
        json::list(pod, "spec.volumes").iter().map(|volume| json::text(volume, "persistentVolumeClaim.claimName"));
    names.filter(|name| !name.is_empty())
}
