//! A model's reply, and whether an answer could be read in it.

use serde::{Deserialize, Serialize};

/// What a model answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelReply<'a> {
    /// The text, without what the provider reports as reasoning.
    pub text: &'a str,
    /// Whether the provider says that it ended at the token limit.
    pub cut: bool,
}

impl<'a> From<&'a str> for ModelReply<'a> {
    fn from(text: &'a str) -> Self {
        ModelReply { text, cut: false }
    }
}

/// Whether an answer could be read. Only an answer can be right or wrong; the others are counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerReading {
    /// An answer was read.
    Answered,
    /// There is text, but no answer in it, or several that contradict each other.
    Unparsed,
    /// The model declines.
    Refused,
    /// The reply ends before its answer.
    Truncated,
}
