//! MCP over streamable HTTP: a message in, an answer out, both as JSON. There is nothing that the
//! server would say on its own, so there is no stream.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing;
use doors::mcp::{self, Client, Headers, RpcError};
use doors::session::{Refusal, SessionId, StartRequest};
use serde_json::Value;

use super::gate::text;
use super::problem::{Problem, respond};
use super::protocol::Endpoint;
use super::{App, fresh_id, read};

/// MCP's streamable HTTP.
pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post("/mcp", "MCP: one JSON-RPC message", || routing::post(post)).takes(MESSAGE),
    Endpoint {
        method: "delete",
        ..Endpoint::get("/mcp", "MCP: end the session of Mcp-Session-Id", || routing::delete(delete))
    },
    Endpoint::post("/mcp/{session}", "MCP in one session, for a client that was given its address", || {
        routing::post(post_in)
    })
    .takes(MESSAGE),
];

const MESSAGE: &[(&str, &str)] = &[("jsonrpc", "string"), ("id", "string"), ("method", "string"), ("params", "object")];

const SESSION: &str = "mcp-session-id";

/// A message of a client that has the server: it may be in a session or open some.
async fn post(State(app): State<Arc<App>>, RawQuery(query): RawQuery, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let bytes = match read::bytes(&app, body).await {
        Ok(bytes) => bytes,
        Err(problem) => return problem.into_response(),
    };
    let bound = match own_session(&app, &parts.headers) {
        Ok(bound) => bound,
        Err(fault) => return refuse(StatusCode::NOT_FOUND, &fault),
    };
    match read::usual(query.as_deref()) {
        Ok(usual) => answer(&app, (bound, usual, false), &parts.headers, &bytes),
        Err(problem) => refuse(problem.status(), &RpcError::new(mcp::INVALID_PARAMS, problem.message())),
    }
}

/// A message of a client that was given one session, by its address.
async fn post_in(State(app): State<Arc<App>>, Path(session): Path<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let id = SessionId::parse(&session).filter(|id| app.sessions.with(*id, app.now(), |_| ()).is_ok());
    let Some(id) = id else { return refuse(StatusCode::NOT_FOUND, &Refusal::UnknownSession.into()) };
    match read::bytes(&app, body).await {
        Ok(bytes) => answer(&app, (Some(id), StartRequest::default(), true), &parts.headers, &bytes),
        Err(problem) => problem.into_response(),
    }
}

/// The end of a session that a handshake began.
async fn delete(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let id = text(&headers, SESSION).and_then(SessionId::parse);
    match id.map(|id| app.sessions.close(id, app.now())) {
        Some(Ok(())) => StatusCode::OK.into_response(),
        _ => Problem::from(Refusal::UnknownSession).into_response(),
    }
}

/// Answers a message of a client: its session, what it usually plays, and whether it must stay there.
fn answer(app: &App, place: (Option<SessionId>, StartRequest, bool), headers: &HeaderMap, bytes: &[u8]) -> Response {
    let (bound, usual, confined) = place;
    let Ok(message) = serde_json::from_slice::<Value>(bytes) else {
        return refuse(StatusCode::BAD_REQUEST, &RpcError::new(mcp::PARSE_ERROR, "the body is no valid JSON"));
    };
    let said = Headers {
        version: text(headers, "mcp-protocol-version"),
        method: text(headers, "mcp-method"),
        name: text(headers, "mcp-name"),
    };
    if let Err(fault) = said.check(&message) {
        return respond(StatusCode::BAD_REQUEST, &fault.answer(&message["id"]));
    }
    let mut client = Client { sessions: &app.sessions, now: app.now(), fresh: &fresh_id, bound, confined, usual };
    let Some(reply) = mcp::answer(&mut client, &message) else { return StatusCode::ACCEPTED.into_response() };
    let alone = said.version.is_some_and(|version| mcp::STATELESS.contains(&version));
    let mut response = respond(if alone { status(&reply) } else { StatusCode::OK }, &reply);
    let begun = client.bound.filter(|_| bound.is_none()).map(|id| HeaderValue::from_str(&id.to_string()));
    if let Some(Ok(id)) = begun {
        response.headers_mut().insert(SESSION, id);
    }
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The session that the client says it is in.
fn own_session(app: &App, headers: &HeaderMap) -> Result<Option<SessionId>, RpcError> {
    let Some(name) = [SESSION, read::SESSION].into_iter().find(|name| headers.contains_key(*name)) else {
        return Ok(None);
    };
    let id = text(headers, name).and_then(SessionId::parse).ok_or(Refusal::UnknownSession)?;
    app.sessions.with(id, app.now(), |_| ())?;
    Ok(Some(id))
}

/// In the later era the status says what the number says.
fn status(reply: &Value) -> StatusCode {
    match reply["error"]["code"].as_i64() {
        Some(mcp::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        Some(mcp::INVALID_REQUEST | mcp::INVALID_PARAMS | mcp::UNSUPPORTED_VERSION) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

fn refuse(status: StatusCode, fault: &RpcError) -> Response {
    respond(status, &fault.answer(&Value::Null))
}
