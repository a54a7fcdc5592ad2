//! Sessions behind a socket: idle ones are looked for, and all are sealed at the end.

use std::sync::Arc;
use std::time::Duration;

use super::sockets::Listener;
use super::{App, router};

/// Idle sessions are looked for this often.
const ROUNDS: Duration = Duration::from_secs(5);

/// Serves until `stop`, then ends all connections and seals all episodes.
pub async fn serve(app: Arc<App>, listener: Listener, stop: impl Future<Output = ()>) {
    let reaper = tokio::spawn(reap(app.clone()));
    listener.serve(router(app.clone()), app.patience, &app.stopping, stop).await;
    reaper.abort();
    app.sessions.close_all(app.now());
}

async fn reap(app: Arc<App>) {
    let mut rounds = tokio::time::interval(ROUNDS.min(app.idle));
    loop {
        rounds.tick().await;
        app.sessions.reap(app.now());
    }
}
