//! Deployments: ReplicaSets that take over from one another.

mod rolling;
mod status;

use serde_json::{Value, json};

use super::key_of;
use crate::api::DeleteOptions;
use crate::chance::{fnv32, safe_letters};
use crate::events::Told;
use crate::program::Programs;
use crate::resource::built_in;
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};

const SOURCE: &str = "deployment-controller";
const REVISION: &str = "deployment.kubernetes.io/revision";
const SETS: &str = "replicasets.apps";
const HASH: &str = "pod-template-hash";

impl Cluster {
    pub(crate) fn sync_deployment(&mut self, programs: &mut dyn Programs, key: &ObjectKey) {
        let Some(deployment) = self.store.at(key).cloned() else { return };
        if meta::is_going(&deployment) {
            return self.note_deployment(key);
        }
        self.adopt_sets(&deployment);
        if json::flag(&deployment, "spec.paused") {
            self.scale_in_place(&deployment);
            return self.note_deployment(key);
        }
        let is_scaled = self.is_scaling(&deployment);
        let Some(deployment) = self.renew_set(programs, &deployment) else { return };
        if is_scaled {
            self.scale_in_place(&deployment);
        } else if json::text(&deployment, "spec.strategy.type") == "Recreate" {
            self.recreate(&deployment);
        } else {
            self.roll(&deployment);
        }
        self.note_deployment(key);
        self.forget_old_sets(key);
    }

    fn adopt_sets(&mut self, deployment: &Stored) {
        let selector = crate::api::LabelSelector::of(json::at(deployment, "spec.selector"));
        let namespace = json::text(deployment, "metadata.namespace").to_string();
        let orphans = self.loose_in(SETS, &namespace).filter(|key| {
            let set = self.store.at(key);
            set.is_some_and(|set| !meta::is_going(set) && selector.matches(json::at(set, "metadata.labels")))
        });
        let orphans: Vec<_> = orphans.cloned().collect();
        for orphan in orphans {
            let owner = meta::controlled_by(deployment);
            self.change(&orphan, |set| json::list_mut(set, "metadata.ownerReferences").push(owner));
        }
    }

    /// All ReplicaSets of a deployment, the oldest first, and the one with its present template.
    fn sets(&self, deployment: &Value) -> (Vec<Stored>, Option<Stored>) {
        let mut all = self.children(deployment, SETS);
        all.sort_by(|one, other| {
            let text = |path: &str| json::text(one, path).cmp(json::text(other, path));
            text("metadata.creationTimestamp").then_with(|| text("metadata.name"))
        });
        let wanted = json::at(deployment, "spec.template");
        let current = all.iter().find(|set| is_same_template(json::at(set, "spec.template"), wanted)).cloned();
        (all, current)
    }

    /// Makes sure that there is a ReplicaSet with the present template and the newest revision.
    /// Nothing comes back if that failed.
    fn renew_set(&mut self, programs: &mut dyn Programs, deployment: &Stored) -> Option<Stored> {
        let (all, current) = self.sets(deployment);
        let newest = all.iter().map(|set| revision(set)).max().unwrap_or(0);
        let key = key_of("deployments.apps", deployment);
        match current {
            Some(set) => {
                let others =
                    all.iter().filter(|other| json::text(other, "metadata.uid") != json::text(&set, "metadata.uid"));
                let above = others.map(|other| revision(other)).max().unwrap_or(0);
                let number = revision(&set).max(above + 1);
                let annotations = self.set_annotations(deployment, number);
                let minimum = json::at(deployment, "spec.minReadySeconds").clone();
                // Mostly all is told already; then nothing is copied.
                let has_minimum = minimum.is_null() || *json::at(&set, "spec.minReadySeconds") == minimum;
                if !has_minimum || !has_annotations(&set, &annotations) {
                    self.change(&key_of(SETS, &set), |set| {
                        merge_annotations(set, &annotations);
                        if !minimum.is_null() {
                            json::set(set, "spec.minReadySeconds", minimum);
                        }
                    });
                }
                let number = number.to_string();
                if json::at(deployment, "metadata.annotations").get(REVISION) != Some(&Value::from(&*number)) {
                    self.change(&key, |deployment| annotate(deployment, REVISION, &number));
                }
            }
            None => {
                let now = self.now;
                match self.make_set(programs, deployment, newest + 1) {
                    Ok(name) => {
                        self.change(&key, |deployment| {
                            annotate(deployment, REVISION, &(newest + 1).to_string());
                            let message = format!("Created new replica set {name:?}");
                            status::progress(deployment, "True", "NewReplicaSetCreated", &message, now);
                        });
                    }
                    Err(message) => {
                        let told = Told::warning(SOURCE, "ReplicaSetCreateError", &message);
                        self.tell(deployment, built_in("deployments.apps"), &told);
                        self.change(&key, |deployment| {
                            status::progress(deployment, "False", "ReplicaSetCreateError", &message, now);
                        });
                        return None;
                    }
                }
            }
        }
        self.store.at(&key).cloned()
    }

