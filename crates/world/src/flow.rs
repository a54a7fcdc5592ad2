//! What travels along a call: how many, how long, and what becomes of them.

use crate::latency::Latency;
use crate::queued::{Queued, Times};

/// Why a call failed: the reason travels up the tree, so each service sees what it really would.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum Reason {
    /// Nothing listens there.
    Refused,
    /// The host does not answer.
    Unreachable,
    /// The caller's deadline passed.
    TimedOut,
    /// No connection became free in time.
    PoolExhausted,
    /// The queue in front of the workers was full.
    Overloaded,
    /// More requests than the limit allows.
    RateLimited,
    /// The credential was not accepted.
    Unauthorised,
    /// The TLS handshake failed.
    Tls,
    /// No backend is in rotation.
    NoBackend,
    /// More connections than the limit allows.
    ConnectionLimit,
    /// The connection was closed while it was silent.
    IdleReset,
    /// No space is left for writes.
    DiskFull,
    /// Writes are not accepted.
    ReadOnly,
    /// The statement ran longer than it may.
    StatementTimeout,
    /// The worker was killed for want of memory.
    OutOfMemory,
    /// The message was given up after its last attempt.
    DeadLettered,
    /// The usual few: bad input, races, bugs.
    Internal,
    /// The process could open no more files.
    OpenFiles,
    /// The rows were older than what the caller had written.
    Stale,
    /// Nothing listens at the address that the caller has for the host.
    Astray,
}

/// How many reasons there are.
pub const REASONS: usize = 20;

impl Reason {
    /// All of them, in order.
    pub const ALL: [Reason; REASONS] = [
        Reason::Refused,
        Reason::Unreachable,
        Reason::TimedOut,
        Reason::PoolExhausted,
        Reason::Overloaded,
        Reason::RateLimited,
        Reason::Unauthorised,
        Reason::Tls,
        Reason::NoBackend,
        Reason::ConnectionLimit,
        Reason::IdleReset,
        Reason::DiskFull,
        Reason::ReadOnly,
        Reason::StatementTimeout,
        Reason::OutOfMemory,
        Reason::DeadLettered,
        Reason::Internal,
        Reason::OpenFiles,
        Reason::Stale,
        Reason::Astray,
    ];

    /// Whether a call that fails for it fails at once: it is turned away, and nothing is done for it.
    pub fn at_once(self) -> bool {
        matches!(
            self,
            Reason::Refused
                | Reason::Overloaded
                | Reason::RateLimited
                | Reason::Unauthorised
                | Reason::Tls
                | Reason::NoBackend
                | Reason::ConnectionLimit
                | Reason::DiskFull
                | Reason::ReadOnly
                | Reason::OpenFiles
                | Reason::Astray
        )
    }

    /// As a status of HTTP, from one that met it itself.
    pub fn status(self) -> u16 {
        match self {
            Reason::Overloaded | Reason::NoBackend | Reason::OpenFiles | Reason::ConnectionLimit => 503,
            Reason::RateLimited => 429,
            Reason::TimedOut => 504,
            Reason::PoolExhausted | Reason::StatementTimeout | Reason::DiskFull | Reason::ReadOnly | Reason::Stale => {
                500
            }
            Reason::Internal | Reason::OutOfMemory => 500,
            // No server took the connection.
            Reason::Refused | Reason::Unreachable | Reason::Astray => 503,
            _ => 502,
        }
    }

    /// As a status of HTTP, from an application that caught it: it is the application's own error then, unless HTTP has a word for it.
    pub fn caught(self) -> u16 {
        match self {
            Reason::Overloaded | Reason::RateLimited | Reason::TimedOut => self.status(),
            _ => 500,
        }
    }

    /// As an operator would read it in a trace or a health page.
    pub fn text(self) -> &'static str {
        match self {
            Reason::Refused => "connection refused",
            Reason::Unreachable => "host unreachable",
            Reason::TimedOut => "deadline exceeded",
            Reason::PoolExhausted => "no free connection",
            Reason::Overloaded => "queue full",
            Reason::RateLimited => "429 too many requests",
            Reason::Unauthorised => "authentication failed",
            Reason::Tls => "TLS handshake failed",
            Reason::NoBackend => "no healthy backend",
            Reason::ConnectionLimit => "too many connections",
            Reason::IdleReset => "closed while idle",
            Reason::DiskFull => "no space left on device",
            Reason::ReadOnly => "read-only",
            Reason::StatementTimeout => "statement timeout",
            Reason::OutOfMemory => "out of memory",
            Reason::DeadLettered => "dead-lettered",
            Reason::Internal => "internal error",
            Reason::OpenFiles => "too many open files",
            Reason::Stale => "stale read",
            Reason::Astray => "no listener at the resolved address",
        }
    }
}

/// Shares of calls that failed, by reason. Padded so that sums of mixes vectorise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mix([f32; 20]);

impl Mix {
    /// Nothing fails.
    pub const NONE: Mix = Mix([0.0; 20]);

    /// Everything fails for one reason, in the share `p`.
    pub fn one(reason: Reason, p: f64) -> Mix {
        let mut mix = Mix::NONE;
        mix.0[reason as usize] = p as f32;
        mix
    }

    /// The share of one reason.
    pub fn get(&self, reason: Reason) -> f64 {
        f64::from(self.0[reason as usize])
    }

    /// Adds `p` of one reason.
    pub fn add(&mut self, reason: Reason, p: f64) {
        self.0[reason as usize] += p as f32;
    }

