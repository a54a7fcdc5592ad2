//! Anthropic Messages.

use serde_json::{Value, json};

use super::{
    FormattedReply, RequestHeaders, RequestProblem, Sent, ServerFormat, broken, list, model, streams, string, text_of,
};
use crate::fake_provider::answer::{Finish, Tokens};
use crate::fake_provider::call::ActionCall;
use crate::fake_provider::limit::RequestLimit;
use crate::fake_provider::prompt::{IncomingPrompt, PromptReader};

/// The format.
pub struct MessagesFormat;

impl ServerFormat for MessagesFormat {
    fn name(&self) -> &'static str {
        "messages"
    }

    fn route(&self, path: &str) -> Option<Option<String>> {
        path.ends_with("/messages").then_some(None)
    }

    fn read(&self, _: Option<&str>, headers: &RequestHeaders<'_>, body: &Value) -> Result<IncomingPrompt, String> {
        headers.get("anthropic-version").ok_or("anthropic-version: header is required")?;
        let mut reader = PromptReader::new(model(body)?);
        body["max_tokens"].as_u64().filter(|most| *most > 0).ok_or("max_tokens: Field required")?;
        reader.system(&text_of(&body["system"], "text"));
        for message in list(body, "messages")? {
            read_message(&mut reader, message)?;
        }
        for tool in body["tools"].as_array().into_iter().flatten() {
            reader.tool(string(tool, "name")?, &tool["input_schema"]);
        }
        reader.reasons(matches!(body["thinking"]["type"].as_str(), Some("enabled" | "adaptive")));
        reader.finish()
    }

    fn key<'a>(&self, headers: &RequestHeaders<'a>) -> Option<&'a str> {
        headers.get("x-api-key").or_else(|| headers.bearer())
    }

    fn answer(&self, prompt: &IncomingPrompt, finish: &Finish, tokens: Tokens, id: &str) -> Value {
        let (content, reason) = content(prompt, finish, id);
        json!({
            "id": format!("msg_{id}"),
            "type": "message",
            "role": "assistant",
            "model": prompt.model,
            "content": content,
            "stop_reason": reason,
            "stop_sequence": null,
            "usage": {
                // What came from the cache is counted apart.
                "input_tokens": tokens.input - tokens.cached,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": tokens.cached,
                "output_tokens": tokens.output,
            },
        })
    }

    fn stream(&self, _: &Sent<'_>, body: &Value, answer: &Value) -> Option<String> {
        (body["stream"] == true).then(|| streams::messages(answer))
    }

    fn problem(&self, problem: &RequestProblem<'_>) -> FormattedReply {
        let (status, kind, message) = match problem {
            RequestProblem::RateLimited => {
                (429, "rate_limit_error", "Number of requests has exceeded your rate limit".to_string())
            }
            RequestProblem::Internal => (500, "api_error", "Internal server error".to_string()),
            RequestProblem::Unavailable => (503, "api_error", "Service unavailable".to_string()),
            RequestProblem::Overloaded => (529, "overloaded_error", "Overloaded".to_string()),
            RequestProblem::TooLong(tokens, most) => {
                (400, "invalid_request_error", format!("prompt is too long: {tokens} tokens > {most} maximum"))
            }
            RequestProblem::BadKey => (401, "authentication_error", "invalid x-api-key".to_string()),
            RequestProblem::NoModel(model) => (404, "not_found_error", format!("model: {model}")),
            RequestProblem::BadRequest(why) => (400, "invalid_request_error", why.to_string()),
        };
        let body =
            json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_rehearsal" });
        FormattedReply { status, body, headers: Vec::new() }
    }

    fn headers(&self, id: &str) -> Vec<(&'static str, String)> {
        vec![("request-id", format!("req_{id}"))]
    }

    fn limit_headers(&self, limit: RequestLimit, left: u32) -> Vec<(&'static str, String)> {
        vec![
            ("anthropic-ratelimit-requests-limit", limit.requests.to_string()),
            ("anthropic-ratelimit-requests-remaining", left.to_string()),
        ]
    }
}

fn read_message(reader: &mut PromptReader, message: &Value) -> Result<(), String> {
    let blocks = match &message["content"] {
        Value::String(text) => vec![json!({ "type": "text", "text": text })],
        Value::Array(blocks) => blocks.clone(),
        _ => return Err("messages: `content` must be a string or a list of blocks".to_string()),
    };
    let (mut texts, mut calls) = (Vec::new(), Vec::new());
    for block in &blocks {
        match string(block, "type")? {
            "text" if string(block, "text")?.trim().is_empty() => {
                return Err("messages: text content blocks must be non-empty".to_string());
            }
            "text" => texts.push(string(block, "text")?.to_string()),
            "tool_use" if block["input"].is_object() => {
                calls.push((
                    string(block, "id")?.to_string(),
                    ActionCall::native(string(block, "name")?, &block["input"]),
                ));
            }
            "tool_use" => return Err("messages: tool_use.input: Input should be a valid dictionary".to_string()),
            "tool_result" => {
                reader.answered(string(block, "tool_use_id")?)?;
                texts.push(text_of(&block["content"], "text"));
            }
            "thinking" | "redacted_thinking" => {}
            other => return Err(format!("messages: a block of type `{other}` is not known here")),
        }
    }
    match string(message, "role")? {
        "user" => reader.user(texts.join("\n")),
        "assistant" => reader.model(texts.join("\n"), calls),
        other => Err(format!("messages: `{other}` is no role; there are user and assistant")),
    }
}

fn content(prompt: &IncomingPrompt, finish: &Finish, id: &str) -> (Value, &'static str) {
    let native = |call: &ActionCall, input: Value| json!({ "type": "tool_use", "id": format!("toolu_{id}"), "name": call.name, "input": input });
    let input = |call: &ActionCall| {
        let tool = prompt.tools.iter().find(|tool| tool.name == call.name);
        Value::Object(call.arguments(tool))
    };
    match finish {
        Finish::FormattedReply(answer) => {
            let thought = answer.reasoning.as_ref();
            let thought =
                thought.map(|text| json!({ "type": "thinking", "thinking": text, "signature": format!("sig_{id}") }));
            let text = json!({ "type": "text", "text": answer.text });
            let call = answer.call.as_ref().map(|call| native(call, input(call)));
            let reason = if call.is_some() { "tool_use" } else { "end_turn" };
            (thought.into_iter().chain([text]).chain(call).collect(), reason)
        }
        Finish::Nothing => (json!([]), "end_turn"),
        Finish::Filtered => (json!([]), "refusal"),
        Finish::BrokenCall(call) => (json!([native(call, json!(broken(&input(call))))]), "tool_use"),
    }
}
