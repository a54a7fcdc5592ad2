//! A latency as its first two moments; tails and percentiles are those of the lognormal with the same moments.

use crate::math::{MOST_ABOVE, exp, least_ln, ln};

/// What is rarer than one in ten thousand counts as never. This is the logarithm of the odds against it, that of 9,999.
const RARE: f64 = 9.210_240_366_975_85;
/// The square of how many deviations away that is.
const RARE_SQUARE: f64 = 13.24;
/// The 95th percentile of the normal distribution, in deviations.
const NINETY_FIFTH: f64 = 1.644_853_627;

/// A distribution of times, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Latency {
    /// Its mean.
    pub mean: f64,
    /// Its variance.
    pub var: f64,
}

impl Latency {
    /// No time at all.
    pub const ZERO: Latency = Latency { mean: 0.0, var: 0.0 };

    /// A latency with mean `mean` seconds and coefficient of variation `cv`.
    pub fn new(mean: f64, cv: f64) -> Latency {
        Latency { mean, var: mean * mean * cv * cv }
    }

    /// One after the other.
    pub fn then(self, other: Latency) -> Latency {
        Latency { mean: self.mean + other.mean, var: self.var + other.var }
    }

    /// `n` of these in a row; a fraction of one happens with that probability.
    pub fn times(self, n: f64) -> Latency {
        if n >= 1.0 {
            return Latency { mean: self.mean * n, var: self.var * n };
        }
        let mean = self.mean * n;
        Latency { mean, var: (n * (self.var + self.mean * self.mean) - mean * mean).max(0.0) }
    }

    /// Its standard deviation.
    pub fn deviation(self) -> f64 {
        self.var.sqrt()
    }

    /// Longer by a factor.
    pub fn scaled(self, by: f64) -> Latency {
        Latency { mean: self.mean * by, var: self.var * by * by }
    }

    /// Either of two, the other with probability `p`.
    pub fn or(self, other: Latency, p: f64) -> Latency {
        let mean = self.mean * (1.0 - p) + other.mean * p;
        let square = |l: Latency| l.var + l.mean * l.mean;
        let var = square(self) * (1.0 - p) + square(other) * p - mean * mean;
        Latency { mean, var: var.max(0.0) }
    }

    /// The probability of taking longer than `limit` seconds; what is below one in ten thousand counts as never.
    #[inline]
    pub fn tail(self, limit: f64) -> f64 {
        if self.mean <= 0.0 {
            return 0.0;
        }
        if limit <= 0.0 {
            return 1.0;
        }
        if self.is_far_below(limit) { 0.0 } else { self.tail_near(limit) }
    }

    /// The probabilities of taking longer than each of two limits, as [`Latency::tail`] says them.
    #[inline]
    pub fn tails(self, limits: [f64; 2]) -> [f64; 2] {
        if self.mean <= 0.0 || limits.iter().any(|limit| *limit <= 0.0) {
            return limits.map(|limit| self.tail(limit));
        }
        match limits.map(|limit| self.is_far_below(limit)) {
            [true, true] => [0.0; 2],
            [false, true] => [self.tail_near(limits[0]), 0.0],
            [true, false] => [0.0, self.tail_near(limits[1])],
            [false, false] => self.tails_near(limits),
        }
    }

    #[inline(never)]
    fn tail_near(self, limit: f64) -> f64 {
        self.deviations_to(limit).map_or(0.0, |(z, _)| rare_tail(z))
    }

    /// How many deviations of the logarithm away a limit is, and that deviation; nothing where so little lies beyond it
    /// that it counts as never and the leading bits of two numbers say so, because they bound their logarithms.
    #[inline]
    fn deviations_to(self, limit: f64) -> Option<(f64, f64)> {
        let per_mean = 1.0 / self.mean;
        let (ratio, square) = (limit * per_mean, (self.var * per_mean * per_mean).max(1e-6));
        let (away, spread) = (least_ln(ratio), least_ln(1.0 + square));
        let apart = away + 0.5 * spread;
        if apart > 0.0 && apart * apart > RARE_SQUARE * (spread + MOST_ABOVE).min(square) {
            return None;
        }
        let s2 = ln(1.0 + square);
        let sigma = s2.sqrt();
        Some(((ln(ratio) + s2 / 2.0) / sigma, sigma))
    }

