//! From scores to values in clusters. Episodes whose provider failed say nothing of the agent and are
//! in no figure.

use std::fmt;

use record::grade::Score;

use super::clusters::Clusters;
use super::interval::{Interval, LEVEL};
use super::jackknife;

/// The cluster of all statistics: a task family within one service. The family alone would put four
/// fifths of the classic tasks into one cluster, which no estimate of an error survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskCluster<'a> {
    /// The kind of thing that breaks.
    pub family: &'a str,
    /// The service at fault; the template, commit or repository of a question.
    pub service: &'a str,
}

impl fmt::Display for TaskCluster<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.family, self.service)
    }
}

/// The family of an episode's task; a task without one is a family of its own.
pub fn family(score: &Score) -> &str {
    if score.family.is_empty() { &score.task } else { &score.family }
}

/// The cluster of an episode.
pub fn cluster(score: &Score) -> TaskCluster<'_> {
    let service = if score.question.is_some() { &score.cluster } else { &score.component };
    TaskCluster { family: family(score), service }
}

/// What makes two episodes of different agents a pair: the same task, world and repetition.
pub fn pair_key(score: &Score) -> (&str, u64, u32) {
    (&score.task, score.seed, score.repeat)
}

/// The share of episodes in which something holds; `None` without an episode that counts.
pub fn rate<'a>(scores: impl IntoIterator<Item = &'a Score>, holds: impl Fn(&Score) -> bool) -> Option<Interval> {
    clusters(scores, |score| Some(if holds(score) { 1.0 } else { 0.0 })).rate(LEVEL)
}

/// The mean of a value from 0 to 1, such as a reward, over the episodes that have one.
pub fn share<'a>(
    scores: impl IntoIterator<Item = &'a Score>,
    value: impl Fn(&Score) -> Option<f64>,
) -> Option<Interval> {
    clusters(scores, value).rate(LEVEL)
}

/// The mean of a value without bounds, such as minutes, over the episodes that have one.
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
    jackknife::interval(&scores, |score| cluster(score), figure, None, LEVEL)
}

/// The same for a figure that cannot leave its bounds, such as marks from 0 to 100.
pub fn bounded_figure<'a>(
    scores: impl IntoIterator<Item = &'a Score>,
    bounds: (f64, f64),
    figure: impl Fn(&[&'a Score]) -> Option<f64>,
) -> Option<Interval> {
    let scores: Vec<&Score> = counted(scores).collect();
    jackknife::interval(&scores, |score| cluster(score), figure, Some(bounds), LEVEL)
}

/// Values of the episodes that count, by family.
pub fn clusters<'a>(scores: impl IntoIterator<Item = &'a Score>, value: impl Fn(&Score) -> Option<f64>) -> Clusters {
    Clusters::of(counted(scores).filter_map(|score| Some((cluster(score), value(score)?))))
}

fn counted<'a>(scores: impl IntoIterator<Item = &'a Score>) -> impl Iterator<Item = &'a Score> {
    scores.into_iter().filter(|score| score.counts())
}
