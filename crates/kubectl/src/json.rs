//! Looking into JSON trees.

use serde_json::{Map, Value};

static NULL: Value = Value::Null;

/// What is at a path of names joined by dots; null if nothing is.
pub(crate) fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    let mut value = value;
    for name in path.split('.') {
        match value.get(name) {
            Some(inner) => value = inner,
            None => return &NULL,
        }
    }
    value
}

/// The text at a path; empty if there is none.
pub(crate) fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    at(value, path).as_str().unwrap_or_default()
}

/// The number at a path.
pub(crate) fn int(value: &Value, path: &str) -> Option<i64> {
    at(value, path).as_i64()
}

/// Whether there is `true` at a path.
pub(crate) fn flag(value: &Value, path: &str) -> bool {
    at(value, path).as_bool().unwrap_or(false)
}

/// The list at a path; empty if there is none.
pub(crate) fn list<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    at(value, path).as_array().map_or(&[], Vec::as_slice)
}

/// The entries of the map at a path.
pub(crate) fn entries<'a>(value: &'a Value, path: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    at(value, path).as_object().into_iter().flatten()
}

/// The map of a value that is made one if it is none.
pub(crate) fn map_mut(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut().expect("it was made a map")
}

/// Sets what is at a path; maps on the way are made.
pub(crate) fn set(value: &mut Value, path: &str, new: impl Into<Value>) {
    let mut place = value;
    for name in path.split('.') {
        place = map_mut(place).entry(name).or_insert(Value::Null);
    }
    *place = new.into();
}

/// Removes what is at a path.
pub(crate) fn remove(value: &mut Value, path: &str) -> Option<Value> {
    let (parent, name) = path.rsplit_once('.').map_or((None, path), |(parent, name)| (Some(parent), name));
    let mut place = value;
    for step in parent.into_iter().flat_map(|parent| parent.split('.')) {
        place = place.get_mut(step)?;
    }
    place.as_object_mut()?.remove(name)
}

/// What is at a path, to be changed.
pub(crate) fn at_mut<'a>(value: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    path.split('.').try_fold(value, |place, name| place.get_mut(name))
}

/// A scalar as it reads; nothing for null.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
