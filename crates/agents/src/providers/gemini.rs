//! `gemini`: Google's Gemini, generateContent.

use serde_json::{Value, json};

use crate::model::{
    ChatMessage, HttpRequest, ModelAnswer, ModelRequest, ProviderFault, RequestFailure, Sampling, Target, ToolCall,
    UnixSeconds, Usage, WireFormat,
};

use super::limits::ReplyHeaders;
use super::reading::{close, count, lacks, list, open, some, text};
use super::sigv4::encode;
use super::writing::{BodyFields, arguments, header_with_key, post, put, turns};
use super::{Keys, Provider};

pub(super) static PROVIDER: Provider = Provider {
    name: "gemini",
    about: "Google Gemini, generateContent",
    wire: &GeminiWire,
    base_url: "https://generativelanguage.googleapis.com/v1beta",
    base_variables: &["GEMINI_BASE_URL"],
    keys: Keys::Needed(&["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
    cannot: &[],
    example: "gemini-2.5-flash",
};

struct GeminiWire;

impl WireFormat for GeminiWire {
    fn name(&self) -> &'static str {
        "generateContent"
    }

    fn request(&self, target: &Target, ask: &ModelRequest, _: UnixSeconds) -> HttpRequest {
        let mut body = BodyFields::new();
        put(&mut body, "systemInstruction", some(ask.system.clone()).map(|text| json!({"parts": [{"text": text}]})));
        let turns = turns(&ask.messages, parts).map(|(role, parts)| json!({"role": role, "parts": parts}));
        body.insert("contents".into(), turns.collect());
        if !ask.tools.is_empty() {
            body.insert("tools".into(), json!([{"functionDeclarations": ask.tools}]));
        }
        put(&mut body, "generationConfig", generation(&ask.sampling));
        // The key goes into a header: what is in a URL ends up in logs.
        let key = header_with_key(target, "x-goog-api-key", "");
        let url = format!("{}/models/{}:generateContent", target.base_url, encode(&target.model, true));
        post(url, key, body, &ask.sampling)
    }

    fn reply(
        &self,
        status: u16,
        headers: ReplyHeaders<'_>,
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<ModelAnswer, RequestFailure> {
        let value = open(status, headers, body, now)?;
        let blocked = text(&value, "/promptFeedback/blockReason");
        if !blocked.is_empty() {
            let message = format!("the prompt was blocked ({blocked})");
            return Err(RequestFailure::new(ProviderFault::Filtered, &message).at(status));
        }
        let candidate = value.pointer("/candidates/0").ok_or_else(|| lacks("candidate", status))?;
        if text(candidate, "/finishReason") == "MALFORMED_FUNCTION_CALL" {
            let message = "the tool call of the model could not be read";
            return Err(RequestFailure::new(ProviderFault::MalformedReply, message).at(status));
        }
        close(answer(&value, candidate), status)
    }
}

fn generation(sampling: &Sampling) -> Option<Value> {
    let mut config = BodyFields::new();
    put(&mut config, "maxOutputTokens", sampling.max_tokens);
    put(&mut config, "temperature", sampling.temperature);
    put(&mut config, "topP", sampling.top_p);
    put(&mut config, "seed", sampling.seed);
    let mut thinking = BodyFields::new();
    put(&mut thinking, "thinkingLevel", sampling.effort.filter(|_| !sampling.no_think).map(|effort| effort.word()));
    put(&mut thinking, "thinkingBudget", if sampling.no_think { Some(0) } else { sampling.thinking_tokens });
    if !thinking.is_empty() && !sampling.no_think {
        thinking.insert("includeThoughts".into(), (!sampling.exclude_reasoning).into());
    }
    if !thinking.is_empty() {
        config.insert("thinkingConfig".into(), thinking.into());
    }
    (!config.is_empty()).then_some(Value::Object(config))
}

fn parts(message: &ChatMessage) -> (&'static str, Vec<Value>) {
    match message {
        ChatMessage::User { text } => ("user", vec![json!({"text": text})]),
        ChatMessage::Tool { name, text, .. } => {
            ("user", vec![json!({"functionResponse": {"name": name, "response": {"output": text}}})])
        }
        // Signatures of thoughts sit on the parts, so that a model's parts go back as they came.
        ChatMessage::Assistant { carry, .. } if !carry.is_empty() => ("model", carry.clone()),
        ChatMessage::Assistant { text, tool_calls, .. } => {
            let said = some(text.clone()).map(|text| json!({"text": text}));
            let calls =
                tool_calls.iter().map(|call| json!({"functionCall": {"name": call.name, "args": arguments(call)}}));
            ("model", said.into_iter().chain(calls).collect())
        }
    }
}

fn answer(value: &Value, candidate: &Value) -> ModelAnswer {
    let finish = text(candidate, "/finishReason").to_string();
    let mut answer = ModelAnswer { finish, usage: usage(value), ..ModelAnswer::default() };
    let mut thought = String::new();
    let parts = list(candidate, "/content/parts");
    for part in parts {
        match part["thought"].as_bool() {
            Some(true) => thought.push_str(text(part, "/text")),
            _ => answer.text.push_str(text(part, "/text")),
        }
        if let Some(call) = part.get("functionCall") {
            let id = some(text(call, "/id").to_string());
            answer.tool_calls.push(ToolCall {
                id: id.unwrap_or_else(|| format!("call_{}", answer.tool_calls.len())),
                name: text(call, "/name").to_string(),
                arguments: super::reading::arguments(&call["args"]),
            });
        }
    }
    if parts.iter().any(|part| part.get("thoughtSignature").is_some()) {
        answer.carry = parts.iter().filter(|part| part["thought"] != true).cloned().collect();
    }
    answer.reasoning = some(thought);
    answer
}

fn usage(value: &Value) -> Usage {
    let thoughts = count(value, "/usageMetadata/thoughtsTokenCount");
    Usage {
        input: count(value, "/usageMetadata/promptTokenCount"),
        output: count(value, "/usageMetadata/candidatesTokenCount").saturating_add(thoughts),
        reasoning: thoughts,
        cached: count(value, "/usageMetadata/cachedContentTokenCount"),
    }
}
