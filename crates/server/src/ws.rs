//! OpenEnv over a WebSocket: one session for as long as the connection lasts.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use doors::mcp::{self, Client};
use doors::session::{Refusal, SessionId, StartRequest};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout_at};

use super::problem::Problem;
use super::protocol::Endpoint;
use super::sockets::stopped;
use super::{App, fresh_id, openenv, read};

/// OpenEnv's WebSocket.
pub const ENDPOINTS: &[Endpoint] =
    &[Endpoint::get("/ws", "OpenEnv: a WebSocket, one session per connection", || get(connect))];

/// How long a client may take to read an answer.
const READING: Duration = Duration::from_secs(30);

/// Opens a connection; `?session_id=` joins a session that is there.
async fn connect(State(app): State<Arc<App>>, RawQuery(query): RawQuery, upgrade: WebSocketUpgrade) -> Response {
    let mut fields = read::query(query.as_deref());
    let joined = match fields.remove("session_id") {
        None => None,
        Some(named) => match named.as_str().and_then(SessionId::parse) {
            Some(id) => Some(id),
            None => return Problem::from(Refusal::UnknownSession).into_response(),
        },
    };
    let usual = match StartRequest::read(&fields) {
        Ok(usual) => usual,
        Err(refusal) => return Problem::from(refusal).into_response(),
    };
    let most = app.most_bytes;
    upgrade.max_message_size(most).max_frame_size(most).on_upgrade(move |socket| talk(app, socket, joined, usual))
}

async fn talk(app: Arc<App>, mut socket: WebSocket, joined: Option<SessionId>, usual: StartRequest) {
    let id = joined.unwrap_or_else(fresh_id);
    let opened = match joined {
        Some(id) => app.sessions.with(id, app.now(), |_| ()),
        None => app.sessions.open(id, app.now()),
    };
    if let Err(refusal) = opened {
        send(&mut socket, &error(&refusal)).await;
        // A client that sees the connection close before it reads would miss the reason.
        let _ = socket.send(Message::Close(None)).await;
        return;
    }
    listen(&app, &mut socket, &Seat { id, usual }).await;
    // Who joined leaves the session to those who opened it.
    if joined.is_none() {
        let _ = app.sessions.close(id, app.now());
    }
}

struct Seat {
    id: SessionId,
    usual: StartRequest,
}

/// Answers until one side closes: the client, its long silence, or the server that stops.
async fn listen(app: &App, socket: &mut WebSocket, seat: &Seat) {
    let mut stopping = app.stopping.subscribe();
    let mut deadline = Instant::now() + app.idle;
    loop {
        let next = tokio::select! {
            next = timeout_at(deadline, socket.recv()) => next,
            () = stopped(&mut stopping) => return close(socket, 1001, "the server stops").await,
        };
        let reply = match next {
            Err(_) => return close(socket, 1001, "idle for too long").await,
            Ok(None | Some(Err(_)) | Some(Ok(Message::Close(_)))) => return,
            Ok(Some(Ok(Message::Text(text)))) => reply(app, seat, &text),
            Ok(Some(Ok(Message::Binary(_)))) => Some(wrong("INVALID_JSON", "send text, not bytes")),
            // Pings are answered by themselves, and are no sign of work.
            Ok(Some(Ok(_))) => continue,
        };
        deadline = Instant::now() + app.idle;
        let Some(reply) = reply else { return close(socket, 1000, "").await };
        if !send(socket, &reply).await {
            return;
        }
    }
}

/// The answer to a message; nothing if the client says goodbye.
fn reply(app: &App, seat: &Seat, text: &str) -> Option<Value> {
    let Ok(Value::Object(message)) = serde_json::from_str::<Value>(text) else {
        return Some(wrong("INVALID_JSON", "a message is a JSON object"));
    };
    let none = Map::new();
    let data = match message.get("data") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(data)) => data,
        Some(_) => return Some(wrong("VALIDATION_ERROR", "`data` takes an object")),
    };
    let kind = message.get("type").and_then(Value::as_str).unwrap_or_default();
    let answered = match kind {
        "reset" => reset(app, seat, data).map(|data| json!({ "type": "observation", "data": data })),
        "step" => step(app, seat, data).map(|data| json!({ "type": "observation", "data": data })),
        "state" => state(app, seat).map(|data| json!({ "type": "state", "data": data })),
        "mcp" => rpc(app, seat, data).map(|data| json!({ "type": "mcp", "data": data })),
        "close" => return None,
        _ => return Some(wrong("UNKNOWN_TYPE", "`type` is reset, step, state, mcp or close")),
    };
    Some(answered.unwrap_or_else(|refusal| error(&refusal)))
}

fn reset(app: &App, seat: &Seat, data: &Map<String, Value>) -> Result<Value, Refusal> {
    let view = app.sessions.start(seat.id, StartRequest::read(data)?.over(&seat.usual), app.now())?;
    Ok(openenv::observed(&view, &seat.id.to_string()))
}

fn step(app: &App, seat: &Seat, data: &Map<String, Value>) -> Result<Value, Refusal> {
    let text = openenv::command(data)?;
    let view = app.sessions.with(seat.id, app.now(), |session| session.step(text))??;
    Ok(openenv::observed(&view, &seat.id.to_string()))
}

fn state(app: &App, seat: &Seat) -> Result<Value, Refusal> {
    let view = app.sessions.with(seat.id, app.now(), |session| session.view().ok())?;
    Ok(openenv::stands(view.as_ref()))
}

/// A message of MCP; its client need not reset first.
fn rpc(app: &App, seat: &Seat, message: &Map<String, Value>) -> Result<Value, Refusal> {
    let now = app.now();
    if app.sessions.with(seat.id, now, |session| session.view().is_err())? {
        app.sessions.start(seat.id, seat.usual.clone(), now)?;
    }
    let mut client = Client {
        sessions: &app.sessions,
        now,
        fresh: &fresh_id,
        bound: Some(seat.id),
        confined: true,
        usual: seat.usual.clone(),
    };
    // A client that sends a notification gets an answer all the same: here each message has one.
    Ok(mcp::answer(&mut client, &Value::Object(message.clone())).unwrap_or(json!({ "jsonrpc": "2.0" })))
}

fn error(refusal: &Refusal) -> Value {
    let code = match refusal {
        Refusal::UnknownSession => "SESSION_ERROR",
        Refusal::NoEpisode | Refusal::Unplayable => "EXECUTION_ERROR",
        Refusal::Full(_) => "CAPACITY_REACHED",
        Refusal::Invalid(_) => "VALIDATION_ERROR",
    };
    wrong(code, &refusal.to_string())
}

fn wrong(code: &str, message: &str) -> Value {
    json!({ "type": "error", "data": { "message": message, "code": code } })
}

/// Sends, unless the client does not read.
async fn send(socket: &mut WebSocket, reply: &Value) -> bool {
    let sent = tokio::time::timeout(READING, socket.send(Message::text(reply.to_string()))).await;
    matches!(sent, Ok(Ok(())))
}

async fn close(socket: &mut WebSocket, code: u16, reason: &'static str) {
    let frame = CloseFrame { code, reason: reason.into() };
    let _ = tokio::time::timeout(READING, socket.send(Message::Close(Some(frame)))).await;
}
