//! Whole answers as the events of a stream. Each function takes the body that would have been sent at once and gives
//! what a client reads when it asked for a stream.

use serde_json::{Value, json};

/// Text is sent in pieces of about so many characters: more than one, so that a client has to put them together.
const PIECE: usize = 24;

/// OpenAI chat completions: chunks with deltas, then `[DONE]`.
pub fn chat(answer: &Value, with_usage: bool) -> String {
    let choice = &answer["choices"][0];
    let message = &choice["message"];
    let mut deltas = vec![json!({ "role": "assistant", "content": "" })];
    deltas.extend(pieces(&message["reasoning"]).map(|piece| json!({ "reasoning": piece })));
    deltas.extend(pieces(&message["content"]).map(|piece| json!({ "content": piece })));
    for (index, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
        let (name, arguments) = (&call["function"]["name"], &call["function"]["arguments"]);
        let first = json!({ "index": index, "id": call["id"], "type": "function", "function": { "name": name, "arguments": "" } });
        let rest = pieces(arguments).map(|piece| json!({ "index": index, "function": { "arguments": piece } }));
        deltas.extend([first].into_iter().chain(rest).map(|call| json!({ "tool_calls": [call] })));
    }
    let chunk = |choices: Value| {
        let mut chunk = json!({
            "id": answer["id"],
            "object": "chat.completion.chunk",
            "created": answer["created"],
            "model": answer["model"],
            "system_fingerprint": answer["system_fingerprint"],
            "choices": choices,
        });
        if with_usage {
            chunk["usage"] = Value::Null;
        }
        chunk
    };
    let of = |delta: Value, reason: &Value| {
        chunk(json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": reason }]))
    };
    let mut chunks: Vec<Value> = deltas.into_iter().map(|delta| of(delta, &Value::Null)).collect();
    chunks.push(of(json!({}), &choice["finish_reason"]));
    if with_usage {
        let mut last = chunk(json!([]));
        last["usage"] = answer["usage"].clone();
        chunks.push(last);
    }
    let lines: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    lines + "data: [DONE]\n\n"
}

/// Anthropic Messages: named events, a start, deltas and a stop for each block.
pub fn messages(answer: &Value) -> String {
    let mut begun = answer.clone();
    begun["content"] = json!([]);
    begun["stop_reason"] = Value::Null;
    begun["usage"]["output_tokens"] = json!(1);
    let mut events = vec![json!({ "type": "message_start", "message": begun })];
    for (index, block) in answer["content"].as_array().into_iter().flatten().enumerate() {
        let (empty, deltas) = block_deltas(block);
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": empty }));
        let delta = |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta });
        events.extend(deltas.into_iter().map(delta));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let end = json!({ "stop_reason": answer["stop_reason"], "stop_sequence": null });
    let usage = json!({ "output_tokens": answer["usage"]["output_tokens"] });
    events.push(json!({ "type": "message_delta", "delta": end, "usage": usage }));
    events.push(json!({ "type": "message_stop" }));
    named(&events)
}

/// A block as it begins, and what is added to it.
fn block_deltas(block: &Value) -> (Value, Vec<Value>) {
    let mut empty = block.clone();
    match block["type"].as_str() {
        Some("tool_use") => {
            empty["input"] = json!({});
            let input = Value::String(block["input"].to_string());
            (empty, pieces(&input).map(|piece| json!({ "type": "input_json_delta", "partial_json": piece })).collect())
        }
        Some("thinking") => {
            empty["thinking"] = json!("");
            let thought =
                pieces(&block["thinking"]).map(|piece| json!({ "type": "thinking_delta", "thinking": piece }));
            let sealed = json!({ "type": "signature_delta", "signature": block["signature"] });
            (empty, thought.chain([sealed]).collect())
        }
        _ => {
            empty["text"] = json!("");
            (empty, pieces(&block["text"]).map(|piece| json!({ "type": "text_delta", "text": piece })).collect())
        }
    }
}

