//! The OpenAPI document: what can be asked for, for programs that read that.

use axum::response::Response;
use serde_json::{Map, Value, json};

use super::NAME;
use super::problem::fine;

/// The version of the interface. OpenEnv's validator reads its profile from it.
const VERSION: &str = "1.0.0";

/// `GET /openapi.json`.
pub async fn document() -> Response {
    let mut paths = Map::new();
    for Entry { path, method, about, takes, needs } in ENTRIES {
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

/// One thing that can be asked for.
struct Entry {
    path: &'static str,
    method: &'static str,
    about: &'static str,
    /// The fields of its body, each with its type.
    takes: &'static [(&'static str, &'static str)],
    /// Those that must be there.
    needs: &'static [&'static str],
}

const fn entry(
    path: &'static str,
    method: &'static str,
    about: &'static str,
    takes: &'static [(&'static str, &'static str)],
    needs: &'static [&'static str],
) -> Entry {
    Entry { path, method, about, takes, needs }
}

const ORDER: &[(&str, &str)] = &[
    ("seed", "integer"),
    ("index", "integer"),
    ("split", "string"),
    ("task_id", "string"),
    ("agent", "string"),
    ("episode_id", "string"),
];
const SPLIT: &[(&str, &str)] = &[("split", "string")];
const ACTION: &[(&str, &str)] = &[("action", "object"), ("timeout_s", "number"), ("request_id", "string")];
const MESSAGE: &[(&str, &str)] = &[("jsonrpc", "string"), ("id", "string"), ("method", "string"), ("params", "object")];

const ENTRIES: &[Entry] = &[
    entry("/health", "get", "Whether the server is up", &[], &[]),
    entry("/tasks", "get", "The tasks, which do not say what they are about", &[], &[]),
    entry("/episodes", "get", "The sessions, without their ids", &[], &[]),
    entry("/episode/reset", "post", "Begin an episode in a session of its own", ORDER, &[]),
    entry("/episode/step", "post", "Do one action", &[("session_id", "string"), ("action", "object")], &["action"]),
    entry("/episode/state", "get", "How an episode stands; takes ?session_id= or the header X-Session-ID", &[], &[]),
    entry("/episode/close", "post", "End a session", &[("session_id", "string")], &["session_id"]),
    entry("/reset", "post", "OpenEnv: begin an episode; the header X-Session-ID keeps it", ORDER, &[]),
    entry("/step", "post", "OpenEnv: do one action in the session of X-Session-ID", ACTION, &["action"]),
    entry("/state", "get", "OpenEnv: how the session of X-Session-ID stands", &[], &[]),
    entry("/schema", "get", "OpenEnv: the schemas of action, observation and state", &[], &[]),
    entry("/metadata", "get", "OpenEnv: what this environment is", &[], &[]),
    entry("/ws", "get", "OpenEnv: a WebSocket, one session per connection", &[], &[]),
    entry("/mcp", "post", "MCP: one JSON-RPC message", MESSAGE, &[]),
    entry("/mcp", "delete", "MCP: end the session of Mcp-Session-Id", &[], &[]),
    entry("/mcp/{session}", "post", "MCP in one session, for whoever was given its address", MESSAGE, &[]),
    entry("/list_environments", "get", "OpenEnv: the environments", &[], &[]),
    entry("/{env}/splits", "get", "OpenEnv: the splits", &[], &[]),
    entry("/{env}/tasks", "post", "OpenEnv: the tasks of a split", SPLIT, &[]),
    entry("/{env}/num_tasks", "post", "OpenEnv: how many there are", SPLIT, &[]),
    entry("/{env}/task", "post", "OpenEnv: one of them", &[("split", "string"), ("index", "integer")], &["index"]),
    entry(
        "/{env}/task_range",
        "post",
        "OpenEnv: some of them",
        &[("split", "string"), ("start", "integer"), ("stop", "integer")],
        &[],
    ),
];

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
