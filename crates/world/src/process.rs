//! One process: where it is in its life, and what it has taken and never given back.

use serde::{Deserialize, Serialize};

use crate::time::Time;

/// Where a process is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It serves.
    Running,
    /// It starts, and serves from that time on.
    Starting(Time),
    /// It died by itself; its supervisor waits before it starts it again.
    BackOff {
        /// When it serves again.
        ready: Time,
        /// How it ended.
        exit: Exit,
    },
    /// It is dead, and nothing starts it.
    Crashed(Exit),
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// Its exit code.
    pub code: u8,
    /// Why.
    pub reason: ExitReason,
}

/// Why a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitReason {
    /// It failed by itself.
    Error,
    /// It was killed from outside.
    Killed,
}

impl Exit {
    /// The program ended itself with an error.
    pub const ERROR: Exit = Exit { code: 1, reason: ExitReason::Error };
    /// Signal 9.
    pub const KILLED: Exit = Exit { code: 137, reason: ExitReason::Killed };
}

/// The state of a process that a restart clears.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Process {
    /// Where it is in its life.
    pub phase: Phase,
    /// When it is due for a planned restart; [`Time::NEVER`] for not at all.
    pub restart_at: Time,
    /// The share of its workers that is dead.
    pub lost: f64,
    /// Memory it gains and never gives back, in megabytes per second.
    pub leak: f64,
    /// Memory lost to that so far, in megabytes.
    pub leaked: f64,
    /// Connections to others that it takes and never gives back, per second.
    pub hoarding: f64,
    /// Connections kept that way so far.
    pub hoarded: f64,
    /// For how long it has kept the first of them, in seconds.
    #[serde(default)]
    pub hoarded_for: f64,
    /// Descriptors that it opens and never closes, per second.
    pub opening: f64,
    /// Descriptors lost to that so far.
    pub opened: f64,
    /// Seconds by which its clock is wrong.
    pub skew: f64,
    /// When it was last started.
    pub started: Time,
}

/// Descriptors that a process may have open.
pub const MOST_FILES: f64 = 8192.0;
/// Of those, what it needs in everyday life.
pub const USUAL_FILES: f64 = 0.18;
/// Seconds by which a clock may be wrong before credentials look as if they were not valid.
const MOST_SKEW: f64 = 120.0;

impl Process {
    /// A fresh process that has run since `started`.
    pub fn fresh(started: Time) -> Process {
        Process {
            phase: Phase::Running,
            restart_at: Time::NEVER,
            lost: 0.0,
            leak: 0.0,
            leaked: 0.0,
            hoarding: 0.0,
            hoarded: 0.0,
            hoarded_for: 0.0,
            opening: 0.0,
            opened: 0.0,
            skew: 0.0,
            started,
        }
    }

    /// A process that is being restarted and serves from `ready` on.
    pub fn starting(ready: Time) -> Process {
        Process { phase: Phase::Starting(ready), ..Process::fresh(ready) }
    }

    /// A process that died by itself and serves again from `ready` on.
    pub fn backing_off(ready: Time, exit: Exit) -> Process {
        Process { phase: Phase::BackOff { ready, exit }, ..Process::fresh(ready) }
    }

    /// A process that is dead.
    pub fn dead(exit: Exit) -> Process {
        Process { phase: Phase::Crashed(exit), ..Process::fresh(Time(0)) }
    }

    /// When it serves, if it is on its way.
    pub fn ready_at(&self) -> Option<Time> {
        match self.phase {
            Phase::Starting(ready) | Phase::BackOff { ready, .. } => Some(ready),
            Phase::Running | Phase::Crashed(_) => None,
        }
    }

    /// The share of its descriptors in use.
    pub fn files(&self) -> f64 {
        (USUAL_FILES + self.opened / MOST_FILES).min(1.0)
    }

    /// The share of its requests that fail for want of a descriptor.
    pub fn starved(&self) -> f64 {
        if self.opened == 0.0 { 0.0 } else { ((self.files() - 0.94) / 0.06).max(0.0) }
    }

    /// Whether its clock is so wrong that credentials look as if they were not valid.
    pub fn clock_is_off(&self) -> bool {
        self.skew.abs() > MOST_SKEW
    }

    /// Whether a restart would bring nothing.
    pub fn is_clean(&self) -> bool {
        let Process { lost, leak, leaked, hoarding, hoarded, opening, opened, skew, .. } = *self;
        self.up() && [lost, leak, leaked, hoarding, hoarded, opening, opened, skew].iter().all(|d| *d == 0.0)
    }

    /// Whether it is being restarted or will be.
    pub fn restarts(&self) -> bool {
        self.restart_at != Time::NEVER || self.ready_at().is_some()
    }

    /// What it takes and never gives back, after `dt` seconds more.
    pub(crate) fn hoard(&mut self, dt: f64) {
        if self.hoarding + self.opening > 0.0 {
            self.hoarded += self.hoarding * dt;
            self.hoarded_for += if self.hoarded > 0.0 { dt } else { 0.0 };
            self.opened = (self.opened + self.opening * dt).min(MOST_FILES);
        }
    }

    /// Whether it answers.
    pub fn up(&self) -> bool {
        self.phase == Phase::Running
    }
}
