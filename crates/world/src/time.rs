//! Simulated time: whole milliseconds since the world began. There is no other clock.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A moment of the simulation, in milliseconds since the world began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub u64);

/// A length of simulated time, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(pub u64);

/// Length of a tick while something may happen.
pub const TICK: Span = Span(7_500);
/// How often metrics are scraped.
pub const SCRAPE: Span = Span::secs(15);

impl Time {
    /// A moment that never comes.
    pub const NEVER: Time = Time(u64::MAX);

    /// The span since `earlier`, or nothing if that is in the future.
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// The moment `span` before this one, or the beginning of the world.
    pub fn back(self, span: Span) -> Time {
        Time(self.0.saturating_sub(span.0))
    }

    /// Seconds since the world began.
    pub fn secs(self) -> u64 {
        self.0 / 1000
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// A span of whole seconds.
    pub const fn secs(n: u64) -> Span {
        Span(n * 1000)
    }

    /// A span of whole minutes.
    pub const fn mins(n: u64) -> Span {
        Span(n * 60_000)
    }

    /// A span of whole hours.
    pub const fn hours(n: u64) -> Span {
        Span(n * 3_600_000)
    }

    /// The span in seconds, for the dynamics.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub for Time {
    type Output = Span;
    fn sub(self, other: Time) -> Span {
        self.since(other)
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

/// The wall clock of the simulated company: `09:41:15`, on the day that the world began.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self.secs();
        let (h, m, s) = (s / 3600 % 24, s / 60 % 60, s % 60);
        let digit = |n: u64| (b'0' + n as u8) as char;
        let text = [h / 10, h % 10, 10, m / 10, m % 10, 10, s / 10, s % 10];
        let mut out = [0u8; 8];
        for (slot, &n) in out.iter_mut().zip(&text) {
            *slot = if n == 10 { b':' } else { digit(n) as u8 };
        }
        f.write_str(std::str::from_utf8(&out).expect("digits and colons"))
    }
}

/// `45 s`, `12 min` or `1 h 5 min`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 / 1000 {
            s if s < 60 => write!(f, "{s} s"),
            s if s < 3600 && s % 60 == 0 => write!(f, "{} min", s / 60),
            s if s < 3600 => write!(f, "{} min {} s", s / 60, s % 60),
            s => write!(f, "{} h {} min", s / 3600, s / 60 % 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_spans_read_as_people_write_them() {
        let check = |shown: String, expect: &str| assert_eq!(shown, expect);
        check(Time(Span::hours(9).0 + 61_000).to_string(), "09:01:01");
        check(Time(Span::hours(25).0).to_string(), "01:00:00");
        check(Span::secs(45).to_string(), "45 s");
        check(Span::secs(125).to_string(), "2 min 5 s");
        check(Span::mins(12).to_string(), "12 min");
        check(Span::mins(65).to_string(), "1 h 5 min");
    }
}
