//! Tool calls that are oddly made. What is garbled is the provider's fault; what is clear and wrong is the model's own.

use harness::ProviderFault::{EmptyReply, MalformedReply};
use serde_json::{Value, json};

use super::Dialect::{Chat, Converse, Gemini, Messages, Responses};
use super::Means::{Answer, Fault, Own};
use super::Sends::Json;
use super::{Mode, mode};

const GARBLED: &str = "are no JSON object";

pub const MODES: &[Mode] = &[
    mode(Chat, "tool-arguments-object", Json(|b| arguments(b, parsed)), Answer),
    mode(
        Chat,
        "tool-arguments-broken",
        Json(|b| arguments(b, |_| json!("{\"service\": \"ca"))),
        Fault(MalformedReply, GARBLED),
    ),
    mode(Chat, "tool-arguments-list", Json(|b| arguments(b, |_| json!("[1, 2]"))), Fault(MalformedReply, GARBLED)),
    mode(Chat, "tool-arguments-number", Json(|b| arguments(b, |_| json!(7))), Fault(MalformedReply, GARBLED)),
    mode(
        Chat,
        "tool-arguments-quoted",
        Json(|b| arguments(b, |old| json!(old.to_string()))),
        Fault(MalformedReply, GARBLED),
    ),
    mode(
        Chat,
        "tool-arguments-deep",
        Json(|b| arguments(b, |_| json!("{\"a\":".repeat(50_000)))),
        Fault(MalformedReply, GARBLED),
    ),
    mode(Chat, "tool-arguments-other", Json(|b| arguments(b, |_| json!("{\"stranger\": [null, 1e300, {}]}"))), Own),
    mode(Chat, "tool-arguments-null", Json(|b| arguments(b, |_| json!(null))), Own),
    mode(Chat, "tool-arguments-long", Json(|b| arguments(b, |_| json!({ "service": "c".repeat(300_000) }))), Own),
    mode(Chat, "tool-unknown", Json(|b| name(b, json!("launch_missiles"))), Own),
    mode(Chat, "tool-no-name", Json(|b| name(b, json!(null))), Own),
    mode(Chat, "tool-odd-name", Json(|b| name(b, json!("../../etc/passwd\u{0}\n"))), Own),
    mode(Chat, "tool-no-id", Json(|b| call(b)["id"] = json!(null)), Answer),
    mode(Chat, "tool-number-id", Json(|b| call(b)["id"] = json!(12)), Answer),
    mode(Chat, "tool-no-type", Json(|b| call(b)["type"] = json!(null)), Answer),
    // The first call of a turn is carried out and the others are told that they were not; a model that this confuses has
    // only itself to blame.
    mode(Chat, "tool-second-call", Json(second_call), Own),
    mode(Chat, "tool-thousand-calls", Json(thousand_calls), Own),
    mode(Chat, "tool-same-id-twice", Json(twice), Own),
    mode(
        Chat,
        "tool-words-beside",
        Json(|b| b["choices"][0]["message"]["content"] = json!("I will look at it.")),
        Answer,
    ),
    mode(Chat, "tool-finish-stop", Json(|b| b["choices"][0]["finish_reason"] = json!("stop")), Answer),
    mode(Chat, "tool-calls-object", Json(calls_object), Fault(EmptyReply, "the answer is empty")),
    mode(Chat, "tool-call-null", Json(|b| *call(b) = json!(null)), Own),
    mode(Messages, "tool-input-null", Json(|b| *block(b, "tool_use", "input") = json!(null)), Own),
    mode(
        Messages,
        "tool-input-list",
        Json(|b| *block(b, "tool_use", "input") = json!([1])),
        Fault(MalformedReply, GARBLED),
    ),
    mode(
        Messages,
        "tool-input-text",
        Json(|b| *block(b, "tool_use", "input") = json!("{")),
        Fault(MalformedReply, GARBLED),
    ),
    mode(Messages, "tool-use-no-name", Json(|b| *block(b, "tool_use", "name") = json!(null)), Own),
    mode(
        Responses,
        "tool-call-broken",
        Json(|b| *item(b, "arguments") = json!("{\"a")),
        Fault(MalformedReply, GARBLED),
    ),
    mode(Responses, "tool-call-no-name", Json(|b| *item(b, "name") = json!({})), Own),
    mode(Gemini, "tool-args-list", Json(|b| function_call(b)["args"] = json!([])), Fault(MalformedReply, GARBLED)),
    mode(Gemini, "tool-args-none", Json(|b| function_call(b)["args"] = json!(null)), Own),
    mode(Converse, "tool-use-input-text", Json(|b| tool_use(b)["input"] = json!("no")), Fault(MalformedReply, GARBLED)),
    mode(Converse, "tool-use-unknown", Json(|b| tool_use(b)["name"] = json!("nothing")), Own),
];

fn call(body: &mut Value) -> &mut Value {
    &mut body["choices"][0]["message"]["tool_calls"][0]
}

fn arguments(body: &mut Value, change: fn(&Value) -> Value) {
    let arguments = &mut call(body)["function"]["arguments"];
    *arguments = change(arguments);
}

fn parsed(arguments: &Value) -> Value {
    serde_json::from_str(arguments.as_str().expect("arguments are text")).expect("good arguments are JSON")
}

fn name(body: &mut Value, name: Value) {
    call(body)["function"]["name"] = name;
}

fn calls(body: &mut Value) -> &mut Vec<Value> {
    body["choices"][0]["message"]["tool_calls"].as_array_mut().expect("a good answer calls a tool")
}

fn second_call(body: &mut Value) {
    let function = json!({ "name": "resolve", "arguments": "{\"root_cause\": \"the other call\"}" });
    calls(body).push(json!({ "id": "call_other", "type": "function", "function": function }));
}

fn thousand_calls(body: &mut Value) {
    let calls = calls(body);
    let first = calls[0].clone();
    calls.resize(1000, first);
}

fn twice(body: &mut Value) {
    let calls = calls(body);
    calls.push(calls[0].clone());
}

fn calls_object(body: &mut Value) {
    let calls = &mut body["choices"][0]["message"]["tool_calls"];
    *calls = calls[0].take();
}

/// The field of the block of that type.
fn block<'a>(body: &'a mut Value, kind: &str, field: &str) -> &'a mut Value {
    let blocks = body["content"].as_array_mut().expect("a good answer has content");
    &mut blocks.iter_mut().find(|block| block["type"] == kind).expect("a good answer calls a tool")[field]
}

fn item<'a>(body: &'a mut Value, field: &str) -> &'a mut Value {
    let items = body["output"].as_array_mut().expect("a good answer has output");
    &mut items.iter_mut().find(|item| item["type"] == "function_call").expect("a good answer calls a tool")[field]
}

fn function_call(body: &mut Value) -> &mut Value {
    let parts = body["candidates"][0]["content"]["parts"].as_array_mut().expect("a good answer has parts");
    let part = parts.iter_mut().find(|part| part["functionCall"].is_object());
    &mut part.expect("a good answer calls a tool")["functionCall"]
}

fn tool_use(body: &mut Value) -> &mut Value {
    let content = body["output"]["message"]["content"].as_array_mut().expect("a good answer has content");
    let block = content.iter_mut().find(|block| block["toolUse"].is_object());
    &mut block.expect("a good answer calls a tool")["toolUse"]
}
