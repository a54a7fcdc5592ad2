//! JSON that is well and is no answer, in each provider's shape.

use harness::ProviderFault::{ContextTooLong, EmptyReply, Filtered, MalformedReply, RateLimit, ServerError};
use serde_json::json;

use super::Dialect::{Chat, Converse, Gemini, Messages, Responses};
use super::Means::{Answer, Fault, ForGood, Own};
use super::Sends::{Body, Json};
use super::{Mode, mode};

const EMPTY: &str = "the answer is empty";
const HELD: &str = "the answer was held back";
const UPSTREAM: &str = r#"{"error":{"code":502,"message":"Provider returned error"}}"#;
const LIMITED: &str = r#"{"error":{"code":429,"message":"Rate limited upstream"}}"#;
const TOO_LONG: &str = r#"{"error":{"message":"maximum context length is 8192 tokens"}}"#;
const DELTA: &str = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
const CHOICE: &str = "the reply has no choice";
const MESSAGE: &str = "the reply has no message";

pub const MODES: &[Mode] = &[
    mode(Chat, "chat-nothing", Body("{}"), Fault(MalformedReply, CHOICE)),
    mode(Chat, "chat-choices-null", Json(|b| b["choices"] = json!(null)), Fault(MalformedReply, CHOICE)),
    mode(Chat, "chat-choices-none", Json(|b| b["choices"] = json!([])), Fault(MalformedReply, CHOICE)),
    mode(Chat, "chat-choices-object", Json(|b| b["choices"] = json!({ "a": 1 })), Fault(MalformedReply, CHOICE)),
    mode(Chat, "chat-choice-null", Json(|b| b["choices"][0] = json!(null)), Fault(MalformedReply, MESSAGE)),
    mode(Chat, "chat-message-null", Json(|b| b["choices"][0]["message"] = json!(null)), Fault(MalformedReply, MESSAGE)),
    mode(Chat, "chat-message-text", Json(|b| b["choices"][0]["message"] = json!("hi")), Fault(MalformedReply, MESSAGE)),
    mode(Chat, "chat-delta", Body(DELTA), Fault(MalformedReply, MESSAGE)),
    mode(
        Chat,
        "chat-content-null",
        Json(|b| b["choices"][0]["message"]["content"] = json!(null)),
        Fault(EmptyReply, EMPTY),
    ),
    mode(
        Chat,
        "chat-content-number",
        Json(|b| b["choices"][0]["message"]["content"] = json!(7)),
        Fault(EmptyReply, EMPTY),
    ),
    mode(
        Chat,
        "chat-content-object",
        Json(|b| b["choices"][0]["message"]["content"] = json!({})),
        Fault(EmptyReply, EMPTY),
    ),
    mode(Chat, "chat-content-parts", Json(in_parts), Answer),
    mode(
        Chat,
        "chat-content-no-parts",
        Json(|b| b["choices"][0]["message"]["content"] = json!([])),
        Fault(EmptyReply, EMPTY),
    ),
    mode(
        Chat,
        "chat-content-nonsense",
        Json(|b| b["choices"][0]["message"]["content"] = json!("\u{0}\u{1b}[2J\u{202e}")),
        Own,
    ),
    mode(
        Chat,
        "chat-content-long",
        Json(|b| b["choices"][0]["message"]["content"] = json!("word ".repeat(200_000))),
        Own,
    ),
    mode(
        Chat,
        "chat-content-brackets",
        Json(|b| b["choices"][0]["message"]["content"] = json!("(".repeat(100_000))),
        Own,
    ),
    mode(
        Chat,
        "chat-content-braces",
        Json(|b| b["choices"][0]["message"]["content"] = json!("{\"action\":".repeat(20_000))),
        Own,
    ),
    mode(Chat, "chat-refusal", Json(refusal), Own),
    mode(
        Chat,
        "chat-cut",
        Json(|b| b["choices"][0] = json!({ "message": { "content": "" }, "finish_reason": "length" })),
        Own,
    ),
    mode(
        Chat,
        "chat-filtered",
        Json(|b| b["choices"][0]["finish_reason"] = json!("content_filter")),
        ForGood(Filtered, HELD),
    ),
    mode(Chat, "chat-finish-null", Json(|b| b["choices"][0]["finish_reason"] = json!(null)), Answer),
    mode(Chat, "chat-finish-number", Json(|b| b["choices"][0]["finish_reason"] = json!(3)), Answer),
    mode(Chat, "chat-two-choices", Json(second_choice), Answer),
    mode(Chat, "chat-error-inside", Body(UPSTREAM), Fault(ServerError, "502: Provider returned error")),
    mode(Chat, "chat-limit-inside", Body(LIMITED), Fault(RateLimit, "429: Rate limited upstream")),
    mode(Chat, "chat-context-inside", Body(TOO_LONG), ForGood(ContextTooLong, "maximum context length")),
    mode(Chat, "chat-error-text", Body(r#"{"error":"Something broke"}"#), Fault(ServerError, "Something broke")),
    mode(
        Chat,
        "chat-error-beside",
        Json(|b| b["error"] = json!({ "message": "half of it is lost" })),
        Fault(ServerError, "half of it"),
    ),
    mode(Chat, "chat-error-null", Json(|b| b["error"] = json!(null)), Answer),
    mode(Responses, "responses-nothing", Body("{}"), Fault(MalformedReply, "the reply has no output")),
    mode(
        Responses,
        "responses-null",
        Json(|b| b["output"] = json!(null)),
        Fault(MalformedReply, "the reply has no output"),
    ),
    mode(Responses, "responses-none", Json(|b| b["output"] = json!([])), Fault(EmptyReply, EMPTY)),
    mode(
        Responses,
        "responses-unknown",
        Json(|b| b["output"] = json!([{ "type": "hologram" }])),
        Fault(EmptyReply, EMPTY),
    ),
    mode(Responses, "responses-failed", Body(RESPONSES_FAILED), Fault(ServerError, "The model broke")),
    mode(Responses, "responses-filtered", Json(responses_filtered), ForGood(Filtered, HELD)),
    mode(Responses, "responses-cut", Json(responses_cut), Own),
    mode(
        Responses,
        "responses-text",
        Json(|b| b["output"] = json!("hi")),
        Fault(MalformedReply, "the reply has no output"),
    ),
    mode(Messages, "messages-nothing", Body("{}"), Fault(MalformedReply, "the reply has no content")),
    mode(
        Messages,
        "messages-text",
        Json(|b| b["content"] = json!("hi")),
        Fault(MalformedReply, "the reply has no content"),
    ),
    mode(Messages, "messages-none", Json(|b| b["content"] = json!([])), Fault(EmptyReply, EMPTY)),
    mode(
        Messages,
        "messages-unknown",
        Json(|b| b["content"] = json!([{ "type": "hologram" }, 7, null])),
        Fault(EmptyReply, EMPTY),
    ),
    mode(Messages, "messages-error", Body(MESSAGES_ERROR), Fault(ServerError, "Overloaded")),
    mode(Messages, "messages-refusal", Json(|b| b["stop_reason"] = json!("refusal")), ForGood(Filtered, HELD)),
    mode(
        Messages,
        "messages-thought-alone",
        Json(|b| b["content"] = json!([{ "type": "thinking", "thinking": "hm" }])),
        Fault(EmptyReply, EMPTY),
    ),
    mode(Converse, "converse-nothing", Body("{}"), Fault(MalformedReply, "the reply has no output")),
    mode(
        Converse,
        "converse-text",
        Json(|b| b["output"]["message"]["content"] = json!("hi")),
        Fault(MalformedReply, "no output"),
    ),
    mode(Converse, "converse-none", Json(|b| b["output"]["message"]["content"] = json!([])), Fault(EmptyReply, EMPTY)),
    mode(
        Converse,
        "converse-guarded",
        Json(|b| b["stopReason"] = json!("guardrail_intervened")),
        ForGood(Filtered, HELD),
    ),
    mode(Gemini, "gemini-nothing", Body("{}"), Fault(MalformedReply, "the reply has no candidate")),
    mode(
        Gemini,
        "gemini-none",
        Json(|b| b["candidates"] = json!([])),
        Fault(MalformedReply, "the reply has no candidate"),
    ),
    mode(
        Gemini,
        "gemini-blocked",
        Body(r#"{"promptFeedback":{"blockReason":"OTHER"}}"#),
        ForGood(Filtered, "blocked (OTHER)"),
    ),
    mode(
        Gemini,
        "gemini-unsafe",
        Json(|b| b["candidates"][0]["finishReason"] = json!("SAFETY")),
        ForGood(Filtered, HELD),
    ),
    mode(Gemini, "gemini-no-parts", Json(|b| b["candidates"][0]["content"] = json!({})), Fault(EmptyReply, EMPTY)),
    mode(
        Gemini,
        "gemini-parts-text",
        Json(|b| b["candidates"][0]["content"]["parts"] = json!("hi")),
        Fault(EmptyReply, EMPTY),
    ),
    mode(
        Gemini,
        "gemini-garbled-call",
        Json(|b| b["candidates"][0]["finishReason"] = json!("MALFORMED_FUNCTION_CALL")),
        Fault(MalformedReply, "the tool call of the model could not be read"),
    ),
];

const RESPONSES_FAILED: &str =
    r#"{"status":"failed","error":{"code":"server_error","message":"The model broke"},"output":[]}"#;
const MESSAGES_ERROR: &str = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;

fn in_parts(body: &mut serde_json::Value) {
    let content = &mut body["choices"][0]["message"]["content"];
    *content = json!([{ "type": "text", "text": content.take() }, { "type": "image" }, 7, null]);
}

fn refusal(body: &mut serde_json::Value) {
    body["choices"][0]["message"] = json!({ "content": null, "refusal": "I cannot help with that." });
}

/// A second opinion is not asked for: the first choice counts.
fn second_choice(body: &mut serde_json::Value) {
    let other = json!({ "message": { "content": "{\"action\": \"resolve\"}" }, "finish_reason": "stop" });
    body["choices"].as_array_mut().expect("a good answer has choices").push(other);
}

fn responses_filtered(body: &mut serde_json::Value) {
    body["status"] = json!("incomplete");
    body["incomplete_details"] = json!({ "reason": "content_filter" });
}

fn responses_cut(body: &mut serde_json::Value) {
    body["output"] = json!([]);
    body["incomplete_details"] = json!({ "reason": "max_output_tokens" });
}