/// OpenAI responses: named events with numbers, items that are added and done.
pub fn responses(answer: &Value) -> String {
    let mut begun = answer.clone();
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    begun["usage"] = Value::Null;
    let mut events = vec![
        json!({ "type": "response.created", "response": begun }),
        json!({ "type": "response.in_progress", "response": begun }),
    ];
    for (index, item) in answer["output"].as_array().into_iter().flatten().enumerate() {
        response_item(&mut events, index, item);
    }
    let last = if answer["status"] == "completed" { "response.completed" } else { "response.incomplete" };
    events.push(json!({ "type": last, "response": answer }));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    named(&events)
}

fn response_item(events: &mut Vec<Value>, index: usize, item: &Value) {
    let id = &item["id"];
    let mut empty = item.clone();
    match item["type"].as_str() {
        Some("function_call") => {
            empty["arguments"] = json!("");
            empty["status"] = json!("in_progress");
            events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": empty }));
            let at = |kind: &str| json!({ "type": format!("response.function_call_arguments.{kind}"), "item_id": id, "output_index": index });
            for piece in pieces(&item["arguments"]) {
                let mut delta = at("delta");
                delta["delta"] = json!(piece);
                events.push(delta);
            }
            let mut done = at("done");
            done["arguments"] = item["arguments"].clone();
            events.push(done);
        }
        Some("message") => {
            empty["content"] = json!([]);
            empty["status"] = json!("in_progress");
            events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": empty }));
            let part = &item["content"][0];
            let at = |kind: &str| json!({ "type": format!("response.{kind}"), "item_id": id, "output_index": index, "content_index": 0 });
            let with = |kind: &str, field: &str, value: Value| {
                let mut event = at(kind);
                event[field] = value;
                event
            };
            let nothing = json!({ "type": "output_text", "text": "", "annotations": [] });
            events.push(with("content_part.added", "part", nothing));
            events.extend(pieces(&part["text"]).map(|piece| with("output_text.delta", "delta", json!(piece))));
            events.push(with("output_text.done", "text", part["text"].clone()));
            events.push(with("content_part.done", "part", part.clone()));
        }
        _ => events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": item })),
    }
    events.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
}

/// Gemini: every event is an answer of its own; the last one says why it ended.
pub fn gemini(answer: &Value) -> String {
    let parts = answer["candidates"][0]["content"]["parts"].as_array().cloned().unwrap_or_default();
    let mut events: Vec<Value> = Vec::new();
    for part in &parts {
        let split: Vec<Value> = match part["text"].as_str() {
            Some(_) => pieces(&part["text"])
                .map(|piece| {
                    let mut some = part.clone();
                    some["text"] = json!(piece);
                    some
                })
                .collect(),
            None => vec![part.clone()],
        };
        for some in split {
            let content = json!({ "parts": [some], "role": "model" });
            let mut event = answer.clone();
            event["candidates"] = json!([{ "content": content, "index": 0 }]);
            events.push(event);
        }
    }
    match events.last_mut() {
        Some(last) => last["candidates"][0]["finishReason"] = answer["candidates"][0]["finishReason"].clone(),
        None => events.push(answer.clone()),
    }
    events.iter().map(|event| format!("data: {event}\r\n\r\n")).collect()
}

/// Events whose type is their name too.
fn named(events: &[Value]) -> String {
    let one = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(one).collect()
}

