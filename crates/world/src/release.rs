//! What a service runs: the build, and how it came there. Restarting a process does not change it.

use serde::{Deserialize, Serialize};

use crate::time::Time;

/// How the code of a service differs from what ran on the day before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// Its own work takes this many times as long.
    pub slow: f64,
    /// The share of requests that it fails by itself.
    pub errors: f64,
    /// Memory that each of its processes gains and never gives back, in megabytes per second.
    pub leak: f64,
    /// How often it sends a call again that was not answered quickly; the first attempt goes on meanwhile.
    pub hedges: f64,
    /// What it takes for quickly, in seconds.
    pub hedge_after: f64,
    /// Its processes die so many seconds after they started; 0 for not at all.
    pub dies_after: f64,
}

impl Build {
    /// The build of the day before.
    pub const CLEAN: Build =
        Build { slow: 1.0, errors: 0.0, leak: 0.0, hedges: 0.0, hedge_after: 1.0, dies_after: 0.0 };
}

/// The build that a service should run and the one that it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Release {
    pub wanted: Build,
    pub running: Build,
    pub since: Time,
}

impl Release {
    /// What ran on the day before.
    pub const CLEAN: Release = Release { wanted: Build::CLEAN, running: Build::CLEAN, since: Time(0) };
}
