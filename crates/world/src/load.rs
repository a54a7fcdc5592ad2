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
