//! Fields of custom resources that their schema does not have.

use serde_json::Value;

use crate::json;

/// Names the fields that a schema does not have; they would be pruned.
pub(super) fn unknown(object: &Value, schema: &Value, problems: &mut Vec<String>) {
    let Some(map) = object.as_object().filter(|_| schema.is_object()) else { return };
    for (name, value) in map.iter().filter(|(name, _)| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata")) {
        field(name, value, schema, name.clone(), problems);
    }
}

fn field(name: &str, value: &Value, schema: &Value, path: String, problems: &mut Vec<String>) {
    let additional = json::at(schema, "additionalProperties");
    let keeps_all = json::flag(schema, "x-kubernetes-preserve-unknown-fields") || additional == &Value::Bool(true);
    match json::at(schema, "properties").get(name) {
        Some(own) => look(value, own, &path, problems),
        None if additional.is_object() => look(value, additional, &path, problems),
        None if keeps_all => {}
        None => problems.push(format!("unknown field {path:?}")),
    }
}

fn look(value: &Value, schema: &Value, path: &str, problems: &mut Vec<String>) {
    // What is an object of its own brings its kind along.
    if json::flag(schema, "x-kubernetes-embedded-resource") {
        return;
    }
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                field(name, value, schema, format!("{path}.{name}"), problems);
            }
        }
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                look(value, json::at(schema, "items"), &format!("{path}[{at}]"), problems);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_schema_does_not_have_is_named() {
        let schema = json!({"properties": {
            "spec": {"properties": {"size": {"type": "integer"}, "parts": {"items": {"properties": {"a": {}}}}}},
            "free": {"x-kubernetes-preserve-unknown-fields": true},
            "map": {"additionalProperties": {"type": "string"}},
        }});
        let object = json!({
            "kind": "Widget", "metadata": {"x": 1}, "other": 1,
            "spec": {"size": 1, "extra": 2, "parts": [{"a": 1}, {"b": 1}]},
            "free": {"any": {"thing": 1}}, "map": {"any": "x"},
        });
        let mut problems = Vec::new();
        unknown(&object, &schema, &mut problems);
        let expect = ["unknown field \"other\"", "unknown field \"spec.extra\"", "unknown field \"spec.parts[1].b\""];
        assert_eq!(problems, expect);
    }
}
