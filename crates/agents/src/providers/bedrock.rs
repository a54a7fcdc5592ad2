//! `bedrock`: AWS Bedrock, Converse. Signed with the usual AWS environment, or with a Bedrock key.

use serde_json::{Value, json};

use crate::model::{
    ChatMessage, Credentials, HttpRequest, ModelAnswer, ModelRequest, RequestFailure, Sampling, Target, ToolCall,
    UnixSeconds, Usage, WireFormat,
};

use super::calendar::amz_date;
use super::limits::ReplyHeaders;
use super::reading::{close, count, lacks, list, open, some, text};
use super::sigv4::{Signing, encode};
use super::writing::{BodyFields, arguments, bearer, post, put, turns};
use super::{Keys, Provider};

pub(super) static PROVIDER: Provider = Provider {
    name: "bedrock",
    about: "AWS Bedrock, Converse",
    wire: &ConverseWire,
    base_url: "https://bedrock-runtime.{region}.amazonaws.com",
    base_variables: &["AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_ENDPOINT_URL"],
    keys: Keys::Aws,
    cannot: &["seed", "exclude_reasoning"],
    example: "us.anthropic.claude-haiku-4-5-20251001-v1:0",
};

struct ConverseWire;

impl WireFormat for ConverseWire {
    fn name(&self) -> &'static str {
        "converse"
    }

    fn request(&self, target: &Target, ask: &ModelRequest, now: UnixSeconds) -> HttpRequest {
        let path = format!("/model/{}/converse", encode(&target.model, false));
        let url = format!("{}{path}", target.base_url);
        let mut request = post(url, bearer(target), body(ask, &target.model), &ask.sampling);
        sign(&mut request, target, &path, now);
        request
    }

    fn reply(
        &self,
        status: u16,
        headers: ReplyHeaders<'_>,
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<ModelAnswer, RequestFailure> {
        let value = open(status, headers, body, now)?;
        let content = value.pointer("/output/message/content").filter(|content| content.is_array());
        let content = content.ok_or_else(|| lacks("output", status))?;
        close(answer(&value, list(content, "")), status)
    }
}

/// Adds time and signature. The signature covers host, time and body, so that none can be exchanged.
fn sign(request: &mut HttpRequest, target: &Target, path: &str, now: UnixSeconds) {
    let Credentials::Aws { access_key, secret_key, session, region } = &target.credentials else { return };
    let date = amz_date(now);
    let (host, prefix) = host_and_path(&target.base_url);
    let mut signed = vec![
        ("content-type".to_string(), "application/json".to_string()),
        ("host".to_string(), host.to_string()),
        ("x-amz-date".to_string(), date.clone()),
    ];
    if let Some(session) = session {
        signed.push(("x-amz-security-token".to_string(), session.reveal().to_string()));
    }
    let signing = Signing {
        method: request.method,
        // Every service but S3 signs the path encoded once more.
        path: &encode(&format!("{prefix}{path}"), true),
        query: "",
        headers: &signed,
        body: &request.body,
        date: &date,
        region,
        service: "bedrock",
    };
    let authorization = signing.authorization(access_key.reveal(), secret_key.reveal());
    request.headers.push(("authorization".to_string(), authorization));
    // `host` is the transport's to send; it sends the one of the URL, which is the one we signed.
    request.headers.extend(signed.into_iter().filter(|(name, _)| name.starts_with("x-amz")));
}

fn host_and_path(base_url: &str) -> (&str, &str) {
    let rest = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    rest.find('/').map_or((rest, ""), |at| rest.split_at(at))
}

fn body(ask: &ModelRequest, model: &str) -> BodyFields {
    let sampling = &ask.sampling;
    let mut body = BodyFields::new();
    put(&mut body, "system", some(ask.system.clone()).map(|text| json!([{"text": text}])));
    let turns = turns(&ask.messages, blocks).map(|(role, content)| json!({"role": role, "content": content}));
    body.insert("messages".into(), turns.collect());
    let mut inference = BodyFields::new();
    put(&mut inference, "maxTokens", sampling.max_tokens);
    put(&mut inference, "temperature", sampling.temperature);
    put(&mut inference, "topP", sampling.top_p);
    if !inference.is_empty() {
        body.insert("inferenceConfig".into(), inference.into());
    }
    if !ask.tools.is_empty() {
        let spec = |t: &crate::model::ToolSpec| json!({"toolSpec": {"name": t.name, "description": t.description, "inputSchema": {"json": t.parameters}}});
        body.insert("toolConfig".into(), json!({"tools": ask.tools.iter().map(spec).collect::<Vec<_>>()}));
    }
    put(&mut body, "additionalModelRequestFields", reasoning(sampling, model));
    body
}

/// Converse has no word for reasoning of its own: these fields go to the model as they are.
fn reasoning(sampling: &Sampling, model: &str) -> Option<Value> {
    match (sampling.no_think, sampling.thinking_tokens, sampling.effort) {
        (true, ..) => Some(json!({"thinking": {"type": "disabled"}})),
        (_, Some(budget), _) => Some(json!({"thinking": {"type": "enabled", "budget_tokens": budget}})),
        (_, None, Some(effort)) if model.contains("anthropic.") => {
            Some(json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": effort.word()}}))
        }
        (_, None, Some(effort)) => Some(json!({"reasoning_effort": effort.word()})),
        (_, None, None) => None,
    }
}

fn blocks(message: &ChatMessage) -> (&'static str, Vec<Value>) {
    match message {
        ChatMessage::User { text } => ("user", vec![json!({"text": text})]),
        ChatMessage::Tool { call_id, text, .. } => {
            ("user", vec![json!({"toolResult": {"toolUseId": call_id, "content": [{"text": text}]}})])
        }
        ChatMessage::Assistant { text, tool_calls, carry } => {
            let said = some(text.clone()).map(|text| json!({"text": text}));
            let calls = tool_calls
                .iter()
                .map(|call| json!({"toolUse": {"toolUseId": call.id, "name": call.name, "input": arguments(call)}}));
            ("assistant", carry.iter().cloned().chain(said).chain(calls).collect())
        }
    }
}

fn answer(value: &Value, content: &[Value]) -> ModelAnswer {
    let finish = text(value, "/stopReason").to_string();
    let mut answer = ModelAnswer { finish, usage: usage(value), ..ModelAnswer::default() };
    let mut thought = String::new();
    for block in content {
        answer.text.push_str(text(block, "/text"));
        if let Some(call) = block.get("toolUse") {
            answer.tool_calls.push(ToolCall {
                id: text(call, "/toolUseId").to_string(),
                name: text(call, "/name").to_string(),
                arguments: super::reading::arguments(&call["input"]),
            });
        }
        if block.get("reasoningContent").is_some() {
            thought.push_str(text(block, "/reasoningContent/reasoningText/text"));
            answer.carry.push(block.clone());
        }
    }
    answer.reasoning = some(thought);
    answer
}

fn usage(value: &Value) -> Usage {
    let cached = count(value, "/usage/cacheReadInputTokens");
    let written = count(value, "/usage/cacheWriteInputTokens");
    Usage {
        input: count(value, "/usage/inputTokens").saturating_add(cached).saturating_add(written),
        output: count(value, "/usage/outputTokens"),
        reasoning: 0,
        cached,
    }
}
