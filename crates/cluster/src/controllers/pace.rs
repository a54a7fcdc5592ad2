//! How fast controllers make pods: many at once, then at a steady rate, whatever an object asks for.

use std::time::Duration;

use crate::Cluster;
use crate::agenda::Actor;
use crate::store::ObjectKey;

/// Pods that a controller may make at once: the burst of the real ReplicaSet controller.
const BURST: f64 = 500.0;
/// Pods a second after that: the default limit of requests of the real controller manager.
const RATE: f64 = 20.0;

impl Cluster {
    /// How many of so many missing pods a controller may make now. Where that is not all, it looks again in a second.
    pub(super) fn may_make(&mut self, actor: Actor, key: &ObjectKey, missing: i64) -> i64 {
        let now = self.now;
        let (room, since) = self.paces.get(&actor).copied().unwrap_or((BURST, now));
        let room = (room + now.since(since).as_secs_f64() * RATE).min(BURST);
        // `room` is at most the burst, so this is a small whole number.
        let allowed = missing.clamp(0, room as i64);
        if allowed > 0 || !self.paces.contains_key(&actor) {
            self.paces.insert(actor, (room - allowed as f64, now));
        }
        if allowed < missing {
            self.plan(actor, key.clone(), Duration::from_secs(1));
        }
        allowed
    }
}
