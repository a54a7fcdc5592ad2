//! How good a node is for a pod.

use std::collections::BTreeMap;

use serde_json::Value;

use super::filters::{PodWish, matches_terms, tolerates};
use crate::chance::fnv;
use crate::{Cluster, json, meta};

/// Says how good nodes are for one pod.
pub(super) struct Judge<'a> {
    cluster: &'a Cluster,
    wish: &'a PodWish<'a>,
    /// How many pods of the same controller each node has, and all of them.
    siblings: Option<&'a BTreeMap<String, i64>>,
    all: i64,
    uid: u64,
    nominated: &'a str,
    /// Affinities that would be nice to meet.
    preferences: &'a [Value],
}

impl<'a> Judge<'a> {
    pub(super) fn of(cluster: &'a Cluster, wish: &'a PodWish<'a>) -> Self {
        let siblings = meta::controller(wish.pod).and_then(|owner| cluster.loads.siblings(json::text(owner, "uid")));
        let preferences = "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution";
        Self {
            cluster,
            wish,
            siblings,
            all: siblings.map_or(0, |nodes| nodes.values().sum()),
            uid: fnv(json::text(wish.pod, "metadata.uid").as_bytes()),
            nominated: json::text(wish.pod, "status.nominatedNodeName"),
            preferences: json::list(wish.pod, preferences),
        }
    }

    /// More is better.
    pub(super) fn score(&self, node: &Value) -> i64 {
        let name = json::text(node, "metadata.name");
        let nominated = i64::from(self.nominated == name) * 100_000;
        let near = self.siblings.and_then(|nodes| nodes.get(name)).copied().unwrap_or(0);
        let total = self.room_score(name)
            + 2 * self.preferred(node)
            + 3 * self.untainted(node)
            + 2 * (100 - 100 * near / self.all.max(1));
        nominated + total
    }

    /// What tells nodes with equal scores apart: the larger number wins.
    pub(super) fn lot(&self, node: &Value) -> u64 {
        let name = json::text(node, "metadata.name");
        self.cluster.chance.bits("tie", self.uid ^ fnv(name.as_bytes()))
    }

    /// Free room after the pod, and how evenly cpu and memory are used.
    fn room_score(&self, node: &str) -> i64 {
        let (load, room) = (self.cluster.loads.of(node), self.cluster.loads.room(node));
        let part = |used: i64, all: i64| if all > 0 { (100 * used / all).min(100) } else { 100 };
        let cpu = part(load.requests.guessed_cpu + self.wish.requests.guessed_cpu, room.cpu);
        let memory = part(load.requests.guessed_memory + self.wish.requests.guessed_memory, room.memory);
        (100 - cpu + 100 - memory) / 2 + (100 - (cpu - memory).abs() / 2)
    }

    /// The weight of the preferred affinities that a node meets, up to 100.
    fn preferred(&self, node: &Value) -> i64 {
        let met = self
            .preferences
            .iter()
            .filter(|term| matches_terms(std::slice::from_ref(json::at(term, "preference")), node));
        met.filter_map(|term| json::int(term, "weight")).sum::<i64>().min(100)
    }

    /// 100 less for every taint that would rather not have the pod.
    fn untainted(&self, node: &Value) -> i64 {
        let taints =
            json::list(node, "spec.taints").iter().filter(|taint| json::text(taint, "effect") == "PreferNoSchedule");
        let is_borne = |taint: &&Value| self.wish.tolerations.iter().any(|toleration| tolerates(toleration, taint));
        let bad = taints.filter(|taint| !is_borne(taint)).count();
        (100 - 100 * bad as i64).max(0)
    }
}
