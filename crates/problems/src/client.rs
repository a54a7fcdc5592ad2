//! What clients with connections of their own do to a problem's cluster: each touch is a step of the record, written so that
//! it can be done again to the same bytes.

use std::collections::BTreeMap;

use cluster::api::{ApiBody, ApiRequest, ApiResponse, HttpMethod, StreamKind, StreamRequest, User};
use cluster::exec::ContainerCommand;
use cluster::{base64, from_base64};
use exporters::ObservabilityServer;
use serde::{Deserialize, Serialize};
use telemetry::TelemetryRequest;

/// One touch of a client, as the text of a step has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", deny_unknown_fields)]
pub(crate) enum ClientTouch {
    /// A request to the API.
    #[serde(rename = "client_request")]
    Request {
        method: String,
        target: String,
        headers: Vec<(String, String)>,
        #[serde(default, skip_serializing_if = "ClientBytes::is_empty")]
        body: ClientBytes,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user: Option<(String, String, Vec<String>)>,
    },
    /// A command in a container begins.
    #[serde(rename = "client_exec")]
    Exec {
        namespace: String,
        pod: String,
        container: String,
        node: String,
        command: Vec<String>,
        streams: [bool; 4],
        running: bool,
    },
    /// A command gets input.
    #[serde(rename = "client_input")]
    Input { command: u64, input: ClientBytes, end: bool },
    /// A client leaves the shell that a container is.
    #[serde(rename = "client_left")]
    Left { namespace: String, pod: String, container: String, code: i32 },
    /// Bytes to a port of a pod.
    #[serde(rename = "client_bytes")]
    Bytes { namespace: String, pod: String, port: u16, bytes: ClientBytes },
    /// A request to one of those who watch the cluster.
    #[serde(rename = "client_query")]
    Query { server: String, method: String, path: String, query: String, content_type: String, body: ClientBytes },
}

/// Bytes as text: as they are if they are text, else in base64 behind a mark.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ClientBytes(String);

/// What stands before bytes in base64; no text of a client begins like that.
const MARK: &str = "\u{1}base64:";

impl ClientBytes {
    pub(crate) fn of(bytes: &[u8]) -> ClientBytes {
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.starts_with(MARK) => ClientBytes(text.to_string()),
            _ => ClientBytes(format!("{MARK}{}", base64(bytes))),
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let coded = self.0.strip_prefix(MARK).and_then(from_base64);
        coded.unwrap_or_else(|| self.0.clone().into_bytes())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Commands in containers that clients have begun.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientCommands {
    pub(crate) running: BTreeMap<u64, ContainerCommand>,
    pub(crate) begun: u64,
}

/// The headers that mean something to the API, or say which command of kubectl a request belongs to.
const KEPT: [&str; 9] = [
    "accept",
    "content-type",
    "if-none-match",
    "impersonate-group",
    "impersonate-user",
    "kubectl-command",
    "kubectl-session",
    "upgrade",
    "user-agent",
];

impl ClientTouch {
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).expect("touches are plain data")
    }

    /// Reads the text of a step; nothing if it is no touch.
    pub(crate) fn read(text: &str) -> Option<ClientTouch> {
        text.starts_with("{\"action\":\"client_").then(|| serde_json::from_str(text).ok())?
    }

    pub(crate) fn of_request(request: &ApiRequest) -> ClientTouch {
        let kept = request.headers().filter(|(name, _)| KEPT.contains(name));
        ClientTouch::Request {
            method: request.method.name().to_string(),
            target: request.target(),
            headers: kept.map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            body: ClientBytes::of(&request.body),
            user: request.user.as_ref().map(|user| (user.name.clone(), user.uid.clone(), user.groups.clone())),
        }
    }

    pub(crate) fn of_exec(asked: &StreamRequest) -> ClientTouch {
        let (command, streams) = match &asked.kind {
            StreamKind::Exec { command, streams } => (command.clone(), *streams),
            _ => (Vec::new(), [false; 4]),
        };
        ClientTouch::Exec {
            namespace: asked.namespace.clone(),
            pod: asked.name.clone(),
            container: asked.container.clone(),
            node: asked.node.clone(),
            command,
            streams,
            running: asked.is_running,
        }
    }

    pub(crate) fn of_query(server: ObservabilityServer, request: &TelemetryRequest) -> ClientTouch {
        ClientTouch::Query {
            server: server.name().to_string(),
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.query.clone(),
            content_type: request.content_type.clone(),
            body: ClientBytes::of(&request.body),
        }
    }

