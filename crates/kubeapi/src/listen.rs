//! The accept loop: TLS connections on loopback, all of which end when the server stops.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::certificate::Identity;
use crate::error::ApiServeError;
use crate::host::ClusterHost;
use crate::kubeconfig::kubeconfig;
use crate::respond::respond;

/// A socket that is bound and not served yet.
pub struct ApiListener {
    socket: TcpListener,
    identity: Identity,
}

/// A handshake must be over by then.
const PATIENCE: Duration = Duration::from_secs(10);
/// After a failed accept (no file handles left), some should be free again.
const BREATHER: Duration = Duration::from_millis(50);

impl ApiListener {
    /// Binds a port of 127.0.0.1; 0 takes one that is free.
    pub async fn bind(port: u16) -> Result<Self, ApiServeError> {
        let identity = Identity::fresh()?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let socket = TcpListener::bind(address).await.map_err(|source| ApiServeError::Bind { port, source })?;
        Ok(Self { socket, identity })
    }

    /// Where it listens.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// The kubeconfig for this server.
    pub fn kubeconfig(&self, token: &str) -> std::io::Result<String> {
        Ok(kubeconfig(&self.address()?.to_string(), &self.identity.authority, token))
    }

    /// Serves until `stop` comes; time passes for the cluster meanwhile.
    pub async fn serve(self, host: Arc<ClusterHost>, stop: impl Future<Output = ()>) {
        let acceptor = TlsAcceptor::from(self.identity.config);
        let ticking = tokio::spawn({
            let host = host.clone();
            async move { host.run().await }
        });
        tokio::pin!(stop);
        loop {
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                () = &mut stop => break,
            };
            match accepted {
                Ok((stream, _)) => drop(tokio::spawn(converse(acceptor.clone(), stream, host.clone()))),
                Err(_) => tokio::time::sleep(BREATHER).await,
            }
        }
        ticking.abort();
    }
}

async fn converse(acceptor: TlsAcceptor, stream: TcpStream, host: Arc<ClusterHost>) {
    // Small answers go out at once; without this, watches would lag.
    let _ = stream.set_nodelay(true);
    let Ok(Ok(stream)) = tokio::time::timeout(PATIENCE, acceptor.accept(stream)).await else { return };
    let service = service_fn(move |request| {
        let host = host.clone();
        async move { Ok::<_, Infallible>(respond(host, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    // A client that goes away in the middle is no news.
    let _ = connection.await;
}
