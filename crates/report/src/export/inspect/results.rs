//! What a log measures: each measure with its mean and its standard error over clusters of tasks.

use std::collections::BTreeMap;

use record::grade::{Score, marks};
use serde_json::{Value, json};

/// Something that is measured of an episode.
pub struct Measure {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Its value; `None` if there was nothing to measure.
    pub of: fn(&Score) -> Option<f64>,
}

/// All measures; the first is what the log is known by.
pub const MEASURES: &[Measure] = &[
    Measure { name: "success", about: "the incident was resolved and over", of: |s| Some(one_if(s.success)) },
    Measure { name: "reward", about: "the reward, between 0 and 1", of: |s| Some(s.reward) },
    Measure { name: "evidence", about: "share of the evidence that was seen", of: |s| Some(s.evidence_coverage) },
    Measure { name: "root_cause", about: "the diagnosis was right", of: |s| Some(one_if(s.root_cause_identified)) },
    Measure { name: "remediation", about: "the fix held at the end", of: |s| Some(one_if(s.correct_remediation)) },
    Measure { name: "efficiency", about: "share of the budget left at a success", of: |s| Some(s.step_efficiency) },
    Measure { name: "steps", about: "steps taken", of: |s| Some(f64::from(s.steps)) },
    Measure {
        name: "wrong_remediations",
        about: "changes that brought the fix no nearer",
        of: |s| Some(f64::from(s.wrong_remediations)),
    },
    Measure {
        name: "invalid_actions",
        about: "steps that were no valid action",
        of: |s| Some(f64::from(s.invalid_actions)),
    },
    Measure { name: "harm_avoided", about: "share of the users' harm that was avoided", of: |s| s.harm_avoided },
    Measure {
        name: "minutes_to_resolution",
        about: "simulated minutes from the page to the resolution",
        of: |s| s.minutes_to_resolution,
    },
];

const SCORER: &str = "sre_zero";
const CLUSTER: &str = "family";

fn one_if(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

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
        self.sums.resize_with(MEASURES.len(), BTreeMap::new);
        self.samples += 1;
        if !score.counts() {
            return;
        }
        self.counted += 1;
        for (measure, sums) in MEASURES.iter().zip(&mut self.sums) {
            if let Some(value) = (measure.of)(score) {
                let sum = sums.entry(score.family.clone()).or_default();
                *sum = Sum { count: sum.count + 1.0, total: sum.total + value };
            }
        }
    }

    /// As the log holds it.
    pub fn json(&self) -> Value {
        let scores = MEASURES.iter().zip(&self.sums).map(|(measure, sums)| self.score(measure, sums));
        json!({
            "total_samples": self.samples,
            "completed_samples": self.counted,
            "scores": scores.chain([self.marks()]).collect::<Vec<Value>>(),
            "headline": {"scorer": SCORER, "score": MEASURES[0].name, "metric": mean_name(&MEASURES[0])},
        })
    }

    fn score(&self, measure: &Measure, sums: &BTreeMap<String, Sum>) -> Value {
        let (count, name) = (total(sums).count, mean_name(measure));
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
            let at = MEASURES.iter().position(|measure| measure.name == name);
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

fn mean_name(measure: &Measure) -> &'static str {
    if measure.name == "success" { "accuracy" } else { "mean" }
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
