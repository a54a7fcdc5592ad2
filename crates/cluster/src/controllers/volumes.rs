//! Claims and volumes: bound to each other, provisioned on demand, kept while they are used.

use std::time::Duration;

use serde_json::{Value, json};

use super::key_of;
use crate::agenda::Actor;
use crate::api::{DeleteOptions, LabelSelector};
use crate::events::Told;
use crate::quantity::Quantity;
use crate::resource::built_in;
use crate::scheduler::SELECTED;
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};

const SOURCE: &str = "persistentvolume-controller";
const CLAIMS: &str = "persistentvolumeclaims";
const VOLUMES: &str = "persistentvolumes";
const REPEAT_SECONDS: u64 = 15;

impl Cluster {
    pub(crate) fn sync_volume(&mut self, key: &ObjectKey) {
        match &*key.resource {
            CLAIMS => self.sync_claim(key),
            _ => self.sync_persistent_volume(key),
        }
    }

    fn sync_claim(&mut self, key: &ObjectKey) {
        let Some(claim) = self.store.at(key).cloned() else { return };
        if meta::is_going(&claim) {
            return self.release_claim(key);
        }
        if json::text(&claim, "status.phase") == "Bound" {
            return;
        }
        let wanted = json::text(&claim, "spec.volumeName").to_string();
        if !wanted.is_empty() {
            return self.bind_wanted(key, &claim, &wanted);
        }
        let class_name = json::text(&claim, "spec.storageClassName").to_string();
        let class = self.store.get("storageclasses.storage.k8s.io", "", &class_name).cloned();
        let waits =
            class.as_ref().is_some_and(|class| json::text(class, "volumeBindingMode") == "WaitForFirstConsumer");
        let selected =
            json::at(&claim, "metadata.annotations").get(SELECTED).and_then(Value::as_str).map(ToString::to_string);
        if waits && selected.is_none() {
            let message = "waiting for first consumer to be created before binding";
            return self.complain(key, &claim, &Told::normal(SOURCE, "WaitForFirstConsumer", message));
        }
        if let Some(volume) = self.smallest(&claim) {
            return self.bind_volume(key, &volume);
        }
        match class {
            None if class_name.is_empty() => {
                let message = "no persistent volumes available for this claim and no storage class is set";
                self.complain(key, &claim, &Told::normal(SOURCE, "FailedBinding", message));
            }
            None => {
                let message = format!("storageclass.storage.k8s.io {class_name:?} not found");
                self.complain(key, &claim, &Told::warning(SOURCE, "ProvisioningFailed", &message));
            }
            Some(class) => self.provision(key, &claim, &class, selected.as_deref()),
        }
    }

    /// Tells why a claim is not bound, and looks again a little later.
    fn complain(&mut self, key: &ObjectKey, claim: &Value, told: &Told<'_>) {
        self.tell(claim, built_in(CLAIMS), told);
        self.plan(Actor::Volumes, key.clone(), Duration::from_secs(REPEAT_SECONDS));
    }

    /// The smallest free volume that is good enough.
    fn smallest(&self, claim: &Value) -> Option<Stored> {
        let fits = |volume: &&Stored| self.is_free(volume, claim) && misfit(volume, claim).is_none();
        let volumes = self.store.list(VOLUMES, None).filter(fits);
        volumes
            .min_by_key(|volume| {
                (size(volume, "spec.capacity.storage"), json::text(volume, "metadata.name").to_string())
            })
            .cloned()
    }

    fn is_free(&self, volume: &Value, claim: &Value) -> bool {
        let bound = json::at(volume, "spec.claimRef");
        let own = json::text(bound, "name") == json::text(claim, "metadata.name")
            && json::text(bound, "namespace") == json::text(claim, "metadata.namespace")
            && matches!(json::text(bound, "uid"), uid if uid.is_empty() || uid == json::text(claim, "metadata.uid"));
        (bound.is_null() || own) && !meta::is_going(volume) && json::text(volume, "status.phase") != "Released"
    }

