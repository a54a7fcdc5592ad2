//! Custom resources: their own schema fills them in, prunes them and judges them.

use serde_json::{Map, Value};

use crate::json;
use crate::status::FieldError;

/// Sets defaults and drops fields that the schema does not know.
pub(super) fn fill_in(object: &mut Value, schema: &Value) {
    let kept: Vec<_> =
        ["apiVersion", "kind", "metadata"].into_iter().filter_map(|f| Some((f, json::remove(object, f)?))).collect();
    fill(object, schema);
    for (field, value) in kept {
        json::set(object, field, value);
    }
}

fn fill(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(map) => {
            let empty = Map::new();
            let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
            let rest = schema.get("additionalProperties").filter(|rest| rest.is_object());
            let keeps_all = json::flag(schema, "x-kubernetes-preserve-unknown-fields");
            let is_open = keeps_all
                || rest.is_some()
                || (schema.get("properties").is_none() && schema.get("additionalProperties").is_some());
            if !is_open {
                map.retain(|name, _| properties.contains_key(name));
            }
            for (name, property) in properties {
                if let Some(default) = property.get("default").filter(|_| !map.contains_key(name)) {
                    map.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in map.iter_mut() {
                if let Some(property) = properties.get(name).or(rest) {
                    fill(value, property);
                }
            }
        }
        Value::Array(list) => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            list.iter_mut().for_each(|item| fill(item, items));
        }
        _ => {}
    }
}

/// What the schema, and the scale subresource, find wrong.
pub(super) fn check(object: &Value, schema: &Value, scale: Option<&[String; 3]>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    look(object, schema, "", &mut errors);
    if let Some([replicas, ..]) = scale
        && let Some(wanted) = json::int(object, replicas).filter(|wanted| *wanted < 0)
    {
        errors.push(FieldError::invalid(format!(".{replicas}"), wanted, "should be a non-negative integer"));
    }
    errors
}

fn look(value: &Value, schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if schema.get("x-kubernetes-int-or-string").is_some() && (value.is_string() || value.is_i64()) {
        return;
    }
    if let Some(wanted) = schema.get("type").and_then(Value::as_str).filter(|wanted| !is_of(value, wanted)) {
        let found = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let why = format!("{path} in body must be of type {wanted}: {found:?}");
        errors.push(FieldError::invalid(path, found, &why));
        return;
    }
    bounds(value, schema, path, errors);
    let at = |name: &str| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
    match value {
        Value::Object(map) => {
            for name in json::list(schema, "required").iter().filter_map(Value::as_str) {
                if !map.contains_key(name) {
                    errors.push(FieldError::required(at(name), ""));
                }
            }
            for (name, value) in map {
                let properties = schema.get("properties").and_then(|properties| properties.get(name));
                let rest = schema.get("additionalProperties").filter(|rest| rest.is_object());
                if let Some(schema) = properties.or(rest) {
                    look(value, schema, &at(name), errors);
                }
            }
        }
        Value::Array(list) => {
            if let Some(items) = schema.get("items") {
                for (number, item) in list.iter().enumerate() {
                    look(item, items, &format!("{path}[{number}]"), errors);
                }
            }
        }
        _ => {}
    }
}

fn is_of(value: &Value, wanted: &str) -> bool {
    match wanted {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        _ => true,
    }
}

fn bounds(value: &Value, schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if let Some(number) = value.as_f64() {
        for (field, word) in [("minimum", "greater"), ("maximum", "less")] {
            let Some(bound) = schema.get(field).and_then(Value::as_f64) else { continue };
            if (field == "minimum" && number < bound) || (field == "maximum" && number > bound) {
                let why = format!("{path} in body should be {word} than or equal to {bound}");
                errors.push(FieldError::invalid(path, value, &why));
            }
        }
    }
    if let Some(text) = value.as_str() {
        let length = text.chars().count() as u64;
        if schema.get("minLength").and_then(Value::as_u64).is_some_and(|least| length < least) {
            let why = format!("{path} in body should be at least {} chars long", schema["minLength"]);
            errors.push(FieldError::invalid(path, value, &why));
        }
        if schema.get("maxLength").and_then(Value::as_u64).is_some_and(|most| length > most) {
            let why = format!("{path} in body should be at most {} chars long", schema["maxLength"]);
            errors.push(FieldError::invalid(path, value, &why));
        }
    }
    let allowed: Vec<_> = json::list(schema, "enum").iter().filter_map(Value::as_str).collect();
    if let Some(text) = value.as_str().filter(|text| !allowed.is_empty() && !allowed.contains(text)) {
        errors.push(FieldError::unsupported(path, text, &allowed));
    }
}
