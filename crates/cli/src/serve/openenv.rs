//! OpenEnv over HTTP. Unlike upstream's, a session lives on between requests, by `X-Session-ID`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use harness::session::{Refusal, SessionId, StartRequest, shapes};
use serde_json::{Map, Value, json};

use super::problem::{Problem, fine};
use super::{App, NAME, fresh_id, read};

/// Begins an episode: in the session of the header, or in a new one.
pub async fn reset(State(app): State<Arc<App>>, request: Request) -> Response {
    answer(async {
        let (headers, fields) = read::fields(&app, request).await?;
        let request = StartRequest::read(&fields)?;
        let (id, view) = match read::session_header(&headers)? {
            Some(id) => (id, app.sessions.start(id, request, app.now())?),
            None => {
                let id = fresh_id();
                (id, app.sessions.open_with(id, request, app.now())?)
            }
        };
        Ok((id, shapes::openenv(&view, &id.to_string())))
    })
    .await
}

/// Does one action in the session of the header.
pub async fn step(State(app): State<Arc<App>>, request: Request) -> Response {
    answer(async {
        let (headers, fields) = read::fields(&app, request).await?;
        let id = read::session(&headers, None)?;
        let text = shapes::openenv_action(action(&fields)?)?;
        let view = app.sessions.with(id, app.now(), |session| session.step(text))??;
        Ok((id, shapes::openenv(&view, &id.to_string())))
    })
    .await
}

/// The action of a step; the other fields are for servers that work on other machines.
fn action(fields: &Map<String, Value>) -> Result<&Map<String, Value>, Refusal> {
    let known = ["action", "timeout_s", "request_id"];
    let strange = fields.keys().find(|name| !known.contains(&name.as_str()));
    match fields.get("action").and_then(Value::as_object) {
        _ if strange.is_some() => Err(Refusal::Invalid(format!("a step takes {}", known.join(", ")))),
        Some(action) => Ok(action),
        None => Err(Refusal::Invalid("`action` takes an object: {\"command\": \"...\"}".to_string())),
    }
}

/// How the session of the header stands.
pub async fn state(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let view = read::session_header(&headers).and_then(|id| match id {
        None => Ok(None),
        Some(id) => Ok(app.sessions.with(id, app.now(), |session| session.view().ok())?),
    });
    view.map_or_else(Problem::detailed, |view| fine(&shapes::openenv_state(view.as_ref())))
}

/// The JSON Schemas of what is said.
pub async fn schema() -> Response {
    fine(&shapes::openenv_schemas())
}

/// What this environment is.
pub async fn metadata() -> Response {
    fine(&json!({
        "name": NAME,
        "description": "Incidents in a simulated company: read the page, find the cause, put it right, say so",
        "version": env!("CARGO_PKG_VERSION"),
        "author": "SRE-Zero",
    }))
}

async fn answer(work: impl Future<Output = Result<(SessionId, Value), Problem>>) -> Response {
    match work.await {
        Err(problem) => problem.detailed(),
        Ok((id, body)) => {
            let mut response = fine(&body);
            if let Ok(id) = HeaderValue::from_str(&id.to_string()) {
                response.headers_mut().insert(read::SESSION, id);
            }
            response
        }
    }
}
