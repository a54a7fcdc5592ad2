//! StatefulSets: pods with names and claims of their own, one after the other.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::revisions::of_pod;
use super::{available_at, is_ready, key_of, pod_from};
use crate::agenda::Actor;
use crate::api::DeleteOptions;
use crate::events::Told;
use crate::program::Programs;
use crate::resource::built_in;
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};

const SOURCE: &str = "statefulset-controller";
const SETS: &str = "statefulsets.apps";

impl Cluster {
    pub(crate) fn sync_stateful_set(&mut self, programs: &mut dyn Programs, key: &ObjectKey) {
        let Some(set) = self.store.at(key).cloned() else { return };
        if meta::is_going(&set) {
            return;
        }
        let (revision, _) = self.current_revision(&set);
        let has_failed = self.step_stateful_set(programs, &set, &revision);
        self.retry(key, has_failed);
        self.note_stateful_set(key, &revision);
        let used: Vec<_> = self.pods_of(&set).iter().map(|pod| of_pod(pod).to_string()).chain([revision]).collect();
        self.forget_revisions(&set, &used);
    }

    /// Creates, deletes or replaces pods as far as order allows. Says whether a pod was refused.
    fn step_stateful_set(&mut self, programs: &mut dyn Programs, set: &Stored, revision: &str) -> bool {
        let wanted = json::int(set, "spec.replicas").unwrap_or(1);
        let first = json::int(set, "spec.ordinals.start").unwrap_or(0);
        let is_ordered = json::text(set, "spec.podManagementPolicy") != "Parallel";
        let pods = self.numbered(set);
        let by_number: BTreeMap<i64, &Stored> = pods.iter().map(|(number, pod)| (*number, pod)).collect();
        let key = key_of(SETS, set);
        let present = by_number.range(first..first.saturating_add(wanted)).count() as i64;
        let mut allowed =
            self.may_make(Actor::StatefulSet, &key, (wanted - present).clamp(0, if is_ordered { 1 } else { i64::MAX }));
        let current = json::text(set, "status.currentRevision").to_string();
        let partition = json::int(set, "spec.updateStrategy.rollingUpdate.partition").unwrap_or(0);
        for number in first..first.saturating_add(wanted) {
            match by_number.get(&number) {
                Some(pod) if is_over(pod) && !meta::is_going(pod) => {
                    let why = format!(
                        "StatefulSet {} is recreating {} Pod {}",
                        full_name(set),
                        json::text(pod, "status.phase").to_lowercase(),
                        json::text(pod, "metadata.name")
                    );
                    self.tell(set, built_in(SETS), &Told::warning(SOURCE, "RecreatingFailedPod", &why));
                    self.unmake(&key_of("pods", pod), &DeleteOptions::default());
                    return false;
                }
                None if allowed == 0 => return false,
                None => {
                    allowed -= 1;
                    let is_old = number < first.saturating_add(partition) && !current.is_empty();
                    let revision = if is_old { &current } else { revision };
                    if self.is_held(Actor::StatefulSet, set, &key) {
                        return false;
                    }
                    if !self.add_numbered(programs, set, number, revision) {
                        return true;
                    }
                    if is_ordered {
                        return false;
                    }
                }
                Some(pod) if is_ordered && (!is_ready(pod) || meta::is_going(pod)) => return false,
                Some(_) => {}
            }
        }
        let surplus: Vec<_> = pods
            .iter()
            .rev()
            .filter(|(number, _)| *number >= first.saturating_add(wanted) || *number < first)
            .collect();
        for (_, pod) in &surplus {
            if !meta::is_going(pod) {
                self.drop_numbered(set, pod);
            }
            if is_ordered {
                return false;
            }
        }
        if json::text(set, "spec.updateStrategy.type") == "OnDelete" {
            return false;
        }
        // From the highest down, one at a time, and only past those that are ready.
        let updated = pods
            .iter()
            .rev()
            .filter(|(number, _)| (first.saturating_add(partition)..first.saturating_add(wanted)).contains(number));
        for (_, pod) in updated {
            if meta::is_going(pod) {
                return false;
            }
            if of_pod(pod) != revision {
                self.drop_numbered(set, pod);
                return false;
            }
            if !is_ready(pod) {
                return false;
            }
        }
        false
    }

    /// The pods of a set with their numbers, in order.
    fn numbered(&self, set: &Value) -> Vec<(i64, Stored)> {
        let prefix = format!("{}-", json::text(set, "metadata.name"));
        let number = |pod: &Stored| json::text(pod, "metadata.name").strip_prefix(&prefix).and_then(|n| n.parse().ok());
        let mut pods: Vec<_> = self.pods_of(set).into_iter().filter_map(|pod| Some((number(&pod)?, pod))).collect();
        pods.sort_by_key(|(number, _)| *number);
        pods
    }

