//! Each way to fail, with what a client that reads it right must call it.

use harness::ProviderFault;
use serde::{Deserialize, Serialize};

/// A way to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// Too many requests, and when to come back.
    RateLimitAfter,
    /// Too many requests, and no word of when to come back.
    RateLimit,
    /// Status 500.
    ServerError,
    /// Status 503.
    Unavailable,
    /// Status 529, which some providers use for a crowded service.
    Overloaded,
    /// The request is read and never answered; the connection stays open until the client leaves.
    Timeout,
    /// The head and half of the body arrive, then nothing until the client leaves.
    StalledBody,
    /// The whole answer arrives in small pieces. Nothing is wrong with it.
    SlowBody,
    /// The connection is closed instead of an answer.
    CutBefore,
    /// The connection is closed in the middle of the body: fewer bytes than were promised.
    CutBody,
    /// More bytes than were promised, so that the answer ends in the middle.
    ShortLength,
    /// A whole reply that holds half of a JSON text.
    TruncatedJson,
    /// A whole reply that is no JSON.
    InvalidJson,
    /// An answer that says nothing.
    EmptyContent,
    /// A page for people, as proxies send them.
    WrongContentType,
    /// A tool call whose arguments cannot be read. Requests without tools get invalid JSON instead.
    BrokenArguments,
    /// The provider held the answer back.
    Filtered,
    /// The conversation is said to be too long.
    ContextTooLong,
    /// The key is refused.
    Unauthorized,
}

impl FailureKind {
    /// All of them.
    pub const ALL: [FailureKind; 19] = [
        FailureKind::RateLimitAfter,
        FailureKind::RateLimit,
        FailureKind::ServerError,
        FailureKind::Unavailable,
        FailureKind::Overloaded,
        FailureKind::Timeout,
        FailureKind::StalledBody,
        FailureKind::SlowBody,
        FailureKind::CutBefore,
        FailureKind::CutBody,
        FailureKind::ShortLength,
        FailureKind::TruncatedJson,
        FailureKind::InvalidJson,
        FailureKind::EmptyContent,
        FailureKind::WrongContentType,
        FailureKind::BrokenArguments,
        FailureKind::Filtered,
        FailureKind::ContextTooLong,
        FailureKind::Unauthorized,
    ];

    /// What a client must make of it; `None` if it gets its answer after all.
    pub fn fault(self) -> Option<ProviderFault> {
        Some(match self {
            FailureKind::SlowBody => return None,
            FailureKind::RateLimitAfter | FailureKind::RateLimit => ProviderFault::RateLimit,
            FailureKind::ServerError | FailureKind::Unavailable | FailureKind::Overloaded => ProviderFault::ServerError,
            FailureKind::Timeout | FailureKind::StalledBody => ProviderFault::Timeout,
            FailureKind::CutBefore | FailureKind::CutBody => ProviderFault::Network,
            FailureKind::ShortLength | FailureKind::TruncatedJson | FailureKind::InvalidJson => {
                ProviderFault::MalformedReply
            }
            FailureKind::WrongContentType | FailureKind::BrokenArguments => ProviderFault::MalformedReply,
            FailureKind::EmptyContent => ProviderFault::EmptyReply,
            FailureKind::Filtered => ProviderFault::Filtered,
            FailureKind::ContextTooLong => ProviderFault::ContextTooLong,
            FailureKind::Unauthorized => ProviderFault::Authentication,
        })
    }

    /// Whether the same request may be answered the next time. The others are said of a request for good.
    pub fn passes(self) -> bool {
        !matches!(self, FailureKind::Filtered | FailureKind::ContextTooLong | FailureKind::Unauthorized)
    }

    /// Its name in profiles and logs.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::RateLimitAfter => "rate_limit_after",
            FailureKind::RateLimit => "rate_limit",
            FailureKind::ServerError => "server_error",
            FailureKind::Unavailable => "unavailable",
            FailureKind::Overloaded => "overloaded",
            FailureKind::Timeout => "timeout",
            FailureKind::StalledBody => "stalled_body",
            FailureKind::SlowBody => "slow_body",
            FailureKind::CutBefore => "cut_before",
            FailureKind::CutBody => "cut_body",
            FailureKind::ShortLength => "short_length",
            FailureKind::TruncatedJson => "truncated_json",
            FailureKind::InvalidJson => "invalid_json",
            FailureKind::EmptyContent => "empty_content",
            FailureKind::WrongContentType => "wrong_content_type",
            FailureKind::BrokenArguments => "broken_arguments",
            FailureKind::Filtered => "filtered",
            FailureKind::ContextTooLong => "context_too_long",
            FailureKind::Unauthorized => "unauthorized",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_one_name_everywhere() {
        for kind in FailureKind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("plain data"), kind.name());
        }
    }

    #[test]
    fn every_fault_of_the_taxonomy_can_be_rehearsed() {
        for fault in ProviderFault::ALL {
            // Refusals come of wrong models and wrong requests, not of the schedule.
            let kinds = FailureKind::ALL.iter().filter(|kind| kind.fault() == Some(fault)).count();
            assert_eq!(kinds == 0, fault == ProviderFault::Refused, "{fault}");
        }
    }
}
