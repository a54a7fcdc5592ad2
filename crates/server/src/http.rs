//! HTTP sessions in the published shapes: reset, step, and what belongs to them.

use std::sync::Arc;

use axum::extract::{RawQuery, Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use doors::session::{ClientView, Refusal, StartRequest};
use serde_json::{Map, Value, json};

use super::problem::{Problem, fine};
use super::protocol::{Endpoint, START};
use super::{App, fresh_id, read};

/// The published shapes.
pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/health", "Whether the server is up", || get(health)),
    Endpoint::get("/episodes", "The sessions, without their ids", || get(list)),
    Endpoint::post("/episode/reset", "Begin an episode in a session of its own", || post(reset)).takes(START),
    Endpoint::post("/episode/step", "Do one action", || post(step))
        .takes(&[("session_id", "string"), ("action", "object")])
        .needs(&["action"]),
    Endpoint::get("/episode/state", "How an episode stands; takes ?session_id= or the header X-Session-ID", || {
        get(state)
    }),
    Endpoint::post("/episode/close", "End a session", || post(close))
        .takes(&[("session_id", "string")])
        .needs(&["session_id"]),
];

/// Whether the server is up. The word is OpenEnv's.
async fn health(State(app): State<Arc<App>>) -> Response {
    let (sessions, most) = app.sessions.count();
    fine(
        &json!({ "status": "healthy", "version": env!("CARGO_PKG_VERSION"), "sessions": sessions, "max_sessions": most }),
    )
}

/// Begins an episode in a session of its own.
async fn reset(State(app): State<Arc<App>>, request: Request) -> Response {
    answer(async {
        let (_, fields) = read::fields(&app, request).await?;
        let id = fresh_id();
        let view = app.sessions.open_with(id, StartRequest::read(&fields)?, app.now())?;
        let mut body = published_reset(&view, &id.to_string());
        // Who is handed this address can play this episode over MCP, and nothing else.
        body["mcp_path"] = json!(format!("/mcp/{id}"));
        Ok(fine(&body))
    })
    .await
}

/// Does one action.
async fn step(State(app): State<Arc<App>>, request: Request) -> Response {
    answer(async {
        let (headers, fields) = read::fields(&app, request).await?;
        let id = read::session(&headers, fields.get("session_id").or(fields.get("sessionId")))?;
        let given = ["raw_action", "rawAction", "action"].iter().filter_map(|name| fields.get(*name));
        let action = given.into_iter().find(|action| !action.is_null()).ok_or(Problem::NO_ACTION)?;
        let text = published_action(action)?;
        let view = app.sessions.with(id, app.now(), |session| session.step(&text))??;
        Ok(fine(&published_step(&view)))
    })
    .await
}

/// How an episode stands.
async fn state(State(app): State<Arc<App>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    answer(async {
        let id = read::session(&headers, read::query(query.as_deref()).get("session_id"))?;
        let view = app.sessions.with(id, app.now(), |session| session.view())??;
        Ok(fine(&published_step(&view)))
    })
    .await
}

/// Ends a session; an episode that is going on is given up.
async fn close(State(app): State<Arc<App>>, request: Request) -> Response {
    answer(async {
        let (headers, fields) = read::fields(&app, request).await?;
        let id = read::session(&headers, fields.get("session_id").or(fields.get("sessionId")))?;
        app.sessions.close(id, app.now())?;
        Ok(fine(&json!({ "closed": true })))
    })
    .await
}

/// All sessions, without the ids, which are the right to play them.
async fn list(State(app): State<Arc<App>>) -> Response {
    let list = app.sessions.list(app.now()).into_iter().map(|(view, idle)| {
        let view = view.map(|v| (v.brief.incident.clone(), v.step, v.steps_left(), v.is_over()));
        let (incident, step, left, done) = view.unwrap_or_default();
        json!({ "incident_id": incident, "step": step, "steps_remaining": left, "done": done, "idle_s": idle.as_secs() })
    });
    let (live, most) = app.sessions.count();
    fine(&json!({ "sessions": list.collect::<Vec<_>>(), "live": live, "max": most }))
}

/// The answer, or what was wrong.
async fn answer(work: impl Future<Output = Result<Response, Problem>>) -> Response {
    work.await.unwrap_or_else(IntoResponse::into_response)
}

/// What an episode's reset answers, in the published shape.
fn published_reset(view: &ClientView, session_id: &str) -> Value {
    json!({ "session_id": session_id, "observation": published(view), "info": info(view) })
}

/// What a step answers, in the published shape.
fn published_step(view: &ClientView) -> Value {
    json!({
        "observation": published(view),
        "reward": view.reward(),
        "done": view.is_over(),
        "terminated": view.is_terminated(),
        "truncated": view.is_truncated(),
        "info": info(view),
    })
}

fn published(view: &ClientView) -> Value {
    let tools: Vec<&str> = view.brief.tools.iter().map(|tool| tool.signature).collect();
    json!({
        "incident_id": view.brief.incident,
        "step": view.step,
        "steps_remaining": view.steps_left(),
        "alert": view.brief.page,
        "last_action": view.last_action,
        "last_result": { "summary": view.observation, "details": {}, "error": view.error },
        "known_findings": view.findings,
        "available_tools": tools,
        "done": view.is_over(),
    })
}

fn info(view: &ClientView) -> Value {
    let actions: Vec<&str> = view.brief.tools.iter().map(|tool| tool.name).collect();
    json!({
        "task_id": view.brief.incident,
        "available_actions": actions,
        "terminated": view.is_terminated(),
        "truncated": view.is_truncated(),
        "ending": view.ending,
        "total_reward": view.total_reward(),
        "world_time_ms": view.time,
    })
}

/// The text of a published action: text to the letter, or an object whose `action_type` is the tool.
fn published_action(action: &Value) -> Result<String, Refusal> {
    let fields = match action {
        Value::String(text) => return Ok(text.clone()),
        Value::Object(fields) => fields,
        _ => return Err(Refusal::Invalid("`action` takes text or an object".to_string())),
    };
    let rename = |name: &str| match name {
        "action_type" | "actionType" => "action".to_string(),
        "rootCause" => "root_cause".to_string(),
        name => name.to_string(),
    };
    // A field that is null was left out.
    let given = fields.iter().filter(|(_, value)| !value.is_null());
    let renamed: Map<String, Value> = given.map(|(name, value)| (rename(name), value.clone())).collect();
    Ok(Value::Object(renamed).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_action_has_one_text() {
        let check = |action: Value, expect: &str| {
            assert_eq!(published_action(&action).unwrap_or_else(|e| e.to_string()), expect);
        };
        check(json!("inspect_logs(cache) "), "inspect_logs(cache) ");
        check(
            json!({"action_type": "inspect_logs", "service": "cache", "key": null}),
            r#"{"action":"inspect_logs","service":"cache"}"#,
        );
        check(json!({"actionType": "x", "rootCause": "y"}), r#"{"action":"x","root_cause":"y"}"#);
        check(json!(3), "`action` takes text or an object");
    }
}
