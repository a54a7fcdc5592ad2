//! Each format's shapes, as data. They are the providers' own, written down from their references.

use serde_json::{Value, json};

use super::{ALL, RequestHeaders, RequestProblem, ServerFormat};
use crate::fake_provider::answer::{FakeAnswer, Finish, Tokens};
use crate::fake_provider::call::ActionCall;
use crate::fake_provider::prompt::{By, IncomingPrompt};

fn wire(name: &str) -> &'static dyn ServerFormat {
    ALL.iter().copied().find(|wire| wire.name() == name).unwrap_or_else(|| panic!("{name} is a format"))
}

fn read(name: &str, body: &Value) -> Result<IncomingPrompt, String> {
    let headers = [("Anthropic-Version".to_string(), "2023-06-01".to_string())];
    wire(name).read(Some("m"), &RequestHeaders(&headers), body)
}

/// The same conversation in every format: a system text, a question, a tool call, its answer.
fn conversations() -> Vec<(&'static str, Value)> {
    let schema =
        json!({ "type": "object", "properties": { "service": { "type": "string" } }, "required": ["service"] });
    let arguments = json!({ "service": "cache" });
    let function = json!({ "name": "check_status", "arguments": arguments.to_string() });
    vec![
        (
            "chat",
            json!({
                "model": "m",
                "messages": [
                    { "role": "system", "content": "be brief" },
                    { "role": "user", "content": [{ "type": "text", "text": "brief" }] },
                    { "role": "assistant", "content": null, "tool_calls": [{ "id": "c1", "type": "function", "function": function }] },
                    { "role": "tool", "tool_call_id": "c1", "content": "cache is down" },
                ],
                "tools": [{ "type": "function", "function": { "name": "check_status", "parameters": schema } }],
            }),
        ),
        (
            "responses",
            json!({
                "model": "m",
                "instructions": "be brief",
                "input": [
                    { "role": "user", "content": "brief" },
                    { "type": "reasoning", "id": "r", "summary": [] },
                    { "type": "function_call", "call_id": "c1", "name": "check_status", "arguments": arguments.to_string() },
                    { "type": "function_call_output", "call_id": "c1", "output": "cache is down" },
                ],
                "tools": [{ "type": "function", "name": "check_status", "parameters": schema }],
            }),
        ),
        (
            "messages",
            json!({
                "model": "m",
                "max_tokens": 100,
                "system": [{ "type": "text", "text": "be brief" }],
                "messages": [
                    { "role": "user", "content": "brief" },
                    { "role": "assistant", "content": [{ "type": "tool_use", "id": "c1", "name": "check_status", "input": arguments }] },
                    { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c1", "content": "cache is down" }] },
                ],
                "tools": [{ "name": "check_status", "input_schema": schema }],
            }),
        ),
        (
            "converse",
            json!({
                "system": [{ "text": "be brief" }],
                "messages": [
                    { "role": "user", "content": [{ "text": "brief" }] },
                    { "role": "assistant", "content": [{ "toolUse": { "toolUseId": "c1", "name": "check_status", "input": arguments } }] },
                    { "role": "user", "content": [{ "toolResult": { "toolUseId": "c1", "content": [{ "text": "cache is down" }] } }] },
                ],
                "toolConfig": { "tools": [{ "toolSpec": { "name": "check_status", "inputSchema": { "json": schema } } }] },
            }),
        ),
        (
            "gemini",
            json!({
                "systemInstruction": { "parts": [{ "text": "be brief" }] },
                "contents": [
                    { "role": "user", "parts": [{ "text": "brief" }] },
                    { "role": "model", "parts": [{ "functionCall": { "name": "check_status", "args": arguments } }] },
                    { "role": "user", "parts": [{ "functionResponse": { "name": "check_status", "response": { "output": "cache is down" } } }] },
                ],
                "tools": [{ "functionDeclarations": [{ "name": "check_status", "parameters": schema }] }],
            }),
        ),
    ]
}

#[test]
fn all_formats_say_the_same() {
    for (name, body) in conversations() {
        let prompt = read(name, &body).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let said: Vec<(By, &str)> = prompt.messages.iter().map(|message| (message.by, message.text.as_str())).collect();
        let call = "check_status(service=\"cache\")";
        assert_eq!(said, [(By::User, "brief"), (By::Model, call), (By::User, "cache is down")], "{name}");
        assert_eq!((prompt.model.as_str(), prompt.system.as_str()), ("m", "be brief"), "{name}");
        assert_eq!(prompt.tools[0].params, [("service".to_string(), "string".to_string())], "{name}");
    }
}

#[test]
fn addresses_are_told_apart() {
    let check = |path: &str, expect: Option<(&str, Option<&str>)>| {
        let found: Vec<_> = ALL.iter().filter_map(|wire| Some((wire.name(), wire.route(path)?))).collect();
        let expect: Vec<_> = expect.into_iter().map(|(name, model)| (name, model.map(str::to_string))).collect();
        assert_eq!(found, expect, "{path}");
    };
    check("/v1/chat/completions", Some(("chat", None)));
    check("/chat/completions", Some(("chat", None)));
    check("/api/v1/chat/completions", Some(("chat", None)));
    check("/v1/responses", Some(("responses", None)));
    check("/v1/messages", Some(("messages", None)));
    check("/model/anthropic.claude-v2%3A1/converse", Some(("converse", Some("anthropic.claude-v2:1"))));
    check("/model/arn%3Aaws%3Abedrock%2Fx/converse", Some(("converse", Some("arn:aws:bedrock/x"))));
    check("/v1beta/models/gemini-x:generateContent", Some(("gemini", Some("gemini-x"))));
    check("/v1/completions", None);
    check("/", None);
}

#[test]
fn what_a_provider_would_refuse_is_refused() {
    let check = |name: &str, change: fn(&mut Value), expect: &str| {
        let (_, mut body) = conversations().into_iter().find(|(known, _)| *known == name).expect("a format");
        change(&mut body);
        let problem = read(name, &body).expect_err(expect);
        assert!(problem.contains(expect), "{name}: {problem}");
    };
    check("chat", |b| b["model"] = Value::Null, "`model` must be a string");
    check("chat", |b| b["messages"] = json!([]), "no message to answer");
    check("chat", |b| b["messages"][3]["tool_call_id"] = json!("c2"), "no tool call `c2`");
    check("chat", |b| b["messages"][3] = json!({ "role": "user", "content": "x" }), "`c1` is not answered");
    check("chat", |b| b["messages"][1]["role"] = json!("bot"), "`bot` is no role");
    check("responses", |b| b["input"][3]["call_id"] = json!("c2"), "no tool call `c2`");
    check("responses", |b| b["input"] = json!(7), "`input` must be a list");
    check("messages", |b| b["max_tokens"] = Value::Null, "max_tokens: Field required");
    check("messages", |b| b["messages"][0]["content"] = json!(""), "must be non-empty");
    check("messages", |b| b["messages"][1]["content"][0]["input"] = json!("{}"), "valid dictionary");
    check("converse", |b| b["messages"][0]["role"] = json!("assistant"), "must start with a user message");
    check("converse", |b| b["messages"][2]["role"] = json!("assistant"), "alternate");
    check("converse", |b| b["toolConfig"] = Value::Null, "toolConfig field must be defined");
    check("converse", |b| b["messages"][0]["content"] = json!([{ "text": " " }]), "is blank");
    check("gemini", |b| b["contents"][0]["parts"] = json!([]), "must not be empty");
    check(
        "gemini",
        |b| b["contents"][2]["parts"][0]["functionResponse"]["name"] = json!("other"),
        "must follow a call",
    );
    check("gemini", |b| b["contents"][1]["role"] = json!("assistant"), "valid role");
}

#[test]
fn a_version_must_be_named_to_anthropic() {
    let (_, body) = conversations().swap_remove(2);
    let problem = wire("messages").read(None, &RequestHeaders(&[]), &body).expect_err("the header is missing");
    assert_eq!(problem, "anthropic-version: header is required");
}

fn answered(name: &str, finish: &Finish) -> Value {
    let (_, body) = conversations().into_iter().find(|(known, _)| *known == name).expect("a format");
    let prompt = read(name, &body).expect("it is well");
    let tokens = Tokens { input: 500, cached: 300, output: 40, reasoning: 10 };
    wire(name).answer(&prompt, finish, tokens, "ID")
}

fn call() -> ActionCall {
    ActionCall::parse("check_status(cache)").expect("a call")
}

/// What a finish looks like at the places where a client reads it.
fn check(name: &str, finish: &Finish, expect: &[(&str, Value)]) {
    let body = answered(name, finish);
    for (at, value) in expect {
        assert_eq!(body.pointer(at).unwrap_or(&Value::Null), value, "{name} {at} of {body}");
    }
}

#[test]
fn texts_stand_where_clients_look() {
    let said = Finish::FormattedReply(FakeAnswer { reasoning: Some("Hm.".into()), text: "Hello".into(), call: None });
    let text = || json!("Hello");
    check(
        "chat",
        &said,
        &[
            ("/choices/0/message/content", text()),
            ("/choices/0/message/reasoning", json!("Hm.")),
            ("/choices/0/finish_reason", json!("stop")),
        ],
    );
    check(
        "responses",
        &said,
        &[
            ("/output/0/summary/0/text", json!("Hm.")),
            ("/output/1/content/0/text", text()),
            ("/status", json!("completed")),
        ],
    );
    check(
        "messages",
        &said,
        &[("/content/0/thinking", json!("Hm.")), ("/content/1/text", text()), ("/stop_reason", json!("end_turn"))],
    );
    check(
        "converse",
        &said,
        &[
            ("/output/message/content/0/reasoningContent/reasoningText/text", json!("Hm.")),
            ("/output/message/content/1/text", text()),
            ("/stopReason", json!("end_turn")),
        ],
    );
    check(
        "gemini",
        &said,
        &[
            ("/candidates/0/content/parts/0/thought", json!(true)),
            ("/candidates/0/content/parts/1/text", text()),
            ("/candidates/0/finishReason", json!("STOP")),
        ],
    );
}

#[test]
fn calls_stand_where_clients_look() {
    let said = Finish::FormattedReply(FakeAnswer { reasoning: None, text: "I look.".into(), call: Some(call()) });
    let (name, object, text) = (json!("check_status"), json!({ "service": "cache" }), json!("{\"service\":\"cache\"}"));
    let at = "/choices/0/message/tool_calls/0";
    check(
        "chat",
        &said,
        &[
            (&format!("{at}/function/name"), name.clone()),
            (&format!("{at}/function/arguments"), text.clone()),
            ("/choices/0/finish_reason", json!("tool_calls")),
        ],
    );
    check(
        "responses",
        &said,
        &[("/output/0/name", name.clone()), ("/output/0/arguments", text), ("/output/0/call_id", json!("call_ID"))],
    );
    check(
        "messages",
        &said,
        &[
            ("/content/0/text", json!("I look.")),
            ("/content/1/name", name.clone()),
            ("/content/1/input", object.clone()),
            ("/stop_reason", json!("tool_use")),
        ],
    );
    let at = "/output/message/content/1/toolUse";
    check(
        "converse",
        &said,
        &[
            (&format!("{at}/name"), name.clone()),
            (&format!("{at}/input"), object.clone()),
            ("/stopReason", json!("tool_use")),
        ],
    );
    let at = "/candidates/0/content/parts/0/functionCall";
    check("gemini", &said, &[(&format!("{at}/name"), name), (&format!("{at}/args"), object)]);
}

#[test]
fn nothing_and_held_back_look_as_the_provider_shows_them() {
    let (nothing, held) = (Finish::Nothing, Finish::Filtered);
    check("chat", &nothing, &[("/choices/0/message/content", json!("")), ("/choices/0/finish_reason", json!("stop"))]);
    check(
        "chat",
        &held,
        &[("/choices/0/message/content", Value::Null), ("/choices/0/finish_reason", json!("content_filter"))],
    );
    check("responses", &nothing, &[("/output/0/content/0/text", json!(""))]);
    check(
        "responses",
        &held,
        &[("/status", json!("incomplete")), ("/incomplete_details/reason", json!("content_filter"))],
    );
    check("messages", &nothing, &[("/content", json!([])), ("/stop_reason", json!("end_turn"))]);
    check("messages", &held, &[("/content", json!([])), ("/stop_reason", json!("refusal"))]);
    check("converse", &nothing, &[("/output/message/content", json!([])), ("/stopReason", json!("end_turn"))]);
    check("converse", &held, &[("/stopReason", json!("content_filtered"))]);
    check(
        "gemini",
        &nothing,
        &[("/candidates/0/content/parts", Value::Null), ("/candidates/0/finishReason", json!("STOP"))],
    );
    check(
        "gemini",
        &held,
        &[("/candidates", Value::Null), ("/promptFeedback/blockReason", json!("PROHIBITED_CONTENT"))],
    );
}

#[test]
fn broken_arguments_cannot_be_read() {
    let finish = Finish::BrokenCall(call());
    for (name, at) in [
        ("chat", "/choices/0/message/tool_calls/0/function/arguments"),
        ("responses", "/output/0/arguments"),
        ("messages", "/content/0/input"),
        ("converse", "/output/message/content/0/toolUse/input"),
    ] {
        let body = answered(name, &finish);
        let arguments = body.pointer(at).and_then(Value::as_str).unwrap_or_else(|| panic!("{name}: {body}"));
        assert!(serde_json::from_str::<Value>(arguments).is_err(), "{name}: {arguments}");
    }
    check("gemini", &finish, &[("/candidates/0/finishReason", json!("MALFORMED_FUNCTION_CALL"))]);
}

#[test]
fn tokens_are_counted_as_each_provider_counts_them() {
    let check = |name: &str, expect: Value| {
        let body = answered(name, &Finish::Nothing);
        let usage = body.get("usage").or(body.get("usageMetadata")).expect("it says what was used");
        for (key, value) in expect.as_object().expect("an object") {
            assert_eq!(&usage[key], value, "{name} {key}");
        }
    };
    check(
        "chat",
        json!({ "prompt_tokens": 500, "completion_tokens": 40, "total_tokens": 540, "prompt_tokens_details": { "cached_tokens": 300 }, "completion_tokens_details": { "reasoning_tokens": 10 } }),
    );
    check(
        "responses",
        json!({ "input_tokens": 500, "output_tokens": 40, "input_tokens_details": { "cached_tokens": 300 }, "output_tokens_details": { "reasoning_tokens": 10 } }),
    );
    check("messages", json!({ "input_tokens": 200, "cache_read_input_tokens": 300, "output_tokens": 40 }));
    check(
        "converse",
        json!({ "inputTokens": 200, "cacheReadInputTokens": 300, "outputTokens": 40, "totalTokens": 540 }),
    );
    check(
        "gemini",
        json!({ "promptTokenCount": 500, "cachedContentTokenCount": 300, "candidatesTokenCount": 30, "thoughtsTokenCount": 10, "totalTokenCount": 540 }),
    );
}

#[test]
fn errors_look_as_the_provider_words_them() {
    let check = |name: &str, problem: RequestProblem<'_>, status: u16, at: &str, expect: &str| {
        let said = wire(name).problem(&problem);
        let found = said.body.pointer(at).and_then(Value::as_str).unwrap_or_default();
        assert_eq!((said.status, found), (status, expect), "{name} {problem:?}");
    };
    check("chat", RequestProblem::RateLimited, 429, "/error/code", "rate_limit_exceeded");
    check("chat", RequestProblem::TooLong(9, 5), 400, "/error/code", "context_length_exceeded");
    check("chat", RequestProblem::BadKey, 401, "/error/code", "invalid_api_key");
    check("chat", RequestProblem::NoModel("x"), 404, "/error/code", "model_not_found");
    check("chat", RequestProblem::Internal, 500, "/error/type", "server_error");
    check("responses", RequestProblem::TooLong(9, 5), 400, "/error/param", "input");
    check("messages", RequestProblem::RateLimited, 429, "/error/type", "rate_limit_error");
    check("messages", RequestProblem::Overloaded, 529, "/error/type", "overloaded_error");
    check("messages", RequestProblem::TooLong(9, 5), 400, "/error/message", "prompt is too long: 9 tokens > 5 maximum");
    check("messages", RequestProblem::BadKey, 401, "/error/type", "authentication_error");
    check("messages", RequestProblem::NoModel("x"), 404, "/error/type", "not_found_error");
    check("converse", RequestProblem::TooLong(9, 5), 400, "/message", "Input is too long for requested model.");
    check("converse", RequestProblem::NoModel("x"), 400, "/message", "The provided model identifier is invalid.");
    check("gemini", RequestProblem::RateLimited, 429, "/error/status", "RESOURCE_EXHAUSTED");
    check("gemini", RequestProblem::Unavailable, 503, "/error/status", "UNAVAILABLE");
    check("gemini", RequestProblem::BadKey, 400, "/error/details/0/reason", "API_KEY_INVALID");
    check("gemini", RequestProblem::NoModel("x"), 404, "/error/status", "NOT_FOUND");
    let throttled = wire("converse").problem(&RequestProblem::RateLimited);
    assert_eq!(throttled.headers, [("x-amzn-ErrorType", "ThrottlingException".to_string())]);
}

#[test]
fn keys_are_found_where_each_provider_wants_them() {
    let check = |name: &str, header: (&str, &str), expect: Option<&str>| {
        let headers = [(header.0.to_string(), header.1.to_string())];
        assert_eq!(wire(name).key(&RequestHeaders(&headers)), expect, "{name} {header:?}");
    };
    check("chat", ("Authorization", "Bearer k"), Some("k"));
    check("chat", ("x-api-key", "k"), None);
    check("messages", ("X-Api-Key", "k"), Some("k"));
    check("gemini", ("x-goog-api-key", "k"), Some("k"));
    check("converse", ("authorization", "Bearer k"), Some("k"));
    check(
        "converse",
        ("authorization", "AWS4-HMAC-SHA256 Credential=k/20260101/eu/bedrock/aws4_request, Signature=0"),
        Some("k"),
    );
}
