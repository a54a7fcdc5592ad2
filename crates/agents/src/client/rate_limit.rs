//! When may the next call start? A rate limit is a plain value: time is handed in.

use std::collections::VecDeque;
use std::time::Duration;

use super::policy::{Adaptive, Policy, Published};

/// The rate limit of one provider. Times are measured from any one moment, the same for all calls.
#[derive(Clone, Debug)]
pub struct RateLimit {
    policy: Policy,
    /// When the last calls started: as many as the rule looks back on.
    starts: VecDeque<Duration>,
    in_flight: u32,
    failures_in_a_row: u32,
    /// Nothing starts before.
    closed_until: Duration,
    /// Calls that may be in flight; grows by fractions.
    limit: f64,
    /// The limit does not shrink before.
    steady_until: Duration,
}

/// A window is counted where the calls arrive, and some take longer on their way than others: the next call starts so
/// much after the oldest has left the window.
pub(crate) const MARGIN: Duration = Duration::from_millis(250);

/// What a rate limit says to a call that wants to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It has started.
    Go,
    /// Ask again at this time.
    Wait(Duration),
    /// Ask again when another call has ended.
    Busy,
}

/// How a call ended, as far as the rate limit is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEnding {
    /// With an answer; the provider may have asked for a rest all the same.
    Answered {
        /// How long the provider wants to be left alone.
        hold: Option<Duration>,
    },
    /// The provider refused: too many calls.
    Refused {
        /// How long the provider wants to be left alone.
        hold: Option<Duration>,
    },
    /// It failed in another way.
    Failed,
}

impl RateLimit {
    /// A rate limit that lets the first call through at once.
    pub fn new(policy: Policy) -> RateLimit {
        let limit = if let Policy::Adaptive(adaptive) = policy { f64::from(adaptive.start.max(1)) } else { 0.0 };
        RateLimit {
            policy,
            starts: VecDeque::new(),
            in_flight: 0,
            failures_in_a_row: 0,
            closed_until: Duration::ZERO,
            limit,
            steady_until: Duration::ZERO,
        }
    }

    /// Whether a call may start now; if so, it has.
    pub fn ask(&mut self, now: Duration) -> Admission {
        if now < self.closed_until {
            return Admission::Wait(self.closed_until);
        }
        match self.policy {
            Policy::Published(rule) => {
                let at = self.next_start(&rule);
                if now < at {
                    return Admission::Wait(at);
                }
                self.starts.push_back(now);
                while self.starts.len() > rule.window_calls.max(1) as usize {
                    self.starts.pop_front();
                }
            }
            Policy::Adaptive(_) if self.in_flight >= self.limit as u32 => return Admission::Busy,
            Policy::Adaptive(_) | Policy::Unlimited => {}
        }
        self.in_flight += 1;
        Admission::Go
    }

    /// A call has ended.
    pub fn done(&mut self, now: Duration, outcome: CallEnding) {
        self.in_flight = self.in_flight.saturating_sub(1);
        match self.policy {
            Policy::Published(rule) => self.count_failures(now, outcome, &rule),
            Policy::Adaptive(rule) => self.adapt(now, outcome, &rule),
            Policy::Unlimited => {}
        }
    }

    /// How many calls may be in flight, where that is limited.
    pub fn limit(&self) -> Option<u32> {
        matches!(self.policy, Policy::Adaptive(_)).then_some(self.limit as u32)
    }

    /// Until when nothing starts, if the rate limit is closed.
    pub fn closed_until(&self, now: Duration) -> Option<Duration> {
        (now < self.closed_until).then_some(self.closed_until)
    }

    fn next_start(&self, rule: &Published) -> Duration {
        let after_last = self.starts.back().map_or(Duration::ZERO, |last| *last + rule.min_interval);
        let full = self.starts.len() >= rule.window_calls.max(1) as usize;
        let window = rule.window + MARGIN;
        let after_window = self.starts.front().filter(|_| full).map_or(Duration::ZERO, |first| *first + window);
        after_last.max(after_window)
    }

    fn count_failures(&mut self, now: Duration, outcome: CallEnding, rule: &Published) {
        if matches!(outcome, CallEnding::Answered { .. }) {
            self.failures_in_a_row = 0;
            return;
        }
        // What a provider asks of one call it asks of all.
        if let CallEnding::Refused { hold: Some(hold) } = outcome {
            self.closed_until = self.closed_until.max(now + hold);
        }
        self.failures_in_a_row += 1;
        if rule.pause_after > 0 && self.failures_in_a_row >= rule.pause_after {
            self.failures_in_a_row = 0;
            self.closed_until = self.closed_until.max(now + rule.pause);
        }
    }

    fn adapt(&mut self, now: Duration, outcome: CallEnding, rule: &Adaptive) {
        let (hold, refused) = match outcome {
            CallEnding::Answered { hold } => (hold, false),
            CallEnding::Refused { hold } => (hold, true),
            // Trouble on the provider's side says nothing of how much it can take.
            CallEnding::Failed => return,
        };
        if let Some(hold) = hold {
            self.closed_until = self.closed_until.max(now + hold);
        }
        if !refused {
            // One more after as many answers as are in flight: the usual additive increase.
            self.limit = (self.limit + 1.0 / self.limit).min(f64::from(rule.most.max(1)));
        } else if now >= self.steady_until {
            self.limit = (self.limit * rule.shrink).max(1.0);
            self.steady_until = now + rule.cooldown;
        }
    }
}
