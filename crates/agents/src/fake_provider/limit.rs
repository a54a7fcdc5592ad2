//! A limit on requests, as providers set them: so many in any window of so many milliseconds.

use std::collections::VecDeque;

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimit {
    /// So many requests.
    pub requests: u32,
    /// In any window of so many milliseconds.
    pub window_ms: u64,
}

/// How a request stands against the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitStanding {
    /// It is let in; so many more may follow at once.
    Within(u32),
    /// It is one too many; in so many milliseconds there is room.
    Over(u64),
}

/// The requests of the last window. Time is handed in.
#[derive(Clone, Debug, Default)]
pub(super) struct LimitWindow {
    times: VecDeque<u64>,
}

impl LimitWindow {
    /// Lets a request in if there is room.
    pub fn admit(&mut self, limit: RequestLimit, now_ms: u64) -> LimitStanding {
        while self.times.front().is_some_and(|time| time + limit.window_ms <= now_ms) {
            self.times.pop_front();
        }
        let taken = self.times.len() as u32;
        if taken >= limit.requests {
            let free = self.times.front().map_or(limit.window_ms, |time| time + limit.window_ms - now_ms);
            return LimitStanding::Over(free);
        }
        self.times.push_back(now_ms);
        LimitStanding::Within(limit.requests - taken - 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_window_slides() {
        let (limit, mut window) = (RequestLimit { requests: 2, window_ms: 100 }, LimitWindow::default());
        let mut check = |now, expect| assert_eq!(window.admit(limit, now), expect, "at {now}");
        check(0, LimitStanding::Within(1));
        check(30, LimitStanding::Within(0));
        check(40, LimitStanding::Over(60));
        check(99, LimitStanding::Over(1));
        check(100, LimitStanding::Within(0));
        check(100, LimitStanding::Over(30));
        check(500, LimitStanding::Within(1));
    }

    proptest! {
        #[test]
        fn no_window_holds_more_and_whoever_waits_as_told_gets_in(
            requests in 1u32..6,
            window_ms in 1u64..200,
            gaps in prop::collection::vec(0u64..60, 1..80),
        ) {
            let (limit, mut window, mut now) = (RequestLimit { requests, window_ms }, LimitWindow::default(), 0);
            let mut admitted: Vec<u64> = Vec::new();
            for gap in gaps {
                now += gap;
                match window.admit(limit, now) {
                    LimitStanding::Within(_) => admitted.push(now),
                    LimitStanding::Over(wait) => {
                        prop_assert!(wait >= 1 && matches!(window.clone().admit(limit, now + wait), LimitStanding::Within(_)));
                    }
                }
            }
            for (at, first) in admitted.iter().enumerate() {
                let within = admitted[at..].iter().take_while(|time| **time < first + window_ms).count();
                prop_assert!(within as u32 <= requests);
            }
        }
    }
}
