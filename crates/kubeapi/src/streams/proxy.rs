//! Requests that the API passes on to a pod, a Service or a node.

use cluster::api::StreamRequest;
use hyper::body::Incoming;
use hyper::{Request, StatusCode};

use crate::body::ApiBytes;
use crate::host::ClusterHost;
use crate::reply::{ApiReply, build, plain};

/// One request, one answer.
pub(super) fn pass_on(
    host: &ClusterHost,
    request: &Request<Incoming>,
    asked: &StreamRequest,
    path: &str,
    body: &[u8],
) -> ApiReply {
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let resource = request.uri().path().split('/').rev().find(|part| matches!(*part, "pods" | "services" | "nodes"));
    let kind = resource.unwrap_or("pods");
    let (name, port) = split(&asked.name);
    if kind == "nodes" {
        return plain(StatusCode::NOT_FOUND, "404 page not found");
    }
    let bytes = [
        format!(
            "{} {path}{query} HTTP/1.1\r\nHost: {name}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            request.method(),
            body.len()
        )
        .into_bytes(),
        body.to_vec(),
    ]
    .concat();
    let answer = host.with(|served| {
        let (pod, port) = match kind {
            "services" => served.cluster().endpoint_of(&asked.namespace, name, port)?,
            _ => (name.to_string(), port.parse().unwrap_or(80)),
        };
        served.talk_to(&asked.namespace, &pod, port, &bytes)
    });
    match answer {
        Some(answer) => passed(&answer.reply),
        None => {
            let message = match kind {
                "services" => format!("no endpoints available for service \"{name}\""),
                _ => "error trying to reach service: dial tcp: connect: connection refused".into(),
            };
            let status = serde_json::json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
                "reason": "ServiceUnavailable", "code": 503,
            });
            build(503, &[("Content-Type", "application/json".to_string())], ApiBytes::of(status.to_string()))
        }
    }
}

/// `http:name:port` and `name:port`.
fn split(name: &str) -> (&str, &str) {
    let name = name.strip_prefix("http:").or_else(|| name.strip_prefix("https:")).unwrap_or(name);
    name.split_once(':').unwrap_or((name, ""))
}

/// The answer of the program as an answer of ours.
fn passed(reply: &[u8]) -> ApiReply {
    let end = reply.windows(4).position(|four| four == b"\r\n\r\n").map_or(reply.len(), |at| at + 4);
    let head = String::from_utf8_lossy(&reply[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(502);
    let kind = head.lines().find_map(|line| line.strip_prefix("Content-Type: ")).unwrap_or("text/plain").to_string();
    build(status, &[("Content-Type", kind)], ApiBytes::of(reply[end..].to_vec()))
}
