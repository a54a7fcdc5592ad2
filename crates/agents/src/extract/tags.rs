//! Actions in tags: the function-call markup that models were trained on and fall back to.

use serde_json::{Map, Value};

use super::{Hit, lines, object, shapes};

/// Tags that hold an action of any form.
const AROUND: &[&str] = &["action", "tool_call", "function_call", "tool", "command", "answer", "tool_code", "execute"];

/// The first action in tags.
pub(super) fn find(text: &str, from: usize, tools: &[&str]) -> Option<Hit> {
    let mut at = from;
    while let Some(start) = text[at..].find('<').map(|i| at + i) {
        if let Some(hit) = tag(text, start, tools) {
            return Some(hit);
        }
        at = start + 1;
    }
    None
}

fn tag(text: &str, start: usize, tools: &[&str]) -> Option<Hit> {
    let inside = &text[start + 1..];
    let close = inside.find('>')?;
    let head = &inside[..close];
    let body = start + 1 + close + 1;
    if let Some(tool) = head.strip_prefix("function=").or_else(|| attribute(head, "invoke")) {
        return function(text, start, body, tool.trim_matches(['"', '\'']));
    }
    if tools.contains(&head) {
        let end = text[body..].find(&format!("</{head}>")).map_or(text.len(), |i| body + i);
        return Some(Hit { start, end, text: shapes::written(head, &children(&text[body..end]))? });
    }
    if AROUND.contains(&head) {
        let end = text[body..].find(&format!("</{head}>")).map_or(text.len(), |i| body + i);
        return around(text, start, body, end, tools);
    }
    None
}

/// `invoke name="x"`.
fn attribute<'a>(head: &'a str, tag: &str) -> Option<&'a str> {
    head.strip_prefix(tag)?.trim_start().strip_prefix("name=").map(str::trim)
}

/// `<function=x>{"a": "b"}</function>`, `<invoke name="x"><parameter name="a">b</parameter></invoke>`.
fn function(text: &str, start: usize, body: usize, tool: &str) -> Option<Hit> {
    let end = ["</function>", "</invoke>"].iter().filter_map(|close| text[body..].find(close)).min();
    let end = end.map_or(text.len(), |i| body + i);
    let first = body + text[body..end].len() - text[body..end].trim_start().len();
    let arguments = match object::value_at(&text[..end], first) {
        Some((_, value)) => value,
        None => parameters(&text[body..end]),
    };
    Some(Hit { start, end, text: shapes::written(tool, &arguments)? })
}

/// `<parameter=a>b</parameter>` and `<parameter name="a">b</parameter>`.
fn parameters(text: &str) -> Value {
    let mut fields = Map::new();
    for piece in text.split("<parameter").skip(1) {
        let Some((head, rest)) = piece.split_once('>') else { continue };
        let name = head.trim().trim_start_matches("name").trim_start_matches('=').trim_matches(['"', '\'', ' ']);
        let value = rest.split("</parameter>").next().unwrap_or("").trim();
        fields.insert(name.to_string(), value.into());
    }
    Value::Object(fields)
}

/// `<a>b</a><c>d</c>`, or an object, or the only argument.
fn children(text: &str) -> Value {
    if let Some((_, value)) = object::value_at(text.trim(), 0) {
        return value;
    }
    let mut fields = Map::new();
    let mut rest = text;
    while let Some((name, tail)) = rest.split_once('<').and_then(|(_, tail)| tail.split_once('>')) {
        let Some((value, tail)) = tail.split_once(&format!("</{name}>")) else { break };
        fields.insert(name.trim().to_string(), value.trim().into());
        rest = tail;
    }
    match text.trim() {
        "" => Value::Null,
        alone if fields.is_empty() => Value::Array(vec![alone.into()]),
        _ => Value::Object(fields),
    }
}

fn around(text: &str, start: usize, body: usize, end: usize, tools: &[&str]) -> Option<Hit> {
    let inside = &text[..end];
    let found = find(inside, body, tools)
        .or_else(|| lines::direct(inside, body, tools))
        .or_else(|| object::find(inside, body, tools))
        .or_else(|| lines::inline(inside, body, tools))
        .or_else(|| parts(&text[body..end], tools));
    found.map(|hit| Hit { start, end: hit.end.max(end), ..hit })
}

/// `<name>x</name><arguments>..</arguments>`.
fn parts(text: &str, tools: &[&str]) -> Option<Hit> {
    let mut value = children(text);
    for field in ["arguments", "parameters", "args"] {
        if let Some(Value::String(inner)) = value.get(field) {
            let inner = children(inner);
            value[field] = inner;
        }
    }
    Some(Hit { start: 0, end: 0, text: shapes::call_of(&value, tools)? })
}
