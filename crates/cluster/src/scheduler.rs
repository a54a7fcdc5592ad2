//! The scheduler: which node takes a pod, and why none does.

mod affinity;
mod filters;
mod load;
mod preemption;
mod scores;
mod volumes;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::agenda::Actor;
use crate::api::Writer;
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};
pub(crate) use affinity::has_rules;
use filters::PodWish;
pub(crate) use filters::{fits_daemon, keeps_daemon, tolerates};
pub(crate) use load::{Loads, NodeLoad, NodeRoom, Requests};
use scores::Judge;
pub(crate) use volumes::SELECTED;

/// Why a node does not take a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Obstacle {
    /// As messages tell it; a node may have several.
    pub(crate) reasons: Vec<String>,
    /// Whether it might help if other pods went.
    pub(crate) may_be_cleared: bool,
}

impl Obstacle {
    fn fixed(reason: impl Into<String>) -> Self {
        Self { reasons: vec![reason.into()], may_be_cleared: false }
    }

    fn clearable(reason: impl Into<String>) -> Self {
        Self { reasons: vec![reason.into()], may_be_cleared: true }
    }
}

/// What came of looking for volumes before looking at nodes.
pub(crate) enum VolumeCheck {
    Fine,
    /// A volume is being made; the scheduler waits.
    Pending,
    /// No node can take the pod.
    Impossible(String),
}

impl Cluster {
    /// Tries to find a node for a pod.
    pub(crate) fn schedule(&mut self, key: &ObjectKey) {
        let pod = match self.store.at(key) {
            Some(pod) if json::text(pod, "spec.nodeName").is_empty() && !meta::is_going(pod) => pod.clone(),
            _ => {
                self.waiting.remove(key);
                self.attempts.remove(key);
                return;
            }
        };
        if json::text(&pod, "spec.schedulerName") != "default-scheduler" {
            return;
        }
        if !json::list(&pod, "spec.schedulingGates").is_empty() {
            return self.hold(key);
        }
        if let Some((_, allowed)) = self.attempts.get(key).copied()
            && allowed > self.now
        {
            return self.plan(Actor::Scheduler, key.clone(), allowed.since(self.now));
        }
        let all = self.store.list("nodes", None).count();
        if all == 0 {
            return self.fail(key, &pod, "no nodes available to schedule pods".into(), None);
        }
        match self.check_volumes(&pod) {
            VolumeCheck::Fine => {}
            VolumeCheck::Pending => {
                self.waiting.insert(key.clone());
                return;
            }
            VolumeCheck::Impossible(why) => {
                let help =
                    format!("preemption: 0/{all} nodes are available: {all} Preemption is not helpful for scheduling.");
                return self.fail(key, &pod, format!("0/{all} nodes are available: {why}. {help}"), None);
            }
        }
        let (best, obstacles) = self.choose(&pod);
        match best {
            Some(node) => self.assign(key, &pod, &node),
            None => {
                let message = told(&obstacles, all);
                let (suffix, nominated) = self.preempt(&pod, &obstacles);
                let message = if suffix.is_empty() { message } else { format!("{message} {suffix}") };
                self.fail(key, &pod, message, nominated);
            }
        }
    }

    /// The best node for a pod, and what keeps others from taking it.
    fn choose(&self, pod: &Stored) -> (Option<Stored>, Vec<(Stored, Obstacle)>) {
        let wish = PodWish::of(pod);
        let judge = Judge::of(self, &wish);
        let mut obstacles = Vec::new();
        let mut best: Option<(i64, &Stored)> = None;
        for node in self.store.list("nodes", None) {
            match self.obstacle(&wish, node, &[]) {
                None => {
                    let score = judge.score(node);
                    let is_better = |(most, other): (i64, &Stored)| {
                        score > most || score == most && judge.lot(node) >= judge.lot(other)
                    };
                    if best.is_none_or(is_better) {
                        best = Some((score, node));
                    }
                }
                Some(obstacle) => obstacles.push((node.clone(), obstacle)),
            }
        }
        (best.map(|(_, node)| node.clone()), obstacles)
    }

    fn assign(&mut self, key: &ObjectKey, pod: &Stored, node: &Value) {
        let name = json::text(node, "metadata.name").to_string();
        if self.select_volumes(pod, &name) {
            self.waiting.insert(key.clone());
            return;
        }
        let writer = Writer::controller("kube-scheduler");
        self.waiting.remove(key);
        self.attempts.remove(key);
        if self.bind_pod(&writer, pod, &name).is_err() {
            return;
        }
        let message = format!("Successfully assigned {}/{} to {name}", key.namespace, key.name);
        self.tell_series(pod, false, "Scheduled", "Binding", &message);
        self.wake_next_sibling(pod);
    }

    /// Notes that no node takes the pod, and tries again later: after 1 s, 2 s, 4 s, ... 10 s, when something changed,
    /// and after five minutes in any case.
    fn fail(&mut self, key: &ObjectKey, pod: &Stored, message: String, nominated: Option<String>) {
        let tries = self.attempts.get(key).map_or(0, |(tries, _)| *tries) + 1;
        let seconds = (1u64 << (tries - 1).min(4)).min(10);
        self.attempts.insert(key.clone(), (tries, self.now.after(Duration::from_secs(seconds))));
        self.waiting.insert(key.clone());
        self.plan(Actor::Scheduler, key.clone(), Duration::from_secs(300));
        self.tell_series(pod, true, "FailedScheduling", "Scheduling", &message);
        let now = self.now;
        self.change_quietly(key, |pod| {
            meta::set_condition(pod, "PodScheduled", "False", "Unschedulable", &message, now);
            if let Some(node) = nominated {
                json::set(pod, "status.nominatedNodeName", node);
            }
        });
    }

    fn hold(&mut self, key: &ObjectKey) {
        let now = self.now;
        self.change_quietly(key, |pod| {
            let message = "Scheduling is blocked due to non-empty scheduling gates";
            meta::set_condition(pod, "PodScheduled", "False", "SchedulingGated", message, now);
        });
    }

    /// Changes a pod without waking the scheduler for its own note.
    fn change_quietly(&mut self, key: &ObjectKey, change: impl FnOnce(&mut Value)) {
        if self.change(key, change) && self.noticed + 1 == self.store.revision() {
            self.noticed = self.store.revision();
        }
    }
}

/// `0/4 nodes are available: 1 Insufficient cpu, 3 ...`: reasons with their counts, sorted as text.
fn told(obstacles: &[(Stored, Obstacle)], all: usize) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in obstacles.iter().flat_map(|(_, obstacle)| &obstacle.reasons) {
        *counts.entry(reason).or_default() += 1;
    }
    let mut items: Vec<_> = counts.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    items.sort();
    format!("0/{all} nodes are available: {}.", items.join(", "))
}
