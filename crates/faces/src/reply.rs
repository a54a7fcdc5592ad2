//! What comes back from a call: text for the agent, and for the record what the text really showed.

pub use record::{Fact, FactKind, Touch};
use serde::{Deserialize, Serialize};

/// The answer to a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// What the agent is shown.
    pub text: String,
    /// What the text shows, one fact per item.
    pub facts: Vec<Fact>,
    /// What the call changed.
    pub touched: Vec<Touch>,
    /// Whether and how the call ends the episode.
    pub end: Option<End>,
}

impl Reply {
    /// An answer that shows no facts and changes nothing.
    pub(crate) fn say(text: impl Into<String>) -> Reply {
        Reply { text: text.into(), ..Reply::default() }
    }

    /// An answer that shows facts.
    pub(crate) fn show(text: String, facts: Vec<Fact>) -> Reply {
        Reply { text, facts, ..Reply::default() }
    }
}

/// How an agent ends an episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum End {
    /// It says that the incident is over.
    Resolve {
        /// What it says was wrong.
        root_cause: String,
        /// What it says it did.
        fix: String,
    },
    /// It hands over to another engineer.
    Escalate {
        /// Why.
        reason: String,
    },
}
