//! HTTP sessions in the published shapes: reset, step, and what belongs to them.

use std::sync::Arc;

use axum::extract::{RawQuery, Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use harness::session::{StartRequest, shapes};
use serde_json::json;

use super::problem::{Problem, fine};
use super::{App, fresh_id, read};

/// Whether the server is up. The word is OpenEnv's.
pub async fn health(State(app): State<Arc<App>>) -> Response {
    let (sessions, most) = app.sessions.count();
    fine(
        &json!({ "status": "healthy", "version": env!("CARGO_PKG_VERSION"), "sessions": sessions, "max_sessions": most }),
    )
}

/// Begins an episode in a session of its own.
pub async fn reset(State(app): State<Arc<App>>, request: Request) -> Response {
    answer(async {
        let (_, fields) = read::fields(&app, request).await?;
        let id = fresh_id();
        let view = app.sessions.open_with(id, StartRequest::read(&fields)?, app.now())?;
        let mut body = shapes::published_reset(&view, &id.to_string());
        // Who is handed this address can play this episode over MCP, and nothing else.
        body["mcp_path"] = json!(format!("/mcp/{id}"));
        Ok(fine(&body))
    })
    .await
}

/// Does one action.
pub async fn step(State(app): State<Arc<App>>, request: Request) -> Response {
    answer(async {
        let (headers, fields) = read::fields(&app, request).await?;
        let id = read::session(&headers, fields.get("session_id").or(fields.get("sessionId")))?;
        let given = ["raw_action", "rawAction", "action"].iter().filter_map(|name| fields.get(*name));
        let action = given.into_iter().find(|action| !action.is_null()).ok_or(Problem::NO_ACTION)?;
        let text = shapes::published_action(action)?;
        let view = app.sessions.with(id, app.now(), |session| session.step(&text))??;
        Ok(fine(&shapes::published_step(&view)))
    })
    .await
}

/// How an episode stands.
pub async fn state(State(app): State<Arc<App>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    answer(async {
        let id = read::session(&headers, read::query(query.as_deref()).get("session_id"))?;
        let view = app.sessions.with(id, app.now(), |session| session.view())??;
        Ok(fine(&shapes::published_step(&view)))
    })
    .await
}

/// Ends a session; an episode that is going on is given up.
pub async fn close(State(app): State<Arc<App>>, request: Request) -> Response {
    answer(async {
        let (headers, fields) = read::fields(&app, request).await?;
        let id = read::session(&headers, fields.get("session_id").or(fields.get("sessionId")))?;
        app.sessions.close(id, app.now())?;
        Ok(fine(&json!({ "closed": true })))
    })
    .await
}

/// All sessions, without the ids, which are the right to play them.
pub async fn list(State(app): State<Arc<App>>) -> Response {
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
