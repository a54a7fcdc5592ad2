//! A rate limit that threads wait at.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use harness::{Stop, StopReason};

use super::clock;
use super::policy::Policy;
use super::rate_limit::{Admission, CallEnding, RateLimit};

/// The limiter of one provider, shared by all workers. It lets calls start as its [`RateLimit`] says.
pub struct RateLimiter {
    rate: Mutex<RateLimit>,
    changed: Condvar,
    began: Instant,
    stop: Stop,
}

impl RateLimiter {
    /// A limiter; a waiting thread leaves when the run is asked to stop.
    pub fn new(policy: Policy, stop: &Stop) -> Arc<RateLimiter> {
        let rate = Mutex::new(RateLimit::new(policy));
        let limiter =
            Arc::new(RateLimiter { rate, changed: Condvar::new(), began: clock::instant(), stop: stop.clone() });
        let waiting = Arc::downgrade(&limiter);
        stop.on_ask(move || {
            if let Some(limiter) = waiting.upgrade() {
                // A thread between its look at the request and its wait holds the lock.
                drop(limiter.rate());
                limiter.changed.notify_all();
            }
        });
        limiter
    }

    /// Waits until a call may start; `false` if it is to stop instead.
    pub fn enter(&self) -> bool {
        let mut rate = self.rate();
        loop {
            if self.stop.is_asked() {
                return false;
            }
            let now = self.began.elapsed();
            rate = match rate.ask(now) {
                Admission::Go => return true,
                Admission::Busy => self.changed.wait(rate).expect("no thread panics while it holds the rate"),
                Admission::Wait(until) => self.wait(rate, until.saturating_sub(now)),
            };
        }
    }

    /// A call has ended.
    pub fn leave(&self, outcome: CallEnding) {
        let mut rate = self.rate();
        rate.done(self.began.elapsed(), outcome);
        // An answer may have raised the limit by one, so two may go on.
        self.changed.notify_one();
        self.changed.notify_one();
    }

    /// Waits for so long; `false` if it is to stop before.
    pub fn rest(&self, time: Duration) -> bool {
        let until = self.began.elapsed() + time;
        let mut rate = self.rate();
        loop {
            let now = self.began.elapsed();
            if self.stop.is_asked() {
                return false;
            }
            if now >= until {
                return true;
            }
            rate = self.wait(rate, until - now);
        }
    }

    /// No call gets through any more: every caller is asked to stop.
    pub fn shut(&self, why: String) {
        self.stop.ask(StopReason::NoAnswer(why));
    }

    /// How long nothing starts, if the rate is closed, and how many calls may be in flight, if limited.
    pub fn state(&self) -> (Option<Duration>, Option<u32>) {
        let (rate, now) = (self.rate(), self.began.elapsed());
        (rate.closed_until(now).map(|until| until - now), rate.limit())
    }

    fn rate(&self) -> MutexGuard<'_, RateLimit> {
        self.rate.lock().expect("no thread panics while it holds the rate")
    }

    fn wait<'a>(&self, rate: MutexGuard<'a, RateLimit>, time: Duration) -> MutexGuard<'a, RateLimit> {
        self.changed.wait_timeout(rate, time).expect("no thread panics while it holds the rate").0
    }
}
