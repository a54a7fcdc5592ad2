//! How much users ask.

use crate::rng::Stream;
use crate::time::Time;

/// No request is sent more often.
pub(crate) const MOST_TRIES: usize = 8;

/// How much users ask of a route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub stream: Stream,
    pub factor: f64,
    /// Requests per second that people send again.
    pub again: f64,
    /// Of those, for the second time, the third, and so on, where tries are counted.
    tried: [f64; MOST_TRIES - 1],
    /// The number of the last knot, its draw and that of the next: drawn once for many ticks.
    knots: (u64, f64, f64),
}

impl Load {
    pub fn new(stream: Stream) -> Load {
        Load { stream, factor: 1.0, again: 0.0, tried: [0.0; MOST_TRIES - 1], knots: (u64::MAX, 0.0, 0.0) }
    }

    /// Lets a share of what is offered fail, of which a part is sent again in the next tick; gives the requests per second that are
    /// over, and of those the ones that failed each time.
    pub fn send_again(&mut self, offered: f64, failed: f64, tries: usize, part: f64) -> (f64, f64) {
        let mut rate = offered - self.again;
        for next in &mut self.tried[..tries - 1] {
            let now = *next;
            *next += (rate * failed - now) * part;
            rate = now;
        }
        self.again = self.tried.iter().sum();
        (offered * (1.0 - failed) + rate * failed, rate * failed)
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
