//! The wall clock moves the simulated time, and served times agree with the clock of the client.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use cluster::Stamp;

/// Simulated time as a function of the wall clock.
///
/// At a speed above 1 the cluster's time runs ahead. Clients compute ages with their own clock, so every time that is
/// served is moved back by as much, and every time that a client sends is moved forward. A cluster that is too large for
/// its speed falls behind, and stays behind.
#[derive(Clone, Debug)]
pub struct ServedClock {
    began: Instant,
    start: Stamp,
    speed: f64,
    /// Microseconds of the cluster's time that were given up.
    lost: Arc<AtomicI64>,
}

impl ServedClock {
    /// A clock that shows the time of the system now.
    pub fn new(speed: f64) -> Self {
        Self::starting_at(Self::wall(), speed)
    }

    /// A clock that shows this time now. It must be near that of the system: times are served as they are.
    pub fn starting_at(start: Stamp, speed: f64) -> Self {
        Self { began: Instant::now(), start, speed, lost: Arc::default() }
    }

    /// The time of the system.
    pub fn wall() -> Stamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Stamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    /// The time that the cluster should have reached.
    pub fn simulated(&self) -> Stamp {
        Stamp(self.start.after(self.began.elapsed().mul_f64(self.speed)).0 - self.lost())
    }

    /// Gives up some of the cluster's time: from now on it is so much later than it would have been.
    pub(crate) fn fall_behind(&self, span: Duration) {
        self.lost.fetch_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    fn lost(&self) -> i64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// How long the wall clock takes until the cluster's time is `due`.
    pub fn until(&self, due: Stamp) -> Duration {
        let now = self.simulated();
        if due <= now { Duration::ZERO } else { due.since(now).div_f64(self.speed) }
    }

    /// How long the wall clock takes for a span of the cluster's time.
    pub(crate) fn real(&self, span: Duration) -> Duration {
        span.div_f64(self.speed)
    }

    /// How far the cluster's time is ahead of the client's, in whole seconds.
    pub fn ahead(&self) -> i64 {
        (self.began.elapsed().as_secs_f64() * (self.speed - 1.0) - self.lost() as f64 / 1e6) as i64
    }

    /// Whether cluster and client have the same time, so that nothing needs to be moved.
    pub fn is_plain(&self) -> bool {
        self.speed == 1.0 && self.lost() == 0
    }
}

/// Moves every time in a text (`2026-11-15T10:00:00Z`, with or without a fraction) by whole seconds.
pub(crate) fn shift(text: &[u8], seconds: i64) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        match whole_seconds(rest) {
            Some(stamp) => {
                let moved = stamp.after_secs_signed(seconds);
                // The fraction, if there is one, stays as it is.
                out.extend_from_slice(moved.trim_end_matches('Z').as_bytes());
                at += LENGTH;
            }
            None => {
                out.push(text[at]);
                at += 1;
            }
        }
    }
    out
}

/// The length of a time without its fraction and zone.
const LENGTH: usize = 19;

fn whole_seconds(text: &[u8]) -> Option<Stamp> {
    let head = text.get(..LENGTH)?;
    let is_shaped = head.iter().enumerate().all(|(at, byte)| match at {
        4 | 7 => *byte == b'-',
        10 => *byte == b'T',
        13 | 16 => *byte == b':',
        _ => byte.is_ascii_digit(),
    });
    let ends = matches!(text.get(LENGTH), Some(b'Z' | b'.'));
    if !is_shaped || !ends {
        return None;
    }
    Stamp::parse(&format!("{}Z", std::str::from_utf8(head).ok()?))
}

trait Signed {
    fn after_secs_signed(&self, seconds: i64) -> String;
}

impl Signed for Stamp {
    fn after_secs_signed(&self, seconds: i64) -> String {
        Stamp(self.0.saturating_add(seconds.saturating_mul(1_000_000))).rfc3339()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_is_given_up_stays_lost() {
        let clock = ServedClock::new(1.0);
        assert!(clock.is_plain());
        let before = clock.simulated();
        clock.clone().fall_behind(Duration::from_secs(3600));
        assert!(clock.simulated() < before && !clock.is_plain());
        assert_eq!(clock.ahead(), -3600);
        assert!(clock.until(before) > Duration::from_secs(3000));
    }

    #[test]
    fn times_are_moved_and_nothing_else() {
        let check = |text: &str, seconds: i64, expect: &str| {
            assert_eq!(String::from_utf8_lossy(&shift(text.as_bytes(), seconds)), expect);
        };
        check(r#"{"a":"2026-11-15T10:00:00Z"}"#, -60, r#"{"a":"2026-11-15T09:59:00Z"}"#);
        check("2026-11-15T10:00:00.123456Z up", 1, "2026-11-15T10:00:01.123456Z up");
        check("2026-11-15 10:00:00 v1.2", 5, "2026-11-15 10:00:00 v1.2");
        check("2026-11-15T10:00:0", 5, "2026-11-15T10:00:0");
    }
}