    #[inline(never)]
    fn tails_near(self, limits: [f64; 2]) -> [f64; 2] {
        let (s2, sigma) = self.log_spread();
        let (per_mean, per_sigma) = (1.0 / self.mean, 1.0 / sigma);
        limits.map(|limit| rare_tail((ln(limit * per_mean) + s2 / 2.0) * per_sigma))
    }

    /// Whether so little lies beyond `limit` that it counts as never, where no logarithm is needed to say so.
    #[inline]
    fn is_far_below(self, limit: f64) -> bool {
        let gap = limit - self.mean;
        if gap <= 0.0 {
            return false;
        }
        // Eighteen deviations away nothing is left that matters. Nearer by, ln(r) is at least 2 (r - 1) / (r + 1) and
        // the deviation of the logarithm at most that of the time, and beyond 3.7 of those nothing matters either.
        let nearer = 2.0 * gap * self.mean;
        let (square, sum) = (gap * gap, 3.7 * (limit + self.mean));
        self.var < 0.003 * square || sum * sum * self.var.max(1e-6 * self.mean * self.mean) < nearer * nearer
    }

    /// The latency with everything beyond `limit` cut down to it.
    pub fn capped(self, limit: f64) -> Latency {
        self.split(limit).1
    }

    /// [`Latency::tail`] and [`Latency::capped`] at once.
    #[inline]
    pub fn split(self, limit: f64) -> (f64, Latency) {
        if self.mean <= 0.0 {
            return (0.0, self);
        }
        if limit <= 0.0 {
            return (1.0, Latency::ZERO);
        }
        // Most are, so the rest is kept apart from where it is called.
        if self.is_far_below(limit) { (0.0, self) } else { self.split_near(limit) }
    }

    #[inline(never)]
    fn split_near(self, limit: f64) -> (f64, Latency) {
        let Some((z, sigma)) = self.deviations_to(limit) else { return (0.0, self) };
        let over = rare_tail(z);
        if over <= 0.0 {
            return (0.0, self);
        }
        let below = self.mean * (1.0 - normal_tail(z - sigma));
        let mean = (below + limit * over).min(limit);
        (over, Latency { mean, var: (self.var * (1.0 - over) * (1.0 - over)).min(mean * limit) })
    }

    /// The 95th percentile, in seconds: by a polynomial of the variation, within one part in a hundred thousand, because every
    /// scrape asks for it of every call.
    #[inline]
    pub fn p95(self) -> f64 {
        if self.mean <= 0.0 {
            return 0.0;
        }
        let x = self.var.sqrt() / self.mean;
        if x > 1.5 {
            return self.at_z(NINETY_FIFTH);
        }
        let (x2, x4) = (x * x, x * x * (x * x));
        let near = (0.999_998_19 + 1.645_408_457 * x) + x2 * (0.837_388_855 - 0.354_010_191 * x);
        let far = (-1.233_916_378 + 1.375_878_307 * x) + x2 * (-0.582_106_904 + 0.092_474_587 * x);
        self.mean * (near + x4 * far)
    }

    /// The value `z` standard deviations from the median, on the logarithmic scale: for sampling.
    #[inline(never)]
    pub fn at_z(self, z: f64) -> f64 {
        if self.mean <= 0.0 {
            return 0.0;
        }
        let (s2, sigma) = self.log_spread();
        self.mean * exp(z * sigma - s2 / 2.0)
    }

    /// The same for several at once.
    pub(crate) fn at_each_z<const N: usize>(self, z: [f64; N]) -> [f64; N] {
        if self.mean <= 0.0 {
            return [0.0; N];
        }
        let (s2, sigma) = self.log_spread();
        z.map(|z| self.mean * exp(z * sigma - s2 / 2.0))
    }

