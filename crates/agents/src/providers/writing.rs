//! What writing a request has in common for all providers.

use serde_json::{Map, Value, json};

use crate::model::{ChatMessage, Credentials, HttpRequest, Sampling, Target, ToolCall};

/// The fields of a body.
pub(super) type BodyFields = Map<String, Value>;

/// Sets a field, if there is something to set.
pub(super) fn put(fields: &mut BodyFields, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        fields.insert(name.to_string(), value.into());
    }
}

/// A POST of JSON, with the user's own fields merged over ours.
pub(super) fn post(url: String, key: Vec<(String, String)>, body: BodyFields, sampling: &Sampling) -> HttpRequest {
    let mut body = Value::Object(body);
    merge(&mut body, &Value::Object(sampling.extra.clone().into_iter().collect()));
    let mut headers = vec![
        ("content-type".to_string(), "application/json".to_string()),
        ("accept".to_string(), "application/json".to_string()),
    ];
    headers.extend(key);
    HttpRequest { method: "POST", url, headers, body: body.to_string().into_bytes() }
}

/// Objects are merged field by field; everything else is replaced.
fn merge(ours: &mut Value, theirs: &Value) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for (name, value) in theirs {
                merge(ours.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (ours, theirs) => *ours = theirs.clone(),
    }
}

/// `Authorization: Bearer KEY`, if there is a key.
pub(super) fn bearer(target: &Target) -> Vec<(String, String)> {
    header_with_key(target, "authorization", "Bearer ")
}

/// A header with the key behind a prefix, if there is a key.
pub(super) fn header_with_key(target: &Target, name: &str, prefix: &str) -> Vec<(String, String)> {
    match &target.credentials {
        Credentials::Key(key) => vec![(name.to_string(), format!("{prefix}{}", key.reveal()))],
        _ => Vec::new(),
    }
}

/// Messages as turns that alternate, with neighbours of one side put together: results of tools are the
/// user's words to some providers, and all results of one turn must stand side by side.
pub(super) fn turns(
    messages: &[ChatMessage],
    parts: impl Fn(&ChatMessage) -> (&'static str, Vec<Value>),
) -> impl Iterator<Item = (&'static str, Vec<Value>)> {
    let mut out: Vec<(&str, Vec<Value>)> = Vec::with_capacity(messages.len());
    for message in messages {
        let (role, parts) = parts(message);
        match out.last_mut() {
            Some((last, before)) if *last == role => before.extend(parts),
            _ => out.push((role, parts)),
        }
    }
    out.into_iter()
}

/// Arguments of a tool call as the object that some providers want back. What was no object comes
/// back empty: such a provider would refuse the whole conversation for it.
pub(super) fn arguments(call: &ToolCall) -> Value {
    serde_json::from_str(&call.arguments).ok().filter(Value::is_object).unwrap_or_else(|| json!({}))
}
