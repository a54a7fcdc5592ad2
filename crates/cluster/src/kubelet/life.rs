//! What a kubelet remembers of a pod and of each of its containers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::program::{ContainerExit, ContainerRun, Pull};
use crate::store::Stored;
use crate::time::Stamp;

/// What a kubelet remembers of one pod.
#[derive(Clone, Debug)]
pub(crate) struct PodWorker {
    pub(crate) uid: String,
    /// When the pod was first seen: probes tick from then on.
    pub(crate) since: Stamp,
    pub(crate) address: String,
    pub(crate) is_mounted: bool,
    pub(crate) mount_tries: u32,
    pub(crate) makes_sandbox: bool,
    pub(crate) has_sandbox: bool,
    /// A look at the pod is under way until then.
    pub(crate) busy_until: Stamp,
    /// Something happened while a look was under way: the next one comes at once.
    pub(crate) has_news: bool,
    pub(crate) is_stopping: bool,
    /// Why the pod was ended by its kubelet: reason and message.
    pub(crate) over: Option<(String, String)>,
    /// Boxed: a map has room for eleven in any case.
    pub(crate) lives: BTreeMap<String, Box<Life>>,
    /// What was told last. Most looks find nothing new, and then nothing need be written out to see that.
    pub(crate) told: Option<Arc<ToldStatus>>,
}

/// What a kubelet told last of a pod, and from what it knew.
#[derive(Debug)]
pub(crate) struct ToldStatus {
    /// The pod as it was stored then.
    pub(crate) pod: Stored,
    /// The address of its node.
    pub(crate) host: String,
    pub(crate) is_over: bool,
    pub(crate) worker: PodWorker,
}

/// What a kubelet remembers of one container.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    pub(crate) phase: ContainerPhase,
    /// Starts so far.
    pub(crate) starts: u32,
    /// The instance before the present one.
    pub(crate) before: Option<Ended>,
    /// Why it does not run, as the next look will tell.
    pub(crate) note: Option<(String, String)>,
    pub(crate) pulling: Option<PullUnderWay>,
    pub(crate) image_delay: Option<ImageDelay>,
    /// The present delay of restarts, and when it was last raised.
    pub(crate) delay: Option<(Duration, Stamp)>,
    /// Killed for a bad probe: the delay counts from the instance before.
    pub(crate) was_killed: bool,
    pub(crate) checks: BTreeMap<&'static str, ProbeState>,
    pub(crate) is_ready: bool,
    pub(crate) is_started: bool,
    pub(crate) id: String,
    /// The container as it was when it was last asked how it is. Probes ask thousands of times about the same.
    pub(crate) asked: Option<(Stored, Arc<ContainerRun>)>,
}

/// A pull that was asked for: it begins when the node has ended those before it.
#[derive(Clone, Debug)]
pub(crate) struct PullUnderWay {
    pub(crate) asked: Stamp,
    pub(crate) begun: Stamp,
    pub(crate) pull: Pull,
}

/// After a failed pull: how long to wait, until when, and what went wrong.
#[derive(Clone, Debug)]
pub(crate) struct ImageDelay {
    pub(crate) image: String,
    pub(crate) delay: Duration,
    pub(crate) until: Stamp,
    pub(crate) error: String,
}

/// How far a container is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ContainerPhase {
    /// It was never started.
    New,
    /// It runs, and may be known to end.
    Running { since: Stamp, ends: Option<(Stamp, ContainerExit)> },
    /// It ended.
    Ended(Ended),
}

/// How an instance ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ended {
    pub(crate) exit: ContainerExit,
    pub(crate) reason: String,
    pub(crate) started: Stamp,
    pub(crate) finished: Stamp,
    pub(crate) id: String,
}

/// What a probe has found so far.
#[derive(Clone, Debug)]
pub(crate) struct ProbeState {
    pub(crate) next: Stamp,
    pub(crate) good: u32,
    pub(crate) bad: u32,
    pub(crate) is_good: bool,
}

impl PodWorker {
    pub(crate) fn new(uid: &str, now: Stamp) -> Self {
        Self {
            uid: uid.into(),
            since: now,
            address: String::new(),
            is_mounted: false,
            mount_tries: 0,
            makes_sandbox: false,
            has_sandbox: false,
            busy_until: Stamp(0),
            has_news: false,
            is_stopping: false,
            over: None,
            lives: BTreeMap::new(),
            told: None,
        }
    }

    /// Whether a status would tell the same of both.
    pub(crate) fn shows_like(&self, other: &Self) -> bool {
        self.address == other.address
            && (self.has_sandbox, self.is_stopping) == (other.has_sandbox, other.is_stopping)
            && self.over == other.over
            && self.lives.len() == other.lives.len()
            && self
                .lives
                .iter()
                .zip(&other.lives)
                .all(|((name, life), (own, other))| name == own && life.shows_like(other))
    }

