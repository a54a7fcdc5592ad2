//! What an earlier run teaches about the next: how alike results are within a family and between agents.

use std::collections::{BTreeMap, BTreeSet};

use record::grade::Score;
use serde::{Deserialize, Serialize};

use super::by::{cluster, clusters};
use super::clusters::Clusters;
use super::paired::pairs;

/// What a pilot run shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pilot {
    /// Families.
    pub families: u32,
    /// Tasks.
    pub tasks: u32,
    /// The tasks of each family.
    pub sizes: Vec<u32>,
    /// Episodes that count, of all agents.
    pub episodes: u32,
    /// The success rate of each agent.
    pub baselines: BTreeMap<String, f64>,
    /// The intra-cluster correlation within a family, the mean over agents whose results differ at all.
    pub icc: Option<f64>,
    /// The same of the differences between two agents: what comparisons meet.
    pub icc_of_differences: Option<f64>,
    /// The correlation of two agents on the same incident, the mean over such pairs of agents.
    pub correlation: Option<f64>,
}

/// Learns from the scores of a run.
pub fn pilot(scores: &[&Score]) -> Pilot {
    let counted: Vec<&Score> = scores.iter().copied().filter(|score| score.counts()).collect();
    let names: BTreeSet<&str> = counted.iter().map(|score| &*score.agent).collect();
    let of = |name: &str| -> Vec<&Score> { counted.iter().copied().filter(|score| score.agent == name).collect() };
    let agents: Vec<(&str, Vec<&Score>)> = names.iter().map(|name| (*name, of(name))).collect();
    let mut shared = Vec::new();
    for (at, (_, one)) in agents.iter().enumerate() {
        for (_, other) in &agents[at + 1..] {
            shared.push(pairs(one.iter().copied(), other.iter().copied()));
        }
    }
    Pilot {
        families: counted.iter().map(|score| cluster(score)).collect::<BTreeSet<_>>().len() as u32,
        tasks: counted.iter().map(|score| &score.task).collect::<BTreeSet<_>>().len() as u32,
        sizes: sizes(counted.iter().map(|score| (cluster(score), &*score.task))),
        episodes: counted.len() as u32,
        baselines: agents.iter().map(|(name, own)| (name.to_string(), successes(own).mean())).collect(),
        icc: average(agents.iter().filter_map(|(_, own)| varied_icc(&successes(own)))),
        icc_of_differences: average(shared.iter().filter_map(|pairs| varied_icc(&differences(pairs)))),
        correlation: average(shared.iter().filter_map(|pairs| correlation(pairs))),
    }
}

/// How many tasks each family has.
pub fn sizes<K: Ord, T: Ord>(tasks: impl IntoIterator<Item = (K, T)>) -> Vec<u32> {
    let mut families: BTreeMap<K, BTreeSet<T>> = BTreeMap::new();
    for (family, task) in tasks {
        families.entry(family).or_default().insert(task);
    }
    families.into_values().map(|tasks| tasks.len() as u32).collect()
}

fn successes(scores: &[&Score]) -> Clusters {
    clusters(scores.iter().copied(), |score| Some(worth(score)))
}

fn differences(pairs: &[(&Score, &Score)]) -> Clusters {
    Clusters::of(pairs.iter().map(|(one, other)| (cluster(one), worth(one) - worth(other))))
}

/// The correlation within families; `None` if nothing varies, or if there are too few families.
fn varied_icc(clusters: &Clusters) -> Option<f64> {
    let (between, within) = clusters.components();
    (clusters.len() > 1 && between + within > 0.0).then(|| clusters.icc())
}

/// Pearson's correlation of two agents' results; `None` if one of them always does the same.
fn correlation(pairs: &[(&Score, &Score)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let (mut one, mut other, mut both) = (0.0, 0.0, 0.0);
    for (first, second) in pairs {
        one += worth(first) / n;
        other += worth(second) / n;
        both += worth(first) * worth(second) / n;
    }
    let spread = one * (1.0 - one) * other * (1.0 - other);
    (spread > 0.0).then(|| (both - one * other) / libm::sqrt(spread))
}

fn worth(score: &Score) -> f64 {
    if score.success { 1.0 } else { 0.0 }
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