    /// Under which tool it is counted.
    pub(crate) fn tool(&self) -> &'static str {
        match self {
            ClientTouch::Request { headers, .. } => {
                let by_kubectl = headers.iter().any(|(name, _)| name == "kubectl-command");
                if by_kubectl { "kubectl" } else { "api" }
            }
            ClientTouch::Exec { .. } | ClientTouch::Input { .. } | ClientTouch::Left { .. } => "exec",
            ClientTouch::Bytes { .. } => "port_forward",
            ClientTouch::Query { server, .. } => match server.as_str() {
                "prometheus" => "promql",
                "loki" => "logql",
                "jaeger" => "traces",
                _ => "alerts",
            },
        }
    }

    /// What was done, in one line.
    pub(crate) fn line(&self) -> String {
        match self {
            ClientTouch::Request { method, target, headers, .. } => {
                let command = headers.iter().find(|(name, _)| name == "kubectl-command");
                let command = command.map(|(_, command)| format!("  # {command}")).unwrap_or_default();
                format!("{method} {target}{command}")
            }
            ClientTouch::Exec { namespace, pod, container, command, .. } => {
                format!("exec -n {namespace} {pod} -c {container} -- {}", command.join(" "))
            }
            ClientTouch::Input { command, end, .. } => {
                format!("input of command {command}{}", if *end { ", the last" } else { "" })
            }
            ClientTouch::Left { namespace, pod, code, .. } => format!("left {namespace}/{pod} with {code}"),
            ClientTouch::Bytes { namespace, pod, port, .. } => format!("bytes to {namespace}/{pod}:{port}"),
            ClientTouch::Query { server, method, path, query, body, content_type } => {
                let body = body.bytes();
                let body = String::from_utf8_lossy(&body);
                let params = match (query.is_empty(), content_type.contains("form")) {
                    (false, _) => telemetry::readable_params(query),
                    (true, true) => telemetry::readable_params(&body),
                    (true, false) => body.into_owned(),
                };
                format!("{server}: {method} {path} {params}")
            }
        }
    }
}

/// The request of a touch.
pub(crate) fn request_of(
    method: &str,
    target: &str,
    headers: &[(String, String)],
    body: &ClientBytes,
    user: Option<&(String, String, Vec<String>)>,
) -> ApiRequest {
    let mut request = ApiRequest::new(HttpMethod::parse(method), target);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.body = body.bytes();
    request.user =
        user.map(|(name, uid, groups)| User { name: name.clone(), uid: uid.clone(), groups: groups.clone() });
    request
}

/// As much of an answer is kept in the record.
const LONGEST: usize = 2_000;

/// What a client was answered, as the record keeps it.
pub(crate) fn shown_response(response: &ApiResponse) -> String {
    let body = match &response.body {
        ApiBody::Bytes(bytes) => clipped(&String::from_utf8_lossy(bytes)),
        _ => "(a stream)".to_string(),
    };
    format!("{} {body}", response.status)
}

/// A text, cut where it is long.
pub(crate) fn clipped(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_string();
    }
    let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{} [cut: {} more bytes]", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_as_they_are_written() {
        let check = |request: &ApiRequest| {
            let touch = ClientTouch::of_request(request);
            let again = ClientTouch::read(&touch.text());
            assert_eq!(again.as_ref(), Some(&touch));
            let Some(ClientTouch::Request { method, target, headers, body, user }) = again else {
                panic!("no request: {touch:?}")
            };
            assert_eq!(request_of(&method, &target, &headers, &body, user.as_ref()), *request);
        };
        check(
            &ApiRequest::new(HttpMethod::Get, "/api/v1/pods?labelSelector=a%3Db").header("accept", "application/json"),
        );
        let mut odd = ApiRequest::new(HttpMethod::Patch, "/api/v1/nodes/a");
        odd.body = vec![0, 255, 10];
        check(&odd);
        check(&odd.by(User::service_account("shop", "cart")));
    }

    #[test]
    fn what_is_no_touch_is_none() {
        let check = |text: &str| assert_eq!(ClientTouch::read(text), None, "{text}");
        check("kubectl get pods");
        check("{\"action\":\"kubectl\",\"command\":\"x\"}");
        check("{\"action\":\"client_request\"}");
        check("{\"action\":\"client_request\",\"method\":\"GET\",\"target\":\"/\",\"headers\":[],\"more\":1}");
    }
}
