//! From a refusal to a fault: what the provider said, sorted by what can be done about it.
//!
//! Providers word their errors differently but mean the same few things, so there is one reader of
//! error bodies and one table of rules for all of them.

use std::time::Duration;

use serde_json::Value;

use crate::model::{ProviderFault, RequestFailure, UnixSeconds};

use super::limits::{ReplyHeaders, header, retry_after, span};

/// What a provider complained of.
#[derive(Clone, Debug, Default)]
pub(super) struct Complaint {
    /// Its codes, types and reasons, in one text.
    pub code: String,
    /// Its words.
    pub message: String,
    /// How long it wants us to wait, if the body says so.
    pub wait: Option<Duration>,
}

/// The failure that a reply with this status and body is.
pub(super) fn failure(status: u16, headers: ReplyHeaders<'_>, body: &[u8], now: UnixSeconds) -> RequestFailure {
    let mut complaint = read(body);
    if let Some(kind) = header(headers, "x-amzn-errortype") {
        complaint.code = format!("{} {kind}", complaint.code);
    }
    let asked = retry_after(headers, now);
    judge(status, &complaint, asked)
}

/// The fault that a complaint is, with how long to wait.
pub(super) fn judge(status: u16, complaint: &Complaint, asked: Option<Duration>) -> RequestFailure {
    let said = format!("{} {}", complaint.code, complaint.message).to_ascii_lowercase();
    let rule = RULES.iter().find(|rule| rule.statuses.contains(&status) && rule.says.iter().any(|w| said.contains(w)));
    let (fault, for_good) = rule.map_or_else(|| by_status(status), |rule| (rule.fault, rule.for_good));
    let words = if complaint.message.trim().is_empty() { usual_words(status) } else { &complaint.message };
    let failure = RequestFailure::new(fault, words).at(status);
    let failure = if for_good { failure.for_good() } else { failure };
    let retry_after = if failure.retryable { complaint.wait.or(asked).or_else(|| in_words(&said)) } else { None };
    RequestFailure { retry_after, ..failure }
}

/// Where the status says too little, the words decide.
struct WordRule {
    statuses: &'static [u16],
    says: &'static [&'static str],
    fault: ProviderFault,
    for_good: bool,
}

/// The first that fits decides.
const RULES: &[WordRule] = &[
    WordRule {
        statuses: &[400, 413, 422, 500],
        says: &[
            "context_length_exceeded",
            "maximum context length",
            "context length",
            "context window",
            "context size",
            "prompt is too long",
            "prompt too long",
            "input is too long",
            "input length and `max_tokens` exceed",
            "input token count",
            "reduce the length",
            "reduce your message size",
            "request_too_large",
            "too many input tokens",
        ],
        fault: ProviderFault::ContextTooLong,
        for_good: true,
    },
    WordRule {
        statuses: &[400, 403, 422],
        says: &[
            "content_filter",
            "content_policy",
            "content policy",
            "content management policy",
            "content filtering policy",
            "usage polic",
            "flagged",
            "moderation",
            "guardrail",
            "prohibited_content",
            "data_inspection_failed",
        ],
        fault: ProviderFault::Filtered,
        for_good: true,
    },
    WordRule {
        statuses: &[400],
        says: &[
            "api key not valid",
            "api_key_invalid",
            "invalid_api_key",
            "unrecognizedclient",
            "invalidsignature",
            "incompletesignature",
            "expiredtoken",
            "security token",
        ],
        fault: ProviderFault::Authentication,
        for_good: true,
    },
    WordRule {
        statuses: &[400, 403, 429],
        says: &["insufficient_quota", "credit balance is too low", "billing_hard_limit", "insufficient credits"],
        fault: ProviderFault::RateLimit,
        for_good: true,
    },
    WordRule {
        statuses: &[400],
        says: &["tool_use_failed", "failed_generation"],
        fault: ProviderFault::MalformedReply,
        for_good: false,
    },
    WordRule { statuses: &[400], says: &["throttlingexception"], fault: ProviderFault::RateLimit, for_good: false },
];

fn by_status(status: u16) -> (ProviderFault, bool) {
    match status {
        401 | 403 | 407 => (ProviderFault::Authentication, true),
        402 => (ProviderFault::RateLimit, true),
        408 => (ProviderFault::Timeout, false),
        413 => (ProviderFault::ContextTooLong, true),
        429 | 498 => (ProviderFault::RateLimit, false),
        409 | 424 | 425 | 500.. => (ProviderFault::ServerError, false),
        // Another address is never followed with a key: the base URL is wrong.
        300..500 => (ProviderFault::Refused, true),
        _ => (ProviderFault::MalformedReply, false),
    }
}

fn usual_words(status: u16) -> &'static str {
    match status {
        401 | 403 => "the key was refused",
        404 => "nothing is there: look at the model's name and at the base URL",
        408 => "the provider gave up waiting",
        429 => "too many requests",
        529 => "the provider is overloaded",
        500.. => "something is wrong at the provider",
        300..=399 => "the provider sends us elsewhere: look at the base URL",
        _ => "the request was refused without a word",
    }
}

/// `Please try again in 7.66s.`
fn in_words(said: &str) -> Option<Duration> {
    let (_, rest) = said.split_once("try again in ")?;
    span(rest.split_whitespace().next()?.trim_end_matches(['.', ',', ')']))
}

/// Reads an error body of any provider; what is no JSON is its own message.
pub(super) fn read(body: &[u8]) -> Complaint {
    let Ok(value) = serde_json::from_slice::<Value>(body) else { return Complaint::of_text(body) };
    let value = value.get(0).unwrap_or(&value);
    let error = match &value["error"] {
        Value::Null => value,
        error => error,
    };
    Complaint::of_json(error, value)
}

impl Complaint {
    fn of_text(body: &[u8]) -> Complaint {
        let text = String::from_utf8_lossy(body);
        let page = text.trim_start().starts_with('<');
        let message = if page { String::new() } else { text.into_owned() };
        Complaint { message, ..Complaint::default() }
    }

    fn of_json(error: &Value, around: &Value) -> Complaint {
        let codes = [&error["code"], &error["type"], &error["status"], &around["__type"], &around["type"]];
        let mut code: Vec<String> = codes.iter().filter_map(|value| plain(value)).collect();
        let details = error["details"].as_array().map_or(&[][..], Vec::as_slice);
        code.extend(details.iter().filter_map(|detail| plain(&detail["reason"])));
        let wait = details.iter().find_map(|detail| span(detail["retryDelay"].as_str()?));
        let words = [error, &error["message"], &error["Message"], &error["detail"]];
        let said = words.iter().find_map(|value| value.as_str()).unwrap_or_default();
        // Routers wrap what the model's own host said.
        let raw = error.pointer("/metadata/raw").and_then(Value::as_str).unwrap_or_default();
        let flagged = if error.pointer("/metadata/reasons").is_some() { "moderation" } else { "" };
        code.push(flagged.to_string());
        Complaint { code: code.join(" "), message: [said, raw].join(" ").trim().to_string(), wait }
    }
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
