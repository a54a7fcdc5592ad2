//! Waiting for a signal to stop.

/// Comes with Ctrl-C or when the system asks the program to end. It listens from the moment of the call, so that a signal
/// right after a server has said where it is ends it in order.
#[cfg(unix)]
pub fn stop() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
    async move {
        let [Ok(mut interrupt), Ok(mut end), Ok(mut hang_up)] = signals else {
            let _ = tokio::signal::ctrl_c().await;
            return;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = end.recv() => {}
            _ = hang_up.recv() => {}
        }
    }
}

/// Comes with Ctrl-C.
#[cfg(not(unix))]
pub async fn stop() {
    let _ = tokio::signal::ctrl_c().await;
}
