//! Volumes: what a pod mounts must be there before anything starts.

use std::time::Duration;

use serde_json::Value;

use super::{Look, PodWorker};
use crate::agenda::Actor;
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};

impl Cluster {
    /// Mounts the volumes of a pod. What is missing is told, and tried again after 0.5 s, 1 s, ... up to two minutes.
    pub(super) fn mount(&mut self, key: &ObjectKey, pod: &Stored, worker: &mut PodWorker) -> Look {
        let problems: Vec<String> =
            json::list(pod, "spec.volumes").iter().filter_map(|volume| self.problem(pod, volume)).collect();
        if problems.is_empty() {
            return Look::Done;
        }
        for problem in &problems {
            self.say(pod, "", false, true, "FailedMount", problem);
        }
        let millis = (500u64 << worker.mount_tries.min(8)).min(122_000);
        worker.mount_tries += 1;
        self.plan(Actor::Kubelet, key.clone(), Duration::from_millis(millis));
        // Only the mount is retried, so this is no failed look.
        worker.busy_until = self.now.after(Duration::from_millis(millis));
        Look::Busy
    }

    /// Why a volume cannot be mounted.
    fn problem(&self, pod: &Value, volume: &Value) -> Option<String> {
        let namespace = json::text(pod, "metadata.namespace");
        let name = json::text(volume, "name");
        let claim = json::text(volume, "persistentVolumeClaim.claimName");
        if !claim.is_empty() {
            let why = match self.store.get("persistentvolumeclaims", namespace, claim) {
                None => format!("failed to fetch PVC from API server: persistentvolumeclaims {claim:?} not found"),
                Some(found) if meta::is_going(found) => "PVC is being deleted".into(),
                Some(found) if json::text(found, "status.phase") != "Bound" => "PVC is not bound".into(),
                Some(_) => return None,
            };
            return Some(format!(
                "Unable to attach or mount volumes: unmounted volumes=[{name}], unattached volumes=[], failed to process \
                 volumes=[{name}]: error processing PVC {namespace}/{claim}: {why}"
            ));
        }
        let sources = json::list(volume, "projected.sources").iter().chain(std::iter::once(volume));
        sources
            .filter_map(|source| self.missing(namespace, source))
            .next()
            .map(|why| format!("MountVolume.SetUp failed for volume {name:?} : {why}"))
    }

    /// The ConfigMap, Secret or key that a source names and that is not there.
    fn missing(&self, namespace: &str, source: &Value) -> Option<String> {
        for (field, resource, word) in [("configMap", "configmaps", "configmap"), ("secret", "secrets", "secret")] {
            let Some(reference) = source.get(field) else { continue };
            let name = match json::text(reference, "secretName") {
                "" => json::text(reference, "name"),
                name => name,
            };
            if json::flag(reference, "optional") {
                return None;
            }
            let Some(object) = self.store.get(resource, namespace, name) else {
                return Some(format!("{word} {name:?} not found"));
            };
            let has = |key: &str| ["data", "binaryData"].iter().any(|map| json::at(object, map).get(key).is_some());
            let wanted = json::list(reference, "items").iter().map(|item| json::text(item, "key"));
            if let Some(key) = wanted.into_iter().find(|key| !has(key)) {
                return Some(match word {
                    "secret" => format!("references non-existent secret key: {key}"),
                    _ => format!("configmap references non-existent config key: {key}"),
                });
            }
        }
        None
    }
}
