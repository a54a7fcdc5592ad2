//! The OpenAPI document: what can be asked for, for programs that read that.

use axum::response::Response;
use serde_json::{Map, Value, json};

use super::NAME;
use super::problem::fine;
use super::protocol::Endpoint;

/// The version of the interface. OpenEnv's validator reads its profile from it.
const VERSION: &str = "1.0.0";

/// `GET /openapi.json`.
pub async fn document() -> Response {
    let mut paths = Map::new();
    for Endpoint { path, method, about, takes, needs, .. } in super::endpoints() {
        let entry = paths.entry(*path).or_insert_with(|| json!({}));
        entry[*method] = operation(path, about, takes, needs);
    }
    fine(&json!({
        "openapi": "3.1.0",
        "info": {
            "title": NAME,
            "version": VERSION,
            "description": "Incidents as sessions: HTTP in the published shapes, OpenEnv, and MCP.",
        },
        "paths": paths,
        "components": {
            "schemas": {
                "Error": {
                    "type": "object",
                    "required": ["error", "message"],
                    "properties": { "error": { "type": "string" }, "message": { "type": "string" } },
                },
            },
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
        "security": [{}, { "token": [] }],
    }))
}

fn operation(path: &str, about: &str, takes: &[(&str, &str)], needs: &[&str]) -> Value {
    let answer = |about: &str| json!({ "description": about, "content": { "application/json": {} } });
    let refused = json!({
        "description": "What was wrong, and what to do",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
    });
    let mut operation = json!({ "summary": about, "responses": { "200": answer("The answer"), "default": refused } });
    if !takes.is_empty() {
        let typed = |(name, kind): &(&str, &str)| (name.to_string(), json!({ "type": kind }));
        let properties: Map<String, Value> = takes.iter().map(typed).collect();
        let schema = json!({ "type": "object", "properties": properties, "required": needs });
        operation["requestBody"] = json!({ "content": { "application/json": { "schema": schema } } });
    }
    if let Some(name) = path.split(['{', '}']).nth(1) {
        operation["parameters"] =
            json!([{ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }]);
    }
    operation
}
