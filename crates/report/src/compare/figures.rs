//! Differences in other figures than success, and in success by difficulty.

use std::collections::BTreeMap;

use record::grade::{Metrics, Score};
use serde::{Deserialize, Serialize};

use super::Pair;
use crate::stats::{Interval, LEVEL, PairedDifference, cluster, difference, jackknife, rate_difference};

/// One figure on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigurePair {
    /// Its name.
    pub name: String,
    /// On the first side.
    pub first: f64,
    /// On the second side.
    pub second: f64,
    /// The difference.
    pub difference: Interval,
    /// The pairs in which both sides have it.
    pub pairs: u32,
}

/// Success over a group of pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairGroup {
    /// What they have in common.
    pub name: String,
    /// How many.
    pub pairs: u32,
    /// The first side's success rate.
    pub first: f64,
    /// The second side's success rate.
    pub second: f64,
    /// The difference.
    pub difference: PairedDifference,
}

/// A value of one episode, if it has one.
type EpisodeValue = fn(&Score) -> Option<f64>;

/// In the order in which they are shown.
const VALUES: [(&str, EpisodeValue); 5] = [
    ("reward", |score| Some(score.reward)),
    ("evidence", |score| Some(score.evidence_coverage)),
    ("steps", |score| Some(score.steps.into())),
    ("minutes (both resolved)", |score| score.minutes_to_resolution),
    ("impact (requests)", |score| Some(score.impact)),
];

pub(super) fn figures(pairs: &[Pair<'_>]) -> Vec<FigurePair> {
    let means = VALUES.iter().filter_map(|(name, value)| figure(name, pairs, *value));
    marks(pairs).into_iter().chain(means).collect()
}

pub(super) fn by_difficulty(pairs: &[Pair<'_>]) -> Vec<PairGroup> {
    let mut groups: BTreeMap<&str, Vec<Pair<'_>>> = BTreeMap::new();
    for pair in pairs {
        groups.entry(&pair.0.difficulty).or_default().push(*pair);
    }
    let mut found: Vec<PairGroup> = groups.iter().filter_map(|(name, pairs)| group(name, pairs)).collect();
    found.sort_by_key(|group| ["easy", "medium", "hard"].iter().position(|name| *name == group.name));
    found
}

fn group(name: &str, pairs: &[Pair<'_>]) -> Option<PairGroup> {
    let rate = |pick: fn(&Pair<'_>) -> bool| pairs.iter().filter(|pair| pick(pair)).count() as f64 / pairs.len() as f64;
    Some(PairGroup {
        name: name.to_owned(),
        pairs: pairs.len() as u32,
        first: rate(|pair| pair.0.success),
        second: rate(|pair| pair.1.success),
        difference: rate_difference(pairs, |score| score.success)?,
    })
}

fn figure(name: &str, pairs: &[Pair<'_>], value: EpisodeValue) -> Option<FigurePair> {
    let both: Vec<(f64, f64)> = pairs.iter().filter_map(|(one, other)| Some((value(one)?, value(other)?))).collect();
    let mean = |pick: fn(&(f64, f64)) -> f64| both.iter().map(pick).sum::<f64>() / both.len() as f64;
    Some(FigurePair {
        name: name.to_owned(),
        first: mean(|pair| pair.0),
        second: mean(|pair| pair.1),
        difference: difference(pairs, value)?.interval,
        pairs: both.len() as u32,
    })
}

/// Marks are no mean of episodes, so families are left out one at a time.
fn marks(pairs: &[Pair<'_>]) -> Option<FigurePair> {
    let first = |pairs: &[Pair<'_>]| Metrics::of(pairs.iter().map(|pair| pair.0)).marks;
    let second = |pairs: &[Pair<'_>]| Metrics::of(pairs.iter().map(|pair| pair.1)).marks;
    let apart = |pairs: &[Pair<'_>]| (!pairs.is_empty()).then(|| first(pairs) - second(pairs));
    Some(FigurePair {
        name: "marks".to_owned(),
        first: first(pairs),
        second: second(pairs),
        difference: jackknife::interval(pairs, |pair| cluster(pair.0), apart, None, LEVEL)?,
        pairs: pairs.len() as u32,
    })
}
