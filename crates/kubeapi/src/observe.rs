//! Prometheus, Loki, Jaeger and Alertmanager over plain HTTP on loopback: each on a port of its own, and all under one
//! address.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use exporters::ObservabilityServer;
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use telemetry::TelemetryRequest;
use tokio::net::{TcpListener, TcpStream};

use crate::body::ApiBytes;
use crate::error::ApiServeError;
use crate::host::ClusterHost;
use crate::reply::{ApiReply, build, plain, text};

/// The longest body that is read.
const LARGEST: usize = 4 << 20;

/// Sockets that are bound and not served yet. The first one serves all under their names.
pub struct ObservabilityListener {
    shared: TcpListener,
    own: Vec<(ObservabilityServer, TcpListener)>,
}

impl ObservabilityListener {
    /// Binds a port of 127.0.0.1 for all, 0 for one that is free, and a free port for each.
    pub async fn bind(port: u16) -> Result<Self, ApiServeError> {
        let shared = socket(port).await?;
        let mut own = Vec::new();
        for server in ObservabilityServer::ALL {
            own.push((server, socket(0).await?));
        }
        Ok(Self { shared, own })
    }

    /// Where all of them are, and where each is.
    pub fn addresses(&self) -> std::io::Result<(SocketAddr, Vec<(ObservabilityServer, SocketAddr)>)> {
        let own: std::io::Result<Vec<_>> =
            self.own.iter().map(|(server, socket)| Ok((*server, socket.local_addr()?))).collect();
        Ok((self.shared.local_addr()?, own?))
    }

    /// Serves until the runtime ends.
    pub fn serve(self, host: &Arc<ClusterHost>) {
        tokio::spawn(accept(self.shared, None, host.clone()));
        for (server, socket) in self.own {
            tokio::spawn(accept(socket, Some(server), host.clone()));
        }
    }
}

async fn socket(port: u16) -> Result<TcpListener, ApiServeError> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpListener::bind(address).await.map_err(|source| ApiServeError::Bind { port, source })
}

async fn accept(socket: TcpListener, server: Option<ObservabilityServer>, host: Arc<ClusterHost>) {
    loop {
        // A failed accept is the client's; the next one may be good.
        if let Ok((stream, _)) = socket.accept().await {
            tokio::spawn(converse(stream, server, host.clone()));
        } else {
            tokio::task::yield_now().await;
        }
    }
}

async fn converse(stream: TcpStream, server: Option<ObservabilityServer>, host: Arc<ClusterHost>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let host = host.clone();
        async move { Ok::<_, Infallible>(respond(&host, server, request).await) }
    });
    // A client that goes away in the middle is no news.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn respond(host: &ClusterHost, server: Option<ObservabilityServer>, mut request: Request<Incoming>) -> ApiReply {
    let whole = request.uri().path().to_string();
    let Some((server, path)) = server.map(|server| (server, whole.as_str())).or_else(|| named(&whole)) else {
        return plain(StatusCode::NOT_FOUND, "one of /prometheus, /loki, /jaeger, /alertmanager\n");
    };
    // What the shared address puts before the server's own path, and so before where it redirects to.
    let prefix = whole.strip_suffix(path).unwrap_or(&whole);
    let Ok(body) = Limited::new(request.body_mut(), LARGEST).collect().await else {
        return plain(StatusCode::PAYLOAD_TOO_LARGE, "request body cannot be read\n");
    };
    let kind = text(request.headers(), header::CONTENT_TYPE).unwrap_or_default();
    let asked = TelemetryRequest {
        method: request.method().to_string(),
        path: path.to_string(),
        query: request.uri().query().unwrap_or_default().to_string(),
        content_type: kind.split(';').next().unwrap_or_default().trim().to_string(),
        body: body.to_bytes().to_vec(),
    };
    let Some(answer) = host.observe(server, &asked) else {
        return plain(StatusCode::NOT_FOUND, "this cluster is not watched\n");
    };
    let mut headers = answer.headers;
    for (name, value) in &mut headers {
        if *name == "Location" && value.starts_with('/') {
            value.insert_str(0, prefix);
        }
    }
    if !answer.content_type.is_empty() {
        headers.push(("Content-Type", answer.content_type.into()));
    }
    build(answer.status, &headers, ApiBytes::of(answer.body))
}

/// The server that a path under the shared address names, and the path there.
fn named(path: &str) -> Option<(ObservabilityServer, &str)> {
    // Loki's own paths begin with its name.
    if path.starts_with("/loki/api/") {
        return Some((ObservabilityServer::Loki, path));
    }
    ObservabilityServer::ALL.iter().find_map(|server| {
        let rest = path.strip_prefix('/')?.strip_prefix(server.name())?;
        (rest.is_empty() || rest.starts_with('/')).then_some((*server, if rest.is_empty() { "/" } else { rest }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_their_server() {
        let check = |path: &str, expect: Option<(ObservabilityServer, &str)>| assert_eq!(named(path), expect, "{path}");
        check("/prometheus/api/v1/query", Some((ObservabilityServer::Prometheus, "/api/v1/query")));
        check("/prometheus", Some((ObservabilityServer::Prometheus, "/")));
        check("/loki/api/v1/labels", Some((ObservabilityServer::Loki, "/loki/api/v1/labels")));
        check("/loki/loki/api/v1/labels", Some((ObservabilityServer::Loki, "/loki/api/v1/labels")));
        check("/jaeger/api/services", Some((ObservabilityServer::Jaeger, "/api/services")));
        check("/prometheusx", None);
        check("/", None);
    }
}
