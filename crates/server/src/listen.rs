//! The accept loop: connections are counted and timed, and all of them end when the server stops.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{App, router, stopped};

/// Longer heads of requests are refused.
const HEAD: usize = 64 * 1024;
/// What is being answered when the server stops may take so long.
const GRACE: Duration = Duration::from_secs(5);
/// After a failed accept (no file handles left), some should be free again.
const BREATHER: Duration = Duration::from_millis(50);
/// Idle sessions are looked for this often.
const ROUNDS: Duration = Duration::from_secs(5);

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
}

/// Serves until `stop`, then ends all connections and seals all episodes.
pub async fn serve(app: Arc<App>, listener: Listener, stop: impl Future<Output = ()>) {
    let reaper = tokio::spawn(reap(app.clone()));
    let service = TowerToHyperService::new(router(app.clone()));
    tokio::select! {
        () = accept(&app, &listener, &service) => {}
        () = stop => {}
    }
    drop(listener);
    app.stopping.send_replace(true);
    // Every connection listens to that, so when none does any more, all are gone.
    let _ = tokio::time::timeout(GRACE, app.stopping.closed()).await;
    reaper.abort();
    app.sessions.close_all(app.now());
}

type Service = TowerToHyperService<axum::Router>;

async fn accept(app: &Arc<App>, listener: &Listener, service: &Service) {
    loop {
        let Ok(permit) = listener.connections.clone().acquire_owned().await else { return };
        match listener.socket.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(converse(app.clone(), stream, service.clone(), permit))),
            Err(_) => tokio::time::sleep(BREATHER).await,
        }
    }
}

async fn converse(app: Arc<App>, stream: TcpStream, service: Service, _permit: OwnedSemaphorePermit) {
    // Answers are small, and a client waits for each.
    let _ = stream.set_nodelay(true);
    let mut stopping = app.stopping.subscribe();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(app.patience).max_buf_size(HEAD);
    let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
    tokio::pin!(connection);
    tokio::select! {
        // A client that breaks off is no error of the server.
        _ = connection.as_mut() => {}
        () = stopped(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(GRACE, connection).await;
        }
    }
}

async fn reap(app: Arc<App>) {
    let mut rounds = tokio::time::interval(ROUNDS.min(app.idle));
    loop {
        rounds.tick().await;
        app.sessions.reap(app.now());
    }
}
