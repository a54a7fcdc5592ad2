//! What ails a database besides its settings: its replica, its volume, its sessions.

use super::tables::Log;
use crate::service_state::ServiceState;
use crate::services::Tick;

/// How long lost clients take, on average, before they try to connect again, in seconds.
const PATIENCE: f64 = 8.0;
/// How much faster than time a replica catches up.
const CATCH_UP: f64 = 4.0;

/// The state. A healthy database has the default.
#[derive(Clone, Copy, Debug)]
pub(super) struct DatabaseState {
    pub replica_lost: bool,
    /// Seconds that the replica loses each second, and by how many it is behind.
    lag_rate: f64,
    pub lag: f64,
    /// How much longer the volume takes.
    pub disk: f64,
    filling: f64,
    left: f64,
    /// GB that something else has written so far.
    kept: f64,
    /// Whether an old transaction keeps dead rows from being cleaned up.
    pub pinned: bool,
    /// Clients that want a new connection, and connections opened per second.
    waiting: f64,
    pub connecting: f64,
    /// Connections that clients keep without using them.
    pub held: f64,
    /// For how long the first of them has been kept, in seconds.
    pub held_for: f64,
}

impl Default for DatabaseState {
    fn default() -> DatabaseState {
        DatabaseState {
            replica_lost: false,
            lag_rate: 0.0,
            lag: 0.0,
            disk: 1.0,
            filling: 0.0,
            left: 0.0,
            kept: 0.0,
            pinned: false,
            waiting: 0.0,
            connecting: 0.0,
            held: 0.0,
            held_for: 0.0,
        }
    }
}

impl DatabaseState {
    /// Puts one of them into a state; gives the old one.
    pub fn set(&mut self, state: ServiceState) -> ServiceState {
        use std::mem::replace;
        match state {
            ServiceState::Replica { lost } => ServiceState::Replica { lost: replace(&mut self.replica_lost, lost) },
            ServiceState::Lag { per_s } => ServiceState::Lag { per_s: replace(&mut self.lag_rate, per_s) },
            ServiceState::Disk { factor } => ServiceState::Disk { factor: replace(&mut self.disk, factor.max(1.0)) },
            ServiceState::Filling { gb_per_s, left } => ServiceState::Filling {
                gb_per_s: replace(&mut self.filling, gb_per_s),
                left: replace(&mut self.left, left),
            },
            ServiceState::Clients { waiting } => ServiceState::Clients { waiting: replace(&mut self.waiting, waiting) },
            other => other,
        }
    }

    /// A restart clears what lives in processes and mounts; a replica that is behind still has to catch up.
    pub fn restart(&mut self) {
        *self = DatabaseState { lag: self.lag, waiting: self.waiting, ..DatabaseState::default() };
    }

    /// Whether a restart would bring nothing.
    pub fn is_clean(&self) -> bool {
        !self.replica_lost && self.lag_rate == 0.0 && self.disk == 1.0 && !self.pinned
    }

    /// The share of reads that find rows older than they need.
    pub fn stale(&self) -> f64 {
        if self.lag < 2.0 { 0.0 } else { 0.35 * self.lag / (self.lag + 40.0) }
    }

    /// Lets `dt` seconds pass in which so many clients a second lost their connection.
    pub fn pass(&mut self, lost: f64, dt: f64) {
        if lost + self.waiting + self.connecting + self.lag + self.lag_rate == 0.0 {
            return;
        }
        let opened = self.waiting * (dt / (dt + PATIENCE));
        self.connecting = opened / dt;
        self.waiting = self.waiting - opened + lost * dt;
        let behind = if self.lag_rate > 0.0 { self.lag_rate } else { -CATCH_UP };
        self.lag = (self.lag + behind * dt).clamp(0.0, 7200.0);
    }

    /// GB that something else has written and keeps.
    pub fn kept_gb(&self) -> f64 {
        self.kept
    }

    /// GB that something else writes in `dt` seconds.
    pub fn fill(&mut self, dt: f64) -> f64 {
        if self.left <= 0.0 {
            return 0.0;
        }
        let written = (self.filling * dt).min(self.left);
        self.left -= written;
        self.kept += written;
        written
    }

    /// Log lines that most databases never print.
    pub fn note(&self, tick: &mut Tick<'_>) {
        let calm = self.lag + self.filling + self.connecting + self.held == 0.0 && self.disk == 1.0;
        if calm && !self.replica_lost && !self.pinned {
            return;
        }
        let lines = [
            (Log::ReplicaLost, self.replica_lost),
            (Log::ReplicaLag, self.lag > 2.0),
            (Log::SlowVolume, self.disk > 1.2),
            (Log::Filling, self.filling > 0.0 && self.left > 0.0),
            (Log::Pinned, self.pinned),
            (Log::Reconnects, self.connecting > 4.0),
            (Log::IdleSessions, self.held > 8.0),
        ];
        for (line, _) in lines.into_iter().filter(|(_, on)| *on) {
            tick.count(line, 0.2);
        }
    }
}
