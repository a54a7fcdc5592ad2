//! Which of several good nodes is the best.

use serde_json::Value;

use super::Requests;
use super::filters::{matches_terms, tolerates};
use crate::chance::fnv;
use crate::store::Stored;
use crate::{Cluster, json, meta};

impl Cluster {
    /// The best node; equal ones are told apart by the seed.
    pub(super) fn best(&self, pod: &Value, wanted: &Requests, nodes: &[Stored]) -> Option<Stored> {
        if nodes.is_empty() {
            return None;
        }
        let siblings = meta::controller(pod).and_then(|owner| self.loads.siblings(json::text(owner, "uid")));
        let all: i64 = siblings.map_or(0, |nodes| nodes.values().sum());
        let uid = fnv(json::text(pod, "metadata.uid").as_bytes());
        let nominated = json::text(pod, "status.nominatedNodeName");
        let score = |node: &&Stored| {
            let name = json::text(node, "metadata.name");
            let nominated = i64::from(nominated == name) * 100_000;
            let near = siblings.and_then(|nodes| nodes.get(name)).copied().unwrap_or(0);
            let total = self.room_score(wanted, node)
                + 2 * preferred(pod, node)
                + 3 * untainted(pod, node)
                + 2 * (100 - 100 * near / all.max(1));
            (nominated + total, self.chance.bits("tie", uid ^ fnv(name.as_bytes())))
        };
        nodes.iter().max_by_key(score).cloned()
    }

    /// Free room after the pod, and how evenly cpu and memory are used.
    fn room_score(&self, wanted: &Requests, node: &Value) -> i64 {
        let name = json::text(node, "metadata.name");
        let (load, room) = (self.loads.of(name), self.loads.room(name));
        let part = |used: i64, all: i64| if all > 0 { (100 * used / all).min(100) } else { 100 };
        let cpu = part(load.requests.guessed_cpu + wanted.guessed_cpu, room.cpu);
        let memory = part(load.requests.guessed_memory + wanted.guessed_memory, room.memory);
        (100 - cpu + 100 - memory) / 2 + (100 - (cpu - memory).abs() / 2)
    }
}

/// The weight of the preferred affinities that a node meets, up to 100.
fn preferred(pod: &Value, node: &Value) -> i64 {
    let path = "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution";
    let terms = json::list(pod, path).iter();
    let met = terms.filter(|term| matches_terms(std::slice::from_ref(json::at(term, "preference")), node));
    met.filter_map(|term| json::int(term, "weight")).sum::<i64>().min(100)
}

/// 100 less for every taint that would rather not have the pod.
fn untainted(pod: &Value, node: &Value) -> i64 {
    let taints =
        json::list(node, "spec.taints").iter().filter(|taint| json::text(taint, "effect") == "PreferNoSchedule");
    let tolerations = json::list(pod, "spec.tolerations");
    let bad = taints.filter(|taint| !tolerations.iter().any(|toleration| tolerates(toleration, taint))).count();
    (100 - 100 * bad as i64).max(0)
}
