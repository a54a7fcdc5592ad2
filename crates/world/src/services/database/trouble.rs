//! What befalls a database as a whole: locks, bad pages, elections, ids and statistics.

use super::tables::Log;
use crate::flow::{Mix, Reason};
use crate::latency::Latency;
use crate::service_state::ServiceState;
use crate::services::Tick;

/// How long a vacuum takes to free ids and to gather statistics, in seconds.
const VACUUM: f64 = 60.0;

/// The state. A healthy database has the default.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trouble {
    /// How long a write waits for a lock that one session holds, in seconds.
    pub wait: f64,
    /// The share of the statements that come across a bad page.
    pages: f64,
    /// The share of the reads that miss what a second primary has.
    twofold: f64,
    /// The size of the primary, as a share of the usual one.
    pub size: f64,
    /// Whether no transaction ids are left.
    pub used_up: bool,
    /// How many times as long a read through an index takes.
    pub plans: f64,
    /// How long the vacuum has been at it, in seconds.
    vacuumed: f64,
}

impl Default for Trouble {
    fn default() -> Trouble {
        Trouble { wait: 0.0, pages: 0.0, twofold: 0.0, size: 1.0, used_up: false, plans: 1.0, vacuumed: 0.0 }
    }
}

impl Trouble {
    /// Puts one of them into a state and gives the old one; nothing if it is none of them.
    pub fn set(&mut self, state: ServiceState) -> Option<ServiceState> {
        use std::mem::replace;
        Some(match state {
            ServiceState::Lock { wait_s } => ServiceState::Lock { wait_s: replace(&mut self.wait, wait_s) },
            ServiceState::Pages { share } => ServiceState::Pages { share: replace(&mut self.pages, share) },
            ServiceState::Twofold { share } => ServiceState::Twofold { share: replace(&mut self.twofold, share) },
            ServiceState::Primary { size } => ServiceState::Primary { size: replace(&mut self.size, size) },
            ServiceState::Ids { used_up } => ServiceState::Ids { used_up: replace(&mut self.used_up, used_up) },
            ServiceState::Plans { factor } => ServiceState::Plans { factor: replace(&mut self.plans, factor) },
            _ => return None,
        })
    }

    /// A restart ends sessions, repairs pages and settles who is the primary. It frees no ids and gathers no statistics.
    pub fn restart(&mut self) {
        let Trouble { used_up, plans, vacuumed, .. } = *self;
        *self = Trouble { used_up, plans, vacuumed, ..Trouble::default() };
    }

    /// Whether a restart would bring nothing.
    pub fn is_clean(&self) -> bool {
        self.wait == 0.0 && self.pages == 0.0 && self.twofold == 0.0 && self.size == 1.0
    }

    fn is_calm(&self) -> bool {
        self.is_clean() && !self.used_up && self.plans == 1.0
    }

    /// How long a statement takes with its wait for the lock, which writes need.
    #[inline]
    pub fn behind_the_lock(&self, write: bool, running: Latency) -> Latency {
        if self.wait == 0.0 || !write { running } else { running.then(Latency::new(self.wait, 0.5)) }
    }

    /// Whether statements fail for it.
    #[inline]
    pub fn spoils(&self) -> bool {
        self.pages + self.twofold != 0.0
    }

    /// Adds what fails of a statement.
    #[inline]
    pub fn spoil(&self, write: bool, fails: &mut Mix) {
        if !self.spoils() {
            return;
        }
        let sound = 1.0 - fails.total();
        if self.pages > 0.0 {
            fails.add(Reason::Refused, self.pages * sound);
        }
        if self.twofold > 0.0 && !write {
            fails.add(Reason::Stale, self.twofold * (1.0 - self.pages) * sound);
        }
    }

    /// Lets `dt` seconds pass with the vacuum on or off.
    pub fn tidy(&mut self, vacuum: bool, dt: f64) {
        if !self.used_up && self.plans == 1.0 {
            return;
        }
        self.vacuumed = if vacuum { self.vacuumed + dt } else { 0.0 };
        if self.vacuumed >= VACUUM {
            (self.used_up, self.plans, self.vacuumed) = (false, 1.0, 0.0);
        }
    }

    /// Log lines that most databases never print.
    pub fn note(&self, tick: &mut Tick<'_>, rate: f64, writes: f64) {
        if self.is_calm() {
            return;
        }
        let some = |on: bool| if on { 0.2 } else { 0.0 };
        tick.count(Log::LockWait, some(self.wait > 0.0));
        tick.count(Log::BadPage, rate * self.pages);
        tick.count(Log::TwoPrimaries, some(self.twofold > 0.0));
        tick.count(Log::Promoted, some(self.size < 1.0));
        tick.count(Log::NoIds, if self.used_up { writes } else { 0.0 });
        tick.count(Log::BadPlan, some(self.plans > 1.0));
    }

    /// Whether that is something that the status page says.
    pub fn is_told(&self) -> bool {
        self.twofold > 0.0 || self.size < 1.0
    }

    /// What the status page says of it.
    pub fn status(&self) -> Option<String> {
        if self.twofold > 0.0 {
            return Some("primary: two servers say that they are".to_string());
        }
        (self.size < 1.0).then(|| "primary: the former standby since the last election".to_string())
    }
}
