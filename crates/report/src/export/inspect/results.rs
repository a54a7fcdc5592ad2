//! What a log measures: each measure with its mean and its standard error over clusters of tasks.

use std::collections::BTreeMap;

use record::grade::columns::{self, EpisodeColumn};
use record::grade::{Score, marks};
use serde_json::{Value, json};

use crate::stats::cluster;

/// All that is measured of an episode; the first is what the log is known by.
pub fn measures() -> impl Iterator<Item = &'static EpisodeColumn> {
    columns::of_episodes().map(|(_, column)| column)
}

/// What a log is known by.
const HEADLINE: &str = "success";
const SCORER: &str = "sre_zero";
/// The field of a sample's metadata that names its cluster: the same one as in the report.
pub const CLUSTER: &str = "cluster";

/// Sums over the episodes of a log, per measure and cluster.
#[derive(Default)]
pub struct Results {
    samples: u32,
    counted: u32,
    sums: Vec<BTreeMap<String, Sum>>,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    count: f64,
    total: f64,
}

impl Results {
    /// Adds an episode.
    pub fn add(&mut self, score: &Score) {
        self.sums.resize_with(measures().count(), BTreeMap::new);
        self.samples += 1;
        if !score.counts() {
            return;
        }
        self.counted += 1;
        for (measure, sums) in measures().zip(&mut self.sums) {
            if let Some(value) = measure.of(score) {
                let sum = sums.entry(cluster(score).to_string()).or_default();
                *sum = Sum { count: sum.count + 1.0, total: sum.total + value };
            }
        }
    }

    /// As the log holds it.
    pub fn json(&self) -> Value {
        let scores = measures().zip(&self.sums).map(|(measure, sums)| self.score(measure, sums));
        json!({
            "total_samples": self.samples,
            "completed_samples": self.counted,
            "scores": scores.chain([self.marks()]).collect::<Vec<Value>>(),
            "headline": {"scorer": SCORER, "score": HEADLINE, "metric": mean_name(HEADLINE)},
        })
    }

    fn score(&self, measure: &EpisodeColumn, sums: &BTreeMap<String, Sum>) -> Value {
        let (count, name) = (total(sums).count, mean_name(measure.name));
        json!({
            "name": measure.name,
            "scorer": SCORER,
            "scored_samples": count as u64,
            "unscored_samples": u64::from(self.samples) - count as u64,
            "metrics": {
                name: {"name": name, "value": mean(sums)},
                "stderr": {"name": "stderr", "value": stderr(sums), "params": {"cluster": CLUSTER}},
            },
            "metadata": {"about": measure.about},
        })
    }

    /// Marks are of many episodes together; no sample has them.
    fn marks(&self) -> Value {
        let of = |name: &str| {
            let at = measures().position(|measure| measure.name == name);
            at.and_then(|at| self.sums.get(at)).map_or(0.0, mean)
        };
        let steps = of("steps");
        let invalid = if steps > 0.0 { of("invalid_actions") / steps } else { 0.0 };
        let value =
            if self.counted == 0 { 0.0 } else { marks(of("success"), of("reward"), of("evidence"), steps, invalid) };
        json!({
            "name": "marks",
            "scorer": SCORER,
            "scored_samples": self.counted,
            "unscored_samples": self.samples - self.counted,
            "metrics": {"marks": {"name": "marks", "value": value}},
            "metadata": {"about": "marks, 0 to 100, over all episodes"},
        })
    }
}

fn mean_name(measure: &str) -> &'static str {
    if measure == HEADLINE { "accuracy" } else { "mean" }
}

fn total(sums: &BTreeMap<String, Sum>) -> Sum {
    sums.values().fold(Sum::default(), |all, sum| Sum { count: all.count + sum.count, total: all.total + sum.total })
}

fn mean(sums: &BTreeMap<String, Sum>) -> f64 {
    let all = total(sums);
    if all.count > 0.0 { all.total / all.count } else { 0.0 }
}

/// The clustered standard error with the correction for few clusters, as Inspect computes it.
fn stderr(sums: &BTreeMap<String, Sum>) -> f64 {
    let (all, clusters) = (total(sums), sums.len() as f64);
    if clusters < 2.0 {
        return 0.0;
    }
    let mean = all.total / all.count;
    let spread: f64 = sums.values().map(|sum| (sum.total - sum.count * mean).powi(2)).sum();
    (spread * clusters / (clusters - 1.0)).sqrt() / all.count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_that_of_clusters() {
        let check = |clusters: &[&[f64]], expect: f64| {
            let sum = |values: &&[f64]| Sum { count: values.len() as f64, total: values.iter().sum() };
            let sums = clusters.iter().map(sum).enumerate().map(|(at, sum)| (at.to_string(), sum)).collect();
            assert!((stderr(&sums) - expect).abs() < 1e-12, "{} for {expect}", stderr(&sums));
        };
        check(&[], 0.0);
        check(&[&[1.0, 0.0]], 0.0);
        // Clusters of one are the ordinary standard error: the deviation 0.5 * sqrt(4/3) over sqrt(4).
        check(&[&[1.0], &[0.0], &[1.0], &[0.0]], 0.288_675_134_594_812_9);
        // Two clusters that agree within themselves say no more than two episodes.
        check(&[&[1.0, 1.0], &[0.0, 0.0]], 0.5);
    }
}