/// A text in pieces; nothing of what is no text.
fn pieces(text: &Value) -> impl Iterator<Item = String> {
    let letters: Vec<char> = text.as_str().unwrap_or_default().chars().collect();
    letters.chunks(PIECE).map(|piece| piece.iter().collect()).collect::<Vec<String>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(stream: &str) -> Vec<Value> {
        let lines = stream.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|line| *line != "[DONE]");
        lines.map(|line| serde_json::from_str(line).expect("an event is JSON")).collect()
    }

    const TEXT: &str = "A long answer that has to be put together again, ünïcödé included.";

    #[test]
    fn chat_chunks_add_up_to_the_answer() {
        let call = json!({ "id": "c", "type": "function", "function": { "name": "f", "arguments": "{\"service\": \"message_queue\"}" } });
        let message = json!({ "role": "assistant", "content": TEXT, "tool_calls": [call] });
        let answer = json!({ "id": "x", "choices": [{ "message": message, "finish_reason": "tool_calls" }], "usage": { "total_tokens": 7 } });
        let stream = chat(&answer, true);
        assert!(stream.ends_with("data: [DONE]\n\n"));
        let (mut said, mut arguments, chunks) = (String::new(), String::new(), data(&stream));
        for chunk in &chunks {
            let delta = &chunk["choices"][0]["delta"];
            said += delta["content"].as_str().unwrap_or_default();
            arguments += delta["tool_calls"][0]["function"]["arguments"].as_str().unwrap_or_default();
        }
        assert_eq!((said.as_str(), arguments.as_str()), (TEXT, "{\"service\": \"message_queue\"}"));
        assert_eq!(chunks[chunks.len() - 2]["choices"][0]["finish_reason"], "tool_calls");
        assert_eq!(chunks[chunks.len() - 1]["usage"]["total_tokens"], 7);
        assert!(!chat(&answer, false).contains("\"usage\""));
    }

    #[test]
    fn message_events_add_up_to_the_answer() {
        let input = json!({ "service": "message_queue", "key": "MAX_RETRIES" });
        let answer = json!({
            "content": [{ "type": "text", "text": TEXT }, { "type": "tool_use", "id": "t", "name": "f", "input": input }],
            "stop_reason": "tool_use", "usage": { "input_tokens": 5, "output_tokens": 9 },
        });
        let (mut said, mut given) = (String::new(), String::new());
        let events = data(&messages(&answer));
        for event in &events {
            said += event["delta"]["text"].as_str().unwrap_or_default();
            given += event["delta"]["partial_json"].as_str().unwrap_or_default();
        }
        assert_eq!(said, TEXT);
        assert_eq!(serde_json::from_str::<Value>(&given).expect("JSON"), input);
        assert_eq!(events[events.len() - 2]["delta"]["stop_reason"], "tool_use");
        assert_eq!(events[0]["message"]["content"], json!([]));
    }

    #[test]
    fn response_events_are_numbered_and_end_with_the_answer() {
        let part = json!({ "type": "output_text", "text": TEXT, "annotations": [] });
        let call = json!({ "type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": "{}", "status": "completed" });
        let item = json!({ "type": "message", "id": "m", "status": "completed", "content": [part] });
        let answer = json!({ "id": "r", "status": "completed", "output": [item, call] });
        let events = data(&responses(&answer));
        let said: String = events
            .iter()
            .filter(|e| e["type"] == "response.output_text.delta")
            .filter_map(|e| e["delta"].as_str())
            .collect();
        assert_eq!(said, TEXT);
        assert!(events.iter().enumerate().all(|(at, event)| event["sequence_number"] == at));
        assert_eq!(
            events.last().map(|last| (&last["type"], &last["response"]["output"])),
            Some((&json!("response.completed"), &answer["output"]))
        );
    }

    #[test]
    fn gemini_events_add_up_to_the_answer() {
        let answer = json!({ "candidates": [{ "content": { "parts": [{ "text": TEXT }], "role": "model" }, "finishReason": "STOP", "index": 0 }] });
        let events = data(&gemini(&answer));
        let said: String =
            events.iter().filter_map(|e| e["candidates"][0]["content"]["parts"][0]["text"].as_str()).collect();
        assert_eq!(said, TEXT);
        assert!(events.len() > 1 && events[0]["candidates"][0]["finishReason"].is_null());
        assert_eq!(events[events.len() - 1]["candidates"][0]["finishReason"], "STOP");
        assert_eq!(data(&gemini(&json!({ "promptFeedback": { "blockReason": "X" } }))).len(), 1);
    }
}
