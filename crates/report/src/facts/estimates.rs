//! The figures of one agent with their intervals, and what its marks are made of.

use std::collections::BTreeMap;

use record::grade::columns::{self, MetricColumn};
use record::grade::{Metrics, Score};

use crate::clusters;
use crate::stats::{self, Interval};

/// The figures that have an interval.
pub(super) fn estimates(counted: &[&Score]) -> BTreeMap<&'static str, Interval> {
    let with_interval = columns::ALL.iter().filter(|column| column.has_interval);
    let found = |column: &&MetricColumn| stats::estimate(column, &clusters::measured(column, counted));
    with_interval.filter_map(|column| Some((column.name, found(column)?))).collect()
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
