//! `openai-responses`: OpenAI's Responses interface, asked to keep nothing.

use serde_json::{Value, json};

use crate::model::{
    ChatMessage, HttpRequest, ModelAnswer, ModelRequest, RequestFailure, Sampling, Target, ToolCall, UnixSeconds,
    Usage, WireFormat,
};

use super::limits::ReplyHeaders;
use super::reading::{arguments, close, count, lacks, list, open, some, text};
use super::writing::{BodyFields, bearer, post, put};
use super::{Keys, Provider};

pub(super) static PROVIDER: Provider = Provider {
    name: "openai-responses",
    about: "OpenAI, Responses",
    wire: &ResponsesWire,
    base_url: "https://api.openai.com/v1",
    base_variables: &["OPENAI_BASE_URL"],
    keys: Keys::Needed(&["OPENAI_API_KEY"]),
    cannot: &["seed", "thinking_tokens"],
    example: "gpt-5.4",
};

struct ResponsesWire;

impl WireFormat for ResponsesWire {
    fn name(&self) -> &'static str {
        "responses"
    }

    fn request(&self, target: &Target, ask: &ModelRequest, _: UnixSeconds) -> HttpRequest {
        let sampling = &ask.sampling;
        let mut body = BodyFields::new();
        body.insert("model".into(), target.model.as_str().into());
        body.insert("store".into(), false.into());
        if reasons(&target.model) {
            // Without storage, reasoning can only be carried on in its encrypted form.
            body.insert("include".into(), json!(["reasoning.encrypted_content"]));
        }
        put(&mut body, "instructions", some(ask.system.clone()));
        body.insert("input".into(), ask.messages.iter().flat_map(items).collect());
        put(&mut body, "max_output_tokens", sampling.max_tokens);
        put(&mut body, "temperature", sampling.temperature);
        put(&mut body, "top_p", sampling.top_p);
        put(&mut body, "reasoning", reasoning(sampling));
        if !ask.tools.is_empty() {
            body.insert("tools".into(), ask.tools.iter().map(tool).collect());
        }
        post(format!("{}/responses", target.base_url), bearer(target), body, sampling)
    }

    fn reply(
        &self,
        status: u16,
        headers: ReplyHeaders<'_>,
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<ModelAnswer, RequestFailure> {
        let value = open(status, headers, body, now)?;
        if !value["output"].is_array() {
            return Err(lacks("output", status));
        }
        close(answer(&value), status)
    }
}

/// Whether a model reasons. Those that do not refuse to be asked for reasoning.
fn reasons(model: &str) -> bool {
    !["gpt-3", "gpt-4", "chatgpt-4"].iter().any(|old| model.starts_with(old))
}

fn reasoning(sampling: &Sampling) -> Option<Value> {
    let mut wanted = BodyFields::new();
    let effort = if sampling.no_think { Some("none") } else { sampling.effort.map(|effort| effort.word()) };
    put(&mut wanted, "effort", effort);
    if effort.is_some() && !sampling.no_think && !sampling.exclude_reasoning {
        put(&mut wanted, "summary", Some("auto"));
    }
    (!wanted.is_empty()).then_some(Value::Object(wanted))
}

fn tool(tool: &crate::model::ToolSpec) -> Value {
    json!({
        "type": "function", "name": tool.name, "description": tool.description,
        "parameters": tool.parameters, "strict": false,
    })
}

fn items(message: &ChatMessage) -> Vec<Value> {
    match message {
        ChatMessage::User { text } => vec![json!({"role": "user", "content": text})],
        ChatMessage::Tool { call_id, text, .. } => {
            vec![json!({"type": "function_call_output", "call_id": call_id, "output": text})]
        }
        ChatMessage::Assistant { text, tool_calls, carry } => {
            let said = some(text.clone()).map(|text| json!({"role": "assistant", "content": text}));
            let calls = tool_calls.iter().map(|call| {
                let ToolCall { id, name, arguments } = call;
                json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
            });
            carry.iter().cloned().chain(said).chain(calls).collect()
        }
    }
}

fn answer(value: &Value) -> ModelAnswer {
    let mut answer = ModelAnswer { finish: finish(value), usage: usage(value), ..ModelAnswer::default() };
    let mut thought = Vec::new();
    for item in list(value, "/output") {
        match text(item, "/type") {
            "message" => list(item, "/content").iter().for_each(|part| {
                answer.text.push_str(text(part, "/text"));
                answer.text.push_str(text(part, "/refusal"));
            }),
            "function_call" => answer.tool_calls.push(ToolCall {
                id: text(item, "/call_id").to_string(),
                name: text(item, "/name").to_string(),
                arguments: arguments(&item["arguments"]),
            }),
            "reasoning" => {
                thought.extend(list(item, "/summary").iter().map(|part| text(part, "/text")));
                if item["encrypted_content"].is_string() {
                    answer.carry.push(item.clone());
                }
            }
            _ => {}
        }
    }
    answer.reasoning = some(thought.join("\n\n"));
    answer
}

fn finish(value: &Value) -> String {
    let reason = text(value, "/incomplete_details/reason");
    if reason.is_empty() { text(value, "/status").to_string() } else { reason.to_string() }
}

fn usage(value: &Value) -> Usage {
    Usage {
        input: count(value, "/usage/input_tokens"),
        output: count(value, "/usage/output_tokens"),
        reasoning: count(value, "/usage/output_tokens_details/reasoning_tokens"),
        cached: count(value, "/usage/input_tokens_details/cached_tokens"),
    }
}
