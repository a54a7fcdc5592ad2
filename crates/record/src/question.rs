//! What a record says of a question: what it shares with others, and what came of the reply.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::check::Check;

/// What a task's card says beside the family, if the task is a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionCard {
    /// The version of asking and grading questions.
    pub version: u32,
    /// What it shares with other questions, such as `repository` or `template`: intervals are clustered by these.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub clusters: BTreeMap<String, String>,
}

impl QuestionCard {
    /// The narrowest thing that it shares with others.
    pub fn cluster(&self) -> &str {
        let narrow = ["template", "commit", "repository"].iter().find_map(|kind| self.clusters.get(*kind));
        narrow.or_else(|| self.clusters.values().next()).map_or("", String::as_str)
    }
}

/// A reply to a question, read and graded when it was given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionVerdict {
    /// Whether an answer could be read.
    pub reading: ReplyReading,
    /// The answer as it was understood; empty if none could be read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// The option chosen, in the set's own order: the same under every permutation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<usize>,
    /// Whether it is right as a whole.
    pub correct: bool,
    /// Our score, from 0 to 1.
    pub score: f64,
    /// The published scoring, from 0 to 1; `None` if it needs a judge or does not know the family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<f64>,
    /// What the chosen option breaks, what is missing, what is claimed and not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// What came of a configuration, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<LifecycleVerdict>,
}

/// What came of a configuration: from its files to the removal of what they made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LifecycleVerdict {
    /// The stage that failed first, as its published category; `None` if none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The stages that were reached, in order, each with what went wrong in it.
    pub stages: Vec<Check>,
    /// The requirements; none if nothing was applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<Check>,
}

impl QuestionVerdict {
    /// The verdict on a question that was not replied to.
    pub fn missing() -> QuestionVerdict {
        QuestionVerdict::unread(ReplyReading::Missing)
    }

    /// A verdict that says nothing but how the reply was read.
    pub fn unread(reading: ReplyReading) -> QuestionVerdict {
        QuestionVerdict {
            reading,
            answer: String::new(),
            chosen: None,
            correct: false,
            score: 0.0,
            published: None,
            remarks: Vec::new(),
            lifecycle: None,
        }
    }
}

/// Whether an answer could be read in a reply. Only an answer is right or wrong; the others are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyReading {
    /// An answer was read.
    Answered,
    /// There is text, and no answer in it.
    Unparsed,
    /// The model declines.
    Refused,
    /// The reply ends before its answer.
    Truncated,
    /// There was no reply.
    Missing,
}

impl ReplyReading {
    /// Its name in records and tables.
    pub fn name(self) -> &'static str {
        match self {
            ReplyReading::Answered => "answered",
            ReplyReading::Unparsed => "unparsed",
            ReplyReading::Refused => "refused",
            ReplyReading::Truncated => "truncated",
            ReplyReading::Missing => "missing",
        }
    }
}
