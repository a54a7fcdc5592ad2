//! The bootstrap over clusters, plain and BCa: for figures of unknown distribution. Seeded, and
//! the same to the last bit everywhere.

use serde::{Deserialize, Serialize};

use super::dist::{normal_cdf, normal_quantile};
use super::draw::Draws;
use super::interval::{Interval, Method};

/// So many resamples settle the second digit of an interval's ends.
pub const RESAMPLES: u32 = 4000;

/// How to resample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resampling {
    /// The seed of all draws.
    pub seed: u64,
    /// How many resamples.
    pub resamples: u32,
}

impl Default for Resampling {
    fn default() -> Resampling {
        Resampling { seed: 0, resamples: RESAMPLES }
    }
}

/// Percentiles over resamples of whole clusters; `None` if the figure has no value.
pub fn percentile<T>(
    clusters: &[Vec<T>],
    figure: impl Fn(&[&Vec<T>]) -> Option<f64>,
    plan: Resampling,
    level: f64,
) -> Option<Interval> {
    let point = figure(&clusters.iter().collect::<Vec<_>>())?;
    let found = sorted(replicates(clusters, &figure, plan));
    let tail = (1.0 - level) / 2.0;
    let (low, high) = (quantile(&found, tail)?, quantile(&found, 1.0 - tail)?);
    Some(interval(clusters, point, low, high, Method::ClusterBootstrap))
}

/// The same, corrected for bias and skew (Efron 1987); `None` if the figure has no value.
pub fn bca<T>(
    clusters: &[Vec<T>],
    figure: impl Fn(&[&Vec<T>]) -> Option<f64>,
    plan: Resampling,
    level: f64,
) -> Option<Interval> {
    let all: Vec<&Vec<T>> = clusters.iter().collect();
    let point = figure(&all)?;
    let without = |at: usize| {
        let rest: Vec<&Vec<T>> = all.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, c)| *c).collect();
        figure(&rest)
    };
    let jackknife: Vec<f64> = (0..all.len()).filter_map(without).collect();
    let found = sorted(replicates(clusters, &figure, plan));
    let (low, high) = Correction::of(point, &found, &jackknife).ends(&found, level)?;
    Some(interval(clusters, point, low, high, Method::ClusterBca))
}

/// How a BCa interval moves the percentiles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// The bias, in normal deviations.
    pub bias: f64,
    /// The acceleration: how the error changes with the figure.
    pub acceleration: f64,
}

impl Correction {
    /// From the resampled figures and those with one cluster left out.
    pub fn of(point: f64, found: &[f64], jackknife: &[f64]) -> Correction {
        let below = found.iter().filter(|value| **value < point).count() as f64;
        let at_most = found.iter().filter(|value| **value <= point).count() as f64;
        let bias = normal_quantile((below + at_most) / (2.0 * found.len() as f64));
        let mean = jackknife.iter().sum::<f64>() / jackknife.len() as f64;
        let (mut square, mut cube) = (0.0, 0.0);
        for miss in jackknife.iter().map(|value| mean - value) {
            square += miss * miss;
            cube += miss * miss * miss;
        }
        let acceleration = if square > 0.0 { cube / (6.0 * square * libm::sqrt(square)) } else { 0.0 };
        Correction { bias, acceleration }
    }

    /// The ends of the interval, from the resampled figures in ascending order. `None` if all of them
    /// lie on one side of the figure: then there is no telling the bias.
    pub fn ends(&self, found: &[f64], level: f64) -> Option<(f64, f64)> {
        let place = |p: f64| {
            let z = self.bias + normal_quantile(p);
            normal_cdf(self.bias + z / (1.0 - self.acceleration * z))
        };
        let tail = (1.0 - level) / 2.0;
        self.bias.is_finite().then_some(())?;
        Some((quantile(found, place(tail))?, quantile(found, place(1.0 - tail))?))
    }
}

/// A quantile of values in ascending order, between neighbours by the line.
pub fn quantile(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = p.clamp(0.0, 1.0) * last as f64;
    let at = libm::floor(place) as usize;
    let (low, high) = (sorted[at], sorted[(at + 1).min(last)]);
    Some(low + (high - low) * (place - at as f64))
}

fn replicates<T>(clusters: &[Vec<T>], figure: impl Fn(&[&Vec<T>]) -> Option<f64>, plan: Resampling) -> Vec<f64> {
    let resample = |stream: u32| {
        let draws = Draws::new(plan.seed, stream.into());
        let drawn = |place| &clusters[draws.below(place, clusters.len())];
        let picked: Vec<&Vec<T>> = (0..clusters.len() as u64).map(drawn).collect();
        figure(&picked)
    };
    (0..plan.resamples).filter_map(resample).collect()
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

fn interval<T>(clusters: &[Vec<T>], point: f64, low: f64, high: f64, method: Method) -> Interval {
    let episodes = clusters.iter().map(Vec::len).sum::<usize>() as u32;
    Interval { point, low, high, method, episodes, families: clusters.len() as u32 }
}
