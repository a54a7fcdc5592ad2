//! What a record says of a model behind an agent: which one, how it was asked, what it used.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The model behind an agent, and how it is asked: what a reader needs to ask it the same way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelCard {
    /// The provider's name.
    pub provider: String,
    /// The model's name, as the provider knows it.
    pub model: String,
    /// The prompt's name and version.
    pub prompt: String,
    /// Settings of the sampling that were sent; what is not here was left to the provider.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sampling: BTreeMap<String, Value>,
}

/// What stands before the name of a prompt of the user's own.
pub const OWN_PROMPT: &str = "own:";

impl ModelCard {
    /// Whether the prompt is the user's own.
    pub fn has_own_prompt(&self) -> bool {
        self.prompt.starts_with(OWN_PROMPT)
    }
}

/// What one step asked of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelTurn {
    /// How often the model was asked for this step.
    pub calls: u32,
    /// What it wrote last, to the letter.
    pub output: String,
    /// What it thought, where the provider tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Whether no action was found in what it wrote.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unparsable: bool,
    /// Whether the provider says that the answer ended at the token limit. Questions alone tell this apart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// What it used, over all calls of the step.
    pub usage: Usage,
    /// What that cost in US dollars; `None` if the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// Tokens used. Cached tokens are part of the input, reasoning tokens part of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Read by the model.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Of the output: thought and not said.
    pub reasoning: u64,
    /// Of the input: read from the provider's cache.
    pub cached: u64,
}

impl Usage {
    /// Input and output together.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
        self.cached = self.cached.saturating_add(other.cached);
    }
}

/// How a provider failed. None of these says anything of the model's skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderFault {
    /// No answer in time.
    Timeout,
    /// Too many requests, or the quota is used up.
    RateLimit,
    /// The provider says that something is wrong on its side.
    ServerError,
    /// No connection, or it broke.
    Network,
    /// The key is missing, wrong, or not allowed to do this.
    Authentication,
    /// The answer cannot be read.
    MalformedReply,
    /// The answer says nothing.
    EmptyReply,
    /// The provider held the answer back.
    Filtered,
    /// The conversation is too long for the model.
    ContextTooLong,
    /// The provider refuses the request for another reason: no such model, a setting it does not know.
    Refused,
}

impl ProviderFault {
    /// All of them.
    pub const ALL: [ProviderFault; 10] = [
        ProviderFault::Timeout,
        ProviderFault::RateLimit,
        ProviderFault::ServerError,
        ProviderFault::Network,
        ProviderFault::Authentication,
        ProviderFault::MalformedReply,
        ProviderFault::EmptyReply,
        ProviderFault::Filtered,
        ProviderFault::ContextTooLong,
        ProviderFault::Refused,
    ];

    /// Its name in records and tables.
    pub fn name(self) -> &'static str {
        match self {
            ProviderFault::Timeout => "timeout",
            ProviderFault::RateLimit => "rate_limit",
            ProviderFault::ServerError => "server_error",
            ProviderFault::Network => "network",
            ProviderFault::Authentication => "authentication",
            ProviderFault::MalformedReply => "malformed_reply",
            ProviderFault::EmptyReply => "empty_reply",
            ProviderFault::Filtered => "filtered",
            ProviderFault::ContextTooLong => "context_too_long",
            ProviderFault::Refused => "refused",
        }
    }
}

impl fmt::Display for ProviderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