    fn add_numbered(&mut self, programs: &mut dyn Programs, set: &Stored, number: i64, revision: &str) -> bool {
        let (namespace, owner) =
            (json::text(set, "metadata.namespace").to_string(), json::text(set, "metadata.name").to_string());
        let name = format!("{owner}-{number}");
        let claims = json::list(set, "spec.volumeClaimTemplates").to_vec();
        let template = self.template_of(set, revision);
        let mut pod = pod_from(&template, set, "");
        json::remove(&mut pod, "metadata.generateName");
        json::set(&mut pod, "metadata.name", name.clone());
        let mut labels = json::at(&pod, "metadata.labels").as_object().cloned().unwrap_or_default();
        for (key, value) in [
            ("apps.kubernetes.io/pod-index", number.to_string()),
            ("controller-revision-hash", revision.to_string()),
            ("statefulset.kubernetes.io/pod-name", name.clone()),
        ] {
            labels.insert(key.into(), value.into());
        }
        json::set(&mut pod, "metadata.labels", labels);
        json::set(&mut pod, "spec.hostname", name.clone());
        json::set(&mut pod, "spec.subdomain", json::text(set, "spec.serviceName"));
        for claim in claims {
            let volume = json::text(&claim, "metadata.name").to_string();
            let claim_name = format!("{volume}-{name}");
            if !self.add_claim(programs, set, &claim, &claim_name, &name) {
                return false;
            }
            let volumes = json::list_mut(&mut pod, "spec.volumes");
            volumes.retain(|own| json::text(own, "name") != volume);
            volumes.push(json!({"name": volume, "persistentVolumeClaim": {"claimName": claim_name}}));
        }
        match self.make(programs, "pods", &namespace, pod) {
            Ok(_) => {
                let message = format!("create Pod {name} in StatefulSet {owner} successful");
                self.tell(set, built_in(SETS), &Told::normal(SOURCE, "SuccessfulCreate", &message));
                true
            }
            Err(error) => {
                let message = format!("create Pod {name} in StatefulSet {owner} failed error: {}", error.message);
                self.tell(set, built_in(SETS), &Told::warning(SOURCE, "FailedCreate", &message));
                false
            }
        }
    }

    /// The template of a revision; the present one if it is forgotten.
    fn template_of(&self, set: &Value, revision: &str) -> Value {
        let namespace = json::text(set, "metadata.namespace");
        let stored = self.store.get("controllerrevisions.apps", namespace, revision);
        let mut template = stored
            .map_or_else(|| json::at(set, "spec.template").clone(), |own| json::at(own, "data.spec.template").clone());
        json::remove(&mut template, "$patch");
        template
    }

    fn add_claim(
        &mut self,
        programs: &mut dyn Programs,
        set: &Stored,
        template: &Value,
        name: &str,
        pod: &str,
    ) -> bool {
        let (namespace, owner) =
            (json::text(set, "metadata.namespace").to_string(), json::text(set, "metadata.name").to_string());
        if self.store.get("persistentvolumeclaims", &namespace, name).is_some() {
            return true;
        }
        let labels = json::at(set, "spec.selector.matchLabels");
        let claim = json!({
            "kind": "PersistentVolumeClaim",
            "apiVersion": "v1",
            "metadata": {"name": name, "labels": labels},
            "spec": json::at(template, "spec"),
        });
        match self.make(programs, "persistentvolumeclaims", &namespace, claim) {
            Ok(_) => {
                let message = format!("create Claim {name} Pod {pod} in StatefulSet {owner} success");
                self.tell(set, built_in(SETS), &Told::normal(SOURCE, "SuccessfulCreate", &message));
                true
            }
            Err(error) => {
                let message =
                    format!("create Claim {name} for Pod {pod} in StatefulSet {owner} failed error: {}", error.message);
                self.tell(set, built_in(SETS), &Told::warning(SOURCE, "FailedCreate", &message));
                false
            }
        }
    }

    fn drop_numbered(&mut self, set: &Stored, pod: &Value) {
        self.unmake(&key_of("pods", pod), &DeleteOptions::default());
        let message = format!(
            "delete Pod {} in StatefulSet {} successful",
            json::text(pod, "metadata.name"),
            json::text(set, "metadata.name")
        );
        self.tell(set, built_in(SETS), &Told::normal(SOURCE, "SuccessfulDelete", &message));
    }

    fn note_stateful_set(&mut self, key: &ObjectKey, revision: &str) {
        let Some(set) = self.store.at(key).cloned() else { return };
        let pods: Vec<_> = self.numbered(&set).into_iter().map(|(_, pod)| pod).collect();
        let wanted = json::int(&set, "spec.replicas").unwrap_or(1);
        let seconds = json::int(&set, "spec.minReadySeconds").unwrap_or(0);
        let count = |test: &dyn Fn(&Stored) -> bool| pods.iter().filter(|pod| test(pod)).count() as i64;
        let current = json::text(&set, "status.currentRevision").to_string();
        let current = if current.is_empty() { revision.to_string() } else { current };
        let updated = count(&|pod| of_pod(pod) == revision && !meta::is_going(pod));
        let ready = count(&|pod| is_ready(pod) && !is_over(pod));
        let times: Vec<_> = pods.iter().filter_map(|pod| available_at(pod, seconds)).collect();
        let available = times.iter().filter(|at| **at <= self.now).count();
        if let Some(next) = times.iter().filter(|at| **at > self.now).min() {
            self.plan(Actor::StatefulSet, key.clone(), next.since(self.now));
        }
        let is_done = updated == wanted && ready == wanted && pods.len() as i64 == wanted;
        let current = if is_done { revision.to_string() } else { current };
        let of_current = count(&|pod| of_pod(pod) == current && !meta::is_going(pod));
        self.change(key, |set| {
            json::set(set, "status.replicas", pods.len());
            json::set(set, "status.availableReplicas", available);
            json::set(set, "status.collisionCount", 0);
            for (field, value) in
                [("readyReplicas", ready), ("currentReplicas", of_current), ("updatedReplicas", updated)]
            {
                super::replicaset::set_count(set, &format!("status.{field}"), value);
            }
            json::set(set, "status.currentRevision", current);
            json::set(set, "status.updateRevision", revision);
            let generation = json::at(set, "metadata.generation").clone();
            json::set(set, "status.observedGeneration", generation);
        });
    }
}

fn is_over(pod: &Value) -> bool {
    matches!(json::text(pod, "status.phase"), "Succeeded" | "Failed")
}

fn full_name(set: &Value) -> String {
    format!("{}/{}", json::text(set, "metadata.namespace"), json::text(set, "metadata.name"))
}
