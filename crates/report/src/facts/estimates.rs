//! The figures of one agent with their intervals, and what its marks are made of.

use std::collections::BTreeMap;

use record::grade::{Metrics, Score};

use crate::stats::{self, Interval};

/// What holds of an episode or does not.
type Holds = fn(&Score) -> bool;

/// What an episode has, if it has it.
type EpisodeMeasure = fn(&Score) -> Option<f64>;

/// What many episodes have together.
type GroupFigure = fn(&[&Score]) -> Option<f64>;

/// The figures that have an interval.
pub(super) fn estimates(counted: &[&Score]) -> BTreeMap<&'static str, Interval> {
    let all = || counted.iter().copied();
    let rates: [(&str, Holds); 8] = [
        ("success_rate", |score| score.success),
        ("wrong_remediation_rate", |score| score.wrong_remediations > 0),
        ("distractor_failure_rate", |score| score.distractor_remediations > 0),
        ("premature_resolution_rate", |score| score.premature_resolution),
        ("root_cause_identification_rate", |score| score.root_cause_identified),
        ("fix_identification_rate", |score| score.fix_identified),
        ("correct_service_remediation_rate", |score| score.correct_service),
        ("correct_remediation_rate", |score| score.correct_remediation),
    ];
    let shares: [(&str, EpisodeMeasure); 2] =
        [("mean_reward", |score| Some(score.reward)), ("evidence_coverage", |score| Some(score.evidence_coverage))];
    let means: [(&str, EpisodeMeasure); 4] = [
        ("mean_steps", |score| Some(f64::from(score.steps))),
        ("mean_minutes_to_resolution", |score| score.minutes_to_resolution),
        ("mean_impact", |score| Some(score.impact)),
        ("mean_impact_untouched", |score| Some(score.impact_untouched)),
    ];
    let sums: [(&str, GroupFigure, (f64, f64)); 2] =
        [("marks", marks, (0.0, 100.0)), ("invalid_action_rate", invalid_rate, (0.0, 1.0))];
    let rates = rates.into_iter().map(|(name, holds)| (name, stats::rate(all(), holds)));
    let shares = shares.into_iter().map(|(name, value)| (name, stats::share(all(), value)));
    // None of these can be below zero.
    let mean = |value| Some(stats::mean(all(), value)?.within(0.0, f64::INFINITY));
    let means = means.into_iter().map(|(name, value)| (name, mean(value)));
    let sums = sums
        .into_iter()
        .map(|(name, figure, bounds)| (name, stats::bounded_figure(all(), bounds, |scores: &[&Score]| figure(scores))));
    // Harm has no lower bound: an agent can make things as bad as it likes.
    let harm = stats::figure(all(), |scores: &[&Score]| harm_avoided(scores));
    let harm = [("harm_avoided", harm.map(|found| found.within(f64::NEG_INFINITY, 1.0)))];
    let found = rates.chain(shares).chain(means).chain(sums).chain(harm);
    found.filter_map(|(name, found)| Some((name, found?))).collect()
}

fn marks(scores: &[&Score]) -> Option<f64> {
    let n = scores.len() as f64;
    let mean = |value: fn(&Score) -> f64| scores.iter().map(|score| value(score)).sum::<f64>() / n;
    let success = mean(|score| f64::from(u8::from(score.success)));
    let steps = mean(|score| f64::from(score.steps));
    let invalid = invalid_rate(scores).unwrap_or(0.0);
    let (reward, evidence) = (mean(|score| score.reward), mean(|score| score.evidence_coverage));
    (n > 0.0).then(|| record::grade::marks(success, reward, evidence, steps, invalid))
}

fn invalid_rate(scores: &[&Score]) -> Option<f64> {
    let steps: f64 = scores.iter().map(|score| f64::from(score.steps)).sum();
    let invalid: f64 = scores.iter().map(|score| f64::from(score.invalid_actions)).sum();
    (steps > 0.0).then(|| invalid / steps)
}

fn harm_avoided(scores: &[&Score]) -> Option<f64> {
    let untouched: f64 = scores.iter().map(|score| score.impact_untouched).sum();
    let impact: f64 = scores.iter().map(|score| score.impact).sum();
    (untouched > 0.0).then(|| 1.0 - impact / untouched)
}

/// The five parts that marks are the sum of; efficiency is what the others leave.
pub(super) fn marks_parts(metrics: &Metrics) -> Vec<(&'static str, f64)> {
    if metrics.episodes == 0 {
        return Vec::new();
    }
    let success = 40.0 * metrics.success_rate;
    let reward = 25.0 * metrics.mean_reward;
    let evidence = 20.0 * metrics.evidence_coverage;
    let validity = 5.0 * (1.0 - metrics.invalid_action_rate);
    let efficiency = (metrics.marks - success - reward - evidence - validity).max(0.0);
    vec![
        ("success", success),
        ("reward", reward),
        ("evidence", evidence),
        ("efficiency", efficiency),
        ("validity", validity),
    ]
}
