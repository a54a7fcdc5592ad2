//! Two agents on the same incidents: differences pair by pair, so that what makes an incident hard for
//! both does not blur what tells them apart.

use std::collections::BTreeMap;

use record::grade::Score;
use serde::{Deserialize, Serialize};

use super::by::{cluster, pair_key};
use super::clusters::Clusters;
use super::dist::student_cdf;
use super::interval::{Interval, LEVEL, Method};
use super::mcnemar::McNemar;
use super::proportion::clopper_pearson;

/// The difference of two agents in one figure, the first less the second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairedDifference {
    /// The mean of the differences, with errors by family.
    pub interval: Interval,
    /// The two-sided p-value of no difference, with errors by family.
    pub p: f64,
}

/// The episodes that two agents have in common, pair by pair in the order of tasks and seeds.
pub fn pairs<'a>(
    first: impl IntoIterator<Item = &'a Score>,
    second: impl IntoIterator<Item = &'a Score>,
) -> Vec<(&'a Score, &'a Score)> {
    let by_key = |scores: &mut dyn Iterator<Item = &'a Score>| -> BTreeMap<(&'a str, u64, u32), &'a Score> {
        scores.filter(|score| score.counts()).map(|score| (pair_key(score), score)).collect()
    };
    let (first, second) = (by_key(&mut first.into_iter()), by_key(&mut second.into_iter()));
    first.into_iter().filter_map(|(key, score)| Some((score, *second.get(&key)?))).collect()
}

/// The difference in a value, over the pairs in which both have one; `None` without such a pair.
pub fn difference(pairs: &[(&Score, &Score)], value: impl Fn(&Score) -> Option<f64>) -> Option<PairedDifference> {
    let values = pairs.iter().filter_map(|(one, other)| Some((cluster(one), value(one)? - value(other)?)));
    clustered(&Clusters::of(values))
}

/// The difference in the rate of something that holds or does not; `None` without a pair.
pub fn rate_difference(pairs: &[(&Score, &Score)], holds: impl Fn(&Score) -> bool) -> Option<PairedDifference> {
    let one_if = |score: &Score| if holds(score) { 1.0 } else { 0.0 };
    let clusters = Clusters::of(pairs.iter().map(|(one, other)| (cluster(one), one_if(one) - one_if(other))));
    let found = clustered(&clusters)?;
    if found.interval.method == Method::Constant { agreed(&clusters) } else { Some(found.within_one()) }
}

/// McNemar's test of something that holds or does not.
pub fn mcnemar(pairs: &[(&Score, &Score)], holds: impl Fn(&Score) -> bool) -> McNemar {
    let count = |first: bool| {
        let only = |(one, other): &&(&Score, &Score)| holds(one) == first && holds(other) != first;
        pairs.iter().filter(only).count() as u32
    };
    McNemar::of(count(true), count(false))
}

/// A difference of clustered values from 0.
pub fn clustered(clusters: &Clusters) -> Option<PairedDifference> {
    let interval = clusters.interval(LEVEL)?;
    let error = clusters.error();
    let p = match error {
        Some(error) if error.variance > 0.0 => {
            2.0 * student_cdf(-(interval.point.abs() / libm::sqrt(error.variance)), error.df)
        }
        // One family, or no spread at all: nothing speaks against chance but the families themselves.
        _ => families_alone(interval.point, clusters.len()),
    };
    Some(PairedDifference { interval, p })
}

/// Every pair shows the same difference: each family is one exact trial of whether that is so.
fn agreed(clusters: &Clusters) -> Option<PairedDifference> {
    let (point, families) = (clusters.mean(), clusters.len());
    let at_least = clopper_pearson(families as u64, families as u64, LEVEL)?.low;
    // The families not seen might differ by as much as they can, the other way.
    let (low, high) = match point {
        d if d > 0.0 => (2.0 * at_least - 1.0, 1.0),
        d if d < 0.0 => (-1.0, 1.0 - 2.0 * at_least),
        _ => (at_least - 1.0, 1.0 - at_least),
    };
    let (episodes, families_seen) = (clusters.values() as u32, families as u32);
    let interval = Interval { point, low, high, method: Method::FamiliesAgree, episodes, families: families_seen };
    Some(PairedDifference { interval, p: families_alone(point, families) })
}

/// The chance that so many families all point one way.
fn families_alone(point: f64, families: usize) -> f64 {
    if point == 0.0 { 1.0 } else { libm::pow(0.5, families as f64 - 1.0).min(1.0) }
}

impl PairedDifference {
    /// Whether it is one, at the level of all intervals.
    pub fn is_significant(&self) -> bool {
        self.p < 1.0 - LEVEL
    }

    /// The same seen from the other side.
    pub fn turned(self) -> PairedDifference {
        let Interval { point, low, high, .. } = self.interval;
        PairedDifference { interval: Interval { point: -point, low: -high, high: -low, ..self.interval }, ..self }
    }

    fn within_one(self) -> PairedDifference {
        PairedDifference { interval: self.interval.within(-1.0, 1.0), ..self }
    }
}