    /// Whether a look goes on that was interrupted by something that takes time.
    pub(crate) fn is_resumed(&self) -> bool {
        self.makes_sandbox || self.lives.values().any(|life| life.pulling.is_some())
    }

    pub(crate) fn has_running(&self) -> bool {
        self.lives.values().any(|life| life.is_running())
    }

    /// When the next container is known to end.
    pub(crate) fn next_end(&self) -> Option<Stamp> {
        self.lives
            .values()
            .filter_map(|life| match &life.phase {
                ContainerPhase::Running { ends: Some((at, _)), .. } => Some(*at),
                _ => None,
            })
            .min()
    }

    /// When the next probe is due.
    pub(crate) fn next_probe(&self) -> Option<Stamp> {
        let running = self.lives.values().filter(|life| life.is_running());
        running.flat_map(|life| life.checks.values()).map(|check| check.next).min()
    }
}

impl Default for Life {
    fn default() -> Self {
        Self {
            phase: ContainerPhase::New,
            starts: 0,
            before: None,
            note: None,
            pulling: None,
            image_delay: None,
            delay: None,
            was_killed: false,
            checks: BTreeMap::new(),
            is_ready: false,
            is_started: false,
            id: String::new(),
            asked: None,
        }
    }
}

/// Delays of restarts and pulls: the first, and the longest.
const FIRST_DELAY: Duration = Duration::from_secs(10);
const LONGEST_DELAY: Duration = Duration::from_secs(300);

impl Life {
    /// Whether a status would tell the same of both.
    fn shows_like(&self, other: &Self) -> bool {
        (self.starts, self.is_ready, self.is_started) == (other.starts, other.is_ready, other.is_started)
            && self.id == other.id
            && self.note == other.note
            && self.phase == other.phase
            && self.before == other.before
    }

    pub(crate) fn is_running(&self) -> bool {
        matches!(self.phase, ContainerPhase::Running { .. })
    }

    /// Whether it runs and nothing is known that will end it.
    pub(crate) fn runs_on(&self) -> bool {
        matches!(self.phase, ContainerPhase::Running { ends: None, .. })
    }

    /// The number of the present or last instance.
    pub(crate) fn attempt(&self) -> u32 {
        self.starts.saturating_sub(1)
    }

    pub(crate) fn ended(&self) -> Option<&Ended> {
        match &self.phase {
            ContainerPhase::Ended(ended) => Some(ended),
            _ => None,
        }
    }

    /// Sees whether it has ended.
    pub(crate) fn observe(&mut self, now: Stamp) {
        let ContainerPhase::Running { since, ends: Some((at, exit)) } = &self.phase else { return };
        if *at > now {
            return;
        }
        let reason = match exit {
            exit if exit.out_of_memory => "OOMKilled",
            exit if exit.code == 0 => "Completed",
            _ => "Error",
        };
        let ended =
            Ended { exit: exit.clone(), reason: reason.into(), started: *since, finished: *at, id: self.id.clone() };
        self.phase = ContainerPhase::Ended(ended);
        self.is_ready = false;
        self.is_started = false;
        self.checks.clear();
    }

    /// Whether a restart has to wait now, and for which delay.
    pub(crate) fn held_back(&self, now: Stamp) -> Option<Duration> {
        let (delay, _) = self.delay?;
        let finish = match self.was_killed {
            true => self.before.as_ref().map(|ended| ended.finished)?,
            false => self.ended()?.finished,
        };
        (now.since(finish) < delay).then_some(delay)
    }

    /// Raises the delay of the next restart. A life longer than ten minutes begins anew.
    pub(crate) fn raise_delay(&mut self, now: Stamp) {
        let finish = self.ended().map_or(now, |ended| ended.finished);
        let next = match self.delay {
            Some((delay, raised)) if finish.since(raised) <= 2 * LONGEST_DELAY => (delay * 2).min(LONGEST_DELAY),
            _ => FIRST_DELAY,
        };
        self.delay = Some((next, now));
    }

    /// Notes a failed pull.
    pub(crate) fn delay_image(&mut self, now: Stamp, image: &str, error: &str) {
        let before = self.image_delay.as_ref().filter(|delay| delay.image == image);
        let delay = before.map_or(FIRST_DELAY, |delay| (delay.delay * 2).min(LONGEST_DELAY));
        self.image_delay =
            Some(ImageDelay { image: image.into(), delay, until: now.after(delay), error: error.into() });
    }
}

/// A duration as Go prints it: `10s`, `1m20s`, `5m0s`.
pub(crate) fn go_duration(span: Duration) -> String {
    let seconds = span.as_secs();
    if seconds < 60 { format!("{seconds}s") } else { format!("{}m{}s", seconds / 60, seconds % 60) }
}
