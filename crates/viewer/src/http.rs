//! The socket: reads requests, hands them to plain functions on threads of their own, writes answers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use server::Listener;
use tokio::sync::watch;

use super::ViewerState;
use super::ask::{Answer, Ask, Query, ViewRefusal};
use super::guard::HEADERS;
use super::routes::respond;

/// No request of ours is longer.
const LONGEST_BODY: usize = 64 * 1024;
/// How long a request may take to arrive, and an answer to be taken.
const PATIENCE: Duration = Duration::from_secs(30);
/// People and their browsers; below the usual limit of 1,024 file handles, so that files can still be opened.
const CONNECTIONS: usize = 256;
/// In which our page proves that it is ours.
const TOKEN: &str = "x-sre-zero-token";

/// Binds the address; port 0 takes one that is free.
pub async fn listen(address: SocketAddr) -> anyhow::Result<Listener> {
    let taken = || format!("cannot listen on {address}; choose another --port, or 0 for any that is free");
    Listener::bind(address, CONNECTIONS).await.with_context(taken)
}

/// Answers until Ctrl-C.
pub async fn serve(listener: Listener, app: ViewerState) {
    let router = Router::new().fallback(handle).with_state(Arc::new(app));
    let stopping = watch::Sender::new(false);
    listener.serve(router, PATIENCE, &stopping, server::signals::stop()).await;
}

async fn handle(State(app): State<Arc<ViewerState>>, request: Request) -> Response {
    let mut cookie = None;
    let answer = match read(request).await {
        Err(refusal) => refusal.into(),
        Ok(ask) => {
            cookie = app.guard.cookie(&ask);
            let answered = tokio::task::spawn_blocking(move || respond(&app, &ask)).await;
            answered.unwrap_or_else(|_| ViewRefusal { status: 500, why: "a bug: see the terminal".to_string() }.into())
        }
    };
    let mut response = write(answer);
    if let Some(cookie) = cookie.and_then(|text| HeaderValue::from_str(&text).ok()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

async fn read(request: Request) -> Result<Ask, ViewRefusal> {
    let (parts, body) = request.into_parts();
    let too_long = |_| ViewRefusal { status: 413, why: format!("a request has at most {LONGEST_BODY} bytes") };
    let late = |_| ViewRefusal { status: 408, why: "the request did not arrive in time".to_string() };
    let body = tokio::time::timeout(PATIENCE, to_bytes(body, LONGEST_BODY)).await.map_err(late)?.map_err(too_long)?;
    let header = |name: &str| one(&parts.headers, name);
    Ok(Ask {
        method: parts.method.to_string(),
        path: parts.uri.path().to_string(),
        query: Query::parse(parts.uri.query().unwrap_or_default()),
        host: header("host"),
        origin: header("origin"),
        token: header(TOKEN),
        cookie: header("cookie"),
        site: header("sec-fetch-site"),
        body: body.to_vec(),
    })
}

/// A header that stands there once; twice is as good as never.
fn one(headers: &HeaderMap, name: &str) -> Option<String> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    if all.next().is_some() { None } else { first.to_str().ok().map(str::to_string) }
}

fn write(answer: Answer) -> Response {
    let mut response = Response::new(Body::from(answer.body.into_owned()));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert("content-type", HeaderValue::from_static(answer.kind));
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}
