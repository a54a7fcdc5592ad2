//! OpenAI chat completions, as OpenAI, OpenRouter, Groq, vLLM, Ollama and LM Studio speak it.

use serde_json::{Value, json};

use super::{
    CREATED, FormattedReply, RequestHeaders, RequestProblem, Sent, ServerFormat, broken, list, model, streams, string,
    text_of,
};
use crate::fake_provider::answer::{Finish, Tokens};
use crate::fake_provider::call::ActionCall;
use crate::fake_provider::limit::RequestLimit;
use crate::fake_provider::prompt::{IncomingPrompt, PromptReader};

/// The format.
pub struct ChatFormat;

impl ServerFormat for ChatFormat {
    fn name(&self) -> &'static str {
        "chat"
    }

    fn route(&self, path: &str) -> Option<Option<String>> {
        // Providers differ in what stands before it: `/v1`, `/api/v1`, `/openai/v1`, nothing.
        (path.ends_with("/chat/completions")).then_some(None)
    }

    fn read(&self, _: Option<&str>, _: &RequestHeaders<'_>, body: &Value) -> Result<IncomingPrompt, String> {
        let mut reader = PromptReader::new(model(body)?);
        for message in list(body, "messages")? {
            read_message(&mut reader, message)?;
        }
        for tool in body["tools"].as_array().into_iter().flatten() {
            let function = &tool["function"];
            reader.tool(string(function, "name")?, &function["parameters"]);
        }
        reader.reasons(!body["reasoning_effort"].is_null() || !body["reasoning"].is_null());
        reader.finish()
    }

    fn key<'a>(&self, headers: &RequestHeaders<'a>) -> Option<&'a str> {
        headers.bearer()
    }

    fn answer(&self, prompt: &IncomingPrompt, finish: &Finish, tokens: Tokens, id: &str) -> Value {
        let (message, reason) = message(prompt, finish, id);
        json!({
            "id": format!("chatcmpl-{id}"),
            "object": "chat.completion",
            "created": CREATED,
            "model": prompt.model,
            "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": reason }],
            "usage": {
                "prompt_tokens": tokens.input,
                "completion_tokens": tokens.output,
                "total_tokens": tokens.input + tokens.output,
                "prompt_tokens_details": { "cached_tokens": tokens.cached },
                "completion_tokens_details": { "reasoning_tokens": tokens.reasoning },
            },
            "system_fingerprint": "fp_rehearsal",
        })
    }

    fn stream(&self, _: &Sent<'_>, body: &Value, answer: &Value) -> Option<String> {
        let usage = body["stream_options"]["include_usage"] == true;
        (body["stream"] == true).then(|| streams::chat(answer, usage))
    }

    fn problem(&self, problem: &RequestProblem<'_>) -> FormattedReply {
        openai_problem(problem, "messages")
    }

    fn headers(&self, id: &str) -> Vec<(&'static str, String)> {
        vec![("x-request-id", format!("req_{id}"))]
    }

    fn limit_headers(&self, limit: RequestLimit, left: u32) -> Vec<(&'static str, String)> {
        openai_limit(limit, left)
    }
}

fn read_message(reader: &mut PromptReader, message: &Value) -> Result<(), String> {
    let text = text_of(&message["content"], "text");
    match string(message, "role")? {
        "system" | "developer" => reader.system(&text),
        "user" => reader.user(text)?,
        "assistant" => {
            let mut calls = Vec::new();
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                let function = &call["function"];
                // What the model wrote goes back as it was, readable or not.
                let arguments = serde_json::from_str(string(function, "arguments")?).unwrap_or(Value::Null);
                calls
                    .push((string(call, "id")?.to_string(), ActionCall::native(string(function, "name")?, &arguments)));
            }
            reader.model(text, calls)?;
        }
        "tool" => {
            reader.answered(string(message, "tool_call_id")?)?;
            reader.tool_said(text);
        }
        other => return Err(format!("`{other}` is no role; there are system, developer, user, assistant and tool")),
    }
    Ok(())
}

fn message(prompt: &IncomingPrompt, finish: &Finish, id: &str) -> (Value, &'static str) {
    let mut message = json!({ "role": "assistant", "content": null, "refusal": null });
    let native = |name: &str, arguments: String| json!([{ "id": format!("call_{id}"), "type": "function", "function": { "name": name, "arguments": arguments } }]);
    let tool = |name: &str| prompt.tools.iter().find(|tool| tool.name == name);
    let reason = match finish {
        Finish::FormattedReply(answer) => {
            if let Some(reasoning) = &answer.reasoning {
                message["reasoning"] = json!(reasoning);
            }
            match &answer.call {
                Some(call) => {
                    let arguments = Value::Object(call.arguments(tool(&call.name)));
                    message["tool_calls"] = native(&call.name, arguments.to_string());
                    "tool_calls"
                }
                None => {
                    message["content"] = json!(answer.text);
                    "stop"
                }
            }
        }
        Finish::Nothing => {
            message["content"] = json!("");
            "stop"
        }
        Finish::Filtered => "content_filter",
        Finish::BrokenCall(call) => {
            let arguments = Value::Object(call.arguments(tool(&call.name)));
            message["tool_calls"] = native(&call.name, broken(&arguments));
            "tool_calls"
        }
    };
    (message, reason)
}

/// What both formats of OpenAI tell of a limit.
pub(super) fn openai_limit(limit: RequestLimit, left: u32) -> Vec<(&'static str, String)> {
    vec![
        ("x-ratelimit-limit-requests", limit.requests.to_string()),
        ("x-ratelimit-remaining-requests", left.to_string()),
        ("x-ratelimit-reset-requests", format!("{}ms", limit.window_ms)),
    ]
}

/// Errors of both formats of OpenAI.
pub(super) fn openai_problem(problem: &RequestProblem<'_>, input: &str) -> FormattedReply {
    let error = |status: u16, kind: &str, code: Value, param: Value, message: String| FormattedReply {
        status,
        body: json!({ "error": { "message": message, "type": kind, "param": param, "code": code } }),
        headers: Vec::new(),
    };
    let server = |status, text: &str| error(status, "server_error", Value::Null, Value::Null, text.to_string());
    let invalid = "invalid_request_error";
    match problem {
        RequestProblem::RateLimited => error(
            429,
            "requests",
            json!("rate_limit_exceeded"),
            Value::Null,
            "Rate limit reached for requests".to_string(),
        ),
        RequestProblem::Internal => server(500, "The server had an error while processing your request"),
        RequestProblem::Unavailable => server(503, "The engine is currently overloaded, please try again later"),
        RequestProblem::Overloaded => server(529, "The provider is overloaded"),
        RequestProblem::TooLong(tokens, most) => {
            let text = format!(
                "This model's maximum context length is {most} tokens. However, your messages resulted in {tokens} tokens."
            );
            error(400, invalid, json!("context_length_exceeded"), json!(input), text)
        }
        RequestProblem::BadKey => {
            error(401, invalid, json!("invalid_api_key"), Value::Null, "Incorrect API key provided".to_string())
        }
        RequestProblem::NoModel(model) => {
            let text = format!("The model `{model}` does not exist or you do not have access to it.");
            error(404, invalid, json!("model_not_found"), Value::Null, text)
        }
        RequestProblem::BadRequest(why) => error(400, invalid, Value::Null, Value::Null, why.to_string()),
    }
}