    fn make_set(&mut self, programs: &mut dyn Programs, deployment: &Stored, number: i64) -> Result<String, String> {
        let mut template = json::at(deployment, "spec.template").clone();
        let collisions = json::int(deployment, "status.collisionCount").unwrap_or(0);
        let hash = template_hash(&template, collisions);
        let name = format!("{}-{hash}", json::text(deployment, "metadata.name"));
        label(&mut template, "metadata.labels", &hash);
        let mut selector = json::at(deployment, "spec.selector").clone();
        label(&mut selector, "matchLabels", &hash);
        let replicas = self.first_size(deployment);
        let mut set = json!({
            "kind": "ReplicaSet",
            "apiVersion": "apps/v1",
            "metadata": {
                "name": name,
                "labels": json::at(&template, "metadata.labels"),
                "ownerReferences": [meta::controlled_by(deployment)],
            },
            "spec": {"replicas": replicas, "selector": selector, "template": template},
        });
        if let Some(seconds) = json::int(deployment, "spec.minReadySeconds") {
            json::set(&mut set, "spec.minReadySeconds", seconds);
        }
        merge_annotations(&mut set, &self.set_annotations(deployment, number));
        let namespace = json::text(deployment, "metadata.namespace").to_string();
        self.make(programs, SETS, &namespace, set).map_err(|error| error.message)?;
        if replicas > 0 {
            self.tell_scaled(deployment, &name, 0, replicas);
        }
        Ok(name)
    }

    /// The size that a new ReplicaSet begins with.
    fn first_size(&self, deployment: &Value) -> i64 {
        let (all, _) = self.sets(deployment);
        let wanted = json::int(deployment, "spec.replicas").unwrap_or(1);
        let total: i64 = all.iter().map(|set| json::int(set, "spec.replicas").unwrap_or(0)).sum();
        match json::text(deployment, "spec.strategy.type") {
            "Recreate" if total > 0 || self.has_running_old(deployment) => 0,
            "Recreate" => wanted,
            _ => (wanted + rolling::bounds(deployment).surge - total).clamp(0, wanted),
        }
    }

