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
    /// When it was last started.
    pub started: Time,
}

impl Process {
    /// A fresh process that has run since `started`.
    pub fn fresh(started: Time) -> Process {
        Process { phase: Phase::Running, restart_at: Time::NEVER, lost: 0.0, leak: 0.0, leaked: 0.0, started }
    }

    /// A process that is being restarted and serves from `ready` on.
    pub fn starting(ready: Time) -> Process {
        Process { phase: Phase::Starting(ready), ..Process::fresh(ready) }
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
