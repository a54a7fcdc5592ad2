//! Wire formats as a server sees them: requests are read and checked as the real provider checks them,
//! answers and errors are shaped as the real provider shapes them. One file for each format.
//!
//! These files are written against the providers' own references and share nothing with the client's
//! code: the two readings check each other.

mod chat;
mod converse;
#[cfg(test)]
mod format_tests;
mod gemini;
mod messages;
mod responses;
mod sigv4;
mod streams;

use serde_json::Value;

use super::answer::{Finish, Tokens};
use super::limit::RequestLimit;
use super::prompt::IncomingPrompt;

/// All formats.
pub const ALL: &[&dyn ServerFormat] = &[
    &chat::ChatFormat,
    &responses::ResponsesFormat,
    &messages::MessagesFormat,
    &converse::ConverseFormat,
    &gemini::GeminiFormat,
];

/// A wire format.
pub trait ServerFormat: Sync {
    /// Its name in logs.
    fn name(&self) -> &'static str;
    /// Whether a path is one of its addresses, and the model that the path names, if it names one.
    fn route(&self, path: &str) -> Option<Option<String>>;
    /// The conversation in a request, or what is wrong with the request.
    fn read(&self, model: Option<&str>, headers: &RequestHeaders<'_>, body: &Value) -> Result<IncomingPrompt, String>;
    /// The key that a request shows, if any.
    fn key<'a>(&self, headers: &RequestHeaders<'a>) -> Option<&'a str>;
    /// Whether a request is allowed by this key.
    fn admits(&self, sent: &Sent<'_>, key: &str) -> bool {
        self.key(&sent.headers) == Some(key)
    }
    /// The body of an answer. `id` is unique to the request.
    fn answer(&self, prompt: &IncomingPrompt, finish: &Finish, tokens: Tokens, id: &str) -> Value;
    /// The same answer as a stream of events; nothing if the request does not ask for one.
    fn stream(&self, _sent: &Sent<'_>, _body: &Value, _answer: &Value) -> Option<String> {
        None
    }
    /// An error.
    fn problem(&self, problem: &RequestProblem<'_>) -> FormattedReply;
    /// Headers of every answer, beside the usual ones.
    fn headers(&self, id: &str) -> Vec<(&'static str, String)>;
    /// Headers that tell of a limit, and how much of it is left. Not every provider tells.
    fn limit_headers(&self, _: RequestLimit, _left: u32) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// What is wrong with a request, or with the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestProblem<'a> {
    /// Too many requests.
    RateLimited,
    /// Something broke.
    Internal,
    /// Out of service.
    Unavailable,
    /// Too crowded.
    Overloaded,
    /// The conversation is too long: tokens, and how many there may be.
    TooLong(u64, u64),
    /// The key is missing or wrong.
    BadKey,
    /// There is no such model.
    NoModel(&'a str),
    /// The request is wrong.
    BadRequest(&'a str),
}

/// A status, a body, and headers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct FormattedReply {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Value,
    /// Headers of its own.
    pub headers: Vec<(&'static str, String)>,
}

/// A request as it was sent.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a> {
    /// `POST`.
    pub method: &'a str,
    /// The path, as it was written.
    pub path: &'a str,
    /// What follows the question mark.
    pub query: &'a str,
    /// The headers.
    pub headers: RequestHeaders<'a>,
    /// The body.
    pub body: &'a [u8],
}

/// The headers of a request; names in any case.
#[derive(Clone, Copy, Debug)]
pub struct RequestHeaders<'a>(pub &'a [(String, String)]);

impl<'a> RequestHeaders<'a> {
    /// The value of a header.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The token of `Authorization: Bearer token`.
    pub fn bearer(&self) -> Option<&'a str> {
        self.get("authorization")?.strip_prefix("Bearer ").map(str::trim)
    }
}

/// A moment that stands for "now" in answers: an answer is a function of its request alone.
const CREATED: u64 = 1_760_000_000;

/// Arguments that end in the middle of a string.
fn broken(arguments: &Value) -> String {
    let text = arguments.to_string();
    let end = text.char_indices().map(|(at, _)| at).nth(text.chars().count() / 2).unwrap_or_default();
    format!("{} \"", &text[..end])
}

/// The text of a string, or of all parts of a list that have the given field.
fn text_of(content: &Value, field: &str) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part[field].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// The list of that name, or what is wrong.
fn list<'a>(body: &'a Value, name: &str) -> Result<&'a Vec<Value>, String> {
    body[name].as_array().ok_or_else(|| format!("`{name}` must be a list"))
}

/// The text of that name, or what is wrong.
fn string<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    value[name].as_str().ok_or_else(|| format!("`{name}` must be a string"))
}

/// The model that a body names.
fn model(body: &Value) -> Result<&str, String> {
    string(body, "model")
}
