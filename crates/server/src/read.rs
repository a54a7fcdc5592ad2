//! Reading a request: so many bytes, in so much time, as a JSON object.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::HeaderMap;
use doors::session::{Refusal, SessionId, StartRequest};
use serde_json::{Map, Value};

use super::App;
use super::gate::text;
use super::problem::Problem;

/// The header that names a session.
pub const SESSION: &str = "x-session-id";

/// The bytes of a body.
pub async fn bytes(app: &App, body: Body) -> Result<axum::body::Bytes, Problem> {
    match tokio::time::timeout(app.patience, to_bytes(body, app.most_bytes)).await {
        Err(_) => Err(Problem::TOO_SLOW),
        // A connection that breaks off hears nothing of this anyway.
        Ok(Err(_)) => Err(Problem::TOO_LARGE),
        Ok(Ok(bytes)) => Ok(bytes),
    }
}

/// The headers and the fields of a request; an empty body has none.
pub async fn fields(app: &App, request: Request) -> Result<(HeaderMap, Map<String, Value>), Problem> {
    let (parts, body) = request.into_parts();
    let bytes = bytes(app, body).await?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok((parts.headers, Map::new()));
    }
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(fields)) => Ok((parts.headers, fields)),
        Ok(_) => Err(Problem::NO_OBJECT),
        Err(_) => Err(Problem::NO_JSON),
    }
}

/// The session that a header names.
pub fn session_header(headers: &HeaderMap) -> Result<Option<SessionId>, Problem> {
    match headers.contains_key(SESSION) {
        false => Ok(None),
        true => {
            let id = text(headers, SESSION).and_then(SessionId::parse);
            Ok(Some(id.ok_or(Refusal::UnknownSession)?))
        }
    }
}

/// The session of a field or of the header.
pub fn session(headers: &HeaderMap, field: Option<&Value>) -> Result<SessionId, Problem> {
    match field {
        Some(value) => Ok(value.as_str().and_then(SessionId::parse).ok_or(Refusal::UnknownSession)?),
        None => session_header(headers)?.ok_or(Problem::NO_SESSION),
    }
}

/// The pairs of a query as fields.
pub fn query(query: Option<&str>) -> Map<String, Value> {
    let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    // Names, numbers and ids need no escapes; what has some is refused where it is read.
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (name.to_string(), Value::String(value.to_string())))
        .collect()
}

/// What a client wants to play, from the query of its address.
pub fn usual(text: Option<&str>) -> Result<StartRequest, Problem> {
    Ok(StartRequest::read(&query(text))?)
}
