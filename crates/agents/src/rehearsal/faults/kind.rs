//! Each way to fail, with what a client that reads it right must call it.

use harness::ProviderFault;
use serde::{Deserialize, Serialize};

/// A way to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
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

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 19] = [
        Kind::RateLimitAfter,
        Kind::RateLimit,
        Kind::ServerError,
        Kind::Unavailable,
        Kind::Overloaded,
        Kind::Timeout,
        Kind::StalledBody,
        Kind::SlowBody,
        Kind::CutBefore,
        Kind::CutBody,
        Kind::ShortLength,
        Kind::TruncatedJson,
        Kind::InvalidJson,
        Kind::EmptyContent,
        Kind::WrongContentType,
        Kind::BrokenArguments,
        Kind::Filtered,
        Kind::ContextTooLong,
        Kind::Unauthorized,
    ];

    /// What a client must make of it; `None` if it gets its answer after all.
    pub fn fault(self) -> Option<ProviderFault> {
        Some(match self {
            Kind::SlowBody => return None,
            Kind::RateLimitAfter | Kind::RateLimit => ProviderFault::RateLimit,
            Kind::ServerError | Kind::Unavailable | Kind::Overloaded => ProviderFault::ServerError,
            Kind::Timeout | Kind::StalledBody => ProviderFault::Timeout,
            Kind::CutBefore | Kind::CutBody => ProviderFault::Network,
            Kind::ShortLength | Kind::TruncatedJson | Kind::InvalidJson => ProviderFault::MalformedReply,
            Kind::WrongContentType | Kind::BrokenArguments => ProviderFault::MalformedReply,
            Kind::EmptyContent => ProviderFault::EmptyReply,
            Kind::Filtered => ProviderFault::Filtered,
            Kind::ContextTooLong => ProviderFault::ContextTooLong,
            Kind::Unauthorized => ProviderFault::Authentication,
        })
    }

    /// Whether the same request may be answered the next time. The others are said of a request for good.
    pub fn passes(self) -> bool {
        !matches!(self, Kind::Filtered | Kind::ContextTooLong | Kind::Unauthorized)
    }

    /// Its name in profiles and logs.
    pub fn name(self) -> &'static str {
        match self {
            Kind::RateLimitAfter => "rate_limit_after",
            Kind::RateLimit => "rate_limit",
            Kind::ServerError => "server_error",
            Kind::Unavailable => "unavailable",
            Kind::Overloaded => "overloaded",
            Kind::Timeout => "timeout",
            Kind::StalledBody => "stalled_body",
            Kind::SlowBody => "slow_body",
            Kind::CutBefore => "cut_before",
            Kind::CutBody => "cut_body",
            Kind::ShortLength => "short_length",
            Kind::TruncatedJson => "truncated_json",
            Kind::InvalidJson => "invalid_json",
            Kind::EmptyContent => "empty_content",
            Kind::WrongContentType => "wrong_content_type",
            Kind::BrokenArguments => "broken_arguments",
            Kind::Filtered => "filtered",
            Kind::ContextTooLong => "context_too_long",
            Kind::Unauthorized => "unauthorized",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_one_name_everywhere() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("plain data"), kind.name());
        }
    }

    #[test]
    fn every_fault_of_the_taxonomy_can_be_rehearsed() {
        for fault in ProviderFault::ALL {
            // Refusals come of wrong models and wrong requests, not of the schedule.
            let kinds = Kind::ALL.iter().filter(|kind| kind.fault() == Some(fault)).count();
            assert_eq!(kinds == 0, fault == ProviderFault::Refused, "{fault}");
        }
    }
}