    /// What a ReplicaSet is annotated with: its revision, the wanted size, and what the deployment carries.
    fn set_annotations(&self, deployment: &Value, number: i64) -> Vec<(String, String)> {
        let wanted = json::int(deployment, "spec.replicas").unwrap_or(1);
        let most = wanted + rolling::bounds(deployment).surge;
        let own = json::entries(deployment, "metadata.annotations").filter(|(key, _)| {
            key.as_str() != "kubectl.kubernetes.io/last-applied-configuration"
                && !key.starts_with("deployment.kubernetes.io/")
        });
        let mut annotations: Vec<_> =
            own.map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_string())).collect();
        annotations.push(("deployment.kubernetes.io/desired-replicas".into(), wanted.to_string()));
        annotations.push(("deployment.kubernetes.io/max-replicas".into(), most.to_string()));
        annotations.push((REVISION.into(), number.to_string()));
        annotations
    }

    /// Gives a ReplicaSet another size.
    fn resize(&mut self, deployment: &Value, set: &Stored, size: i64) {
        let before = json::int(set, "spec.replicas").unwrap_or(0);
        if before == size {
            return;
        }
        let wanted = json::int(deployment, "spec.replicas").unwrap_or(1).to_string();
        self.change(&key_of(SETS, set), |set| {
            json::set(set, "spec.replicas", size);
            annotate(set, "deployment.kubernetes.io/desired-replicas", &wanted);
        });
        self.tell_scaled(deployment, json::text(set, "metadata.name"), before, size);
    }

    fn tell_scaled(&mut self, deployment: &Value, set: &str, before: i64, after: i64) {
        let way = if after > before { "up" } else { "down" };
        let message = format!("Scaled {way} replica set {set} from {before} to {after}");
        self.tell(deployment, built_in("deployments.apps"), &Told::normal(SOURCE, "ScalingReplicaSet", &message));
    }

    /// Removes old, empty ReplicaSets beyond the number that is kept for a rollback.
    fn forget_old_sets(&mut self, key: &ObjectKey) {
        let Some(deployment) = self.store.at(key).cloned() else { return };
        let (all, current) = self.sets(&deployment);
        let kept = json::int(&deployment, "spec.revisionHistoryLimit").unwrap_or(10);
        let uid = current.map(|set| json::text(&set, "metadata.uid").to_string()).unwrap_or_default();
        let mut old: Vec<_> = all.into_iter().filter(|set| json::text(set, "metadata.uid") != uid).collect();
        old.sort_by_key(|set| revision(set));
        let is_empty = |set: &Stored| {
            let number = |path: &str| json::int(set, path).unwrap_or(0);
            number("spec.replicas") == 0 && number("status.replicas") == 0 && !meta::is_going(set)
        };
        let surplus = old.len() as i64 - kept;
        let gone: Vec<_> =
            old.iter().filter(|set| is_empty(set)).take(surplus.max(0) as usize).map(|set| key_of(SETS, set)).collect();
        for key in gone {
            self.unmake(&key, &DeleteOptions::default());
        }
    }
}

fn revision(set: &Value) -> i64 {
    let text = json::at(set, "metadata.annotations").get(REVISION).and_then(Value::as_str);
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Whether two templates are equal but for the label that tells ReplicaSets apart.
fn is_same_template(one: &Value, other: &Value) -> bool {
    equal_but(one, other, "metadata", |one, other| equal_but(one, other, "labels", is_same_labels))
}

fn is_same_labels(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            one.iter().filter(|(key, _)| *key != HASH).eq(other.iter().filter(|(key, _)| *key != HASH))
        }
        _ => one == other,
    }
}

/// Whether two maps are equal, where one field is compared in a way of its own.
fn equal_but(one: &Value, other: &Value, field: &str, is_same: impl Fn(&Value, &Value) -> bool) -> bool {
    let (Value::Object(one), Value::Object(other)) = (one, other) else { return one == other };
    one.len() == other.len()
        && one.iter().zip(other).all(|((own, value), (name, wanted))| {
            own == name && if own == field { is_same(value, wanted) } else { value == wanted }
        })
}

/// The short name of a template.
pub(super) fn template_hash(template: &Value, collisions: i64) -> String {
    let text = if collisions > 0 { format!("{template}{collisions}") } else { template.to_string() };
    safe_letters(fnv32(text.as_bytes()))
}

fn label(object: &mut Value, path: &str, hash: &str) {
    let mut labels = json::at(object, path).as_object().cloned().unwrap_or_default();
    labels.insert(HASH.into(), hash.into());
    json::set(object, path, labels);
}

fn annotate(object: &mut Value, key: &str, value: &str) {
    merge_annotations(object, &[(key.into(), value.into())]);
}

fn has_annotations(object: &Value, wanted: &[(String, String)]) -> bool {
    let own = json::at(object, "metadata.annotations");
    wanted.iter().all(|(key, value)| own.get(key).is_some_and(|own| own == value.as_str()))
}

fn merge_annotations(object: &mut Value, new: &[(String, String)]) {
    let mut annotations = json::at(object, "metadata.annotations").as_object().cloned().unwrap_or_default();
    for (key, value) in new {
        annotations.insert(key.clone(), value.clone().into());
    }
    json::set(object, "metadata.annotations", annotations);
}
