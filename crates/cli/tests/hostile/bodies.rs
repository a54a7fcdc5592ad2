//! Bodies that are no answer, or an answer oddly written.

use harness::ProviderFault::{EmptyReply, MalformedReply};
use serde_json::json;

use super::Dialect::{Chat, Converse, Gemini, Messages, Responses};
use super::Means::{Answer, Fault};
use super::Sends::{Body, Bytes, Json};
use super::{After, Good, Mode, Wire, mode};

const NO_JSON: &str = "the reply is no JSON";
const NO_OBJECT: &str = "the reply is JSON, but no object";

pub const MODES: &[Mode] = &[
    mode(Chat, "body-empty", Body(""), Fault(EmptyReply, "the reply has no body")),
    mode(Messages, "body-blank", Body(" \r\n\t\n"), Fault(EmptyReply, "the reply has no body")),
    mode(Chat, "body-null", Body("null"), Fault(MalformedReply, NO_OBJECT)),
    mode(Chat, "body-true", Body("true"), Fault(MalformedReply, NO_OBJECT)),
    mode(Chat, "body-number", Body("1e308"), Fault(MalformedReply, NO_OBJECT)),
    mode(Gemini, "body-text", Body("\"ok\""), Fault(MalformedReply, NO_OBJECT)),
    mode(Converse, "body-list", Body("[]"), Fault(MalformedReply, NO_OBJECT)),
    mode(Chat, "body-page", Body("<!doctype html><title>Log in</title>"), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-words", Body("upstream connect error"), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-ndjson", Body("{}\n{}\n"), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-events", Body("data: {\"choices\":[]}\n\ndata: [DONE]\n\n"), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-guarded", Body(")]}'\n{}"), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-commented", Body("{} // fine"), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-nan", Body("{\"choices\": NaN}"), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-huge-number", Body("{\"choices\": 1e999}"), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-lone-surrogate", Body("{\"choices\": \"\\ud800\"}"), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-deep-list", Bytes(|_| Wire::json(&[b'['; 200_000])), Fault(MalformedReply, NO_JSON)),
    mode(
        Responses,
        "body-deep-object",
        Bytes(|_| Wire::json("{\"a\":".repeat(50_000).as_bytes())),
        Fault(MalformedReply, NO_JSON),
    ),
    mode(Chat, "body-half", Bytes(|good| part(good, 1, 2)), Fault(MalformedReply, NO_JSON)),
    mode(Messages, "body-most", Bytes(|good| part(good, 99, 100)), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-twice", Bytes(|good| around(good, "", &good.json.to_string())), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-rest", Bytes(|good| around(good, "", "}")), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-mark", Bytes(|good| around(good, "\u{feff}", "")), Answer),
    mode(Chat, "body-utf-16", Bytes(utf_16), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-no-utf-8", Bytes(|_| Wire::json(b"{\"choices\": \"\xff\xfe\"}")), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-nul", Bytes(|good| around(good, "", "\0")), Fault(MalformedReply, NO_JSON)),
    mode(Chat, "body-padded", Bytes(|good| around(good, &" ".repeat(1 << 20), "\n\n")), Answer),
    mode(
        Chat,
        "body-over-limit",
        Bytes(|good| around(good, &" ".repeat(33 << 20), "")),
        Fault(MalformedReply, "limit"),
    ),
    mode(
        Gemini,
        "body-endless",
        Bytes(|_| Wire::new("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{ ", After::Flood)),
        Fault(MalformedReply, "limit"),
    ),
    mode(Chat, "body-double-fields", Bytes(double_fields), Answer),
    mode(Chat, "body-more-fields", Json(|body| body["x"] = json!({ "error": "none", "choices": [null] })), Answer),
    // What was used is for the books; none of it moves a score.
    mode(Chat, "usage-none", Json(|body| body["usage"] = json!(null)), Answer),
    mode(Chat, "usage-negative", Json(|body| body["usage"]["prompt_tokens"] = json!(-5)), Answer),
    mode(Chat, "usage-fraction", Json(|body| body["usage"]["completion_tokens"] = json!(0.5)), Answer),
    mode(Chat, "usage-text", Json(|body| body["usage"]["completion_tokens"] = json!("12")), Answer),
    mode(Chat, "usage-list", Json(|body| body["usage"] = json!([1, 2, 3])), Answer),
    mode(Chat, "usage-most", Json(|body| most(&mut body["usage"])), Answer),
    mode(Responses, "usage-most-responses", Json(|body| most(&mut body["usage"])), Answer),
    mode(Messages, "usage-most-messages", Json(most_messages), Answer),
    mode(Converse, "usage-most-converse", Json(most_converse), Answer),
    mode(Gemini, "usage-most-gemini", Json(most_gemini), Answer),
];

fn part(good: &Good, share: usize, of: usize) -> Wire {
    let body = good.body();
    Wire::json(&body[..body.len() * share / of])
}

fn around(good: &Good, before: &str, after: &str) -> Wire {
    Wire::json(&[before.as_bytes(), &good.body(), after.as_bytes()].concat())
}

fn utf_16(good: &Good) -> Wire {
    let bytes: Vec<u8> = good.json.to_string().encode_utf16().flat_map(u16::to_le_bytes).collect();
    Wire::json(&bytes)
}

/// The same field twice: the last one counts, as in every reader that we know.
fn double_fields(good: &Good) -> Wire {
    let text = good.json.to_string();
    Wire::json(format!("{{\"choices\":[],{}", &text[1..]).as_bytes())
}

const MOST: u64 = u64::MAX;

fn most(usage: &mut serde_json::Value) {
    for count in usage.as_object_mut().into_iter().flat_map(|fields| fields.values_mut()) {
        match count {
            serde_json::Value::Object(_) => most(count),
            plain => *plain = json!(MOST),
        }
    }
}

fn most_messages(body: &mut serde_json::Value) {
    body["usage"] = json!({
        "input_tokens": MOST, "cache_read_input_tokens": MOST, "cache_creation_input_tokens": MOST, "output_tokens": MOST,
    });
}

fn most_converse(body: &mut serde_json::Value) {
    body["usage"] = json!({
        "inputTokens": MOST, "cacheReadInputTokens": MOST, "cacheWriteInputTokens": MOST, "outputTokens": MOST,
    });
}

fn most_gemini(body: &mut serde_json::Value) {
    body["usageMetadata"] = json!({
        "promptTokenCount": MOST, "candidatesTokenCount": MOST, "thoughtsTokenCount": MOST, "cachedContentTokenCount": MOST,
    });
}
