//! OpenEnv over HTTP. Unlike upstream's, a session lives on between requests, by `X-Session-ID`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use axum::routing::{get, post};
use doors::session::{ClientView, Refusal, SessionId, StartRequest};
use serde_json::{Map, Value, json};

use super::problem::{Problem, fine};
use super::protocol::{Endpoint, START};
use super::{App, NAME, fresh_id, read};

/// OpenEnv's HTTP interface.
pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post("/reset", "OpenEnv: begin an episode; the header X-Session-ID keeps it", || post(reset))
        .takes(START),
    Endpoint::post("/step", "OpenEnv: do one action in the session of X-Session-ID", || post(step))
        .takes(&[("action", "object"), ("timeout_s", "number"), ("request_id", "string")])
        .needs(&["action"]),
    Endpoint::get("/state", "OpenEnv: how the session of X-Session-ID stands", || get(state)),
    Endpoint::get("/schema", "OpenEnv: the schemas of action, observation and state", || get(schema)),
    Endpoint::get("/metadata", "OpenEnv: what this environment is", || get(metadata)),
];

/// Begins an episode: in the session of the header, or in a new one.
async fn reset(State(app): State<Arc<App>>, request: Request) -> Response {
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
        Ok((id, observed(&view, &id.to_string())))
    })
    .await
}

/// Does one action in the session of the header.
async fn step(State(app): State<Arc<App>>, request: Request) -> Response {
    answer(async {
        let (headers, fields) = read::fields(&app, request).await?;
        let id = read::session(&headers, None)?;
        let text = command(action(&fields)?)?;
        let view = app.sessions.with(id, app.now(), |session| session.step(text))??;
        Ok((id, observed(&view, &id.to_string())))
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
async fn state(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let view = read::session_header(&headers).and_then(|id| match id {
        None => Ok(None),
        Some(id) => Ok(app.sessions.with(id, app.now(), |session| session.view().ok())?),
    });
    view.map_or_else(Problem::detailed, |view| fine(&stands(view.as_ref())))
}

/// The JSON Schemas of what is said.
async fn schema() -> Response {
    fine(&schemas())
}

/// What this environment is.
async fn metadata() -> Response {
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

/// An observation in OpenEnv's shape; a reset has no reward, and a measured agent gets none. What newer clients look for inside stands
/// beside it too, for older ones.
pub(super) fn observed(view: &ClientView, session_id: &str) -> Value {
    let reward = if view.step == 0 { Value::Null } else { json!(view.reward()) };
    let (done, terminated, truncated) = (view.is_over(), view.is_terminated(), view.is_truncated());
    let metadata = json!({
        "session_id": session_id,
        "incident_id": view.brief.incident,
        "terminated": terminated,
        "truncated": truncated,
        "ending": view.ending,
        "total_reward": view.total_reward(),
        "world_time_ms": view.time,
    });
    let observation = json!({
        "text": view.observation,
        "step": view.step,
        "steps_left": view.steps_left(),
        "error": view.error,
        "reward": reward,
        "done": done,
        "terminated": terminated,
        "truncated": truncated,
        "metadata": metadata,
    });
    json!({
        "observation": observation,
        "reward": reward,
        "done": done,
        "terminated": terminated,
        "truncated": truncated,
        "metadata": metadata,
    })
}

/// A session's state in OpenEnv's shape; without an episode all of it is empty.
pub(super) fn stands(view: Option<&ClientView>) -> Value {
    let Some(view) = view else { return json!({ "episode_id": null, "step_count": 0 }) };
    json!({
        "episode_id": view.episode_id.as_ref().unwrap_or(&view.brief.incident),
        "step_count": view.step,
        "incident_id": view.brief.incident,
        "steps_left": view.steps_left(),
        "done": view.is_over(),
        "terminated": view.is_terminated(),
        "truncated": view.is_truncated(),
        "total_reward": view.total_reward(),
        "world_time_ms": view.time,
    })
}

/// The JSON Schemas of OpenEnv's action, observation and state. The action has one needed field, so
/// that clients can take a model's raw text for it.
fn schemas() -> Value {
    let (text, whole, flag) = (json!({ "type": "string" }), json!({ "type": "integer" }), json!({ "type": "boolean" }));
    let (number, object) = (json!({ "type": ["number", "null"] }), json!({ "type": "object" }));
    let maybe = json!({ "type": ["string", "null"] });
    let command = json!({
        "type": "string",
        "description": "one action, as a call such as inspect_logs(cache) or as a JSON object",
    });
    json!({
        "action": {
            "title": "Action", "type": "object", "required": ["command"], "additionalProperties": false,
            "properties": { "command": command, "metadata": object },
        },
        "observation": {
            "title": "Observation", "type": "object", "required": ["text"],
            "properties": {
                "text": text, "step": whole, "steps_left": whole, "error": maybe, "reward": number, "done": flag,
                "terminated": flag, "truncated": flag, "metadata": object,
            },
        },
        "state": {
            "title": "State", "type": "object",
            "properties": {
                "episode_id": maybe, "step_count": whole, "incident_id": text, "steps_left": whole, "done": flag,
                "terminated": flag, "truncated": flag, "total_reward": number, "world_time_ms": whole,
            },
        },
    })
}

/// The text of an OpenEnv action, which has `command` and nothing else of meaning.
pub(super) fn command(action: &Map<String, Value>) -> Result<&str, Refusal> {
    let known = ["command", "metadata"];
    if let Some(name) = action.keys().find(|name| !known.contains(&name.as_str())) {
        let name = harness::catalogue::clip(name);
        return Err(Refusal::Invalid(format!("unknown field `{name}`; an action is {{\"command\": \"...\"}}")));
    }
    let command = action.get("command").and_then(Value::as_str);
    command.ok_or_else(|| Refusal::Invalid("`command` takes the text of one action".to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_openenv_action_has_one_field() {
        let check = |action: Value, expect: &str| {
            let fields = action.as_object().expect("an object");
            assert_eq!(command(fields).map_or_else(|e| e.to_string(), str::to_string), expect);
        };
        check(json!({"command": "x", "metadata": {}}), "x");
        check(json!({"command": 3}), "`command` takes the text of one action");
        check(json!({"__proto__": 3}), "unknown field `__proto__`; an action is {\"command\": \"...\"}");
        let schema = schemas();
        assert_eq!(schema["action"]["required"], json!(["command"]));
    }
}
