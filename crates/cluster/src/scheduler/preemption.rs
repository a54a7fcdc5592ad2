//! Preemption: pods of lower priority make room.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Obstacle;
use super::filters::PodWish;
use crate::api::DeleteOptions;
use crate::store::{LookupField, Stored, key_of};
use crate::{Cluster, json, meta};

impl Cluster {
    /// Makes room for a pod if that can be done. Returns what the message ends with, and the node where room is made.
    pub(super) fn preempt(&mut self, pod: &Stored, obstacles: &[(Stored, Obstacle)]) -> (String, Option<String>) {
        if json::text(pod, "spec.preemptionPolicy") == "Never" {
            return ("preemption: not eligible due to preemptionPolicy=Never.".into(), None);
        }
        let nominated = json::text(pod, "status.nominatedNodeName").to_string();
        if !nominated.is_empty() {
            let priority = json::int(pod, "spec.priority").unwrap_or(0);
            let going = self
                .on_node(&nominated)
                .into_iter()
                .any(|other| meta::is_going(&other) && priority_of(&other) < priority);
            if going {
                let why = "preemption: not eligible due to a terminating pod on the nominated node.";
                return (why.into(), None);
            }
        }
        let mut reasons: Vec<String> = Vec::new();
        let mut candidates: Vec<(Stored, Vec<Stored>)> = Vec::new();
        for (node, obstacle) in obstacles {
            if !obstacle.may_be_cleared {
                reasons.push("Preemption is not helpful for scheduling".into());
                continue;
            }
            match self.victims(pod, node) {
                Ok(victims) => candidates.push((node.clone(), victims)),
                Err(why) => reasons.push(why),
            }
        }
        let key = |(node, victims): &(Stored, Vec<Stored>)| {
            let top = victims.iter().map(|victim| priority_of(victim)).max().unwrap_or(i64::MIN);
            let sum: i64 = victims.iter().map(|victim| priority_of(victim)).sum();
            (top, sum, victims.len(), json::text(node, "metadata.name").to_string())
        };
        if let Some((node, victims)) = candidates.into_iter().min_by_key(key) {
            self.drive_out(pod, &node, &victims);
            return (String::new(), Some(json::text(&node, "metadata.name").into()));
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for reason in reasons {
            *counts.entry(reason).or_default() += 1;
        }
        let mut items: Vec<_> = counts.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        items.sort();
        (format!("preemption: 0/{} nodes are available: {}.", obstacles.len(), items.join(", ")), None)
    }

    /// The fewest pods of lower priority without which a node takes the pod.
    fn victims(&self, pod: &Stored, node: &Stored) -> Result<Vec<Stored>, String> {
        let priority = json::int(pod, "spec.priority").unwrap_or(0);
        let mut lower: Vec<_> = self
            .on_node(json::text(node, "metadata.name"))
            .into_iter()
            .filter(|other| priority_of(other) < priority)
            .collect();
        if lower.is_empty() {
            return Err("No preemption victims found for incoming pod".into());
        }
        let wish = PodWish::of(pod);
        if let Some(obstacle) = self.obstacle(&wish, node, &lower) {
            return Err(obstacle.reasons.join(", "));
        }
        // The most important are spared first, if the pod fits without their going.
        lower.sort_by_key(|other| {
            (std::cmp::Reverse(priority_of(other)), json::text(other, "status.startTime").to_string())
        });
        let mut victims = lower.clone();
        for other in &lower {
            let without: Vec<_> = victims
                .iter()
                .filter(|victim| json::text(victim, "metadata.uid") != json::text(other, "metadata.uid"))
                .cloned()
                .collect();
            if self.obstacle(&wish, node, &without).is_none() {
                victims = without;
            }
        }
        Ok(victims)
    }

    fn on_node(&self, node: &str) -> Vec<Stored> {
        let pods = self.store.found("pods", LookupField::Node, node);
        pods.filter(|pod| !matches!(json::text(pod, "status.phase"), "Succeeded" | "Failed")).cloned().collect()
    }

    fn drive_out(&mut self, pod: &Stored, node: &Value, victims: &[Stored]) {
        let now = self.now;
        let message = format!(
            "Preempted by pod {} on node {}",
            json::text(pod, "metadata.uid"),
            json::text(node, "metadata.name")
        );
        for victim in victims.iter().filter(|victim| !meta::is_going(victim)) {
            let key = key_of("pods", victim);
            self.change(&key, |victim| {
                let message = "default-scheduler: preempting to accommodate a higher priority pod";
                meta::set_condition(victim, "DisruptionTarget", "True", "PreemptionByScheduler", message, now);
            });
            self.unmake(&key, &DeleteOptions::default());
            self.tell_series(victim, false, "Preempted", "Preempting", &message);
        }
    }
}

fn priority_of(pod: &Value) -> i64 {
    json::int(pod, "spec.priority").unwrap_or(0)
}