    /// Variance and deviation of the logarithm.
    fn log_spread(self) -> (f64, f64) {
        let s2 = ln(1.0 + (self.var / (self.mean * self.mean)).max(1e-6));
        (s2, s2.sqrt())
    }
}

/// The upper tail of the normal distribution, by its logistic approximation with a cubic term
/// (error below 2e-4; Page 1977).
fn normal_tail(z: f64) -> f64 {
    1.0 / (1.0 + exp(odds(z)))
}

/// The same; what counts as never is none, and costs no exponential.
#[inline]
fn rare_tail(z: f64) -> f64 {
    let odds = odds(z);
    if odds > RARE { 0.0 } else { 1.0 / (1.0 + exp(odds)) }
}

/// The logarithm of the odds against lying beyond `z`.
#[inline]
fn odds(z: f64) -> f64 {
    z * (1.597_69 + 0.070_656 * (z * z))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What counts as never.
    const NEVER: f64 = 1e-4;

    #[test]
    fn the_normal_tail_matches_the_table() {
        let check = |z: f64, expect: f64| assert!((normal_tail(z) - expect).abs() < 2e-4, "{z}");
        check(0.0, 0.5);
        check(1.0, 0.158_655);
        check(1.644_854, 0.05);
        check(2.326_348, 0.01);
        check(-1.0, 0.841_345);
    }

    #[test]
    fn the_polynomial_is_the_percentile() {
        for n in 0..4_000 {
            let latency = Latency::new(0.2, f64::from(n) * 0.001);
            let exact = latency.at_z(NINETY_FIFTH).max(0.2);
            assert!((latency.p95() / exact - 1.0).abs() < if n > 1 { 1e-5 } else { 2e-3 }, "{latency:?}");
        }
        assert_eq!(Latency::ZERO.p95(), 0.0);
    }

    #[test]
    fn percentiles_and_tails_agree() {
        let l = Latency::new(0.2, 0.8);
        assert!((l.tail(l.p95()) - 0.05).abs() < 1e-3);
        assert!((l.tail(l.at_z(0.0)) - 0.5).abs() < 1e-3);
        assert!(l.tail(100.0) == 0.0);
    }

    #[test]
    fn what_is_said_without_a_logarithm_is_what_the_logarithm_says() {
        let draws = crate::Seed(1).stream("latency");
        for i in 0..200_000 {
            let latency = Latency::new(draws.at(3 * i).between(0.001, 1.0), draws.at(3 * i + 1).between(0.0, 2.0));
            let limit = latency.mean * draws.at(3 * i + 2).between(0.5, 40.0);
            let (s2, sigma) = latency.log_spread();
            let over = normal_tail((ln(limit / latency.mean) + s2 / 2.0) / sigma);
            // Of a log-normal time at most 0.00035 lies eighteen deviations beyond its mean: most where the deviation is
            // 3.8 times the mean.
            assert!(!latency.is_far_below(limit) || over < 3.5 * NEVER, "{latency:?} beyond {limit}: {over}");
            assert_eq!(latency.tail(limit), latency.split(limit).0);
            assert_eq!(latency.tail(limit) > 0.0, over >= NEVER && !latency.is_far_below(limit));
            assert!(latency.deviations_to(limit).is_some() || over < NEVER, "{latency:?} beyond {limit}: {over}");
            let [sooner, later] = latency.tails([limit, 1.5 * limit]);
            assert!((sooner - latency.tail(limit)).abs() < 1e-9 && (later - latency.tail(1.5 * limit)).abs() < 1e-9);
        }
    }

    #[test]
    fn a_cap_bounds_the_mean() {
        let l = Latency::new(2.0, 1.0);
        let c = l.capped(1.0);
        assert!(c.mean < 1.0 && c.mean > 0.5, "{c:?}");
        assert_eq!(l.capped(1e6), l);
    }

    #[test]
    fn mixing_keeps_the_moments() {
        let (a, b) = (Latency::new(1.0, 0.5), Latency::new(3.0, 0.1));
        let m = a.or(b, 0.25);
        assert!((m.mean - 1.5).abs() < 1e-12);
        assert_eq!(a.or(b, 0.0), a);
    }
}
