//! The socket: reads requests, hands them to plain functions on threads of their own, writes answers.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use tokio::net::TcpListener;

use super::ViewerState;
use super::ask::{Answer, Ask, Query, ViewRefusal};
use super::guard::HEADERS;
use super::routes::respond;

/// No request of ours is longer.
const LONGEST_BODY: usize = 64 * 1024;
/// In which our page proves that it is ours.
const TOKEN: &str = "x-sre-zero-token";

/// Listens on this machine only; port 0 takes one that is free.
pub async fn listen(port: u16) -> anyhow::Result<(TcpListener, u16)> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let taken = || format!("cannot listen on {address}; choose another --port, or 0 for any that is free");
    let listener = TcpListener::bind(address).await.with_context(taken)?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Answers until Ctrl-C.
pub async fn serve(listener: TcpListener, app: ViewerState) -> anyhow::Result<()> {
    let router = Router::new().fallback(handle).with_state(Arc::new(app));
    tokio::select! {
        served = axum::serve(listener, router) => Ok(served?),
        stopped = tokio::signal::ctrl_c() => Ok(stopped?),
    }
}

async fn handle(State(app): State<Arc<ViewerState>>, request: Request) -> Response {
    let answer = match read(request).await {
        Err(refusal) => refusal.into(),
        Ok(ask) => {
            let answered = tokio::task::spawn_blocking(move || respond(&app, &ask)).await;
            answered.unwrap_or_else(|_| ViewRefusal { status: 500, why: "a bug: see the terminal".to_string() }.into())
        }
    };
    write(answer)
}

async fn read(request: Request) -> Result<Ask, ViewRefusal> {
    let (parts, body) = request.into_parts();
    let too_long = |_| ViewRefusal { status: 413, why: format!("a request has at most {LONGEST_BODY} bytes") };
    let body = to_bytes(body, LONGEST_BODY).await.map_err(too_long)?;
    let header = |name: &str| one(&parts.headers, name);
    Ok(Ask {
        method: parts.method.to_string(),
        path: parts.uri.path().to_string(),
        query: Query::parse(parts.uri.query().unwrap_or_default()),
        host: header("host"),
        origin: header("origin"),
        token: header(TOKEN),
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
