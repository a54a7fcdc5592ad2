//! From scores to values in clusters. Episodes whose provider failed say nothing of the agent and are
//! in no figure.

use harness::grade::Score;

use super::cluster::Clusters;
use super::interval::{Interval, LEVEL};
use super::jackknife;

/// The cluster of an episode: its task's family.
pub fn family(score: &Score) -> &str {
    &score.task
}

/// What makes two episodes of different agents a pair: the same task, world and repetition.
pub fn pair_key(score: &Score) -> (&str, u64, u32) {
    (&score.task, score.seed, 0)
}

/// The share of episodes in which something holds; `None` without an episode that counts.
pub fn rate<'a>(scores: impl IntoIterator<Item = &'a Score>, holds: impl Fn(&Score) -> bool) -> Option<Interval> {
    clusters(scores, |score| Some(if holds(score) { 1.0 } else { 0.0 })).rate(LEVEL)
}

/// The mean of a value over the episodes that have one.
pub fn mean<'a>(
    scores: impl IntoIterator<Item = &'a Score>,
    value: impl Fn(&Score) -> Option<f64>,
) -> Option<Interval> {
    clusters(scores, value).interval(LEVEL)
}

/// Any other figure of many episodes, such as marks or a share of sums.
pub fn figure<'a>(
    scores: impl IntoIterator<Item = &'a Score>,
    figure: impl Fn(&[&'a Score]) -> Option<f64>,
) -> Option<Interval> {
    let scores: Vec<&Score> = counted(scores).collect();
    jackknife::interval(&scores, |score| family(score), figure, LEVEL)
}

/// Values of the episodes that count, by family.
pub fn clusters<'a>(scores: impl IntoIterator<Item = &'a Score>, value: impl Fn(&Score) -> Option<f64>) -> Clusters {
    Clusters::of(counted(scores).filter_map(|score| Some((family(score), value(score)?))))
}

fn counted<'a>(scores: impl IntoIterator<Item = &'a Score>) -> impl Iterator<Item = &'a Score> {
    scores.into_iter().filter(|score| score.counts())
}
