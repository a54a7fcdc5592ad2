//! How an episode went, in one of nine words.

use std::fmt;

use record::EndReason;
use record::grade::{FailureMode, Score};
use serde::{Deserialize, Serialize};

/// The one word that best says how an episode went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Resolved, and it was over.
    Success,
    /// The agent's provider failed: says nothing of the agent.
    Provider,
    /// Half of the steps or more were no valid action.
    Invalid,
    /// Changed something that brought the fix no nearer.
    WrongFix,
    /// The same, on a service that was made to look guilty.
    Distractor,
    /// Said that it was over while it was not.
    Premature,
    /// Ran out of steps.
    Budget,
    /// Handed over to another engineer.
    Escalated,
    /// Gave up, and the like.
    Other,
}

impl Category {
    /// All of them, in order.
    pub const ALL: [Category; 9] = [
        Category::Success,
        Category::Provider,
        Category::Invalid,
        Category::WrongFix,
        Category::Distractor,
        Category::Premature,
        Category::Budget,
        Category::Escalated,
        Category::Other,
    ];

    /// The category of an episode: its failure mode, with distractors and escalations told apart.
    pub fn of(score: &Score) -> Category {
        match score.failure_mode {
            FailureMode::Success => Category::Success,
            FailureMode::ProviderError => Category::Provider,
            FailureMode::InvalidAction => Category::Invalid,
            FailureMode::WrongRemediation if score.distractor_remediations > 0 => Category::Distractor,
            FailureMode::WrongRemediation => Category::WrongFix,
            FailureMode::PrematureResolution => Category::Premature,
            FailureMode::StepBudgetExhausted => Category::Budget,
            FailureMode::Other if score.end == EndReason::Escalated => Category::Escalated,
            FailureMode::Other => Category::Other,
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Category::Success => "Success",
            Category::Provider => "Provider failed (not counted)",
            Category::Invalid => "Invalid actions",
            Category::WrongFix => "Wrong fix",
            Category::Distractor => "Drawn by a distractor",
            Category::Premature => "Resolved too early",
            Category::Budget => "Out of steps",
            Category::Escalated => "Escalated",
            Category::Other => "Other",
        }
    }

    /// Its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Category::Success => "success",
            Category::Provider => "provider",
            Category::Invalid => "invalid",
            Category::WrongFix => "wrong_fix",
            Category::Distractor => "distractor",
            Category::Premature => "premature",
            Category::Budget => "budget",
            Category::Escalated => "escalated",
            Category::Other => "other",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
