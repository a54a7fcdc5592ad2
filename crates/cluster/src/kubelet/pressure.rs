//! Pressure: a kubelet whose disk is too full turns pods away and drives those that it has out, one after the other.

use std::sync::Arc;
use std::time::Duration;

use super::{Look, PodWorker};
use crate::agenda::Actor;
use crate::events::Told;
use crate::program::Programs;
use crate::resource::built_in;
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};

const TAINT: &str = "node.kubernetes.io/disk-pressure";
/// Pods from this priority on stay, whatever the pressure.
const CRITICAL: i64 = 2_000_000_000;

impl Cluster {
    /// A kubelet finds its disk too full, in these words, or has room again.
    pub fn set_disk_pressure(&mut self, node: &str, why: Option<&str>) {
        let key = ObjectKey::new("nodes", "", node);
        let before = self.full_disks.contains_key(node);
        match why {
            Some(why) => drop(self.full_disks.insert(node.into(), why.into())),
            None => drop(self.full_disks.remove(node)),
        }
        if before == why.is_some() {
            return;
        }
        let now = self.now;
        let (status, reason, message) = match why {
            Some(_) => ("True", "KubeletHasDiskPressure", "kubelet has disk pressure"),
            None => ("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        };
        self.change(&key, |node| {
            meta::set_condition(node, "DiskPressure", status, reason, message, now);
            let taints = json::list_mut(node, "spec.taints");
            taints.retain(|taint| json::text(taint, "key") != TAINT);
            if why.is_some() {
                taints.push(serde_json::json!({"key": TAINT, "effect": "NoSchedule", "timeAdded": now.rfc3339()}));
            }
            if json::list(node, "spec.taints").is_empty() {
                json::remove(node, "spec.taints");
            }
        });
        let Some(object) = self.store.at(&key).cloned() else { return };
        let word = if why.is_some() { "NodeHasDiskPressure" } else { "NodeHasNoDiskPressure" };
        let message = format!("Node {node} status is now: {word}");
        self.tell(&object, built_in("nodes"), &Told { host: node, ..Told::normal("kubelet", word, &message) });
    }

    /// Drives one pod out of a node whose disk is too full; says whether there was one.
    pub fn relieve_disk(&mut self, programs: &mut dyn Programs, node: &str) -> bool {
        let Some(why) = self.full_disks.get(node).cloned().filter(|_| !self.is_kubelet_down(node)) else {
            return false;
        };
        let candidates = self.pods_on(node).into_iter().filter_map(|key| {
            let pod = self.store.at(&key)?;
            let is_over = matches!(json::text(pod, "status.phase"), "Succeeded" | "Failed") || meta::is_going(pod);
            let priority = json::int(pod, "spec.priority").unwrap_or(0);
            (!is_over && priority < CRITICAL).then(|| (priority, key.clone()))
        });
        let Some((_, key)) = candidates.min_by(|one, other| (one.0, &one.1.name).cmp(&(other.0, &other.1.name))) else {
            return false;
        };
        let Some(pod) = self.store.at(&key).cloned() else { return false };
        let Some(mut worker) = self.workers.remove(&key) else { return false };
        if let Some(object) = self.store.get("nodes", "", node).cloned() {
            let message = "Attempting to reclaim ephemeral-storage";
            let told = Told { host: node, ..Told::warning("kubelet", "EvictionThresholdMet", message) };
            self.tell(&object, built_in("nodes"), &told);
        }
        let message = format!("The node was low on resource: ephemeral-storage. {why} ");
        self.say(&pod, "", false, true, "Evicted", &message);
        worker.over = Some(("Evicted".into(), message));
        self.kill_all(programs, &pod, &mut worker, Duration::from_secs(1));
        self.write_status(&key, &mut worker);
        self.workers.insert(key.clone(), worker);
        self.wake(Actor::Kubelet, key);
        true
    }

    /// Why a kubelet does not take a pod that it has not begun with.
    pub(super) fn refuses(&self, pod: &Stored, worker: &PodWorker) -> Option<Arc<str>> {
        if worker.has_sandbox || worker.makes_sandbox || worker.over.is_some() {
            return None;
        }
        let why = self.full_disks.get(json::text(pod, "spec.nodeName"))?;
        let tolerates = json::list(pod, "spec.tolerations").iter().any(|toleration| {
            let key = json::text(toleration, "key");
            key == TAINT || key.is_empty() && json::text(toleration, "operator") == "Exists"
        });
        let is_critical = json::int(pod, "spec.priority").unwrap_or(0) >= CRITICAL;
        (!tolerates && !is_critical).then(|| why.clone())
    }

    pub(super) fn turn_away(&mut self, key: &ObjectKey, pod: &Stored, worker: &mut PodWorker, _why: Arc<str>) -> Look {
        let message = "The node had condition: [DiskPressure]. ";
        self.say(pod, "", false, true, "Evicted", message);
        worker.over = Some(("Evicted".into(), message.into()));
        self.write_status(key, worker);
        Look::Done
    }
}
