//! An action as text, `tool(a, key=b)`, and as a native tool call.

use std::fmt;

use serde_json::{Map, Value};

use super::prompt::OfferedTool;

/// A call: a name, and arguments with or without names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionCall {
    /// The tool.
    pub name: String,
    /// The arguments.
    pub args: Vec<(Option<String>, String)>,
}

impl ActionCall {
    /// The call that a text is, if it is one and nothing else.
    pub fn parse(text: &str) -> Option<ActionCall> {
        let (name, rest) = text.trim().split_once('(')?;
        let inside = rest.strip_suffix(')')?;
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        is_name.then(|| ActionCall {
            name: name.to_string(),
            args: pieces(inside).iter().map(|piece| argument(piece)).collect(),
        })
    }

    /// A call from the arguments of a native one.
    pub fn native(name: &str, arguments: &Value) -> ActionCall {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
        let args = arguments.as_object().into_iter().flatten();
        ActionCall { name: name.to_string(), args: args.map(|(key, value)| (Some(key.clone()), text(value))).collect() }
    }

    /// Its arguments as an object, with the names that the tool gives them.
    pub fn arguments(&self, tool: Option<&OfferedTool>) -> Map<String, Value> {
        let params = tool.map_or(&[][..], |tool| &tool.params);
        let mut out = Map::new();
        for (at, (name, value)) in self.args.iter().enumerate() {
            let placed = || params.get(at).map_or_else(|| format!("argument_{}", at + 1), |(name, _)| name.clone());
            let name = name.clone().unwrap_or_else(placed);
            let takes = params.iter().find(|(param, _)| *param == name).map_or("string", |(_, takes)| takes.as_str());
            let value = typed(value, takes);
            out.insert(name, value);
        }
        out
    }
}

impl fmt::Display for ActionCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (at, (name, value)) in self.args.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            match name {
                Some(name) => write!(f, "{comma}{name}={value:?}")?,
                None => write!(f, "{comma}{value}")?,
            }
        }
        f.write_str(")")
    }
}

fn typed(value: &str, takes: &str) -> Value {
    let read = match takes {
        "integer" | "number" => value.parse::<serde_json::Number>().ok().map(Value::Number),
        "boolean" => value.parse::<bool>().ok().map(Value::Bool),
        _ => None,
    };
    read.unwrap_or_else(|| Value::String(value.to_string()))
}

/// The text between commas that are in no quotes.
fn pieces(inside: &str) -> Vec<&str> {
    let (mut out, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, c) in inside.char_indices() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => {
                out.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(&inside[start..]);
    out.retain(|piece| !piece.trim().is_empty());
    out
}

fn argument(piece: &str) -> (Option<String>, String) {
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    match piece.split_once('=').map(|(name, value)| (name.trim(), value)) {
        Some((name, value)) if is_name(name) => (Some(name.to_string()), unquoted(value)),
        _ => (None, unquoted(piece)),
    }
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn actions_become_native_calls() {
        let set = OfferedTool::new(
            "update_config",
            &json!({ "properties": { "value": { "type": "string" }, "key": {}, "service": {} }, "required": ["service", "key", "value"] }),
        );
        let back = OfferedTool::new(
            "rollback_change",
            &json!({ "properties": { "id": { "type": "integer" } }, "required": ["id"] }),
        );
        let check = |text: &str, tool: Option<&OfferedTool>, expect: Value| {
            let call = ActionCall::parse(text).unwrap_or_else(|| panic!("{text} is a call"));
            assert_eq!(Value::Object(call.arguments(tool)), expect, "{text}");
        };
        check(
            "update_config(cache, TTL_SECONDS, 300)",
            Some(&set),
            json!({"service": "cache", "key": "TTL_SECONDS", "value": "300"}),
        );
        check("update_config(cache, value=\"a, b\")", Some(&set), json!({"service": "cache", "value": "a, b"}));
        check("rollback_change(4207)", Some(&back), json!({"id": 4207}));
        check("rollback_change(last)", Some(&back), json!({"id": "last"}));
        check(
            "resolve_incident(root_cause=\"x = y (z)\", fix=\"f\")",
            None,
            json!({"root_cause": "x = y (z)", "fix": "f"}),
        );
        check("inspect_log(cache)", None, json!({"argument_1": "cache"}));
        check("restart_service()", None, json!({}));
    }

    #[test]
    fn prose_is_no_call() {
        for text in ["", "Let me think (again).", "???", "f(x) and more", "(x)", "two words(x)"] {
            assert_eq!(ActionCall::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_native_call_can_be_read_as_text() {
        let call = ActionCall::native("update_config", &json!({ "service": "cache", "value": 5 }));
        assert_eq!(call.to_string(), "update_config(service=\"cache\", value=\"5\")");
    }
}
