//! What comes back: answers, and failures as the providers word them.

use std::fmt::Write;

use super::target;
use crate::model::{ModelAnswer, RequestFailure, UnixSeconds};

const NOW: UnixSeconds = UnixSeconds(784_111_777);
const JSON: &str = "content-type: application/json";

/// `text | reasoning | calls | input/output/reasoning/cached | finish`, or the fault in words.
fn shown(reply: Result<ModelAnswer, RequestFailure>) -> String {
    match reply {
        Ok(answer) => {
            let calls: String =
                answer.tool_calls.iter().map(|c| format!("{}:{}{}", c.id, c.name, c.arguments)).collect();
            let usage = answer.usage;
            let carried = if answer.carry.is_empty() { "" } else { " | carries" };
            format!(
                "{} | {} | {calls} | {}/{}/{}/{} | {}{carried}",
                answer.text,
                answer.reasoning.as_deref().unwrap_or("-"),
                usage.input,
                usage.output,
                usage.reasoning,
                usage.cached,
                answer.finish
            )
        }
        Err(failure) => {
            let mut out = format!("! {}", failure.fault);
            if !failure.retryable {
                out.push_str(" for good");
            }
            if let Some(wait) = failure.retry_after {
                write!(out, " after {wait:?}").expect("a string takes everything");
            }
            out
        }
    }
}

#[track_caller]
fn check(provider: &str, status: u16, head: &str, body: &str, expect: &str) {
    let pairs = head.lines().filter_map(|line| line.split_once(": "));
    let headers: Vec<(String, String)> = pairs.map(|(n, v)| (n.to_string(), v.to_string())).collect();
    assert_eq!(shown(target(provider).reply(status, &headers, body.as_bytes(), NOW)), expect, "{status} {body}");
}

#[test]
fn chat_answers() {
    let check = |body: &str, expect: &str| check("openai", 200, JSON, body, expect);
    check(
        r#"{"id":"chatcmpl-1","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],
           "usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17,"prompt_tokens_details":{"cached_tokens":8},
           "completion_tokens_details":{"reasoning_tokens":3}}}"#,
        "hello | - |  | 12/5/3/8 | stop",
    );
    check(
        r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"call_a","type":"function","function":{"name":"look","arguments":"{\"service\":\"cache\"}"}}]},"finish_reason":"tool_calls"}]}"#,
        r#" | - | call_a:look{"service":"cache"} | 0/0/0/0 | tool_calls"#,
    );
    check(
        r#"{"choices":[{"message":{"content":"hi","reasoning_content":"let me see"},"finish_reason":"stop"}]}"#,
        "hi | let me see |  | 0/0/0/0 | stop",
    );
    check(
        r#"{"choices":[{"message":{"content":"hi","reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]},"finish_reason":"stop"}]}"#,
        "hi | hm |  | 0/0/0/0 | stop | carries",
    );
    check(
        r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":"stop"}]}"#,
        "ab | - |  | 0/0/0/0 | stop",
    );
    check(
        r#"{"choices":[{"message":{"content":null,"refusal":"I can't help with that."},"finish_reason":"stop"}]}"#,
        "I can't help with that. | - |  | 0/0/0/0 | stop",
    );
    check(
        r#"{"choices":[{"message":{"content":""},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":64}}"#,
        " | - |  | 9/64/0/0 | length",
    );
    check(
        r#"{"choices":[{"message":{"tool_calls":[{"function":{"name":"list","arguments":""}}]},"finish_reason":"tool_calls"}]}"#,
        " | - | call_0:list{} | 0/0/0/0 | tool_calls",
    );
}

