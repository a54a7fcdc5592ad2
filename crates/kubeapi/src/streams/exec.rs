//! A command in a container, carried by any transport.

use std::sync::Arc;
use std::time::Duration;

use cluster::api::{ApiRequest, HttpMethod, StreamKind, StreamRequest};
use serde_json::json;

use super::{FromClient, Talk, ToClient};
use crate::host::ClusterHost;

/// The longest that a command makes its client wait at a time.
const LONGEST: Duration = Duration::from_secs(3600);

/// Talks until the command has ended or the client has gone.
pub(super) async fn converse(host: Arc<ClusterHost>, asked: StreamRequest, mut talk: Talk) {
    let status = match &asked.kind {
        StreamKind::Attach(_) => attach(&host, &asked, &mut talk).await,
        _ => command(&host, &asked, &mut talk).await,
    };
    if let Some(status) = status {
        let _ = talk.said.send(ToClient::Status(status)).await;
    }
}

async fn command(host: &ClusterHost, asked: &StreamRequest, talk: &mut Talk) -> Option<String> {
    let begun = host.with(|running| running.cluster.begin_command(&mut *running.programs, asked));
    let mut command = match begun {
        Ok(command) => command,
        Err(why) => return Some(failure(&format!("Internal error occurred: {why}"))),
    };
    let (mut input, mut is_all) = (Vec::new(), false);
    let has_input = matches!(asked.kind, StreamKind::Exec { streams: [true, ..], .. });
    loop {
        let output = host.with(|running| {
            running.cluster.feed_command(&mut *running.programs, &mut command, &input, is_all || !has_input)
        });
        // What took time in the cluster takes as long here.
        let wait = output.takes.min(LONGEST);
        if wait > Duration::from_millis(50) {
            tokio::select! {
                () = tokio::time::sleep(host.clock.real(wait)) => {}
                () = talk.said.closed() => return None,
            }
        }
        if !output.stdout.is_empty() {
            talk.said.send(ToClient::Output(output.stdout)).await.ok()?;
        }
        if !output.stderr.is_empty() {
            talk.said.send(ToClient::Complaints(output.stderr)).await.ok()?;
        }
        if let Some(code) = output.exit {
            return Some(exit_status(code));
        }
        match talk.heard.recv().await {
            Some(FromClient::Input(bytes)) => input = bytes.to_vec(),
            Some(FromClient::EndOfInput) | None if is_all => return Some(exit_status(0)),
            Some(FromClient::EndOfInput) | None => {
                input.clear();
                is_all = true;
            }
        }
    }
}

/// Attached clients see what the main process prints from now on.
async fn attach(host: &ClusterHost, asked: &StreamRequest, talk: &mut Talk) -> Option<String> {
    let (namespace, name, container) = (&asked.namespace, &asked.name, &asked.container);
    let target = format!("/api/v1/namespaces/{namespace}/pods/{name}/log?container={container}&follow=true");
    let response = host.call(&ApiRequest::new(HttpMethod::Get, &target));
    let cluster::api::ApiBody::Log(mut log) = response.body else { return Some(exit_status(0)) };
    loop {
        let news = host.with(|running| running.cluster.poll_log(&mut *running.programs, &mut log));
        if !news.is_empty() {
            talk.said.send(ToClient::Output(news)).await.ok()?;
        }
        if log.is_done() {
            return Some(exit_status(0));
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(200)) => {}
            heard = talk.heard.recv() => drop(heard?),
        }
    }
}

fn exit_status(code: i32) -> String {
    if code == 0 {
        return json!({"metadata": {}, "status": "Success"}).to_string();
    }
    json!({
        "metadata": {},
        "status": "Failure",
        "message": format!("command terminated with non-zero exit code: exit status {code}"),
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": code.to_string()}]},
    })
    .to_string()
}

fn failure(message: &str) -> String {
    json!({
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": "InternalError",
        "details": {"causes": [{"message": message}]},
        "code": 500,
    })
    .to_string()
}
