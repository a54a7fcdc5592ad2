//! OpenAPI version 2: all groups in one document, for clients that know nothing later.

use serde_json::{Map, Value, json};

use super::{ApiRequest, ApiResponse, discovery, negotiate, openapi};
use crate::Cluster;
use crate::status::ApiError;

/// Answers `/openapi/v2`, as JSON only.
pub(super) fn answer(cluster: &Cluster, request: &ApiRequest) -> Result<ApiResponse, ApiError> {
    negotiate::form(request)?;
    Ok(discovery::tagged(request, document(cluster).to_string(), "application/json"))
}

fn document(cluster: &Cluster) -> Value {
    let (mut definitions, mut paths) = (Map::new(), Map::new());
    for (group, version) in openapi::versions(cluster) {
        let mut part = openapi::document(cluster, &group, &version);
        for (name, schema) in taken(&mut part["components"]["schemas"]) {
            add(&mut definitions, name, lowered(schema));
        }
        for (path, mut operations) in taken(&mut part["paths"]) {
            operations.as_object_mut().into_iter().flatten().for_each(|(_, operation)| lower_operation(operation));
            paths.insert(path, operations);
        }
    }
    json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": discovery::RELEASE},
        "paths": paths,
        "definitions": definitions,
    })
}

fn taken(value: &mut Value) -> Map<String, Value> {
    match value.take() {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Types that several groups use carry the kinds of all of them.
fn add(definitions: &mut Map<String, Value>, name: String, schema: Value) {
    const KINDS: &str = "x-kubernetes-group-version-kind";
    let Some(known) = definitions.get_mut(&name) else {
        definitions.insert(name, schema);
        return;
    };
    for kind in schema[KINDS].as_array().into_iter().flatten() {
        match known[KINDS].as_array_mut() {
            Some(kinds) if kinds.contains(kind) => {}
            Some(kinds) => kinds.push(kind.clone()),
            None => {
                *known = schema.clone();
                return;
            }
        }
    }
}

/// A schema without what version 2 does not know: alternatives, and references within a list of one.
fn lowered(schema: Value) -> Value {
    let Value::Object(fields) = schema else { return schema };
    let mut lower = Map::new();
    for (name, value) in fields {
        match &*name {
            "allOf" => {
                let reference = value[0]["$ref"].as_str().map(here);
                lower.extend(reference.map(|reference| ("$ref".to_string(), reference.into())));
            }
            // A text stands for what may be a text or a number.
            "oneOf" => drop(lower.insert("type".into(), "string".into())),
            "$ref" => drop(lower.insert(name, here(value.as_str().unwrap_or_default()).into())),
            "anyOf" | "not" | "nullable" => {}
            "properties" => {
                let Value::Object(properties) = value else { continue };
                let all = properties.into_iter().map(|(own, schema)| (own, lowered(schema)));
                lower.insert(name, Value::Object(all.collect()));
            }
            "items" | "additionalProperties" => drop(lower.insert(name, lowered(value))),
            _ => drop(lower.insert(name, value)),
        }
    }
    Value::Object(lower)
}

fn here(reference: &str) -> String {
    reference.replace("#/components/schemas/", "#/definitions/")
}

/// Parameters and responses name their types without a wrapping.
fn lower_operation(operation: &mut Value) {
    for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
        let schema = taken(&mut parameter["schema"]);
        if let Value::Object(parameter) = parameter {
            parameter.remove("schema");
            parameter.extend(schema);
        }
    }
    for (_, response) in operation["responses"].as_object_mut().into_iter().flatten() {
        let schema = lowered(response["content"]["application/json"]["schema"].take());
        *response = json!({"description": response["description"].take(), "schema": schema});
    }
    operation["consumes"] = json!(["application/json"]);
    operation["produces"] = json!(["application/json"]);
}
