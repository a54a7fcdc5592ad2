//! What is measured of problems in a cluster. No evidence, distractor or harm is written down for them, so that figures of these would say
//! of every agent that it saw nothing and did nothing wrong.

use record::grade::Score;
use record::grade::columns::MetricColumn;

/// The metrics that such problems have.
const MEASURED: [&str; 6] = [
    "success_rate",
    "mean_reward",
    "root_cause_identification_rate",
    "invalid_action_rate",
    "mean_steps",
    "mean_minutes_to_resolution",
];

/// Whether a metric tells something of problems in a cluster.
pub fn measures(column: &MetricColumn) -> bool {
    MEASURED.contains(&column.name)
}

/// The episodes that a metric tells something of.
pub fn measured<'a>(column: &MetricColumn, scores: &[&'a Score]) -> Vec<&'a Score> {
    let is_any = measures(column);
    scores.iter().copied().filter(|score| is_any || score.stages.is_none()).collect()
}

/// Whether nothing but problems in a cluster was played.
pub fn is_all<'a>(scores: impl IntoIterator<Item = &'a Score>) -> bool {
    let mut scores = scores.into_iter().peekable();
    scores.peek().is_some() && scores.all(|score| score.stages.is_some())
}
