//! OpenAI Responses.

use serde_json::{Value, json};

use super::chat::{openai_limit, openai_problem};
use super::{
    CREATED, FormattedReply, RequestHeaders, RequestProblem, Sent, ServerFormat, broken, list, model, streams, string,
    text_of,
};
use crate::fake_provider::answer::{Finish, Tokens};
use crate::fake_provider::call::ActionCall;
use crate::fake_provider::limit::RequestLimit;
use crate::fake_provider::prompt::{IncomingPrompt, PromptReader};

/// The format.
pub struct ResponsesFormat;

impl ServerFormat for ResponsesFormat {
    fn name(&self) -> &'static str {
        "responses"
    }

    fn route(&self, path: &str) -> Option<Option<String>> {
        path.ends_with("/responses").then_some(None)
    }

    fn read(&self, _: Option<&str>, _: &RequestHeaders<'_>, body: &Value) -> Result<IncomingPrompt, String> {
        let mut reader = PromptReader::new(model(body)?);
        reader.system(body["instructions"].as_str().unwrap_or_default());
        match &body["input"] {
            Value::String(text) => reader.user(text.clone())?,
            _ => read_items(&mut reader, list(body, "input")?)?,
        }
        for tool in body["tools"].as_array().into_iter().flatten() {
            reader.tool(string(tool, "name")?, &tool["parameters"]);
        }
        reader.reasons(!body["reasoning"].is_null());
        reader.finish()
    }

    fn key<'a>(&self, headers: &RequestHeaders<'a>) -> Option<&'a str> {
        headers.bearer()
    }

    fn answer(&self, prompt: &IncomingPrompt, finish: &Finish, tokens: Tokens, id: &str) -> Value {
        let filtered = *finish == Finish::Filtered;
        json!({
            "id": format!("resp_{id}"),
            "object": "response",
            "created_at": CREATED,
            "status": if filtered { "incomplete" } else { "completed" },
            "error": null,
            "incomplete_details": if filtered { json!({ "reason": "content_filter" }) } else { Value::Null },
            "model": prompt.model,
            "output": output(prompt, finish, id),
            "usage": {
                "input_tokens": tokens.input,
                "input_tokens_details": { "cached_tokens": tokens.cached },
                "output_tokens": tokens.output,
                "output_tokens_details": { "reasoning_tokens": tokens.reasoning },
                "total_tokens": tokens.input + tokens.output,
            },
        })
    }

    fn stream(&self, _: &Sent<'_>, body: &Value, answer: &Value) -> Option<String> {
        (body["stream"] == true).then(|| streams::responses(answer))
    }

    fn problem(&self, problem: &RequestProblem<'_>) -> FormattedReply {
        openai_problem(problem, "input")
    }

    fn headers(&self, id: &str) -> Vec<(&'static str, String)> {
        vec![("x-request-id", format!("req_{id}"))]
    }

    fn limit_headers(&self, limit: RequestLimit, left: u32) -> Vec<(&'static str, String)> {
        openai_limit(limit, left)
    }
}

/// Calls that follow one another, with what was said before them, are one message of the model.
fn read_items(reader: &mut PromptReader, items: &[Value]) -> Result<(), String> {
    let mut said: Option<(String, Vec<(String, ActionCall)>)> = None;
    for item in items {
        let kind = item["type"].as_str().unwrap_or("message");
        let model = kind == "function_call" || (kind == "message" && item["role"] == "assistant");
        if !model
            && kind != "reasoning"
            && let Some((text, calls)) = said.take()
        {
            reader.model(text, calls)?;
        }
        match kind {
            "message" if model => said.get_or_insert_default().0 = text_of(&item["content"], "text"),
            "message" => match string(item, "role")? {
                "user" => reader.user(text_of(&item["content"], "text"))?,
                "system" | "developer" => reader.system(&text_of(&item["content"], "text")),
                other => return Err(format!("`{other}` is no role; there are system, developer, user and assistant")),
            },
            "function_call" => {
                let arguments = serde_json::from_str(string(item, "arguments")?).unwrap_or(Value::Null);
                let call = ActionCall::native(string(item, "name")?, &arguments);
                said.get_or_insert_default().1.push((string(item, "call_id")?.to_string(), call));
            }
            "function_call_output" => {
                reader.answered(string(item, "call_id")?)?;
                reader.tool_said(text_of(&item["output"], "text"));
            }
            "reasoning" => {}
            other => return Err(format!("an item of type `{other}` is not known here")),
        }
    }
    said.map_or(Ok(()), |(text, calls)| reader.model(text, calls))
}

fn output(prompt: &IncomingPrompt, finish: &Finish, id: &str) -> Value {
    let message = |text: &str| {
        let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
        json!({ "type": "message", "id": format!("msg_{id}"), "status": "completed", "role": "assistant", "content": content })
    };
    let native = |name: &str, arguments: String| {
        let (id, call) = (format!("fc_{id}"), format!("call_{id}"));
        json!({ "type": "function_call", "id": id, "call_id": call, "name": name, "arguments": arguments, "status": "completed" })
    };
    let arguments = |call: &ActionCall| {
        let tool = prompt.tools.iter().find(|tool| tool.name == call.name);
        Value::Object(call.arguments(tool))
    };
    match finish {
        Finish::FormattedReply(answer) => {
            let thought = answer.reasoning.as_ref().map(|text| {
                let summary = json!([{ "type": "summary_text", "text": text }]);
                json!({ "type": "reasoning", "id": format!("rs_{id}"), "summary": summary })
            });
            let said = match &answer.call {
                Some(call) => native(&call.name, arguments(call).to_string()),
                None => message(&answer.text),
            };
            thought.into_iter().chain([said]).collect()
        }
        Finish::Nothing => json!([message("")]),
        Finish::Filtered => json!([]),
        Finish::BrokenCall(call) => json!([native(&call.name, broken(&arguments(call)))]),
    }
}
