//! How one ReplicaSet takes over from others: step by step, or all at once.

use serde_json::Value;

use crate::controllers::{is_active, share};
use crate::store::Stored;
use crate::{Cluster, json, meta};

/// How far a rollout may go above and below the wanted size.
pub(super) struct Bounds {
    pub(super) surge: i64,
    pub(super) unavailable: i64,
}

/// Surges round up, unavailability rounds down; if both come to nothing, one pod may be missing.
pub(super) fn bounds(deployment: &Value) -> Bounds {
    if json::text(deployment, "spec.strategy.type") == "Recreate" {
        return Bounds { surge: 0, unavailable: 0 };
    }
    let wanted = json::int(deployment, "spec.replicas").unwrap_or(1);
    let rolling = json::at(deployment, "spec.strategy.rollingUpdate");
    let surge = share(json::at(rolling, "maxSurge"), wanted, true);
    let unavailable = share(json::at(rolling, "maxUnavailable"), wanted, false);
    let unavailable = if surge == 0 && unavailable == 0 { 1 } else { unavailable.min(wanted) };
    Bounds { surge, unavailable }
}

fn size(set: &Value) -> i64 {
    json::int(set, "spec.replicas").unwrap_or(0)
}

fn available(set: &Value) -> i64 {
    json::int(set, "status.availableReplicas").unwrap_or(0)
}

impl Cluster {
    /// One step of a rolling update, in one direction.
    pub(super) fn roll(&mut self, deployment: &Stored) {
        let (all, Some(new)) = self.sets(deployment) else { return };
        let wanted = json::int(deployment, "spec.replicas").unwrap_or(1);
        let bounds = bounds(deployment);
        let total: i64 = all.iter().map(|set| size(set)).sum();
        let next = match size(&new) {
            own if own > wanted => wanted,
            own if own < wanted => own + (wanted + bounds.surge - total).min(wanted - own).max(0),
            own => own,
        };
        if next != size(&new) {
            return self.resize(deployment, &new, next);
        }
        let uid = json::text(&new, "metadata.uid");
        let old: Vec<_> =
            all.iter().filter(|set| json::text(set, "metadata.uid") != uid && size(set) > 0).cloned().collect();
        let least = wanted - bounds.unavailable;
        let mut room = total - least - (size(&new) - available(&new));
        if room <= 0 {
            return;
        }
        // Those that are not healthy go first: they serve nothing.
        for set in &old {
            let gone = (size(set) - available(set)).min(room);
            if gone > 0 {
                self.resize(deployment, set, size(set) - gone);
                room -= gone;
            }
        }
        let (all, _) = self.sets(deployment);
        let up: i64 = all.iter().map(|set| available(set)).sum();
        let mut spare = up - least;
        for set in all.iter().filter(|set| json::text(set, "metadata.uid") != uid && size(set) > 0) {
            let gone = size(set).min(spare);
            if gone > 0 {
                self.resize(deployment, set, size(set) - gone);
                spare -= gone;
            }
        }
    }

    /// Everything old goes, and only then the new comes.
    pub(super) fn recreate(&mut self, deployment: &Stored) {
        let (all, Some(new)) = self.sets(deployment) else { return };
        let uid = json::text(&new, "metadata.uid");
        let old: Vec<_> =
            all.iter().filter(|set| json::text(set, "metadata.uid") != uid && size(set) > 0).cloned().collect();
        for set in &old {
            self.resize(deployment, set, 0);
        }
        if old.is_empty() && !self.has_running_old(deployment) {
            let wanted = json::int(deployment, "spec.replicas").unwrap_or(1);
            self.resize(deployment, &new, wanted);
        }
    }

    /// Whether pods of former templates are still there; those that are going count.
    pub(super) fn has_running_old(&self, deployment: &Value) -> bool {
        let (all, new) = self.sets(deployment);
        let uid = new.map(|set| json::text(&set, "metadata.uid").to_string()).unwrap_or_default();
        let old = all.iter().filter(|set| json::text(set, "metadata.uid") != uid);
        old.flat_map(|set| self.pods_of(set)).any(|pod| is_active(&pod) || meta::is_going(&pod))
    }

    /// Whether the wanted size changed since the ReplicaSets were told of it.
    pub(super) fn is_scaling(&self, deployment: &Value) -> bool {
        let wanted = json::int(deployment, "spec.replicas").unwrap_or(1);
        let (all, _) = self.sets(deployment);
        all.iter().filter(|set| size(set) > 0).any(|set| {
            let told = json::at(set, "metadata.annotations").get("deployment.kubernetes.io/desired-replicas");
            told.and_then(Value::as_str).and_then(|told| told.parse::<i64>().ok()).is_some_and(|told| told != wanted)
        })
    }

    /// Brings the ReplicaSets to the wanted size without rolling: the only one takes all, several share in proportion.
    pub(super) fn scale_in_place(&mut self, deployment: &Stored) {
        let (all, new) = self.sets(deployment);
        let wanted = json::int(deployment, "spec.replicas").unwrap_or(1);
        let active: Vec<_> = all.iter().filter(|set| size(set) > 0).cloned().collect();
        match active.as_slice() {
            [] => {
                if let Some(set) = new.or_else(|| all.last().cloned()) {
                    self.resize(deployment, &set, wanted);
                }
            }
            [only] => self.resize(deployment, only, wanted),
            several => {
                let most = if wanted > 0 { wanted + bounds(deployment).surge } else { 0 };
                let total: i64 = several.iter().map(|set| size(set)).sum();
                let mut left = most - total;
                // The largest first, and what rounding leaves to it.
                let mut sorted: Vec<_> = several.to_vec();
                sorted.sort_by_key(|set| {
                    (std::cmp::Reverse(size(set)), json::text(set, "metadata.creationTimestamp").to_string())
                });
                let mut sizes: Vec<_> = sorted.iter().map(|set| size(set)).collect();
                for (at, set) in sorted.iter().enumerate() {
                    let part = (size(set) * (most - total)) / total.max(1);
                    let part = if left >= 0 { part.min(left) } else { part.max(left) };
                    sizes[at] += part;
                    left -= part;
                }
                sizes[0] += left;
                for (set, size) in sorted.iter().zip(sizes) {
                    self.resize(deployment, set, size.max(0));
                }
            }
        }
        let wanted = wanted.to_string();
        let (all, _) = self.sets(deployment);
        for set in all.iter().filter(|set| size(set) > 0) {
            self.change(&crate::controllers::key_of("replicasets.apps", set), |set| {
                super::annotate(set, "deployment.kubernetes.io/desired-replicas", &wanted);
            });
        }
    }
}
