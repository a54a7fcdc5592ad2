//! Names that the harness is about to give.

use serde::{Deserialize, Serialize};

/// Tokens of one or more calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens read, cached ones included.
    pub input: u64,
    /// Tokens written, reasoning included.
    pub output: u64,
    /// Of those written, how many were reasoning.
    pub reasoning: u64,
    /// Of those read, how many came from a cache.
    pub cached: u64,
}

/// How a provider failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderFault {
    /// No answer in time.
    Timeout,
    /// Too many calls.
    RateLimit,
    /// It broke.
    ServerError,
    /// It could not be reached.
    Network,
    /// The key was refused.
    Authentication,
    /// The reply was no reply.
    MalformedReply,
    /// The reply was empty.
    EmptyReply,
    /// A filter withheld the reply.
    Filtered,
    /// The history did not fit.
    ContextTooLong,
    /// It refuses the request for another reason.
    Refused,
}
