//! What reading a reply has in common for all providers.

use serde_json::Value;

use crate::model::{ModelAnswer, ProviderFault, RequestFailure, UnixSeconds};

use super::classify::{failure, judge, read};
use super::limits::{ReplyHeaders, header};

/// The JSON of a successful reply, or the failure that it is.
pub(super) fn open(
    status: u16,
    headers: ReplyHeaders<'_>,
    body: &[u8],
    now: UnixSeconds,
) -> Result<Value, RequestFailure> {
    if !(200..300).contains(&status) {
        return Err(failure(status, headers, body, now));
    }
    let malformed = |message: &str| RequestFailure::new(ProviderFault::MalformedReply, message).at(status);
    let kind = header(headers, "content-type").unwrap_or("application/json");
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err(RequestFailure::new(ProviderFault::EmptyReply, "the reply has no body").at(status));
    }
    if !kind.to_ascii_lowercase().contains("json") {
        return Err(malformed(&format!("the reply is {kind}, not JSON")));
    }
    // Some servers write a mark before their text; nothing else may stand there.
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let value: Value = serde_json::from_slice(body).map_err(|e| malformed(&format!("the reply is no JSON: {e}")))?;
    if !value.is_object() {
        return Err(malformed("the reply is JSON, but no object"));
    }
    inside(&value, headers, body, now).map_or(Ok(value), Err)
}

/// Routers report what happened upstream inside a reply that is otherwise well.
fn inside(value: &Value, headers: ReplyHeaders<'_>, body: &[u8], now: UnixSeconds) -> Option<RequestFailure> {
    let error = value.get("error").filter(|error| !error.is_null())?;
    let code = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    match code.filter(|code| *code >= 400) {
        Some(code) => Some(failure(code, headers, body, now)),
        // The status was 200, so the words alone can tell whose fault it is: first ours, then theirs.
        None => {
            let ours = judge(400, &read(body), None);
            let theirs = || judge(502, &read(body), None);
            Some(if ours.fault == ProviderFault::Refused { theirs() } else { ours })
        }
    }
}

/// Reasons to stop that mean: the longest answer was reached.
const CUT: &[&str] = &["length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"];
/// Reasons to stop that mean: the answer was held back.
const HELD_BACK: &[&str] = &[
    "content_filter",
    "content_filtered",
    "refusal",
    "guardrail_intervened",
    "safety",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
];

/// Passes on an answer that says something. An answer that was cut before it said anything is the
/// model's own doing: it was given so many tokens and spent them thinking.
pub(super) fn close(answer: ModelAnswer, status: u16) -> Result<ModelAnswer, RequestFailure> {
    let is = |words: &[&str]| words.iter().any(|word| answer.finish.eq_ignore_ascii_case(word));
    if is(HELD_BACK) {
        let message = format!("the answer was held back ({})", answer.finish);
        return Err(RequestFailure::new(ProviderFault::Filtered, &message).at(status));
    }
    let silent = answer.text.trim().is_empty() && answer.tool_calls.is_empty();
    if silent && !is(CUT) {
        let message = format!("the answer is empty (stopped: {})", answer.finish);
        return Err(RequestFailure::new(ProviderFault::EmptyReply, &message).at(status));
    }
    // Cut in the middle it is the model's doing too; otherwise it was garbled on the way.
    if let Some(call) = answer.tool_calls.iter().find(|call| !is_object(&call.arguments))
        && !is(CUT)
    {
        let message = format!("the arguments of the call of {} are no JSON object", call.name);
        return Err(RequestFailure::new(ProviderFault::MalformedReply, &message).at(status));
    }
    Ok(answer)
}

fn is_object(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object())
}

/// A reply in which what must be there is not.
pub(super) fn lacks(what: &str, status: u16) -> RequestFailure {
    RequestFailure::new(ProviderFault::MalformedReply, &format!("the reply has no {what}")).at(status)
}

/// The text at a place, or the empty text.
pub(super) fn text<'a>(value: &'a Value, at: &str) -> &'a str {
    value.pointer(at).and_then(Value::as_str).unwrap_or_default()
}

/// The count at a place, or 0.
pub(super) fn count(value: &Value, at: &str) -> u64 {
    value.pointer(at).and_then(Value::as_u64).unwrap_or_default()
}

/// The list at a place, or an empty one.
pub(super) fn list<'a>(value: &'a Value, at: &str) -> &'a [Value] {
    value.pointer(at).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Arguments of a tool call as text, whether they came as text or as an object.
pub(super) fn arguments(value: &Value) -> String {
    match value {
        Value::String(text) if !text.trim().is_empty() => text.clone(),
        // A tool without parameters needs none.
        Value::Null | Value::String(_) => "{}".to_string(),
        other => other.to_string(),
    }
}

/// Text that is something, or nothing.
pub(super) fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.trim().is_empty())
}