    fn bind_wanted(&mut self, key: &ObjectKey, claim: &Stored, wanted: &str) {
        let Some(volume) = self.store.get(VOLUMES, "", wanted).cloned() else { return };
        if !self.is_free(&volume, claim) {
            let message = format!("volume {wanted:?} already bound to a different claim.");
            return self.complain(key, claim, &Told::warning(SOURCE, "FailedBinding", &message));
        }
        if let Some(why) = misfit(&volume, claim) {
            let message = format!("Cannot bind to requested volume {wanted:?}: {why}");
            return self.complain(key, claim, &Told::warning(SOURCE, "VolumeMismatch", &message));
        }
        self.bind_volume(key, &volume);
    }

    fn bind_volume(&mut self, key: &ObjectKey, volume: &Stored) {
        let Some(claim) = self.store.at(key).cloned() else { return };
        let now = self.now;
        let reference = meta::reference(&claim, built_in(CLAIMS), "");
        let by_controller = json::text(&claim, "spec.volumeName").is_empty();
        self.change(&key_of(VOLUMES, volume), |volume| {
            json::set(volume, "spec.claimRef", reference);
            annotate(volume, "pv.kubernetes.io/bound-by-controller", "yes");
            phase(volume, "Bound", now);
        });
        let name = json::text(volume, "metadata.name").to_string();
        let capacity = json::at(volume, "spec.capacity").clone();
        let modes = json::at(volume, "spec.accessModes").clone();
        self.change(key, |claim| {
            json::set(claim, "spec.volumeName", name);
            annotate(claim, "pv.kubernetes.io/bind-completed", "yes");
            if by_controller {
                annotate(claim, "pv.kubernetes.io/bound-by-controller", "yes");
            }
            json::set(claim, "status.phase", "Bound");
            json::set(claim, "status.capacity", capacity);
            json::set(claim, "status.accessModes", modes);
        });
    }

