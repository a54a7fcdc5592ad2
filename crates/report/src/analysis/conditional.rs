//! Where the chain from evidence to success breaks: rates among the episodes that got so far.

use record::grade::Score;
use serde::{Deserialize, Serialize};

use crate::stats::{self, Interval};

/// P(what | given), with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conditional {
    /// What is asked for.
    pub what: String,
    /// Among which episodes.
    pub given: String,
    /// The rate; `None` if there is no such episode.
    pub rate: Option<Interval>,
}

/// A question that a score answers with yes or no.
type Asks = fn(&Score) -> bool;

/// What is asked for, among which, and how both are known.
const QUESTIONS: [(&str, Asks, &str, Asks); 8] = [
    ("all evidence", has_all_evidence, "any evidence", has_evidence),
    ("diagnosis", is_diagnosed, "all evidence", has_all_evidence),
    ("diagnosis", is_diagnosed, "some evidence missing", |score| !has_all_evidence(score)),
    ("fix", is_fixed, "diagnosis", is_diagnosed),
    ("fix", is_fixed, "no diagnosis", |score| !is_diagnosed(score)),
    ("success", is_success, "fix", is_fixed),
    ("success", is_success, "wrong fix before", has_wrong_fix),
    ("success", is_success, "no wrong fix before", |score| !has_wrong_fix(score)),
];

/// All conditional rates of one agent's scores, in order from evidence to success.
pub fn conditionals<'a>(scores: impl IntoIterator<Item = &'a Score>) -> Vec<Conditional> {
    let scores: Vec<&Score> = scores.into_iter().collect();
    let answer = |(what, holds, given, among): (&str, Asks, &str, Asks)| {
        let some = scores.iter().copied().filter(|score| among(score));
        Conditional { what: what.to_owned(), given: given.to_owned(), rate: stats::rate(some, holds) }
    };
    QUESTIONS.into_iter().map(answer).collect()
}

fn has_evidence(score: &Score) -> bool {
    score.evidence_coverage > 0.0
}

fn has_all_evidence(score: &Score) -> bool {
    score.evidence_coverage >= 1.0
}

fn is_diagnosed(score: &Score) -> bool {
    score.root_cause_identified
}

fn is_fixed(score: &Score) -> bool {
    score.correct_remediation
}

fn is_success(score: &Score) -> bool {
    score.success
}

fn has_wrong_fix(score: &Score) -> bool {
    score.wrong_remediations > 0
}
