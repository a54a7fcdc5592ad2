//! The conductor over HTTP: stages and submissions, and MCP as streamable HTTP and with the older event streams.

use std::any::Any;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use doors::mcp::answer_one_episode;
use futures_util::Stream;
use futures_util::stream::unfold;
use kubeapi::ClusterHost;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use crate::live::LiveProblem;
use crate::mcp::{GROUPS, ToolGroup};

/// A served problem and those who listen to it.
pub struct Conductor {
    host: Arc<ClusterHost>,
    /// Event streams of MCP clients, by the number of their session.
    streams: Mutex<BTreeMap<String, mpsc::Sender<Value>>>,
    over: Notify,
    /// For those who come without one.
    kubeconfig: Option<String>,
}

impl Conductor {
    /// Conducts what a host serves.
    pub fn new(host: Arc<ClusterHost>) -> Conductor {
        Conductor { host, streams: Mutex::default(), over: Notify::new(), kubeconfig: None }
    }

    /// The same, with a kubeconfig for clients that were not given one.
    pub(crate) fn with_kubeconfig(self, kubeconfig: String) -> Conductor {
        Conductor { kubeconfig: Some(kubeconfig), ..self }
    }

    /// Does something with the problem at the present time.
    pub fn with<T>(&self, work: impl FnOnce(&mut LiveProblem) -> T) -> T {
        self.host.with(|served| {
            let any: &mut dyn Any = served;
            work(any.downcast_mut().expect("the host of a conductor serves a problem"))
        })
    }

    /// Waits until the last stage is over.
    pub async fn ended(&self) {
        while self.with(|problem| problem.stage()) != DONE {
            self.over.notified().await;
        }
    }

    fn answer(&self, group: &str, message: &Value) -> Option<Value> {
        let answer = self.with(|problem| answer_one_episode(&mut ToolGroup { problem, group }, message));
        self.over.notify_one();
        answer
    }
}

/// After the last stage.
const DONE: &str = "done";

/// All routes of a conductor.
pub fn router(conductor: Arc<Conductor>) -> Router {
    Router::new()
        .route("/submit", post(submit))
        .route("/status", get(status))
        .route("/get_app", get(get_app))
        .route("/kubeconfig", get(kubeconfig))
        .route("/mcp", post(mcp))
        .route("/{group}/sse", get(event_stream))
        .route("/{group}/messages", post(message))
        .route("/{group}/messages/", post(message))
        .with_state(conductor)
}

async fn status(State(conductor): State<Arc<Conductor>>) -> Json<Value> {
    Json(json!({"stage": conductor.with(|problem| problem.stage())}))
}

async fn get_app(State(conductor): State<Arc<Conductor>>) -> Json<Value> {
    let all = conductor.with(|problem| problem.applications());
    let part = |of: fn(&(String, String, String)) -> &String| all.iter().map(of).cloned().collect::<Vec<_>>();
    let (namespaces, titles, about) = (part(|app| &app.0), part(|app| &app.1), part(|app| &app.2));
    Json(json!({
        "app_name": titles.join(", "),
        "namespace": namespaces.first(),
        "namespaces": namespaces,
        "descriptions": about.join("\n"),
    }))
}

async fn kubeconfig(State(conductor): State<Arc<Conductor>>) -> Response {
    match &conductor.kubeconfig {
        Some(text) => text.clone().into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn submit(State(conductor): State<Arc<Conductor>>, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(solution) = body["solution"].as_str() else {
        let detail = json!([{"type": "missing", "loc": ["body", "solution"], "msg": "Field required"}]);
        return (StatusCode::UNPROCESSABLE_ENTITY, Json(json!({"detail": detail}))).into_response();
    };
    if conductor.with(|problem| problem.stage()) == DONE {
        return Json(json!({"status": DONE, "message": "All stages are over; nothing more is needed."}))
            .into_response();
    }
    // The last submission is judged before it is answered, which takes a moment of computing.
    let judged = {
        let (conductor, solution) = (conductor.clone(), solution.to_string());
        tokio::task::spawn_blocking(move || conductor.with(|problem| problem.submit(&solution))).await
    };
    conductor.over.notify_one();
    match judged {
        Ok(()) => Json(json!({"status": "200", "message": "Submission received"})).into_response(),
        Err(_) => {
            (StatusCode::INTERNAL_SERVER_ERROR, Json(json!({"detail": "it could not be judged"}))).into_response()
        }
    }
}

/// A message of a client that speaks streamable HTTP.
async fn mcp(State(conductor): State<Arc<Conductor>>, body: Bytes) -> Response {
    let Ok(message) = serde_json::from_slice::<Value>(&body) else {
        return (StatusCode::BAD_REQUEST, "the body is no valid JSON").into_response();
    };
    let reply = tokio::task::spawn_blocking(move || conductor.answer("", &message)).await;
    match reply {
        Ok(Some(reply)) => Json(reply).into_response(),
        Ok(None) => StatusCode::ACCEPTED.into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// The stream of a client that speaks the older way: where it posts its messages, then the answers to them.
async fn event_stream(State(conductor): State<Arc<Conductor>>, Path(group): Path<String>) -> Response {
    if !GROUPS.iter().any(|(name, _)| *name == group) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let (sender, receiver) = mpsc::channel(64);
    let id = fresh_id();
    conductor.streams.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), sender);
    let first = Event::default().event("endpoint").data(format!("/{group}/messages/?session_id={id}"));
    Sse::new(events(first, receiver)).keep_alive(KeepAlive::default()).into_response()
}

fn events(first: Event, receiver: mpsc::Receiver<Value>) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold((Some(first), receiver), |(first, mut receiver)| async move {
        if let Some(first) = first {
            return Some((Ok(first), (None, receiver)));
        }
        let message = receiver.recv().await?;
        Some((Ok(Event::default().event("message").data(message.to_string())), (None, receiver)))
    })
}

async fn message(
    State(conductor): State<Arc<Conductor>>,
    Path(group): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
    body: Bytes,
) -> Response {
    let id = query.get("session_id").cloned().unwrap_or_default();
    let stream = conductor.streams.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
    let Some(stream) = stream else { return (StatusCode::NOT_FOUND, "there is no such session").into_response() };
    let Ok(message) = serde_json::from_slice::<Value>(&body) else {
        return (StatusCode::BAD_REQUEST, "the body is no valid JSON").into_response();
    };
    tokio::spawn(async move {
        let answer = tokio::task::spawn_blocking({
            let conductor = conductor.clone();
            move || conductor.answer(&group, &message)
        });
        if let Ok(Some(answer)) = answer.await
            && stream.send(answer).await.is_err()
        {
            conductor.streams.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        }
    });
    (StatusCode::ACCEPTED, "Accepted").into_response()
}

pub(crate) fn fresh_id() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system gives random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
