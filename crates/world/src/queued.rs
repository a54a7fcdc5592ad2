//! Times of which a wait in line is the most: near saturation a queue wanders between an empty and a full room, and its
//! length is spread as between two walls, not as a lognormal time is.

use crate::latency::Latency;
use crate::math::exp;

/// The part of a time that passes in line; nothing where no queue wanders between its walls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Queued {
    /// Its mean, in seconds.
    pub mean: f64,
    /// The wait of those who come when the room is full.
    pub most: f64,
}

/// A time and the part of it that passes in line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// All of it.
    pub latency: Latency,
    /// The longest wait in line of it.
    pub queued: Queued,
}

/// Below this share of the variance the line is a part of the time like any other.
const PREVAILS: f64 = 0.5;

/// The normal distribution in five points: where, in deviations, and with which weight (Gauss and Hermite).
const POINTS: [(f64, f64); 5] = [
    (-2.856_970, 0.011_257),
    (-1.355_626, 0.222_076),
    (0.0, 0.533_334),
    (1.355_626, 0.222_076),
    (2.856_970, 0.011_257),
];

impl Queued {
    /// How steep a truncated exponential distribution is, by its mean as a share of its room: within three parts in a hundred
    /// t = (2 x - 1) (1 + 2 y) / y, with y = x (1 - x).
    pub(crate) fn tilt(share: f64) -> f64 {
        let y = share * (1.0 - share);
        (2.0 * share - 1.0) * (1.0 + 2.0 * y) / y
    }

    /// The variance of that distribution, by the square of its room.
    pub(crate) fn spread(share: f64) -> f64 {
        let y = share * (1.0 - share);
        y * y * (1.0 + y * (3.2 - 7.5 * y))
    }

    fn share(self) -> f64 {
        (self.mean / self.most).clamp(1e-6, 1.0 - 1e-6)
    }

    fn var(self) -> f64 {
        self.most * self.most * Queued::spread(self.share())
    }
}

/// A line and all the rest of a time, in five points.
struct Apart {
    tilt: f64,
    /// What the exponential has left at its far wall, and one by the rest.
    near: f64,
    by_whole: f64,
    most: f64,
    by_most: f64,
    rest: [(f64, f64); 5],
}

/// So far from the share that is asked for a percentile may lie, ...
const NEAR: f64 = 2e-5;
/// ... which is found in so many steps at most, mostly in six.
const STEPS: usize = 24;

impl Apart {
    fn new(queued: Queued, rest: [(f64, f64); 5]) -> Apart {
        let tilt = Queued::tilt(queued.share());
        let near = exp(-tilt.abs());
        Apart { tilt, near, by_whole: 1.0 / (1.0 - near), most: queued.most, by_most: 1.0 / queued.most, rest }
    }

    /// The probability of taking longer than `limit` seconds.
    fn tail(&self, limit: f64) -> f64 {
        self.rest.iter().map(|(rest, weight)| weight * self.waits((limit - rest) * self.by_most)).sum()
    }

    /// The probability of waiting for longer than a part of the longest wait.
    #[inline]
    fn waits(&self, part: f64) -> f64 {
        if part <= 0.0 {
            return 1.0;
        }
        if part >= 1.0 {
            return 0.0;
        }
        let steep = self.tilt.abs();
        if steep < 1e-6 {
            return 1.0 - part;
        }
        let left = if self.tilt > 0.0 { 1.0 - exp(steep * (part - 1.0)) } else { exp(-steep * part) - self.near };
        left * self.by_whole
    }

    /// What the share `beyond` takes longer than: between two bounds, by the line through what is beyond each. A bound that
    /// stays counts half (the Illinois rule), so that neither stays for long.
    fn quantile(&self, beyond: f64) -> f64 {
        let (mut low, mut high) = ((0.0, 1.0 - beyond), (self.most + self.rest[4].0, -beyond));
        let mut at = high.0;
        for _ in 0..STEPS {
            at = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
            let off = self.tail(at) - beyond;
            if off.abs() < NEAR {
                break;
            }
            if off > 0.0 {
                (low, high.1) = ((at, off), 0.5 * high.1);
            } else {
                (high, low.1) = ((at, off), 0.5 * low.1);
            }
        }
        at
    }
}

impl Times {
    fn apart(self) -> Option<Apart> {
        let (Times { latency, queued }, var) = (self, if self.queued.most > 0.0 { self.queued.var() } else { 0.0 });
        if var <= PREVAILS * latency.var {
            return None;
        }
        let rest = Latency { mean: (latency.mean - queued.mean).max(1e-6), var: (latency.var - var).max(0.0) };
        let at = rest.at_each_z(POINTS.map(|(z, _)| z));
        Some(Apart::new(queued, std::array::from_fn(|n| (at[n], POINTS[n].1))))
    }

    /// The probability of taking longer than `limit` seconds.
    pub fn tail(self, limit: f64) -> f64 {
        self.apart().map_or_else(|| self.latency.tail(limit), |apart| apart.tail(limit))
    }

    /// The probabilities of taking longer than each of two limits.
    #[inline]
    pub fn tails(self, limits: [f64; 2]) -> [f64; 2] {
        match if self.queued.most > 0.0 { self.apart() } else { None } {
            Some(apart) => limits.map(|limit| apart.tail(limit)),
            None => self.latency.tails(limits),
        }
    }

    /// The 95th percentile, in seconds.
    #[inline]
    pub fn p95(self) -> f64 {
        if self.queued.most <= 0.0 { self.latency.p95() } else { self.p95_queued() }
    }

    #[cold]
    fn p95_queued(self) -> f64 {
        self.apart().map_or_else(|| self.latency.p95(), |apart| apart.quantile(0.05))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_alone_is_spread_between_its_walls() {
        // How steep it is is known within three parts in a hundred.
        let check = |share: f64, p95: f64| {
            let queued = Queued { mean: share, most: 1.0 };
            let times = Times { latency: Latency { mean: share + 1e-3, var: queued.var() + 1e-9 }, queued };
            assert!((times.p95() - p95).abs() < 0.04 * p95, "{share}: {}", times.p95());
            assert!((times.tail(times.p95()) - 0.05).abs() < 1e-4);
        };
        // Exponential, even, and against the wall.
        check(0.05, 0.15);
        check(0.5, 0.951);
        check(0.9, 0.995);
    }

    #[test]
    fn where_no_queue_prevails_a_time_is_lognormal() {
        let latency = Latency::new(0.2, 0.6);
        for queued in [Queued::default(), Queued { mean: 0.01, most: 0.1 }] {
            let times = Times { latency, queued };
            assert_eq!((times.p95(), times.tail(0.5)), (latency.p95(), latency.tail(0.5)));
        }
    }
}
