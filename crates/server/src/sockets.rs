//! The accept loop, for `serve` and for `view`: connections are counted and timed, and all of them end when the
//! server stops.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::patient::PatientStream;

/// Longer heads of requests are refused.
const HEAD: usize = 64 * 1024;
/// What is being answered when the server stops may take so long.
const GRACE: Duration = Duration::from_secs(5);
/// After a failed accept (no file handles left), some should be free again.
const BREATHER: Duration = Duration::from_millis(50);

/// A socket that is bound and not served yet.
pub struct Listener {
    socket: TcpListener,
    connections: Arc<Semaphore>,
}

impl Listener {
    /// Binds an address; so many connections at a time are served, others wait.
    pub async fn bind(address: SocketAddr, connections: usize) -> std::io::Result<Listener> {
        let connections = Arc::new(Semaphore::new(connections.min(Semaphore::MAX_PERMITS)));
        Ok(Listener { socket: TcpListener::bind(address).await?, connections })
    }

    /// Where it listens.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Answers with `router` until `stop`, then ends all connections. A client has `patience` to send the head of a
    /// request, and again to take what it is sent.
    pub async fn serve(
        self,
        router: Router,
        patience: Duration,
        stopping: &watch::Sender<bool>,
        stop: impl Future<Output = ()>,
    ) {
        let service = TowerToHyperService::new(router);
        tokio::select! {
            () = self.accept(&service, patience, stopping) => {}
            () = stop => {}
        }
        drop(self);
        stopping.send_replace(true);
        // Every connection holds a receiver of that, so when all receivers are gone all connections are.
        let _ = tokio::time::timeout(GRACE, stopping.closed()).await;
    }

    async fn accept(&self, service: &Service, patience: Duration, stopping: &watch::Sender<bool>) {
        loop {
            let Ok(permit) = self.connections.clone().acquire_owned().await else { return };
            match self.socket.accept().await {
                Ok((stream, _)) => {
                    let talk = converse(stream, service.clone(), patience, stopping.subscribe(), permit);
                    drop(tokio::spawn(talk));
                }
                Err(_) => tokio::time::sleep(BREATHER).await,
            }
        }
    }
}

type Service = TowerToHyperService<Router>;

async fn converse(
    stream: TcpStream,
    service: Service,
    patience: Duration,
    mut stopping: watch::Receiver<bool>,
    _permit: OwnedSemaphorePermit,
) {
    // Answers are small, and a client waits for each.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience).max_buf_size(HEAD);
    let stream = TokioIo::new(PatientStream::new(stream, patience));
    let connection = http.serve_connection(stream, service).with_upgrades();
    tokio::pin!(connection);
    tokio::select! {
        // A client that breaks off is no error of ours.
        _ = connection.as_mut() => {}
        () = stopped(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(GRACE, connection).await;
        }
    }
}

/// Comes when the server stops.
pub async fn stopped(stopping: &mut watch::Receiver<bool>) {
    while !*stopping.borrow_and_update() {
        if stopping.changed().await.is_err() {
            return;
        }
    }
}
