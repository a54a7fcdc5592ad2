//! Short words for reading and writing JSON trees by dotted path.
//!
//! Objects are plain trees, so a path that is not there reads as "nothing": an empty text, an empty list, no number.

use serde_json::{Map, Value};

static NOTHING: Value = Value::Null;

/// What stands at the path, or null.
pub fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    let mut here = value;
    let mut rest = path;
    loop {
        // Paths are short: a plain loop over their bytes is faster than a search, and most reads come through here.
        let end = rest.bytes().position(|byte| byte == b'.');
        let part = end.map_or(rest, |end| &rest[..end]);
        let Value::Object(map) = here else { return &NOTHING };
        match (field(map, part), end) {
            (Some(next), Some(end)) => (here, rest) = (next, &rest[end + 1..]),
            (Some(next), None) => return next,
            (None, _) => return &NOTHING,
        }
    }
}

/// A field of a map. Objects have few fields, and names of another length need not be compared: so a walk is faster than a
/// search, which compares text at every step.
fn field<'a>(map: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    if map.len() > 12 {
        return map.get(name);
    }
    let first = name.as_bytes().first();
    let is_it = |own: &String| own.len() == name.len() && own.as_bytes().first() == first && own == name;
    map.iter().find(|(own, _)| is_it(own)).map(|(_, value)| value)
}

/// The text at the path, or the empty text.
pub fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    at(value, path).as_str().unwrap_or_default()
}

/// The whole number at the path.
pub fn int(value: &Value, path: &str) -> Option<i64> {
    at(value, path).as_i64()
}

/// Whether `true` stands at the path.
pub fn flag(value: &Value, path: &str) -> bool {
    at(value, path).as_bool().unwrap_or(false)
}

/// The list at the path, or the empty list.
pub fn list<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    at(value, path).as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A map of these fields. Unlike the macro it takes values as they are, without copying them.
pub fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let mut map = Map::new();
    for (name, value) in fields {
        map.insert(name.to_string(), value);
    }
    Value::Object(map)
}

/// The entries of the map at the path.
pub fn entries<'a>(value: &'a Value, path: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    at(value, path).as_object().into_iter().flatten()
}

/// Writes at the path; maps on the way are made.
pub fn set(value: &mut Value, path: &str, new: impl Into<Value>) {
    let mut here = value;
    for part in path.split('.') {
        here = child(here, part);
    }
    *here = new.into();
}

/// Writes at the path unless something stands there.
pub fn set_default(value: &mut Value, path: &str, new: impl Into<Value>) {
    if at(value, path).is_null() {
        set(value, path, new);
    }
}

/// Takes away what stands at the path, and returns it.
pub fn remove(value: &mut Value, path: &str) -> Option<Value> {
    let (parent, last) = match path.rsplit_once('.') {
        Some((parent, last)) => (at_mut(value, parent)?, last),
        None => (value, path),
    };
    parent.as_object_mut()?.remove(last)
}

/// A copy without one field of the outermost map.
pub fn without(value: &Value, field: &str) -> Value {
    match value {
        Value::Object(map) if map.contains_key(field) => {
            // One after the other: collecting would make a list of all first, and sort it.
            let mut copy = Map::new();
            for (name, value) in map.iter().filter(|(name, _)| *name != field) {
                copy.insert(name.clone(), value.clone());
            }
            Value::Object(copy)
        }
        other => other.clone(),
    }
}

/// What stands at the path, to be changed.
pub fn at_mut<'a>(value: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    path.split('.').try_fold(value, |here, part| here.get_mut(part))
}

/// The list at the path, to be changed; empty where there was none.
pub fn items_mut<'a>(value: &'a mut Value, path: &str) -> std::slice::IterMut<'a, Value> {
    match at_mut(value, path) {
        Some(Value::Array(list)) => list.iter_mut(),
        _ => [].iter_mut(),
    }
}

/// The list at the path, made if it is not there.
pub fn list_mut<'a>(value: &'a mut Value, path: &str) -> &'a mut Vec<Value> {
    let mut here = value;
    for part in path.split('.') {
        here = child(here, part);
    }
    if !here.is_array() {
        *here = Value::Array(Vec::new());
    }
    here.as_array_mut().expect("made a list just above")
}

fn child<'a>(value: &'a mut Value, name: &str) -> &'a mut Value {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut().expect("made a map just above").entry(name).or_insert(Value::Null)
}

/// Whether there is nothing: null, an empty text, an empty list or an empty map.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}