    /// Asks the provisioner of a class for a volume. One that does not run never answers.
    fn provision(&mut self, key: &ObjectKey, claim: &Stored, class: &Stored, node: Option<&str>) {
        let provisioner = json::text(class, "provisioner").to_string();
        let message = format!(
            "Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually by the system \
             administrator. If volume creation is delayed, please verify that the provisioner is running and correctly \
             registered."
        );
        let is_new = json::at(claim, "metadata.annotations").get("volume.kubernetes.io/storage-provisioner").is_none();
        self.change(key, |claim| {
            annotate(claim, "volume.beta.kubernetes.io/storage-provisioner", &provisioner);
            annotate(claim, "volume.kubernetes.io/storage-provisioner", &provisioner);
        });
        self.tell(claim, built_in(CLAIMS), &Told::normal(SOURCE, "ExternalProvisioning", &message));
        if !self.provisioners.contains(&provisioner) {
            return self.plan(Actor::Volumes, key.clone(), Duration::from_secs(REPEAT_SECONDS));
        }
        let source = format!("{provisioner}_provisioner");
        if is_new {
            let message =
                format!("External provisioner is provisioning volume for claim \"{}/{}\"", key.namespace, key.name);
            self.tell(claim, built_in(CLAIMS), &Told::normal(&source, "Provisioning", &message));
            return self.plan(Actor::Volumes, key.clone(), Duration::from_secs(2));
        }
        let name = format!("pvc-{}", json::text(claim, "metadata.uid"));
        let mut volume = json!({
            "kind": "PersistentVolume",
            "apiVersion": "v1",
            "metadata": {"name": name, "annotations": {"pv.kubernetes.io/provisioned-by": provisioner}},
            "spec": {
                "capacity": {"storage": json::text(claim, "spec.resources.requests.storage")},
                "accessModes": json::at(claim, "spec.accessModes"),
                "persistentVolumeReclaimPolicy": json::text(class, "reclaimPolicy"),
                "storageClassName": json::text(class, "metadata.name"),
                "volumeMode": json::text(claim, "spec.volumeMode"),
                "local": {"path": format!("/var/openebs/local/{name}")},
            },
        });
        if let Some(node) = node {
            let term =
                json!({"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]});
            json::set(&mut volume, "spec.nodeAffinity.required.nodeSelectorTerms", json!([term]));
        }
        match self.make_own(VOLUMES, "", volume) {
            Ok(volume) => {
                let message = format!("Successfully provisioned volume {name}");
                self.tell(claim, built_in(CLAIMS), &Told::normal(&source, "ProvisioningSucceeded", &message));
                self.bind_volume(key, &volume);
            }
            Err(error) => {
                let message = format!("failed to provision volume: {}", error.message);
                self.complain(key, claim, &Told::warning(&source, "ProvisioningFailed", &message));
            }
        }
    }

    /// A claim that is being deleted goes when no pod uses it.
    fn release_claim(&mut self, key: &ObjectKey) {
        let uses = |pod: &&Stored| {
            let volumes = json::list(pod, "spec.volumes").iter();
            let is_over = matches!(json::text(pod, "status.phase"), "Succeeded" | "Failed");
            !is_over
                && volumes
                    .map(|volume| json::text(volume, "persistentVolumeClaim.claimName"))
                    .any(|claim| claim == &*key.name)
        };
        if self.store.list("pods", Some(&key.namespace)).any(|pod| uses(&pod)) {
            return;
        }
        let volume =
            self.store.at(key).map(|claim| json::text(claim, "spec.volumeName").to_string()).unwrap_or_default();
        self.change(key, |claim| {
            json::list_mut(claim, "metadata.finalizers")
                .retain(|finalizer| finalizer != "kubernetes.io/pvc-protection");
            if json::list(claim, "metadata.finalizers").is_empty() {
                json::remove(claim, "metadata.finalizers");
            }
        });
        if !volume.is_empty() {
            self.wake(Actor::Volumes, ObjectKey::new(VOLUMES, "", &volume));
        }
    }

    fn sync_persistent_volume(&mut self, key: &ObjectKey) {
        let Some(volume) = self.store.at(key).cloned() else { return };
        let now = self.now;
        let bound = json::at(&volume, "spec.claimRef");
        let claim = self.store.get(CLAIMS, json::text(bound, "namespace"), json::text(bound, "name"));
        let is_used = claim.is_some_and(|claim| json::text(claim, "metadata.uid") == json::text(bound, "uid"));
        if meta::is_going(&volume) && !is_used {
            self.change(key, |volume| {
                json::remove(volume, "metadata.finalizers");
            });
            return;
        }
        if bound.is_null() || json::text(bound, "uid").is_empty() {
            self.change(key, |volume| phase(volume, "Available", now));
            return;
        }
        if is_used {
            return;
        }
        if json::text(&volume, "spec.persistentVolumeReclaimPolicy") == "Delete" {
            self.unmake(key, &DeleteOptions::default());
        } else {
            self.change(key, |volume| phase(volume, "Released", now));
        }
    }
}

fn phase(volume: &mut Value, phase: &str, now: crate::time::Stamp) {
    if json::text(volume, "status.phase") != phase {
        json::set(volume, "status.phase", phase);
        json::set(volume, "status.lastPhaseTransitionTime", now.rfc3339());
    }
}

fn annotate(object: &mut Value, key: &str, value: &str) {
    let mut annotations = json::at(object, "metadata.annotations").as_object().cloned().unwrap_or_default();
    annotations.insert(key.into(), value.into());
    json::set(object, "metadata.annotations", annotations);
}

fn size(object: &Value, path: &str) -> i128 {
    Quantity::parse(json::text(object, path)).map_or(0, Quantity::amount)
}

/// Why a volume is not good for a claim; nothing if it is.
fn misfit(volume: &Value, claim: &Value) -> Option<&'static str> {
    if size(volume, "spec.capacity.storage") < size(claim, "spec.resources.requests.storage") {
        return Some("requested PV is too small");
    }
    if json::text(volume, "spec.storageClassName") != json::text(claim, "spec.storageClassName") {
        return Some("storageClassName does not match");
    }
    if json::text(volume, "spec.volumeMode") != json::text(claim, "spec.volumeMode") {
        return Some("incompatible volumeMode");
    }
    let modes = json::list(volume, "spec.accessModes");
    if !json::list(claim, "spec.accessModes").iter().all(|mode| modes.contains(mode)) {
        return Some("incompatible accessMode");
    }
    let selector = json::at(claim, "spec.selector");
    if selector.is_object() && !LabelSelector::of(selector).matches(json::at(volume, "metadata.labels")) {
        return Some("selector does not match");
    }
    None
}
