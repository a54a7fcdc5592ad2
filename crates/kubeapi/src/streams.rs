//! Streams: exec, attach and port-forward, over WebSocket and over SPDY, and requests that are passed on to pods.
//!
//! Whatever the transport, a command talks through [`Talk`]: what the client sends comes in, what the command prints goes
//! out, and the last word is a status.

mod exec;
mod forward;
mod frames;
mod proxy;
mod spdy;
mod terminal;
mod websocket;

use std::sync::Arc;

use cluster::api::{StreamKind, StreamRequest};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::{Request, StatusCode};
use tokio::sync::mpsc;

use crate::body::ApiBytes;
use crate::host::ClusterHost;
use crate::reply::{ApiReply, build, plain, text};

/// What a client sends to a command.
pub(crate) enum FromClient {
    /// Input.
    Input(Bytes),
    /// No more input comes.
    EndOfInput,
}

/// What a command says to its client.
pub(crate) enum ToClient {
    /// Output.
    Output(Vec<u8>),
    /// Complaints.
    Complaints(Vec<u8>),
    /// How it ended, as a `Status`; nothing comes after it.
    Status(String),
}

impl ToClient {
    /// Whether there is nothing to send.
    fn is_empty(&self) -> bool {
        match self {
            Self::Output(bytes) | Self::Complaints(bytes) => bytes.is_empty(),
            Self::Status(_) => false,
        }
    }
}

/// Both directions of a conversation with a command.
pub(crate) struct Talk {
    pub(crate) heard: mpsc::Receiver<FromClient>,
    pub(crate) said: mpsc::Sender<ToClient>,
}

/// Upgrades a connection, or says why not.
pub(crate) fn upgrade(
    host: Arc<ClusterHost>,
    request: Request<Incoming>,
    asked: StreamRequest,
    body: Vec<u8>,
) -> ApiReply {
    if let StreamKind::Proxy(path) = &asked.kind {
        return proxy::pass_on(&host, &request, &asked, path, &body);
    }
    let wanted = text(request.headers(), header::UPGRADE).unwrap_or_default().to_ascii_lowercase();
    match wanted.as_str() {
        "websocket" => websocket::accept(host, request, asked),
        "spdy/3.1" => spdy::accept(host, request, asked),
        _ => plain(StatusCode::BAD_REQUEST, "unable to upgrade: unable to negotiate protocol"),
    }
}

/// The answer that turns a connection into a stream.
fn switching(headers: &[(&'static str, String)]) -> ApiReply {
    let mut reply = build(101, headers, ApiBytes::Whole(None));
    reply.headers_mut().remove(header::CACHE_CONTROL);
    reply
}

/// All values of a header, also those that stand in one line.
fn listed(headers: &HeaderMap, name: &HeaderName) -> Vec<String> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|value| value.trim().to_string()).collect()
}

/// Why a command cannot even begin: the kubelet's word, as the API passes it on.
fn not_running(asked: &StreamRequest) -> Option<ApiReply> {
    let is_forward = matches!(asked.kind, StreamKind::PortForward(_));
    if asked.is_running || is_forward {
        return None;
    }
    let message = format!("unable to upgrade connection: container not found (\"{}\")", asked.container);
    let status = serde_json::json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": format!("Internal error occurred: {message}"), "reason": "InternalError",
        "details": {"causes": [{"message": message}]}, "code": 500,
    });
    let headers = [("Content-Type", "application/json".to_string())];
    Some(build(500, &headers, ApiBytes::of(status.to_string())))
}
