//! OpenAI's chat completions, which half of the world speaks in dialects.

use serde_json::{Value, json};

use crate::model::{
    ChatMessage, HttpRequest, ModelAnswer, ModelRequest, RequestFailure, Sampling, Target, ToolCall, UnixSeconds,
    Usage, WireFormat,
};

use super::limits::ReplyHeaders;
use super::reading::{arguments, close, count, lacks, list, open, some, text};
use super::writing::{BodyFields, bearer, post, put};

/// The wire format in one provider's dialect.
pub(super) struct ChatWire {
    /// The field that limits the answer.
    pub max_tokens: &'static str,
    /// How reasoning is asked for.
    pub reasoning: fn(&Sampling, &mut BodyFields),
    /// Whether `no_think` is a word at the end of the instructions, as models with a switch in their
    /// template read it.
    pub soft_switch: bool,
}

impl WireFormat for ChatWire {
    fn name(&self) -> &'static str {
        "chat completions"
    }

    fn request(&self, target: &Target, ask: &ModelRequest, _: UnixSeconds) -> HttpRequest {
        let sampling = &ask.sampling;
        let mut body = BodyFields::new();
        body.insert("model".into(), target.model.as_str().into());
        body.insert("messages".into(), self.messages(ask).into());
        put(&mut body, self.max_tokens, sampling.max_tokens);
        put(&mut body, "temperature", sampling.temperature);
        put(&mut body, "top_p", sampling.top_p);
        put(&mut body, "seed", sampling.seed);
        if !ask.tools.is_empty() {
            body.insert("tools".into(), ask.tools.iter().map(|t| json!({"type": "function", "function": t})).collect());
        }
        (self.reasoning)(sampling, &mut body);
        post(format!("{}/chat/completions", target.base_url), bearer(target), body, sampling)
    }

    fn reply(
        &self,
        status: u16,
        headers: ReplyHeaders<'_>,
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<ModelAnswer, RequestFailure> {
        let value = open(status, headers, body, now)?;
        let choice = value.pointer("/choices/0").ok_or_else(|| lacks("choice", status))?;
        let message = choice.get("message").filter(|m| m.is_object()).ok_or_else(|| lacks("message", status))?;
        close(answer(&value, choice, message), status)
    }
}

impl ChatWire {
    fn messages(&self, ask: &ModelRequest) -> Vec<Value> {
        let mut out = Vec::with_capacity(ask.messages.len() + 1);
        let switch = if self.soft_switch && ask.sampling.no_think { "/no_think" } else { "" };
        let system = [ask.system.as_str(), switch].join("\n");
        if !system.trim().is_empty() {
            out.push(json!({"role": "system", "content": system.trim()}));
        }
        out.extend(ask.messages.iter().map(message));
        out
    }
}

fn message(message: &ChatMessage) -> Value {
    match message {
        ChatMessage::User { text } => json!({"role": "user", "content": text}),
        ChatMessage::Tool { call_id, text, .. } => json!({"role": "tool", "tool_call_id": call_id, "content": text}),
        ChatMessage::Assistant { text, tool_calls, carry } => {
            let mut fields = BodyFields::new();
            fields.insert("role".into(), "assistant".into());
            // `null` beside tool calls: some servers refuse an empty text.
            let content = if text.is_empty() && !tool_calls.is_empty() { Value::Null } else { text.as_str().into() };
            fields.insert("content".into(), content);
            if !tool_calls.is_empty() {
                fields.insert("tool_calls".into(), tool_calls.iter().map(called).collect());
            }
            if !carry.is_empty() {
                fields.insert("reasoning_details".into(), carry.clone().into());
            }
            Value::Object(fields)
        }
    }
}

fn called(call: &ToolCall) -> Value {
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
}

fn answer(value: &Value, choice: &Value, message: &Value) -> ModelAnswer {
    let said = match &message["content"] {
        Value::Array(parts) => parts.iter().map(|part| text(part, "/text")).collect(),
        content => content.as_str().unwrap_or_default().to_string(),
    };
    // A model that refuses in words has answered; only a filter leaves data missing.
    let said = if said.is_empty() { text(message, "/refusal").to_string() } else { said };
    let thought = [text(message, "/reasoning_content"), text(message, "/reasoning")];
    let calls = list(message, "/tool_calls").iter().enumerate();
    ModelAnswer {
        text: said,
        reasoning: thought.iter().find_map(|thought| some(thought.to_string())),
        tool_calls: calls.map(|(at, call)| tool_call(at, call)).collect(),
        usage: usage(value),
        finish: text(choice, "/finish_reason").to_string(),
        carry: list(message, "/reasoning_details").to_vec(),
    }
}

fn tool_call(at: usize, call: &Value) -> ToolCall {
    let id = some(text(call, "/id").to_string()).unwrap_or_else(|| format!("call_{at}"));
    let arguments = arguments(call.pointer("/function/arguments").unwrap_or(&Value::Null));
    ToolCall { id, name: text(call, "/function/name").to_string(), arguments }
}

fn usage(value: &Value) -> Usage {
    let hit = count(value, "/usage/prompt_cache_hit_tokens");
    Usage {
        input: count(value, "/usage/prompt_tokens"),
        output: count(value, "/usage/completion_tokens"),
        reasoning: count(value, "/usage/completion_tokens_details/reasoning_tokens"),
        cached: count(value, "/usage/prompt_tokens_details/cached_tokens").max(hit),
    }
}

/// `reasoning_effort`, as OpenAI names it; `none` switches reasoning off.
pub(super) fn reasoning_effort(sampling: &Sampling, body: &mut BodyFields) {
    let effort = if sampling.no_think { Some("none") } else { sampling.effort.map(|effort| effort.word()) };
    put(body, "reasoning_effort", effort);
}
