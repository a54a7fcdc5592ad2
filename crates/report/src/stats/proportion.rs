//! Intervals for a rate of independent trials. Episodes of one family are not independent: for these
//! see [`super::Clusters`].

use super::dist::{beta_quantile, normal_quantile};
use super::interval::{Interval, Method};

/// Wilson's score interval for `hits` of `n`; `None` without a trial.
pub fn wilson(hits: u64, n: u64, level: f64) -> Option<Interval> {
    let z = normal_quantile(0.5 + level / 2.0);
    let (low, high) = wilson_ends(hits as f64 / n as f64, n as f64, z);
    interval(hits, n, low, high, Method::Wilson)
}

/// Clopper and Pearson's exact interval for `hits` of `n`; `None` without a trial.
pub fn clopper_pearson(hits: u64, n: u64, level: f64) -> Option<Interval> {
    let tail = (1.0 - level) / 2.0;
    let (k, misses) = (hits as f64, n.saturating_sub(hits) as f64);
    let low = if hits == 0 { 0.0 } else { beta_quantile(tail, k, misses + 1.0) };
    let high = if hits >= n { 1.0 } else { beta_quantile(1.0 - tail, k + 1.0, misses) };
    interval(hits, n, low, high, Method::ClopperPearson)
}

/// The ends of Wilson's interval; `n` need not be whole, and `z` may be a quantile of Student's.
pub(super) fn wilson_ends(rate: f64, n: f64, z: f64) -> (f64, f64) {
    let square = z * z / n;
    let middle = (rate + square / 2.0) / (1.0 + square);
    let half = z * libm::sqrt(rate * (1.0 - rate) / n + square / (4.0 * n)) / (1.0 + square);
    // At 0 and 1 the ends are exact, whatever the last bits of a root say.
    let low = if rate <= 0.0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if rate >= 1.0 { 1.0 } else { (middle + half).min(1.0) };
    (low, high)
}

fn interval(hits: u64, n: u64, low: f64, high: f64, method: Method) -> Option<Interval> {
    let point = hits as f64 / n as f64;
    (n > 0 && hits <= n).then_some(Interval { point, low, high, method, episodes: n as u32, families: n as u32 })
}
