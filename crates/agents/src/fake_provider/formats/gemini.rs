//! Gemini, `generateContent`.

use serde_json::{Value, json};

use super::converse::decoded;
use super::{FormattedReply, RequestHeaders, RequestProblem, Sent, ServerFormat, list, streams, string};
use crate::fake_provider::answer::{Finish, Tokens};
use crate::fake_provider::call::ActionCall;
use crate::fake_provider::prompt::{IncomingPrompt, PromptReader};

/// How the address of a stream ends.
const STREAMED: &str = ":streamGenerateContent";

/// The format.
pub struct GeminiFormat;

impl ServerFormat for GeminiFormat {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn route(&self, path: &str) -> Option<Option<String>> {
        let named = path.rsplit_once("/models/")?.1;
        let model = named.strip_suffix(":generateContent").or_else(|| named.strip_suffix(STREAMED))?;
        Some(Some(decoded(model)))
    }

    fn read(&self, model: Option<&str>, _: &RequestHeaders<'_>, body: &Value) -> Result<IncomingPrompt, String> {
        let mut reader = PromptReader::new(model.unwrap_or_default());
        reader.system(&texts(&body["systemInstruction"]));
        for (at, content) in list(body, "contents")?.iter().enumerate() {
            read_content(&mut reader, content, at)?;
        }
        let declared =
            body["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["functionDeclarations"].as_array());
        for function in declared.flatten() {
            let schema = if function["parameters"].is_null() { "parametersJsonSchema" } else { "parameters" };
            reader.tool(string(function, "name")?, &function[schema]);
        }
        reader.reasons(body["generationConfig"]["thinkingConfig"]["includeThoughts"] == true);
        reader.finish()
    }

    fn key<'a>(&self, headers: &RequestHeaders<'a>) -> Option<&'a str> {
        headers.get("x-goog-api-key").or_else(|| headers.bearer())
    }

    fn answer(&self, prompt: &IncomingPrompt, finish: &Finish, tokens: Tokens, id: &str) -> Value {
        let mut usage = json!({
            "promptTokenCount": tokens.input,
            // What was thought is counted apart.
            "candidatesTokenCount": tokens.output - tokens.reasoning,
            "totalTokenCount": tokens.input + tokens.output,
        });
        if tokens.cached > 0 {
            usage["cachedContentTokenCount"] = json!(tokens.cached);
        }
        if tokens.reasoning > 0 {
            usage["thoughtsTokenCount"] = json!(tokens.reasoning);
        }
        let mut body = json!({ "usageMetadata": usage, "modelVersion": prompt.model, "responseId": id });
        match candidate(prompt, finish) {
            Some(candidate) => body["candidates"] = json!([candidate]),
            None => body["promptFeedback"] = json!({ "blockReason": "PROHIBITED_CONTENT" }),
        }
        body
    }

    fn stream(&self, sent: &Sent<'_>, _: &Value, answer: &Value) -> Option<String> {
        sent.path.ends_with(STREAMED).then(|| streams::gemini(answer))
    }

    fn problem(&self, problem: &RequestProblem<'_>) -> FormattedReply {
        let (status, word, message) = match problem {
            RequestProblem::RateLimited => {
                (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).".to_string())
            }
            RequestProblem::Internal => (500, "INTERNAL", "An internal error has occurred.".to_string()),
            RequestProblem::Unavailable => {
                (503, "UNAVAILABLE", "The model is overloaded. Please try again later.".to_string())
            }
            RequestProblem::Overloaded => {
                (529, "UNAVAILABLE", "The model is overloaded. Please try again later.".to_string())
            }
            RequestProblem::TooLong(tokens, most) => {
                let text =
                    format!("The input token count ({tokens}) exceeds the maximum number of tokens allowed ({most}).");
                (400, "INVALID_ARGUMENT", text)
            }
            RequestProblem::BadKey => {
                (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.".to_string())
            }
            RequestProblem::NoModel(model) => {
                let text = format!(
                    "models/{model} is not found for API version v1beta, or is not supported for generateContent."
                );
                (404, "NOT_FOUND", text)
            }
            RequestProblem::BadRequest(why) => (400, "INVALID_ARGUMENT", why.to_string()),
        };
        let mut body = json!({ "error": { "code": status, "message": message, "status": word } });
        if *problem == RequestProblem::BadKey {
            // The status is that of any wrong request; only the reason tells.
            let kind = "type.googleapis.com/google.rpc.ErrorInfo";
            body["error"]["details"] =
                json!([{ "@type": kind, "reason": "API_KEY_INVALID", "domain": "googleapis.com" }]);
        }
        FormattedReply { status, body, headers: Vec::new() }
    }

    fn headers(&self, _: &str) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// Calls have no ids here: an answer names the function, and the calls of one content are told apart by
/// their order.
fn read_content(reader: &mut PromptReader, content: &Value, at: usize) -> Result<(), String> {
    let parts = list(content, "parts").map_err(|_| format!("contents[{at}].parts: must not be empty"))?;
    if parts.is_empty() {
        return Err(format!("contents[{at}].parts: must not be empty"));
    }
    let (mut said, mut calls) = (Vec::new(), Vec::new());
    for part in parts {
        let (call, response) = (&part["functionCall"], &part["functionResponse"]);
        if call.is_object() {
            let name = string(call, "name")?;
            calls.push((format!("{name} {}", calls.len()), ActionCall::native(name, &call["args"])));
        } else if response.is_object() {
            let fields = response["response"].as_object().ok_or("functionResponse.response must be an object")?;
            let name = string(response, "name")?;
            (0..parts.len()).find(|n| reader.answered(&format!("{name} {n}")).is_ok()).ok_or_else(|| {
                format!(
                    "contents[{at}]: a function response must follow a call of `{name}`, one response for each call"
                )
            })?;
            said.extend(fields.values().filter_map(Value::as_str).map(str::to_string));
        } else if part["thought"] != true {
            said.extend(part["text"].as_str().map(str::to_string));
        }
    }
    match content["role"].as_str() {
        Some("user" | "function") | None => reader.user(said.join("\n")),
        Some("model") => reader.model(said.join("\n"), calls),
        Some(other) => Err(format!("`{other}` is no role; please use a valid role: user, model")),
    }
}

/// `None` if the prompt itself was blocked.
fn candidate(prompt: &IncomingPrompt, finish: &Finish) -> Option<Value> {
    let arguments = |call: &ActionCall| call.arguments(prompt.tools.iter().find(|tool| tool.name == call.name));
    let candidate = |parts: Vec<Value>| json!({ "content": { "parts": parts, "role": "model" }, "finishReason": "STOP", "index": 0 });
    match finish {
        Finish::FormattedReply(answer) => {
            let thought = answer.reasoning.as_ref().map(|text| json!({ "text": text, "thought": true }));
            let said = match &answer.call {
                Some(call) => json!({ "functionCall": { "name": call.name, "args": arguments(call) } }),
                None => json!({ "text": answer.text }),
            };
            Some(candidate(thought.into_iter().chain([said]).collect()))
        }
        Finish::Nothing => Some(json!({ "content": { "role": "model" }, "finishReason": "STOP", "index": 0 })),
        Finish::Filtered => None,
        Finish::BrokenCall(call) => {
            let message = format!("Malformed function call: {}", call.name);
            Some(
                json!({ "content": {}, "finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": message, "index": 0 }),
            )
        }
    }
}

fn texts(content: &Value) -> String {
    super::text_of(&content["parts"], "text")
}
