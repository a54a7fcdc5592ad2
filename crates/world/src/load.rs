//! How much users ask.

use crate::rng::Stream;
use crate::time::Time;

/// How much users ask of a route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub stream: Stream,
    pub factor: f64,
    /// Requests per second that people send again.
    pub again: f64,
    /// The number of the last knot, its draw and that of the next: drawn once for many ticks.
    knots: (u64, f64, f64),
}

impl Load {
    pub fn new(stream: Stream) -> Load {
        Load { stream, factor: 1.0, again: 0.0, knots: (u64::MAX, 0.0, 0.0) }
    }

    /// Lets a share of what is offered fail where each request is sent so many times at most; gives how many requests per second are
    /// sent for the first time, and how many of those fail each time. What fails is sent again from the next tick on, a part of it in each.
    pub fn fail(&mut self, offered: f64, failed: f64, tries: usize, part: f64) -> (f64, f64) {
        let first = offered - self.again;
        let (mut rate, mut again) = (first * failed, 0.0);
        for _ in 1..tries {
            again += rate;
            rate *= failed;
        }
        self.again += (again - self.again) * part;
        (first, rate)
    }

    /// A slow wander: straight lines between a draw every two minutes.
    pub fn wander(&mut self, now: Time) -> f64 {
        const BETWEEN: u64 = 120_000;
        let knot = now.0 / BETWEEN;
        if self.knots.0 != knot {
            self.knots = (knot, self.stream.at(knot).signed(), self.stream.at(knot + 1).signed());
        }
        let into = (now.0 % BETWEEN) as f64 / BETWEEN as f64;
        self.knots.1 * (1.0 - into) + self.knots.2 * into
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    #[test]
    fn what_fails_each_time_is_sent_as_often_as_it_may_be() {
        let mut load = Load::new(Seed(1).stream("load"));
        assert_eq!(load.fail(50.0, 1.0, 4, 1.0), (50.0, 50.0));
        assert_eq!((load.again, load.fail(200.0, 0.5, 4, 1.0)), (150.0, (50.0, 3.125)));
        assert_eq!((load.again, load.fail(93.75, 0.0, 4, 1.0)), (43.75, (50.0, 0.0)));
        assert_eq!(load.again, 0.0);
    }
}
