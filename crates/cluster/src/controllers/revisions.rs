//! ControllerRevisions: the templates that stateful and daemon sets have had.

use serde_json::{Value, json};

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
        json::set_default(&mut data, "spec.template.metadata.creationTimestamp", Value::Null);
        let all = self.revisions(set);
        let newest = all.iter().map(|own| json::int(own, "revision").unwrap_or(0)).max().unwrap_or(0);
        if let Some(own) = all.iter().find(|own| json::at(own, "data") == &data) {
            if json::int(own, "revision").unwrap_or(0) < newest {
                self.change(&key_of(REVISIONS, own), |own| json::set(own, "revision", newest + 1));
            }
            return named(own);
        }
        let hash = revision_hash(&data);
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
        let _ = self.make_own(REVISIONS, &namespace, revision);
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

/// The hash that the real controllers give: FNV-1 over the JSON as Go writes it, and the count of collisions.
fn revision_hash(data: &Value) -> String {
    let text = data.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    let hash =
        text.bytes().chain(*b"0").fold(0x811c_9dc5u32, |hash, byte| hash.wrapping_mul(0x0100_0193) ^ u32::from(byte));
    safe(&hash.to_string())
}

/// Digits as letters that spell no words.
fn safe(text: &str) -> String {
    const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
    text.bytes().map(|byte| char::from(LETTERS[usize::from(byte) % LETTERS.len()])).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_real_controller() {
        // Recorded from a StatefulSet of one container, `postgres:16` with port 5432 and 5 s of grace.
        let data = json!({"spec": {"template": {
            "$patch": "replace",
            "metadata": {"creationTimestamp": null, "labels": {"app": "db"}},
            "spec": {
                "containers": [{
                    "name": "pg", "image": "postgres:16", "imagePullPolicy": "IfNotPresent", "resources": {},
                    "ports": [{"containerPort": 5432, "protocol": "TCP"}],
                    "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                }],
                "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler",
                "securityContext": {}, "terminationGracePeriodSeconds": 5,
            },
        }}});
        assert_eq!(revision_hash(&data), "74c745dd67");
    }
}
