//! What a deployment tells of itself: counts, availability, progress.

use serde_json::{Value, json};

use super::rolling;
use crate::agenda::Actor;
use crate::controllers::replicaset::{drop_condition, set_count};
use crate::store::ObjectKey;
use crate::time::Stamp;
use crate::{Cluster, json, meta};

impl Cluster {
    pub(super) fn note_deployment(&mut self, key: &ObjectKey) {
        let Some(deployment) = self.store.at(key).cloned() else { return };
        let (all, new) = self.sets(&deployment);
        let wanted = json::int(&deployment, "spec.replicas").unwrap_or(1);
        let sum = |path: &str| all.iter().map(|set| json::int(set, path).unwrap_or(0)).sum::<i64>();
        let total = sum("status.replicas");
        let available = sum("status.availableReplicas");
        let updated = new.as_ref().and_then(|set| json::int(set, "status.replicas")).unwrap_or(0);
        let counts = [
            ("replicas", total),
            ("updatedReplicas", updated),
            ("readyReplicas", sum("status.readyReplicas")),
            ("availableReplicas", available),
            ("unavailableReplicas", (sum("spec.replicas") - available).max(0)),
        ];
        let is_complete = updated == wanted && total == wanted && available == wanted;
        let has_progressed = updated > json::int(&deployment, "status.updatedReplicas").unwrap_or(0)
            || counts[2].1 > json::int(&deployment, "status.readyReplicas").unwrap_or(0)
            || available > json::int(&deployment, "status.availableReplicas").unwrap_or(0)
            || total - updated
                < json::int(&deployment, "status.replicas").unwrap_or(0)
                    - json::int(&deployment, "status.updatedReplicas").unwrap_or(0);
        let failure = all.iter().find_map(|set| {
            let failure =
                json::list(set, "status.conditions").iter().find(|c| json::text(c, "type") == "ReplicaFailure");
            failure.map(|failure| json::text(failure, "message").to_string())
        });
        let name = new.as_ref().map(|set| json::text(set, "metadata.name").to_string());
        let now = self.now;
        let is_new = json::at(&deployment, "status.observedGeneration") != json::at(&deployment, "metadata.generation");
        // What the notes read and write: a deployment is looked at more often than it changes, and its template is large.
        let mut noted = json::object([
            ("spec", json::without(json::at(&deployment, "spec"), "template")),
            ("status", json::at(&deployment, "status").clone()),
        ]);
        for (field, count) in counts {
            set_count(&mut noted, &format!("status.{field}"), count);
        }
        json::set(&mut noted, "status.observedGeneration", json::at(&deployment, "metadata.generation").clone());
        let least = wanted - rolling::bounds(&noted).unavailable;
        if available >= least {
            let message = "Deployment has minimum availability.";
            set(&mut noted, "Available", "True", "MinimumReplicasAvailable", message, now);
        } else {
            let message = "Deployment does not have minimum availability.";
            set(&mut noted, "Available", "False", "MinimumReplicasUnavailable", message, now);
        }
        let set_name = name.as_deref().unwrap_or_default();
        tell_progress(&mut noted, set_name, is_complete, has_progressed || is_new, now);
        match failure {
            Some(message) => set(&mut noted, "ReplicaFailure", "True", "FailedCreate", &message, now),
            None => drop_condition(&mut noted, "ReplicaFailure"),
        }
        self.change_status(key, noted["status"].take());
        self.watch_deadline(key);
    }

    /// Looks again when the deadline of progress has passed.
    fn watch_deadline(&mut self, key: &ObjectKey) {
        let Some(deployment) = self.store.at(key).cloned() else { return };
        let Some(condition) = find(&deployment, "Progressing") else { return };
        let is_open =
            json::text(condition, "status") == "True" && json::text(condition, "reason") != "NewReplicaSetAvailable";
        if let Some(at) = meta::stamp(condition, "lastUpdateTime").filter(|_| is_open) {
            let seconds = json::int(&deployment, "spec.progressDeadlineSeconds").unwrap_or(600);
            let due = at.after_secs(seconds + 1);
            self.plan(Actor::Deployment, key.clone(), due.since(self.now));
        }
    }
}

fn tell_progress(deployment: &mut Value, set_name: &str, is_complete: bool, has_progressed: bool, now: Stamp) {
    let current = find(deployment, "Progressing").cloned().unwrap_or_default();
    let reason = json::text(&current, "reason").to_string();
    if json::flag(deployment, "spec.paused") {
        if reason != "DeploymentPaused" {
            set(deployment, "Progressing", "Unknown", "DeploymentPaused", "Deployment is paused", now);
        }
        return;
    }
    if reason == "DeploymentPaused" {
        return set(deployment, "Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed", now);
    }
    if set_name.is_empty() {
        return;
    }
    let seconds = json::int(deployment, "spec.progressDeadlineSeconds").unwrap_or(600);
    if is_complete {
        let message = format!("ReplicaSet {set_name:?} has successfully progressed.");
        progress(deployment, "True", "NewReplicaSetAvailable", &message, now);
    } else if has_progressed || reason.is_empty() {
        let message = format!("ReplicaSet {set_name:?} is progressing.");
        touch(deployment, "True", "ReplicaSetUpdated", &message, now);
    } else {
        let updated = meta::stamp(&current, "lastUpdateTime");
        let is_late = updated.is_some_and(|at| now.since(at).as_secs() as i64 >= seconds);
        if is_late && json::text(&current, "status") == "True" && reason != "NewReplicaSetAvailable" {
            let message = format!("ReplicaSet {set_name:?} has timed out progressing.");
            progress(deployment, "False", "ProgressDeadlineExceeded", &message, now);
        }
    }
}

fn find<'a>(deployment: &'a Value, kind: &str) -> Option<&'a Value> {
    json::list(deployment, "status.conditions").iter().find(|c| json::text(c, "type") == kind)
}

/// Notes how a rollout goes, if that is news.
pub(super) fn progress(deployment: &mut Value, status: &str, reason: &str, message: &str, now: Stamp) {
    set(deployment, "Progressing", status, reason, message, now);
}

/// Notes that there was progress: the time of the note moves even if its words do not.
fn touch(deployment: &mut Value, status: &str, reason: &str, message: &str, now: Stamp) {
    set(deployment, "Progressing", status, reason, message, now);
    let conditions = json::list_mut(deployment, "status.conditions");
    if let Some(own) = conditions.iter_mut().find(|c| json::text(c, "type") == "Progressing") {
        json::set(own, "lastUpdateTime", now.rfc3339());
    }
}

fn set(deployment: &mut Value, kind: &str, status: &str, reason: &str, message: &str, now: Stamp) {
    let old = find(deployment, kind).cloned().unwrap_or_default();
    let is_same =
        ["status", "reason", "message"].iter().zip([status, reason, message]).all(|(f, v)| json::text(&old, f) == v);
    if is_same {
        return;
    }
    let since = if json::text(&old, "status") == status {
        json::text(&old, "lastTransitionTime").to_string()
    } else {
        now.rfc3339()
    };
    let new = json!({
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastUpdateTime": now.rfc3339(),
        "lastTransitionTime": since,
    });
    let list = json::list_mut(deployment, "status.conditions");
    list.retain(|c| json::text(c, "type") != kind);
    list.push(new);
}
