//! Connections to ports of pods: bytes in, what the program answers out.

use std::sync::Arc;

use cluster::api::StreamRequest;
use tokio::sync::mpsc;

use crate::host::ClusterHost;

/// Opens a connection: what is sent into the end that is returned reaches the program, its answers go to `data`, and
/// what went wrong to `errors`.
pub(super) fn open(
    host: Arc<ClusterHost>,
    asked: StreamRequest,
    port: u16,
    data: mpsc::Sender<Vec<u8>>,
    errors: mpsc::Sender<String>,
) -> mpsc::Sender<Vec<u8>> {
    let (end, mut sent) = mpsc::channel::<Vec<u8>>(64);
    tokio::spawn(async move {
        let mut waiting = Vec::new();
        while let Some(bytes) = sent.recv().await {
            waiting.extend(bytes);
            loop {
                let answer = host.with(|served| served.talk_to(&asked.namespace, &asked.name, port, &waiting));
                let Some(answer) = answer else {
                    let _ = errors.send(refusal(port, &asked)).await;
                    return;
                };
                let took = answer.consumed.min(waiting.len());
                waiting.drain(..took);
                if !answer.reply.is_empty() && data.send(answer.reply).await.is_err() {
                    return;
                }
                if answer.closes {
                    return;
                }
                if took == 0 || waiting.is_empty() {
                    break;
                }
            }
        }
    });
    end
}

/// As the runtime words it.
fn refusal(port: u16, asked: &StreamRequest) -> String {
    format!(
        "failed to execute portforward in network namespace \"/var/run/netns/cni-{}\": failed to connect to localhost:{port} \
         inside namespace, IPv4: dial tcp4 127.0.0.1:{port}: connect: connection refused IPv6 dial tcp6: address localhost: \
         no suitable address",
        asked.name
    )
}
