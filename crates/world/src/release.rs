//! What a service runs: the build, and how it came there. Restarting a process does not change it.

use serde::{Deserialize, Serialize};

use crate::fleet::Process;
use crate::time::Time;

/// How the code of a service differs from what ran on the day before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// Its own work takes this many times as long.
    pub slow: f64,
    /// The share of requests that it fails by itself, over all of them.
    pub errors: f64,
    /// What decides which of its calls it fails more often than others.
    #[serde(default)]
    pub flaw: u64,
    /// Memory that each of its processes gains and never gives back, in megabytes per second.
    pub leak: f64,
    /// How often it sends a call again that was not answered quickly; the first attempt goes on meanwhile.
    pub hedges: f64,
    /// What it takes for quickly, in seconds.
    pub hedge_after: f64,
    /// Its processes die so many seconds after they started; 0 for not at all.
    pub dies_after: f64,
    /// Whether it is older than what ran on the day before: as good, but not what should run.
    #[serde(default)]
    pub older: bool,
}

impl Build {
    /// The build of the day before.
    pub const CLEAN: Build = Build {
        slow: 1.0,
        errors: 0.0,
        flaw: 0,
        leak: 0.0,
        hedges: 0.0,
        hedge_after: 1.0,
        dies_after: 0.0,
        older: false,
    };
}

/// The build that a service should run and the one that it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Release {
    pub wanted: Build,
    pub running: Build,
    pub since: Time,
    moves: bool,
    /// The share of its machines that it is given.
    pub quota: f64,
    /// How much longer its own work takes for all that.
    pub burden: f64,
}

impl Release {
    /// What ran on the day before.
    pub const CLEAN: Release =
        Release { wanted: Build::CLEAN, running: Build::CLEAN, since: Time(0), moves: false, quota: 1.0, burden: 1.0 };

    /// Whether what should run differs from what runs.
    pub fn moves(&self) -> bool {
        self.moves
    }

    /// Another build is wanted; gives the old one.
    pub fn want(&mut self, build: Build) -> Build {
        let old = std::mem::replace(&mut self.wanted, build);
        self.moves = self.wanted != self.running;
        old
    }

    /// Whether it is time for a process of this build to die.
    pub fn kills(&self, process: &Process, now: Time) -> bool {
        let after = self.running.dies_after;
        after > 0.0 && process.up() && process.started > self.since && now.since(process.started).as_secs() >= after
    }

    /// Another build runs from now on; gives the old one.
    pub fn run(&mut self, build: Build) -> Build {
        let old = std::mem::replace(&mut self.running, build);
        self.moves = self.wanted != self.running;
        self.burden = self.running.slow / self.quota;
        old
    }

    /// Gives it another share of its machines; gives the old one.
    pub fn give(&mut self, share: f64) -> f64 {
        let old = std::mem::replace(&mut self.quota, share.max(0.01));
        self.burden = self.running.slow / self.quota;
        old
    }
}
