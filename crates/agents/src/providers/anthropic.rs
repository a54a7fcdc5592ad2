//! `anthropic`: the Messages interface.

use serde_json::{Value, json};

use crate::model::{
    ChatMessage, HttpRequest, ModelAnswer, ModelRequest, RequestFailure, Sampling, Target, ToolCall, UnixSeconds,
    Usage, WireFormat,
};

use super::limits::ReplyHeaders;
use super::reading::{close, count, lacks, list, open, some, text};
use super::writing::{BodyFields, arguments, header_with_key, post, put, turns};
use super::{Keys, Provider};

pub(super) static PROVIDER: Provider = Provider {
    name: "anthropic",
    about: "Anthropic, Messages",
    wire: &MessagesWire,
    base_url: "https://api.anthropic.com",
    base_variables: &["ANTHROPIC_BASE_URL"],
    keys: Keys::Needed(&["ANTHROPIC_API_KEY"]),
    cannot: &["seed"],
    example: "claude-sonnet-5-5",
};

/// The interface wants a limit: this one leaves room for an action and some thought.
const MAX_TOKENS: u32 = 4096;

struct MessagesWire;

impl WireFormat for MessagesWire {
    fn name(&self) -> &'static str {
        "messages"
    }

    fn request(&self, target: &Target, ask: &ModelRequest, _: UnixSeconds) -> HttpRequest {
        let sampling = &ask.sampling;
        let mut body = BodyFields::new();
        body.insert("model".into(), target.model.as_str().into());
        body.insert("max_tokens".into(), max_tokens(sampling).into());
        put(&mut body, "system", some(ask.system.clone()));
        let turns = turns(&ask.messages, blocks).map(|(role, content)| json!({"role": role, "content": content}));
        body.insert("messages".into(), turns.collect());
        put(&mut body, "temperature", sampling.temperature);
        put(&mut body, "top_p", sampling.top_p);
        put(&mut body, "thinking", thinking(sampling));
        put(&mut body, "output_config", sampling.effort.map(|effort| json!({"effort": effort.word()})));
        if !ask.tools.is_empty() {
            let tool = |t: &crate::model::ToolSpec| json!({"name": t.name, "description": t.description, "input_schema": t.parameters});
            body.insert("tools".into(), ask.tools.iter().map(tool).collect());
        }
        let mut key = header_with_key(target, "x-api-key", "");
        key.push(("anthropic-version".into(), "2023-06-01".into()));
        post(format!("{}/v1/messages", target.base_url), key, body, sampling)
    }

    fn reply(
        &self,
        status: u16,
        headers: ReplyHeaders<'_>,
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<ModelAnswer, RequestFailure> {
        let value = open(status, headers, body, now)?;
        if !value["content"].is_array() {
            return Err(lacks("content", status));
        }
        close(answer(&value), status)
    }
}

/// Thinking counts as output, so that a budget for thought goes on top of the room for the answer.
fn max_tokens(sampling: &Sampling) -> u32 {
    let thought = sampling.thinking_tokens.unwrap_or(0);
    sampling.max_tokens.unwrap_or_else(|| MAX_TOKENS.saturating_add(thought))
}

fn thinking(sampling: &Sampling) -> Option<Value> {
    let mut thinking = match (sampling.no_think, sampling.thinking_tokens, sampling.effort) {
        (true, ..) => return Some(json!({"type": "disabled"})),
        (_, Some(budget), _) => json!({"type": "enabled", "budget_tokens": budget}),
        (_, None, Some(_)) => json!({"type": "adaptive"}),
        (_, None, None) => return None,
    };
    if sampling.exclude_reasoning {
        thinking["display"] = "omitted".into();
    }
    Some(thinking)
}

fn blocks(message: &ChatMessage) -> (&'static str, Vec<Value>) {
    match message {
        ChatMessage::User { text } => ("user", vec![json!({"type": "text", "text": text})]),
        ChatMessage::Tool { call_id, text, .. } => {
            ("user", vec![json!({"type": "tool_result", "tool_use_id": call_id, "content": text})])
        }
        ChatMessage::Assistant { text, tool_calls, carry } => {
            let said = some(text.clone()).map(|text| json!({"type": "text", "text": text}));
            let calls = tool_calls
                .iter()
                .map(|call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": arguments(call)}));
            ("assistant", carry.iter().cloned().chain(said).chain(calls).collect())
        }
    }
}

fn answer(value: &Value) -> ModelAnswer {
    let finish = text(value, "/stop_reason").to_string();
    let mut answer = ModelAnswer { finish, usage: usage(value), ..ModelAnswer::default() };
    let mut thought = String::new();
    for block in list(value, "/content") {
        match text(block, "/type") {
            "text" => answer.text.push_str(text(block, "/text")),
            "tool_use" => answer.tool_calls.push(ToolCall {
                id: text(block, "/id").to_string(),
                name: text(block, "/name").to_string(),
                arguments: super::reading::arguments(&block["input"]),
            }),
            "thinking" => {
                thought.push_str(text(block, "/thinking"));
                answer.carry.push(block.clone());
            }
            "redacted_thinking" => answer.carry.push(block.clone()),
            _ => {}
        }
    }
    answer.reasoning = some(thought);
    answer
}

fn usage(value: &Value) -> Usage {
    let cached = count(value, "/usage/cache_read_input_tokens");
    let written = count(value, "/usage/cache_creation_input_tokens");
    Usage {
        // What came from the cache or went into it is counted apart from the rest.
        input: count(value, "/usage/input_tokens").saturating_add(cached).saturating_add(written),
        output: count(value, "/usage/output_tokens"),
        reasoning: count(value, "/usage/output_tokens_details/thinking_tokens"),
        cached,
    }
}
