//! A command in a container, carried by any transport.

use std::sync::Arc;
use std::time::Duration;

use cluster::api::{ApiRequest, HttpMethod, StreamKind, StreamRequest};
use serde_json::json;

use super::terminal::LineDiscipline;
use super::{FromClient, Talk, ToClient};
use crate::host::ClusterHost;

/// The longest that a command makes its client wait at a time.
const LONGEST: Duration = Duration::from_secs(3600);

/// The code of a command that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// What a terminal sends for it.
const CTRL_C: u8 = 3;

/// Talks until the command has ended or the client has gone.
pub(super) async fn converse(host: Arc<ClusterHost>, asked: StreamRequest, mut talk: Talk) {
    let status = match &asked.kind {
        StreamKind::Attach(_) => match host.with(|served| served.main_process(&asked)) {
            Some(process) => main_process(&host, &process, &mut talk).await,
            None => attach(&host, &asked, &mut talk).await,
        },
        _ => command(&host, &asked, &mut talk).await,
    };
    if let Some(status) = status {
        let _ = talk.said.send(ToClient::Status(status)).await;
    }
}

async fn command(host: &ClusterHost, asked: &StreamRequest, talk: &mut Talk) -> Option<String> {
    let begun = host.with(|served| served.begin_command(asked));
    match begun {
        Ok(command) => Session::new(asked).follow(host, command, talk).await.map(exit_status),
        Err(why) => Some(failure(&format!("Internal error occurred: {why}"))),
    }
}

/// What a client has sent to a command so far.
struct Session {
    input: Vec<u8>,
    /// Whether no more input comes.
    is_all: bool,
    /// What edits the input, where the client has a terminal.
    terminal: Option<LineDiscipline>,
}

impl Session {
    fn new(asked: &StreamRequest) -> Self {
        let [has_input, _, _, has_terminal] = match asked.kind {
            StreamKind::Exec { streams, .. } => streams,
            _ => [false; 4],
        };
        let terminal = (has_input && has_terminal).then(LineDiscipline::default);
        Self { input: Vec::new(), is_all: !has_input, terminal }
    }

    /// Feeds a command until it has ended: its code, or nothing if the client has gone.
    async fn follow(&mut self, host: &ClusterHost, command: u64, talk: &mut Talk) -> Option<i32> {
        loop {
            let output = host.with(|served| served.feed_command(command, &self.input, self.is_all));
            // What took time in the cluster takes as long here, unless Ctrl-C ends it.
            let is_cut = self.wait(host.clock.real(output.takes.min(LONGEST)), talk).await?;
            if is_cut && output.exit.is_none() {
                talk.said.send(ToClient::Output(b"# ".to_vec())).await.ok()?;
            } else if !is_cut {
                for part in [ToClient::Output(output.stdout), ToClient::Complaints(output.stderr)] {
                    if !part.is_empty() {
                        talk.said.send(part).await.ok()?;
                    }
                }
            }
            match output.exit {
                Some(_) if is_cut => return Some(INTERRUPTED),
                Some(code) => return Some(code),
                None => {}
            }
            if let Some(code) = self.listen(talk).await? {
                return Some(code);
            }
        }
    }

    /// Waits as long as a command takes. True if Ctrl-C ended it.
    async fn wait(&mut self, lasts: Duration, talk: &mut Talk) -> Option<bool> {
        if lasts <= Duration::from_millis(50) {
            return Some(false);
        }
        let mut end = std::pin::pin!(tokio::time::sleep(lasts));
        let Some(terminal) = &mut self.terminal else {
            return tokio::select! {
                () = &mut end => Some(false),
                () = talk.said.closed() => None,
            };
        };
        loop {
            let heard = tokio::select! {
                () = &mut end => return Some(false),
                () = talk.said.closed() => return None,
                heard = talk.heard.recv() => heard,
            };
            let Some(FromClient::Input(bytes)) = heard else { return None };
            let typed = terminal.keys(&bytes);
            talk.said.send(ToClient::Output(typed.echo)).await.ok()?;
            if typed.is_interrupt {
                return Some(true);
            }
        }
    }

    /// Hears until there is something for the command, or it is ended from outside.
    async fn listen(&mut self, talk: &mut Talk) -> Option<Option<i32>> {
        loop {
            self.input.clear();
            match (talk.heard.recv().await, &mut self.terminal) {
                (Some(FromClient::EndOfInput) | None, _) if self.is_all => return Some(Some(0)),
                (Some(FromClient::EndOfInput) | None, _) => self.is_all = true,
                (Some(FromClient::Input(bytes)), None) => self.input = bytes.to_vec(),
                (Some(FromClient::Input(bytes)), Some(terminal)) => {
                    let typed = terminal.keys(&bytes);
                    talk.said.send(ToClient::Output(typed.echo)).await.ok()?;
                    self.is_all |= typed.is_end;
                    self.input = typed.input;
                    if typed.is_interrupt {
                        self.input = vec![b'\n'];
                    }
                    if self.input.is_empty() && !typed.is_end {
                        continue;
                    }
                }
            }
            return Some(None);
        }
    }
}

/// A client that attaches to a container talks to its shell, or has its tool run: `kubectl run -it -- sh`. When that ends, so does the
/// container.
async fn main_process(host: &ClusterHost, process: &StreamRequest, talk: &mut Talk) -> Option<String> {
    let begun = host.with(|served| served.begin_command(process));
    let command = begun.ok()?;
    let code = Session::new(process).follow(host, command, talk).await?;
    host.with(|served| served.end_container(&process.namespace, &process.name, &process.container, code));
    Some(exit_status(code))
}

/// Attached clients see what the main process prints from now on. Ctrl-C at a terminal ends it.
async fn attach(host: &ClusterHost, asked: &StreamRequest, talk: &mut Talk) -> Option<String> {
    let (namespace, name, container) = (&asked.namespace, &asked.name, &asked.container);
    let target = format!("/api/v1/namespaces/{namespace}/pods/{name}/log?container={container}&follow=true");
    let response = host.call(&ApiRequest::new(HttpMethod::Get, &target));
    let cluster::api::ApiBody::Log(mut log) = response.body else { return Some(exit_status(0)) };
    let has_terminal = matches!(asked.kind, StreamKind::Attach([true, _, _, true]));
    loop {
        let news = host.with(|served| served.poll_log(&mut log));
        if !news.is_empty() {
            let news = if has_terminal { returned(&news) } else { news };
            talk.said.send(ToClient::Output(news)).await.ok()?;
        }
        if log.is_done() {
            return Some(exit_status(0));
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(200)) => {}
            heard = talk.heard.recv() => match heard? {
                FromClient::Input(bytes) if has_terminal && bytes.contains(&CTRL_C) => {
                    host.with(|served| served.end_container(namespace, name, container, INTERRUPTED));
                    return Some(exit_status(INTERRUPTED));
                }
                _ => {}
            },
        }
    }
}

/// Lines as a terminal gets them: its own line discipline is off, so that each must return to the margin.
fn returned(text: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(text).replace('\n', "\r\n").into_bytes()
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
