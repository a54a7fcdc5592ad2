//! How the wall clock drives an episode's clock, if it does.

use std::time::Duration;

use harness::Span;

/// Simulated time per time of the client; nothing if only actions take time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace(Option<f64>);

/// Faster than this, a blink would be a day.
const FASTEST: f64 = 1000.0;

impl Pace {
    /// Only actions take time.
    pub const PER_ACTION: Pace = Pace(None);

    /// Reads `10x`, `0.5x` or `action`.
    pub fn parse(text: &str) -> Result<Pace, String> {
        if text == "action" {
            return Ok(Pace::PER_ACTION);
        }
        let factor = text.strip_suffix('x').and_then(|number| number.parse::<f64>().ok());
        match factor {
            Some(factor) if factor > 0.0 && factor <= FASTEST => Ok(Pace(Some(factor))),
            _ => Err(format!("a pace is `action`, or a number up to {FASTEST} with an x: 1x, 10x, 0.5x")),
        }
    }

    /// The simulated time that a client's time is.
    fn of(self, taken: Duration) -> Span {
        Span(self.0.map_or(0, |factor| (taken.as_millis() as f64 * factor) as u64))
    }
}

/// The time that a client has taken and that has not passed in its world yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PaceClock {
    since: Duration,
    owed: Span,
}

impl PaceClock {
    /// Begins to run.
    pub fn started(now: Duration) -> PaceClock {
        PaceClock { since: now, owed: Span::ZERO }
    }

    /// What is to pass now; what `pass` could not take is owed.
    pub fn run(&mut self, pace: Pace, now: Duration, pass: impl FnOnce(Span) -> Span) {
        let due = self.owed + pace.of(now.saturating_sub(self.since));
        self.since = now;
        self.owed = Span(due.0.saturating_sub(pass(due).0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_is_read() {
        let check = |text: &str, expect: Option<u64>| {
            let pace = Pace::parse(text).ok();
            assert_eq!(pace.map(|p| p.of(Duration::from_secs(2)).0), expect, "{text}");
        };
        check("action", Some(0));
        check("10x", Some(20_000));
        check("0.5x", Some(1_000));
        for wrong in ["", "x", "10", "0x", "-1x", "1e9x", "NaNx", "infx"] {
            check(wrong, None);
        }
    }

    #[test]
    fn small_pauses_add_up() {
        let mut clock = PaceClock::started(Duration::ZERO);
        let mut passed = Vec::new();
        for second in 1..=4 {
            clock.run(Pace(Some(10.0)), Duration::from_secs(second), |due| {
                let whole = Span(due.0 / 15_000 * 15_000);
                passed.push(whole.0 / 1000);
                whole
            });
        }
        assert_eq!(passed, [0, 15, 15, 0]);
    }
}
