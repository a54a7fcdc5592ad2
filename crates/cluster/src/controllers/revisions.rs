//! ControllerRevisions: the templates that stateful and daemon sets have had.

use serde_json::{Value, json};

use super::deployment::template_hash;
use super::key_of;
use crate::api::DeleteOptions;
use crate::store::Stored;
use crate::{Cluster, json, meta};

const REVISIONS: &str = "controllerrevisions.apps";

impl Cluster {
    /// The revision of a set's present template, made if there is none: its name and its hash.
    pub(super) fn current_revision(&mut self, set: &Stored) -> (String, String) {
        let template = json::at(set, "spec.template");
        let mut data = json!({"spec": {"template": template}});
        json::set(&mut data, "spec.template.$patch", "replace");
        let all = self.revisions(set);
        let newest = all.iter().map(|own| json::int(own, "revision").unwrap_or(0)).max().unwrap_or(0);
        if let Some(own) = all.iter().find(|own| json::at(own, "data") == &data) {
            if json::int(own, "revision").unwrap_or(0) < newest {
                self.change(&key_of(REVISIONS, own), |own| json::set(own, "revision", newest + 1));
            }
            return named(own);
        }
        let hash = template_hash(template, 0);
        let name = format!("{}-{hash}", json::text(set, "metadata.name"));
        let mut labels = json::at(template, "metadata.labels").as_object().cloned().unwrap_or_default();
        labels.insert("controller-revision-hash".into(), hash.clone().into());
        let revision = json!({
            "kind": "ControllerRevision",
            "apiVersion": "apps/v1",
            "metadata": {"name": name, "labels": labels, "ownerReferences": [meta::controlled_by(set)]},
            "data": data,
            "revision": newest + 1,
        });
        let namespace = json::text(set, "metadata.namespace").to_string();
        // If it is there already, it is the same.
        let _ = self.make(REVISIONS, &namespace, revision);
        (name, hash)
    }

    fn revisions(&self, set: &Value) -> Vec<Stored> {
        let mut all = self.children(set, REVISIONS);
        all.sort_by_key(|own| json::int(own, "revision"));
        all
    }

    /// Forgets templates that no pod has, beyond the number to keep.
    pub(super) fn forget_revisions(&mut self, set: &Value, used: &[String]) {
        let kept = json::int(set, "spec.revisionHistoryLimit").unwrap_or(10);
        let unused: Vec<_> = self
            .revisions(set)
            .into_iter()
            .filter(|own| {
                let (name, hash) = named(own);
                !used.contains(&name) && !used.contains(&hash)
            })
            .collect();
        let surplus = (unused.len() as i64 - kept).max(0) as usize;
        for own in unused.iter().take(surplus) {
            self.unmake(&key_of(REVISIONS, own), &DeleteOptions::default());
        }
    }
}

fn named(revision: &Value) -> (String, String) {
    let hash = json::at(revision, "metadata.labels")
        .get("controller-revision-hash")
        .and_then(Value::as_str)
        .unwrap_or_default();
    (json::text(revision, "metadata.name").into(), hash.into())
}

/// The revision that a pod was made from: the label that both kinds of sets give.
pub(super) fn of_pod(pod: &Value) -> &str {
    json::at(pod, "metadata.labels").get("controller-revision-hash").and_then(Value::as_str).unwrap_or_default()
}
