//! AWS Bedrock Converse.

use serde_json::{Value, json};

use super::{FormattedReply, RequestHeaders, RequestProblem, Sent, ServerFormat, broken, list, sigv4, string, text_of};
use crate::fake_provider::answer::{Finish, Tokens};
use crate::fake_provider::call::ActionCall;
use crate::fake_provider::prompt::{IncomingPrompt, PromptReader};

/// The format.
pub struct ConverseFormat;

impl ServerFormat for ConverseFormat {
    fn name(&self) -> &'static str {
        "converse"
    }

    fn route(&self, path: &str) -> Option<Option<String>> {
        let model = path.strip_prefix("/model/")?.strip_suffix("/converse")?;
        Some(Some(decoded(model)))
    }

    fn read(&self, model: Option<&str>, _: &RequestHeaders<'_>, body: &Value) -> Result<IncomingPrompt, String> {
        let mut reader = PromptReader::new(model.unwrap_or_default());
        reader.system(&text_of(&body["system"], "text"));
        let mut turn = "user";
        for message in list(body, "messages")? {
            let role = string(message, "role")?;
            if role != turn {
                return Err(
                    "A conversation must start with a user message and alternate between user and assistant roles."
                        .to_string(),
                );
            }
            read_message(&mut reader, role, list(message, "content")?)?;
            turn = if role == "user" { "assistant" } else { "user" };
        }
        let tools = body["toolConfig"]["tools"].as_array();
        if tools.is_none() && reader.has_calls() {
            return Err(
                "The toolConfig field must be defined when using toolUse and toolResult content blocks.".to_string()
            );
        }
        for tool in tools.into_iter().flatten() {
            let spec = &tool["toolSpec"];
            reader.tool(string(spec, "name")?, &spec["inputSchema"]["json"]);
        }
        let extra = &body["additionalModelRequestFields"];
        reader.reasons(!extra["thinking"].is_null() || !extra["reasoning_config"].is_null());
        reader.finish()
    }

    /// A bearer token, or the id in the credential of a signature.
    fn key<'a>(&self, headers: &RequestHeaders<'a>) -> Option<&'a str> {
        let signed = || headers.get("authorization")?.split_once("Credential=")?.1.split('/').next();
        headers.bearer().or_else(signed)
    }

    /// A key `ID:SECRET` also wants a signature by that secret.
    fn admits(&self, sent: &Sent<'_>, key: &str) -> bool {
        match key.split_once(':') {
            Some((id, secret)) if sent.headers.bearer().is_none() => {
                self.key(&sent.headers) == Some(id) && sigv4::is_signed_by(sent, secret)
            }
            _ => self.key(&sent.headers) == Some(key),
        }
    }

    fn answer(&self, prompt: &IncomingPrompt, finish: &Finish, tokens: Tokens, id: &str) -> Value {
        let (content, reason) = content(prompt, finish, id);
        json!({
            "output": { "message": { "role": "assistant", "content": content } },
            "stopReason": reason,
            "usage": {
                // What came from the cache is counted apart.
                "inputTokens": tokens.input - tokens.cached,
                "cacheReadInputTokens": tokens.cached,
                "cacheWriteInputTokens": 0,
                "outputTokens": tokens.output,
                "totalTokens": tokens.input + tokens.output,
            },
            "metrics": { "latencyMs": 1 },
        })
    }

    fn problem(&self, problem: &RequestProblem<'_>) -> FormattedReply {
        let (status, kind, message) = match problem {
            RequestProblem::RateLimited => {
                (429, "ThrottlingException", "Too many requests, please wait before trying again.")
            }
            RequestProblem::Internal => {
                (500, "InternalServerException", "The system encountered an unexpected error during processing.")
            }
            RequestProblem::Unavailable => {
                (503, "ServiceUnavailableException", "Bedrock is unable to process your request.")
            }
            RequestProblem::Overloaded => (529, "ServiceUnavailableException", "The model is overloaded."),
            RequestProblem::TooLong(..) => (400, "ValidationException", "Input is too long for requested model."),
            RequestProblem::BadKey => {
                (403, "UnrecognizedClientException", "The security token included in the request is invalid.")
            }
            RequestProblem::NoModel(_) => (400, "ValidationException", "The provided model identifier is invalid."),
            RequestProblem::BadRequest(why) => (400, "ValidationException", *why),
        };
        FormattedReply {
            status,
            body: json!({ "message": message }),
            headers: vec![("x-amzn-ErrorType", kind.to_string())],
        }
    }

    fn headers(&self, id: &str) -> Vec<(&'static str, String)> {
        vec![("x-amzn-RequestId", id.to_string())]
    }
}

fn read_message(reader: &mut PromptReader, role: &str, blocks: &[Value]) -> Result<(), String> {
    let (mut texts, mut calls) = (Vec::new(), Vec::new());
    for block in blocks {
        let (used, result) = (&block["toolUse"], &block["toolResult"]);
        if let Some(text) = block["text"].as_str() {
            if text.trim().is_empty() {
                return Err(
                    "The text field in the ContentBlock object is blank. Add text to the text field, and try again."
                        .to_string(),
                );
            }
            texts.push(text.to_string());
        } else if used.is_object() {
            if !used["input"].is_object() {
                return Err("The format of the value at toolUse.input is invalid. Provide a json object for the field and try again.".to_string());
            }
            calls.push((
                string(used, "toolUseId")?.to_string(),
                ActionCall::native(string(used, "name")?, &used["input"]),
            ));
        } else if result.is_object() {
            reader.answered(string(result, "toolUseId")?)?;
            texts.push(text_of(&result["content"], "text"));
        } else if !block["reasoningContent"].is_object() && !block["cachePoint"].is_object() {
            return Err("a content block is neither text, toolUse, toolResult nor reasoningContent".to_string());
        }
    }
    if role == "user" { reader.user(texts.join("\n")) } else { reader.model(texts.join("\n"), calls) }
}

fn content(prompt: &IncomingPrompt, finish: &Finish, id: &str) -> (Value, &'static str) {
    let native = |call: &ActionCall, input: Value| json!({ "toolUse": { "toolUseId": format!("tooluse_{id}"), "name": call.name, "input": input } });
    let input = |call: &ActionCall| {
        let tool = prompt.tools.iter().find(|tool| tool.name == call.name);
        Value::Object(call.arguments(tool))
    };
    match finish {
        Finish::FormattedReply(answer) => {
            let thought = answer.reasoning.as_ref().map(|text| {
                json!({ "reasoningContent": { "reasoningText": { "text": text, "signature": format!("sig_{id}") } } })
            });
            let call = answer.call.as_ref().map(|call| native(call, input(call)));
            let reason = if call.is_some() { "tool_use" } else { "end_turn" };
            (thought.into_iter().chain([json!({ "text": answer.text })]).chain(call).collect(), reason)
        }
        Finish::Nothing => (json!([]), "end_turn"),
        Finish::Filtered => (json!([]), "content_filtered"),
        Finish::BrokenCall(call) => (json!([native(call, json!(broken(&input(call))))]), "tool_use"),
    }
}

/// `%3A` is `:`. Model ids hold colons and slashes, and clients differ in which they write out.
pub(super) fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let code =
            text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}
