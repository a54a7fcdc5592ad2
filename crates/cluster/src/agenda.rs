//! What is to be done next, and when: the only thing that moves a cluster.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::store::ObjectKey;
use crate::time::Stamp;

/// Who has something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Actor {
    Deployment,
    ReplicaSet,
    StatefulSet,
    DaemonSet,
    Job,
    CronJob,
    Endpoints,
    Namespace,
    Garbage,
    Autoscaler,
    Volumes,
    Disruption,
    Quota,
    /// Removes what has lived long enough: events and finished jobs.
    Expiry,
    /// Watches the leases of nodes.
    NodeMonitor,
    /// Deletes a pod that a taint drives from its node.
    Eviction,
    Scheduler,
    /// A kubelet looks at one of its pods.
    Kubelet,
    /// A kubelet asks the containers of a pod.
    Probe,
    /// A kubelet says that it is alive.
    Lease,
}

impl Actor {
    /// How long it takes until it acts on a change: least, and up to how much more. (Chosen; a real one takes about so.)
    fn delay(self) -> (u64, u64) {
        match self {
            Actor::Scheduler => (10, 40),
            Actor::Kubelet => (20, 80),
            Actor::Endpoints => (20, 120),
            Actor::Garbage => (100, 400),
            Actor::Volumes => (20, 60),
            Actor::Quota => (50, 200),
            // Who makes a namespace and then a pod in it finds the account there.
            Actor::Namespace => (1, 3),
            _ => (5, 20),
        }
    }
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Work {
    pub(crate) actor: Actor,
    pub(crate) key: ObjectKey,
}

/// All that is to be done, ordered by time; of equal work only the earliest is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agenda {
    due: BTreeMap<(Stamp, u64), Arc<Work>>,
    planned: BTreeMap<Arc<Work>, (Stamp, u64)>,
    counter: u64,
}

impl Agenda {
    /// Plans work, unless the same is planned for an earlier time.
    pub(crate) fn plan(&mut self, at: Stamp, work: Work) {
        if let Some(planned) = self.planned.get(&work).copied() {
            if planned.0 <= at {
                return;
            }
            self.due.remove(&planned);
        }
        self.counter += 1;
        let work = Arc::new(work);
        self.planned.insert(work.clone(), (at, self.counter));
        self.due.insert((at, self.counter), work);
    }

    /// Takes the next work that is due by then.
    pub(crate) fn take(&mut self, by: Stamp) -> Option<(Stamp, Arc<Work>)> {
        let (due, _) = self.due.first_key_value()?;
        if due.0 > by {
            return None;
        }
        let ((at, _), work) = self.due.pop_first().expect("looked at just above");
        self.planned.remove(&work);
        Some((at, work))
    }

    /// When the next work is due.
    pub(crate) fn next(&self) -> Option<Stamp> {
        self.due.first_key_value().map(|((at, _), _)| *at)
    }
}

impl crate::Cluster {
    /// Plans work after the time that its actor takes to notice a change.
    pub(crate) fn wake(&mut self, actor: Actor, key: ObjectKey) {
        let (least, more) = actor.delay();
        let millis = least + self.chance.below(more, "delay", self.store.revision() * 31 + actor as u64);
        self.plan(actor, key, Duration::from_millis(millis));
    }

    /// Plans work for later.
    pub(crate) fn plan(&mut self, actor: Actor, key: ObjectKey, after: Duration) {
        self.agenda.plan(self.now.after(after), Work { actor, key });
    }

    /// Seconds drawn between two bounds, for a purpose: jitter of retries.
    pub(crate) fn jitter(&self, least: f64, most: f64, purpose: &str) -> Duration {
        let part = self.chance.below(1000, purpose, self.store.revision() ^ self.now.0 as u64) as f64 / 1000.0;
        Duration::from_secs_f64(least + (most - least) * part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_in_order_and_once() {
        let mut agenda = Agenda::default();
        let work = |actor| Work { actor, key: ObjectKey::new("pods", "shop", "a") };
        agenda.plan(Stamp(5), work(Actor::Kubelet));
        agenda.plan(Stamp(3), work(Actor::Kubelet));
        agenda.plan(Stamp(4), work(Actor::Kubelet));
        agenda.plan(Stamp(3), work(Actor::Scheduler));
        assert_eq!(agenda.take(Stamp(2)), None);
        let taken: Vec<_> = std::iter::from_fn(|| agenda.take(Stamp(9))).map(|(at, work)| (at.0, work.actor)).collect();
        assert_eq!(taken, [(3, Actor::Kubelet), (3, Actor::Scheduler)]);
    }
}