#[test]
fn replies_that_are_none() {
    let check = |head: &str, body: &str, expect: &str| check("openai", 200, head, body, expect);
    check(JSON, r#"{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}"#, "! empty_reply");
    check(JSON, r#"{"choices":[{"message":{"content":" \n"},"finish_reason":"stop"}]}"#, "! empty_reply");
    check(JSON, "", "! empty_reply");
    check(JSON, r#"{"choices":[]}"#, "! malformed_reply");
    check(JSON, r#"{"choices":[{"finish_reason":"stop"}]}"#, "! malformed_reply");
    check(JSON, r#"{"choices":[{"message":{"content":"hel"#, "! malformed_reply");
    check(JSON, "<html>", "! malformed_reply");
    check(JSON, "[]", "! malformed_reply");
    check("Content-Type: text/html", "<html>busy</html>", "! malformed_reply");
    check(
        "Content-Type: text/plain",
        r#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#,
        "! malformed_reply",
    );
    check(
        "Content-Type: application/problem+json; charset=utf-8",
        r#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#,
        "a | - |  | 0/0/0/0 | stop",
    );
    check(
        JSON,
        r#"{"choices":[{"message":{"content":"par"},"finish_reason":"content_filter"}]}"#,
        "! filtered for good",
    );
    let broken = r#"{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"look","arguments":"{\"service\": \"ca"}}]},"finish_reason":"FINISH"}]}"#;
    check(JSON, &broken.replace("FINISH", "tool_calls"), "! malformed_reply");
    check(JSON, &broken.replace("FINISH", "length"), " | - | c:look{\"service\": \"ca | 0/0/0/0 | length");
    // Routers report trouble upstream in a reply that is otherwise well.
    check(JSON, r#"{"error":{"code":502,"message":"Provider returned error"}}"#, "! server_error");
    check(JSON, r#"{"error":{"code":429,"message":"Rate limited upstream"}}"#, "! rate_limit");
    check(JSON, r#"{"error":{"message":"maximum context length is 8192 tokens"}}"#, "! context_too_long for good");
    check(JSON, r#"{"error":{"message":"Something broke"}}"#, "! server_error");
}

#[test]
fn chat_failures() {
    let check = |status: u16, body: &str, expect: &str| check("openai", status, JSON, body, expect);
    check(
        401,
        r#"{"error":{"message":"Incorrect API key provided: sk-***.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
        "! authentication for good",
    );
    check(
        403,
        r#"{"error":{"message":"Country, region, or territory not supported","type":"request_forbidden"}}"#,
        "! authentication for good",
    );
    check(
        404,
        r#"{"error":{"message":"The model `gpt-9` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
        "! refused for good",
    );
    check(
        400,
        r#"{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130482 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        "! context_too_long for good",
    );
    check(
        400,
        r#"{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy.","type":"invalid_request_error","code":"invalid_prompt"}}"#,
        "! filtered for good",
    );
    check(
        400,
        r#"{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter","status":400}}"#,
        "! filtered for good",
    );
    check(
        400,
        r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#,
        "! refused for good",
    );
    check(
        429,
        r#"{"error":{"message":"Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2.5s.","type":"tokens","code":"rate_limit_exceeded"}}"#,
        "! rate_limit after 2.5s",
    );
    check(
        429,
        r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}"#,
        "! rate_limit for good",
    );
    check(402, r#"{"error":{"code":402,"message":"Insufficient credits"}}"#, "! rate_limit for good");
    check(
        403,
        r#"{"error":{"code":403,"message":"Input was flagged","metadata":{"reasons":["violence"],"flagged_input":"..."}}}"#,
        "! filtered for good",
    );
    check(408, r#"{"error":{"code":408,"message":"Request timed out"}}"#, "! timeout");
    check(
        500,
        r#"{"error":{"message":"The server had an error while processing your request.","type":"server_error"}}"#,
        "! server_error",
    );
    check(502, "<html><h1>Bad gateway</h1></html>", "! server_error");
    check(
        503,
        r#"{"error":{"message":"That model is currently overloaded with other requests.","type":"server_error"}}"#,
        "! server_error",
    );
    check(504, "upstream request timeout", "! server_error");
    check(529, "", "! server_error");
    check(307, "", "! refused for good");
    // vLLM, Ollama, LM Studio, llama.cpp, Groq, FastAPI.
    check(
        400,
        r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5120 tokens.","type":"BadRequestError","param":null,"code":400}"#,
        "! context_too_long for good",
    );
    check(
        404,
        r#"{"object":"error","message":"The model `m` does not exist.","type":"NotFoundError","param":null,"code":404}"#,
        "! refused for good",
    );
    check(
        404,
        r#"{"error":{"message":"model \"m\" not found, try pulling it first","type":"api_error","param":null,"code":null}}"#,
        "! refused for good",
    );
    check(
        400,
        r#"{"error":"Trying to keep the first 5000 tokens when context overflows. However, the model is loaded with context length of only 4096 tokens."}"#,
        "! context_too_long for good",
    );
    check(
        400,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}"#,
        "! context_too_long for good",
    );
    check(
        413,
        r#"{"error":{"message":"Request too large for model `m`: Limit 6000, Requested 7000, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}"#,
        "! context_too_long for good",
    );
    check(
        400,
        r#"{"error":{"message":"Failed to call a function. Please adjust your prompt.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=look>"}}"#,
        "! malformed_reply",
    );
    check(498, r#"{"error":{"message":"Flex tier capacity exceeded"}}"#, "! rate_limit");
    check(422, r#"{"detail":[{"loc":["body","model"],"msg":"field required"}]}"#, "! refused for good");
}

#[test]
fn waits() {
    let check = |head: &str, status: u16, expect: &str| check("openai", status, head, "{}", expect);
    check("Retry-After: 20", 429, "! rate_limit after 20s");
    check("retry-after: Sun, 06 Nov 1994 08:50:07 GMT", 429, "! rate_limit after 30s");
    check("retry-after-ms: 250", 429, "! rate_limit after 250ms");
    check("x-ratelimit-remaining-requests: 0\nx-ratelimit-reset-requests: 1m2s", 429, "! rate_limit after 62s");
    check("retry-after: 3", 503, "! server_error after 3s");
    check("retry-after: 3", 401, "! authentication for good");
    check("", 429, "! rate_limit");
}

#[test]
fn responses() {
    let check = |status: u16, body: &str, expect: &str| check("openai-responses", status, JSON, body, expect);
    check(
        200,
        r#"{"status":"completed","error":null,"output":[
            {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"let me see"}],"encrypted_content":"gAAA"},
            {"type":"message","role":"assistant","content":[{"type":"output_text","text":"hello"}]},
            {"type":"function_call","call_id":"call_1","name":"look","arguments":"{}"}],
            "usage":{"input_tokens":20,"input_tokens_details":{"cached_tokens":16},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":6}}}"#,
        "hello | let me see | call_1:look{} | 20/9/6/16 | completed | carries",
    );
    check(
        200,
        r#"{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"reasoning","summary":[]}],"usage":{"output_tokens":64}}"#,
        " | - |  | 0/64/0/0 | max_output_tokens",
    );
    check(
        200,
        r#"{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}"#,
        "! filtered for good",
    );
    check(
        200,
        r#"{"status":"failed","error":{"code":"server_error","message":"The model failed to generate a response."},"output":[]}"#,
        "! server_error",
    );
    check(200, r#"{"status":"completed","output":[]}"#, "! empty_reply");
    check(200, r#"{"status":"completed"}"#, "! malformed_reply");
}

#[test]
fn anthropic() {
    let check = |status: u16, body: &str, expect: &str| check("anthropic", status, JSON, body, expect);
    check(
        200,
        r#"{"type":"message","content":[{"type":"thinking","thinking":"let me see","signature":"x"},{"type":"text","text":"hello"},
            {"type":"tool_use","id":"toolu_1","name":"look","input":{"service":"cache"}}],"stop_reason":"tool_use",
            "usage":{"input_tokens":10,"cache_creation_input_tokens":4,"cache_read_input_tokens":30,"output_tokens":8}}"#,
        r#"hello | let me see | toolu_1:look{"service":"cache"} | 44/8/0/30 | tool_use | carries"#,
    );
    check(
        200,
        r#"{"content":[],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":1}}"#,
        "! empty_reply",
    );
    check(200, r#"{"content":[],"stop_reason":"refusal"}"#, "! filtered for good");
    check(
        200,
        r#"{"content":[{"type":"text","text":"cut"}],"stop_reason":"max_tokens"}"#,
        "cut | - |  | 0/0/0/0 | max_tokens",
    );
    check(
        200,
        r#"{"content":[{"type":"tool_use","id":"t","name":"look","input":"{\"serv"}],"stop_reason":"tool_use"}"#,
        "! malformed_reply",
    );
    check(200, r#"{"type":"message"}"#, "! malformed_reply");
    let error = |kind: &str, message: &str| {
        format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}},"request_id":"req_1"}}"#)
    };
    check(
        400,
        &error("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"),
        "! context_too_long for good",
    );
    check(
        400,
        &error("invalid_request_error", "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"),
        "! context_too_long for good",
    );
    check(
        400,
        &error("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
        "! rate_limit for good",
    );
    check(400, &error("invalid_request_error", "Output blocked by content filtering policy"), "! filtered for good");
    check(400, &error("invalid_request_error", "temperature: range: 0..1"), "! refused for good");
    check(401, &error("authentication_error", "invalid x-api-key"), "! authentication for good");
    check(
        403,
        &error("permission_error", "Your API key does not have permission to use the specified resource"),
        "! authentication for good",
    );
    check(404, &error("not_found_error", "model: claude-nine"), "! refused for good");
    check(413, &error("request_too_large", "Request exceeds the maximum size"), "! context_too_long for good");
    check(429, &error("rate_limit_error", "This request would exceed your organization's rate limit"), "! rate_limit");
    check(500, &error("api_error", "Internal server error"), "! server_error");
    check(529, &error("overloaded_error", "Overloaded"), "! server_error");
}

#[test]
fn anthropic_limits() {
    let head = "anthropic-ratelimit-requests-remaining: 0\nanthropic-ratelimit-requests-reset: 1994-11-06T08:49:52Z";
    check("anthropic", 429, head, "{}", "! rate_limit after 15s");
}

#[test]
fn bedrock() {
    let check = |status: u16, head: &str, body: &str, expect: &str| check("bedrock", status, head, body, expect);
    check(
        200,
        JSON,
        r#"{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"x"}}},{"text":"hello"},
            {"toolUse":{"toolUseId":"t1","name":"look","input":{"service":"cache"}}}]}},"stopReason":"tool_use",
            "usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"cacheReadInputTokens":6}}"#,
        r#"hello | hm | t1:look{"service":"cache"} | 16/5/0/6 | tool_use | carries"#,
    );
    check(200, JSON, r#"{"output":{"message":{"content":[]}},"stopReason":"end_turn"}"#, "! empty_reply");
    check(
        200,
        JSON,
        r#"{"output":{"message":{"content":[{"text":"no"}]}},"stopReason":"guardrail_intervened"}"#,
        "! filtered for good",
    );
    check(200, JSON, r#"{"output":{}}"#, "! malformed_reply");
    let kind =
        |name: &str| format!("{JSON}\nx-amzn-ErrorType: {name}:http://internal.amazon.com/coral/com.amazon.bedrock/");
    check(
        400,
        &kind("ValidationException"),
        r#"{"message":"The model returned the following errors: Input is too long for requested model."}"#,
        "! context_too_long for good",
    );
    check(
        400,
        &kind("ValidationException"),
        r#"{"message":"The provided model identifier is invalid."}"#,
        "! refused for good",
    );
    check(
        400,
        &kind("ThrottlingException"),
        r#"{"message":"Too many requests, please wait before trying again."}"#,
        "! rate_limit",
    );
    check(
        403,
        &kind("AccessDeniedException"),
        r#"{"message":"You don't have access to the model with the specified model ID."}"#,
        "! authentication for good",
    );
    check(
        403,
        &kind("UnrecognizedClientException"),
        r#"{"message":"The security token included in the request is invalid."}"#,
        "! authentication for good",
    );
    check(400, &kind("ExpiredTokenException"), r#"{"message":"The token has expired"}"#, "! authentication for good");
    check(
        404,
        &kind("ResourceNotFoundException"),
        r#"{"message":"Could not resolve the foundation model"}"#,
        "! refused for good",
    );
    check(408, &kind("ModelTimeoutException"), r#"{"message":"Model timed out"}"#, "! timeout");
    check(424, &kind("ModelErrorException"), r#"{"message":"The model failed"}"#, "! server_error");
    check(
        429,
        &kind("ThrottlingException"),
        r#"{"message":"Too many tokens, please wait before trying again."}"#,
        "! rate_limit",
    );
    check(500, &kind("InternalServerException"), r#"{"message":"oops"}"#, "! server_error");
    check(
        503,
        &kind("ServiceUnavailableException"),
        r#"{"message":"Bedrock is unable to process your request."}"#,
        "! server_error",
    );
}

#[test]
fn gemini() {
    let check = |status: u16, body: &str, expect: &str| check("gemini", status, JSON, body, expect);
    check(
        200,
        r#"{"candidates":[{"content":{"parts":[{"text":"let me see","thought":true},{"text":"hello"},
            {"functionCall":{"name":"look","args":{"service":"cache"}},"thoughtSignature":"x"}],"role":"model"},"finishReason":"STOP"}],
            "usageMetadata":{"promptTokenCount":20,"candidatesTokenCount":5,"thoughtsTokenCount":7,"cachedContentTokenCount":4,"totalTokenCount":32}}"#,
        r#"hello | let me see | call_0:look{"service":"cache"} | 20/12/7/4 | STOP | carries"#,
    );
    check(200, r#"{"candidates":[{"content":{"role":"model"},"finishReason":"STOP"}]}"#, "! empty_reply");
    check(
        200,
        r#"{"candidates":[{"content":{"role":"model"},"finishReason":"MAX_TOKENS"}],"usageMetadata":{"thoughtsTokenCount":64}}"#,
        " | - |  | 0/64/64/0 | MAX_TOKENS",
    );
    check(200, r#"{"candidates":[{"finishReason":"SAFETY"}]}"#, "! filtered for good");
    check(200, r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}"#, "! filtered for good");
    check(
        200,
        r#"{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print("}]}"#,
        "! malformed_reply",
    );
    check(200, r#"{"usageMetadata":{}}"#, "! malformed_reply");
    let error = |code: u16, status: &str, message: &str, details: &str| {
        format!(r#"{{"error":{{"code":{code},"message":"{message}","status":"{status}","details":[{details}]}}}}"#)
    };
    let reason =
        r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}"#;
    check(
        400,
        &error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", reason),
        "! authentication for good",
    );
    check(
        400,
        &error(
            400,
            "INVALID_ARGUMENT",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            "",
        ),
        "! context_too_long for good",
    );
    check(
        400,
        &error(400, "FAILED_PRECONDITION", "User location is not supported for the API use.", ""),
        "! refused for good",
    );
    check(
        403,
        &error(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.", ""),
        "! authentication for good",
    );
    check(
        404,
        &error(404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta", ""),
        "! refused for good",
    );
    let delay = r#"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"38s"}"#;
    check(
        429,
        &error(
            429,
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota, please check your plan and billing details.",
            delay,
        ),
        "! rate_limit after 38s",
    );
    check(500, &error(500, "INTERNAL", "An internal error has occurred.", ""), "! server_error");
    check(503, &error(503, "UNAVAILABLE", "The model is overloaded. Please try again later.", ""), "! server_error");
}

/// Whatever comes back, it is an answer that says something or a failure that says why.
#[test]
fn any_bytes_are_read() {
    use proptest::prelude::*;
    let piece = prop_oneof![
        Just("{\"choices\":[{\"message\":{\"content\":\"a\"}}]}".to_string()),
        Just("{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}".to_string()),
        Just("{\"error\":{\"message\":[1],\"code\":{}}}".to_string()),
        Just("{\"candidates\":[{}]}".to_string()),
        "[\\[\\]{}\":,a0é ]{0,24}",
        ".{0,24}",
    ];
    proptest!(|(status in 0u16..1000, body in piece, wait in ".{0,12}")| {
        let headers = [("retry-after".to_string(), wait)];
        for provider in super::ALL {
            match target(provider.name).reply(status, &headers, body.as_bytes(), NOW) {
                Ok(answer) => prop_assert!(!answer.text.trim().is_empty() || !answer.tool_calls.is_empty()),
                Err(failure) => prop_assert!(!failure.message.is_empty() && failure.message.len() < 1300),
            }
        }
    });
}
