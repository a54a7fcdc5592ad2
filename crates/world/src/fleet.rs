//! Instances on nodes: which processes exist and what state they are in. The services' physics asks
//! the fleet how much of a service is really there.

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
    /// It is dead and nobody starts it.
    Crashed,
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
        self.restart_at != Time::NEVER || matches!(self.phase, Phase::Starting(_))
    }

    /// What it takes and never gives back, after `dt` seconds more.
    pub(crate) fn hoard(&mut self, dt: f64) {
        if self.hoarding + self.opening > 0.0 {
            self.hoarded += self.hoarding * dt;
            self.opened = (self.opened + self.opening * dt).min(MOST_FILES);
        }
    }

    /// Whether it answers.
    pub fn up(&self) -> bool {
        self.phase == Phase::Running
    }
}

/// One instance of a service on a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// Index of the service.
    pub service: usize,
    /// Index of the node.
    pub node: usize,
    /// Its process.
    pub process: Process,
    /// The share of the service's calls that are sent to it.
    pub share: f64,
}
