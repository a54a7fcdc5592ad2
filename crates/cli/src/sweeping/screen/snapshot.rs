//! One look at a sweep: all that the view shows, copied, so that the sweep never waits for the drawing.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use agents::client::{Caps, Spent};

use super::About;
use crate::sweeping::live::{Said, State, Traffic};

/// What the view shows.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// What runs.
    pub what: String,
    /// Where results go.
    pub folder: PathBuf,
    /// Since it began.
    pub elapsed: Duration,
    /// How long the rest will take, if that can be judged.
    pub left: Option<Duration>,
    /// Episodes of the plan.
    pub all: usize,
    /// Found finished.
    pub skipped: usize,
    /// Played to their end.
    pub done: usize,
    /// Of those, how many were a success.
    pub successes: usize,
    /// Of those, how many ended on their provider.
    pub missing: usize,
    /// Could not be played.
    pub failed: usize,
    /// Episodes being played with their age, the oldest first.
    pub running: Vec<(String, Duration)>,
    /// By target, written `provider/model`.
    pub targets: Vec<(String, Traffic)>,
    /// All targets together.
    pub sum: Traffic,
    /// When it is enough, and what counts towards that.
    pub caps: (Caps, Spent),
    /// The last messages.
    pub tail: Vec<Said>,
    /// How many messages there were; the last of the tail is the last of them.
    pub said: u64,
    /// Why the run is stopping, if it is.
    pub stopping: Option<String>,
    /// What was told to the person since the view is open.
    pub note: Option<String>,
}

impl Snapshot {
    /// Looks at a sweep. This is all that happens while the sweep is held up.
    pub fn of(state: &State, now: Instant) -> Snapshot {
        let age = |began: &Instant| now.saturating_duration_since(*began);
        Snapshot {
            elapsed: age(&state.began),
            left: state.left().filter(|_| state.over() < state.all),
            all: state.all,
            skipped: state.skipped,
            done: state.done,
            successes: state.successes,
            missing: state.missing,
            failed: state.failed,
            running: state.running.iter().map(|(key, began)| (key.clone(), age(began))).collect(),
            targets: state.targets.iter().map(|(name, traffic)| (name.clone(), traffic.clone())).collect(),
            sum: state.traffic(),
            tail: state.tail.iter().cloned().collect(),
            said: state.said,
            ..Snapshot::default()
        }
    }

    /// Adds what is known without the sweep.
    pub fn with(mut self, about: &About, stopping: Option<&str>, note: Option<String>) -> Snapshot {
        self.running.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        (self.what, self.folder) = (about.what.clone(), about.folder.clone());
        self.caps = (about.caps, about.used());
        (self.stopping, self.note) = (stopping.map(str::to_string), note);
        self
    }

    /// Episodes that are over, however.
    pub fn over(&self) -> usize {
        self.skipped + self.done + self.failed
    }

    /// The number of the first message of the tail.
    pub fn first(&self) -> u64 {
        self.said - self.tail.len() as u64
    }
}

impl Traffic {
    /// Calls that failed.
    pub fn failures(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Calls that are neither answered nor failed.
    pub fn in_flight(&self) -> u64 {
        self.calls.saturating_sub(self.answered + self.failures())
    }

    /// How long an answer took in the mean.
    pub fn mean(&self) -> Option<Duration> {
        (self.answered > 0).then(|| self.took.div_f64(self.answered as f64))
    }
}
