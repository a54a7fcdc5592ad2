//! The network faces: sockets, pipes, clocks and tokens around the harness's sessions. What is said is
//! decided there; this is how it gets in and out.

mod gate;
mod http;
mod listen;
mod mcp;
mod openapi;
mod openenv;
mod ors;
mod patient;
mod problem;
mod protocol;
mod read;
pub mod signals;
pub mod sockets;
pub mod stdio;
mod tasks;
pub mod token;
mod ws;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use axum::Router;
use axum::middleware;
use axum::routing::get;
use doors::session::{SessionId, Sessions};
use tokio::sync::watch;

use problem::Problem;
use protocol::Endpoint;
use token::Token;

pub use listen::serve;
pub use sockets::Listener;

/// What all connections share.
pub struct App {
    /// The sessions.
    pub sessions: Sessions,
    /// When the server started: times are counted from there.
    pub started: Instant,
    /// What a client must show; nothing on loopback if none was set.
    pub token: Option<Token>,
    /// The longest body or message.
    pub most_bytes: usize,
    /// How long a request may take to arrive.
    pub patience: Duration,
    /// Who says nothing for so long has gone.
    pub idle: Duration,
    /// Set while records cannot be kept: then no episode begins.
    pub stuck: Arc<AtomicBool>,
    /// Set when the server stops.
    pub stopping: watch::Sender<bool>,
}

impl App {
    /// The time.
    pub fn now(&self) -> Duration {
        self.started.elapsed()
    }
}

/// The environment's name in OpenEnv's task interface.
pub const NAME: &str = "sre-zero";

/// All protocols.
const PROTOCOLS: &[&[Endpoint]] =
    &[http::ENDPOINTS, tasks::ENDPOINTS, openenv::ENDPOINTS, ors::ENDPOINTS, ws::ENDPOINTS, mcp::ENDPOINTS];

fn endpoints() -> impl Iterator<Item = &'static Endpoint> {
    PROTOCOLS.iter().copied().flatten()
}

/// Everything that can be asked for, behind the gate.
pub fn router(app: Arc<App>) -> Router {
    endpoints()
        .fold(Router::new(), |router, endpoint| router.route(endpoint.path, (endpoint.route)()))
        .route("/openapi.json", get(openapi::document))
        .fallback(|| async { Problem::NOT_FOUND })
        .method_not_allowed_fallback(|| async { Problem::WRONG_METHOD })
        .layer(middleware::from_fn_with_state(app.clone(), gate::admit))
        .with_state(app)
}

/// 128 bits that cannot be guessed.
pub fn fresh_id() -> SessionId {
    let mut id = [0; 16];
    // Without the system's randomness there is no safe id, and no reason to go on.
    getrandom::fill(&mut id).expect("the system gives random numbers");
    SessionId(id)
}