    /// Adds another mix, scaled. Kept apart from its callers, where the compiler would do it one by one.
    #[inline(never)]
    pub fn add_scaled(&mut self, other: &Mix, by: f64) {
        if by == 0.0 {
            return;
        }
        let by = by as f32;
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine += theirs * by;
        }
    }

    /// The same shares of another whole.
    pub fn scaled(mut self, by: f64) -> Mix {
        self.0.iter_mut().for_each(|p| *p *= by as f32);
        self
    }

    /// The share of calls that failed for any reason.
    pub fn total(&self) -> f64 {
        const { assert!(Reason::ALL.len().is_multiple_of(4), "reasons fill whole lanes") };
        let (parts, _) = self.0.as_chunks::<4>();
        let mut lanes = [0.0f32; 4];
        for part in parts {
            lanes = [lanes[0] + part[0], lanes[1] + part[1], lanes[2] + part[2], lanes[3] + part[3]];
        }
        f64::from(lanes[0] + lanes[1] + lanes[2] + lanes[3])
    }

    /// The most frequent reason, if anything fails; of two that are alike the first.
    pub fn worst(&self) -> Option<Reason> {
        let (parts, _) = self.0.as_chunks::<4>();
        let mut lanes = [0.0f32; 4];
        for part in parts {
            for (most, p) in lanes.iter_mut().zip(part) {
                *most = if *p > *most { *p } else { *most };
            }
        }
        let most = lanes.into_iter().fold(0.0, |most: f32, p| if p > most { p } else { most });
        if f64::from(most) <= 1e-9 {
            return None;
        }
        let of_four = parts.iter().position(|part| part.map(|p| p == most) != [false; 4])?;
        (4 * of_four..REASONS).find(|at| self.0[*at] == most).map(|at| Reason::ALL[at])
    }
}

/// What the protocol of an edge makes of each reason: a caller sees a status code, not what went wrong behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation([Reason; REASONS]);

impl Translation {
    /// The table of an edge; `None` where every reason is shown as it is.
    pub fn of(shows: impl Fn(Reason) -> Reason) -> Option<Translation> {
        let table = Translation(Reason::ALL.map(shows));
        (table.0 != Reason::ALL).then_some(table)
    }

    /// What is shown for a reason.
    pub fn shown(&self, reason: Reason) -> Reason {
        self.0[reason as usize]
    }

    /// The same shares, by what is shown.
    pub fn translate(&self, mix: &Mix) -> Mix {
        let mut shown = Mix::NONE;
        Reason::ALL.into_iter().for_each(|reason| shown.add(self.shown(reason), mix.get(reason)));
        shown
    }
}

/// One call's traffic in the current tick. `send` passes fill the upper half, callers first;
/// `solve` passes fill the lower half, callees first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flow {
    /// Calls per second that arrive, retries included.
    pub offered: f64,
    /// How many of the caller's workers there are to wait for this call: no more can be under way.
    pub callers: f64,
    /// Calls per second that a server would make if all its workers were free; 0 where the caller is no such server.
    pub wanted: f64,
    /// How long a caller's worker is busy otherwise for each call, in seconds.
    pub elsewhere: f64,
    /// How long it waits for an answer, in seconds.
    pub deadline: f64,
    /// The share of calls that the caller cut off before they were answered.
    pub cut: f64,
    /// Delay of the link to the callee, in seconds.
    pub delay: f64,
    /// Share of calls lost on the link to the callee.
    pub loss: f64,
    /// Share of calls that go to an address where nothing listens.
    pub gone: f64,
    /// Time until an answer, of whatever kind.
    pub latency: Latency,
    /// The part of it that passes in line, where a queue wanders between its walls.
    pub queued: Queued,
    /// The shares that fail.
    pub fails: Mix,
    /// The sum of `fails`.
    pub failed: f64,
    /// The share of calls that found nothing (for caches).
    pub miss: f64,
    /// Whether its caller sees other reasons than those that there are: see [`Translation`].
    pub is_translated: bool,
}

impl Flow {
    /// The share of calls that never reach the callee or never come back.
    pub fn lost(&self) -> f64 {
        self.gone + self.loss * (1.0 - self.gone)
    }

    /// The share of calls that fail as their caller sees it, deadlines aside.
    #[inline]
    pub fn felt(&self) -> f64 {
        let lost = self.lost();
        lost + self.failed * (1.0 - lost)
    }

    /// The most frequent reason for which calls fail as their caller sees it.
    #[inline]
    pub fn worst(&self) -> Option<Reason> {
        if self.gone + self.loss <= 0.0 {
            // Mostly the usual few fail and nothing else.
            return match self.failed {
                failed if failed <= 0.0 => None,
                failed if failed > 1e-6 && self.fails.get(Reason::Internal) > 0.51 * failed => Some(Reason::Internal),
                _ => self.fails.worst(),
            };
        }
        let inside = self.failed * (1.0 - self.lost());
        match (self.gone, self.lost() - self.gone) {
            (gone, late) if gone > inside && gone >= late => Some(Reason::Astray),
            (_, late) if late > inside => Some(Reason::TimedOut),
            _ if self.failed <= 0.0 => None,
            _ => self.fails.worst(),
        }
    }

    /// The time until an answer with the line in it.
    pub fn times(&self) -> Times {
        Times { latency: self.latency, queued: self.queued }
    }

    /// Sets the outcome of a tick in which nothing failed.
    pub fn answer_all(&mut self, latency: Latency) {
        (self.latency, self.fails, self.failed) = (latency, Mix::NONE, 0.0);
    }

    /// Sets the outcome of the tick.
    pub fn answer(&mut self, latency: Latency, fails: Mix) {
        let total = fails.total();
        (self.latency, self.failed) = (latency, total.min(1.0));
        self.fails = if total > 1.0 { fails.scaled(1.0 / total) } else { fails };
    }
}
