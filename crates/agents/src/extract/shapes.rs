//! Which tool an object calls: the shapes in which models write that.

use serde_json::{Map, Value};

/// Fields that name the tool, from the most telling.
const NAMES: &[&str] =
    &["action", "tool", "tool_name", "function", "function_name", "name", "command", "call", "recipient_name"];
/// Fields that hold the arguments.
const ARGUMENTS: &[&str] = &[
    "args",
    "arguments",
    "parameters",
    "params",
    "action_input",
    "tool_input",
    "action_args",
    "action_arguments",
    "input",
    "kwargs",
];
/// Fields that hold actions inside of something else.
const AROUND: &[&str] =
    &["tool_calls", "function_call", "tool_call", "actions", "tool_uses", "next_action", "response"];
/// Fields that are about the action and no part of it.
const ASIDES: &[&str] = &[
    "thought",
    "thoughts",
    "thinking",
    "reasoning",
    "rationale",
    "explanation",
    "analysis",
    "plan",
    "observation",
    "confidence",
    "step",
    "id",
    "type",
    "comment",
    "status",
    "description",
    "justification",
];

/// The call that an object stands for, as text; `None` if it names no tool.
pub fn call_of(value: &Value, tools: &[&str]) -> Option<String> {
    let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
    let fields = value.as_object()?;
    if let Some(inner) = NAMES.iter().chain(AROUND).find_map(|name| nested(fields, name)) {
        return call_of(inner, tools).or_else(|| with_outer_arguments(inner, fields));
    }
    match NAMES.iter().find_map(|name| Some((*name, get(fields, name)?.as_str()?.trim()))) {
        Some((_, call)) if call.contains('(') => Some(call.to_string()),
        Some((field, tool)) if !tool.is_empty() && plausible(field, tool, tools) => {
            written(tool, &arguments(fields, field))
        }
        _ => keyed(fields, tools),
    }
}

/// Common words such as `name` name many things: there it must be a tool that we have.
fn plausible(field: &str, tool: &str, tools: &[&str]) -> bool {
    let known = tools.iter().any(|known| known.eq_ignore_ascii_case(strip(tool)));
    let word = tool.split_whitespace().count() == 1;
    known || (word && matches!(field, "action" | "tool" | "tool_name" | "function_name"))
}

fn nested<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    get(fields, name).filter(|value| value.is_object() || value.as_array().is_some_and(|list| !list.is_empty()))
}

/// `{"function": {"name": "x"}, "arguments": {..}}` is rare but seen.
fn with_outer_arguments(inner: &Value, outer: &Map<String, Value>) -> Option<String> {
    let tool = get(inner.as_object()?, "name")?.as_str()?;
    written(tool, &arguments(outer, ""))
}

/// `{"inspect_logs": {"service": "cache"}}`.
fn keyed(fields: &Map<String, Value>, tools: &[&str]) -> Option<String> {
    let known = |name: &str| tools.iter().any(|tool| tool.eq_ignore_ascii_case(name));
    let (name, arguments) = fields.iter().find(|(name, _)| known(name))?;
    match arguments {
        Value::String(_) | Value::Number(_) => written(name, &Value::Array(vec![arguments.clone()])),
        other => written(name, other),
    }
}

/// The field of that name, in any case of letters.
fn get<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// The arguments of a call: in a field of their own, or beside the name.
fn arguments(fields: &Map<String, Value>, named_by: &str) -> Value {
    if let Some(value) = ARGUMENTS.iter().find_map(|name| get(fields, name)) {
        return match value {
            Value::String(text) => inner(text),
            other => other.clone(),
        };
    }
    let aside = |name: &str| {
        let name = name.to_ascii_lowercase();
        name == named_by || ASIDES.contains(&name.as_str())
    };
    Value::Object(fields.iter().filter(|(name, _)| !aside(name)).map(|(n, v)| (n.clone(), v.clone())).collect())
}

/// Arguments as JSON inside of a text, or as the only argument.
fn inner(text: &str) -> Value {
    let parsed = serde_json::from_str(text).ok().filter(|value: &Value| value.is_object() || value.is_array());
    parsed.unwrap_or_else(|| match text.trim() {
        "" => Value::Null,
        text => Value::Array(vec![text.into()]),
    })
}

/// A call as text: `inspect_logs(service="cache")`. `None` if an argument is no plain value.
pub(super) fn written(tool: &str, arguments: &Value) -> Option<String> {
    let parts: Vec<String> = match arguments {
        Value::Null => Vec::new(),
        Value::Object(fields) => {
            let given = fields.iter().filter(|(_, value)| !value.is_null());
            given.map(|(name, value)| Some(format!("{name}={}", plain(value)?))).collect::<Option<_>>()?
        }
        Value::Array(values) => values.iter().map(plain).collect::<Option<_>>()?,
        other => vec![plain(other)?],
    };
    Some(format!("{}({})", strip(tool), parts.join(", ")))
}

/// Without the module that some models put before a tool's name.
fn strip(tool: &str) -> &str {
    tool.rsplit(['.', ':']).next().unwrap_or(tool).trim()
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(quoted(text)),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t"))
}
