//! JSON patches (RFC 6902) and merge patches (RFC 7386).

use serde_json::Value;

use crate::json;
use crate::status::ApiError;

/// Applies a list of operations; all of them or none.
pub(crate) fn apply(old: &Value, body: &[u8]) -> Result<Value, ApiError> {
    let patch: Value = serde_json::from_slice(body).map_err(|error| decoding(&error.to_string()))?;
    let Value::Array(operations) = patch else {
        let found = if patch.is_object() { "object" } else { "value" };
        return Err(decoding(&format!("json: cannot unmarshal {found} into Go value of type []handlers.jsonPatchOp")));
    };
    if operations.len() > 10_000 {
        let message = "The allowed maximum operations in a JSON patch is 10000";
        return Err(ApiError { code: 413, reason: "RequestEntityTooLarge", ..ApiError::bad_request(message) });
    }
    let mut new = old.clone();
    for operation in &operations {
        one(&mut new, operation).ok_or_else(ApiError::unprocessable)?;
    }
    Ok(new)
}

fn decoding(why: &str) -> ApiError {
    ApiError::bad_request(format!("error decoding patch: {why}"))
}

fn one(object: &mut Value, operation: &Value) -> Option<()> {
    let path = pointer(operation.get("path")?.as_str()?)?;
    let from = || pointer(operation.get("from")?.as_str()?);
    match json::text(operation, "op") {
        "add" => add(object, &path, operation.get("value")?.clone()),
        "remove" => take(object, &path).map(drop),
        "replace" => {
            let value = operation.get("value")?.clone();
            if path.is_empty() {
                *object = value;
                return Some(());
            }
            *find_mut(object, &path)? = value;
            Some(())
        }
        "move" => {
            let from = from()?;
            if path.starts_with(&from) && path.len() > from.len() {
                return None;
            }
            let value = take(object, &from)?;
            add(object, &path, value)
        }
        "copy" => {
            let value = find(object, &from()?)?.clone();
            add(object, &path, value)
        }
        "test" => (find(object, &path).unwrap_or(&Value::Null) == operation.get("value")?).then_some(()),
        _ => None,
    }
}

fn pointer(text: &str) -> Option<Vec<String>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    Some(text.strip_prefix('/')?.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect())
}

fn find<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, part| match value {
        Value::Object(map) => map.get(part),
        Value::Array(list) => list.get(position(part)?),
        _ => None,
    })
}

fn find_mut<'a>(value: &'a mut Value, path: &[String]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, part| match value {
        Value::Object(map) => map.get_mut(part),
        Value::Array(list) => list.get_mut(position(part)?),
        _ => None,
    })
}

fn add(object: &mut Value, path: &[String], value: Value) -> Option<()> {
    let Some((last, parents)) = path.split_last() else {
        *object = value;
        return Some(());
    };
    match find_mut(object, parents)? {
        Value::Object(map) => {
            map.insert(last.clone(), value);
        }
        Value::Array(list) if last == "-" => list.push(value),
        Value::Array(list) => {
            let at = position(last).filter(|at| *at <= list.len())?;
            list.insert(at, value);
        }
        _ => return None,
    }
    Some(())
}

fn take(object: &mut Value, path: &[String]) -> Option<Value> {
    let (last, parents) = path.split_last()?;
    match find_mut(object, parents)? {
        Value::Object(map) => map.remove(last),
        Value::Array(list) => {
            let at = position(last).filter(|at| *at < list.len())?;
            Some(list.remove(at))
        }
        _ => None,
    }
}

/// An index is a number without leading zeros.
fn position(part: &str) -> Option<usize> {
    if part.len() > 1 && part.starts_with('0') { None } else { part.parse().ok() }
}

/// Merges a patch into a value: maps are merged, null removes, all else replaces.
pub(crate) fn merge(value: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *value = patch.clone();
        return;
    };
    if !value.is_object() {
        *value = Value::Object(serde_json::Map::new());
    }
    let Value::Object(map) = value else { return };
    for (name, new) in patch {
        if new.is_null() {
            map.remove(name);
        } else {
            merge(map.entry(name).or_insert(Value::Null), new);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operations_are_applied_in_order_or_not_at_all() {
        let old = json!({"a": {"b": [1, 2]}, "c/d": 1});
        let check = |patch: Value, expect: Result<Value, u16>| {
            let got = apply(&old, patch.to_string().as_bytes()).map_err(|error| error.code);
            assert_eq!(got, expect, "{patch}");
        };
        check(json!([{"op": "add", "path": "/a/b/-", "value": 3}]), Ok(json!({"a": {"b": [1, 2, 3]}, "c/d": 1})));
        check(json!([{"op": "add", "path": "/a/b/0", "value": 0}]), Ok(json!({"a": {"b": [0, 1, 2]}, "c/d": 1})));
        check(json!([{"op": "remove", "path": "/c~1d"}]), Ok(json!({"a": {"b": [1, 2]}})));
        check(json!([{"op": "move", "from": "/a/b/1", "path": "/x"}]), Ok(json!({"a": {"b": [1]}, "c/d": 1, "x": 2})));
        check(json!([{"op": "test", "path": "/c~1d", "value": 2}]), Err(422));
        check(json!([{"op": "replace", "path": "/nope/x", "value": 2}]), Err(422));
        check(json!([{"op": "move", "from": "/a", "path": "/a/b"}]), Err(422));
        check(json!({"op": "add"}), Err(400));
    }

    #[test]
    fn merges_remove_what_is_null() {
        let mut value = json!({"a": {"b": 1, "c": 2}, "d": [1]});
        merge(&mut value, &json!({"a": {"b": null, "e": 3}, "d": [2], "f": {"g": null}}));
        assert_eq!(value, json!({"a": {"c": 2, "e": 3}, "d": [2], "f": {}}));
    }
}
