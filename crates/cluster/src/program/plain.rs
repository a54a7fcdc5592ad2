//! Programs small enough for tests: they start, listen on the ports they declare, answer probes, and end if told to.

use std::collections::BTreeMap;
use std::time::Duration;

use super::port::{answer_http, greeting};
use super::{
    ContainerExit, ContainerRun, Launch, LogRecord, PortAnswer, ProbeAnswer, ProbeCheck, Programs, Pull, ResourceUse,
};
use crate::time::Stamp;

/// Programs that do what the first word of their command says: `echo` prints and ends, `sleep 5` ends after 5 s, `crash`
/// ends with 1, `exit 3` with 3, `oom` uses too much memory, `missing` is no program; everything else runs and listens
/// on its declared ports.
#[derive(Clone, Debug, Default)]
pub struct PlainPrograms {
    /// Images that no registry has; one that ends in `/` stands for all that begin with it.
    pub missing_images: Vec<String>,
    /// What is said of a missing image, where it is not what a registry says that wants a login.
    pub missing_message: String,
    /// Images that answer probes with this status; others answer 200.
    pub http_status: BTreeMap<String, u16>,
    /// Cpu in thousandths and memory in bytes, by container name.
    pub usage: BTreeMap<String, (i64, i64)>,
    /// When containers started, by pod, name and attempt: what they print is of that time.
    pub started: BTreeMap<(String, String, u32), Stamp>,
}

impl PlainPrograms {
    /// As in the cluster in which cases were recorded.
    pub fn conformance() -> Self {
        let missing_message = "rpc error: code = NotFound desc = failed to pull and unpack image".into();
        Self { missing_images: vec!["nosuch/".into()], missing_message, ..Self::default() }
    }
}

impl Programs for PlainPrograms {
    fn pull(&mut self, _now: Stamp, _node: &str, image: &str) -> Pull {
        let is_missing = |missing: &String| missing == image || missing.ends_with('/') && image.starts_with(missing);
        if !self.missing_images.iter().any(is_missing) {
            let size = 20_000_000 + crate::chance::fnv(image.as_bytes()) % 60_000_000;
            return Pull::Found { size, takes: Duration::from_millis(1500 + size / 40_000) };
        }
        if !self.missing_message.is_empty() {
            return Pull::Failed { message: self.missing_message.clone(), takes: Duration::from_millis(900) };
        }
        let reference = full_reference(image);
        let message = format!(
            "failed to pull and unpack image \"{reference}\": failed to resolve reference \"{reference}\": pull access \
             denied, repository does not exist or may require authorization: server message: insufficient_scope: \
             authorization failed"
        );
        Pull::Failed { message, takes: Duration::from_millis(900) }
    }

    fn start(&mut self, now: Stamp, container: &ContainerRun) -> Launch {
        let attempt = |number| (container.pod_uid.clone(), container.name.clone(), number);
        self.started.insert(attempt(container.attempt), now);
        // Of the attempts before, only the last can be asked for.
        container.attempt.checked_sub(2).and_then(|old| self.started.remove(&attempt(old)));
        let words: Vec<&str> = container.command.iter().chain(&container.args).map(|word| &**word).collect();
        let number = |text: &&str| text.parse::<u64>().ok();
        let soon = Duration::from_millis(200);
        let ends = |after, code| Launch::Ends { after, exit: ContainerExit::with(code) };
        match words.as_slice() {
            ["date" | "echo" | "true", ..] => ends(soon, 0),
            ["crash" | "false", ..] => ends(soon, 1),
            ["sleep", rest @ ..] => ends(Duration::from_secs(rest.first().and_then(number).unwrap_or(0)), 0),
            ["exit", rest @ ..] => ends(soon, rest.first().and_then(number).unwrap_or(0) as i32),
            ["oom", ..] => Launch::Ends { after: Duration::from_secs(2), exit: ContainerExit::out_of_memory() },
            ["missing", ..] => Launch::Fails {
                message: "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc \
                          create failed: unable to start container process: exec: \"missing\": executable file not found \
                          in $PATH: unknown"
                    .into(),
            },
            _ => Launch::Runs,
        }
    }

    fn probe(&mut self, _now: Stamp, container: &ContainerRun, probe: &ProbeCheck) -> ProbeAnswer {
        let listens = |port: &u16| container.ports.contains(port);
        match probe {
            ProbeCheck::Http { scheme, host, port, path, .. } if !listens(port) => ProbeAnswer::Bad(format!(
                "Get \"{}://{host}:{port}{path}\": dial tcp {host}:{port}: connect: connection refused",
                scheme.to_lowercase()
            )),
            ProbeCheck::Http { .. } => match self.http_status.get(&container.image) {
                Some(status) if !(200..400).contains(status) => {
                    ProbeAnswer::Bad(format!("HTTP probe failed with statuscode: {status}"))
                }
                _ => ProbeAnswer::Good,
            },
            ProbeCheck::Tcp { host, port, .. } if !listens(port) => {
                ProbeAnswer::Bad(format!("dial tcp {host}:{port}: connect: connection refused"))
            }
            ProbeCheck::Grpc { port, timeout, .. } if !listens(port) => ProbeAnswer::Bad(format!(
                "timeout: failed to connect service \"{}:{port}\" within {}s: context deadline exceeded",
                container.pod_ip,
                timeout.as_secs()
            )),
            ProbeCheck::Exec { command, .. } if command.first().is_some_and(|word| word == "false") => {
                ProbeAnswer::Bad(String::new())
            }
            _ => ProbeAnswer::Good,
        }
    }

    fn stop(&mut self, _now: Stamp, _container: &ContainerRun, grace: Duration) -> (Duration, i32) {
        let wanted = Duration::from_millis(300);
        if wanted <= grace { (wanted, 0) } else { (grace, 137) }
    }

    fn usage(&mut self, _now: Stamp, container: &ContainerRun) -> ResourceUse {
        let (cpu_milli, memory) = self.usage.get(&container.name).copied().unwrap_or((1, 4 << 20));
        ResourceUse { cpu_milli, memory }
    }

    fn log(&mut self, now: Stamp, container: &ContainerRun) -> Vec<LogRecord> {
        let key = (container.pod_uid.clone(), container.name.clone(), container.attempt);
        let at = self.started.get(&key).copied().unwrap_or(now);
        let words = container.command.iter().chain(&container.args).cloned().collect::<Vec<_>>();
        let line = match words.split_first() {
            Some((first, rest)) if first == "echo" => rest.join(" "),
            Some((first, _)) if first == "date" => date(at),
            Some((first, _)) if first == "crash" => "fatal: the program was told to crash".into(),
            _ => format!("{} started", container.name),
        };
        vec![LogRecord { at, line }]
    }

    fn answer(&mut self, _now: Stamp, container: &ContainerRun, _port: u16, bytes: &[u8]) -> PortAnswer {
        let status = self.http_status.get(&container.image).copied().unwrap_or(200);
        answer_http(bytes, |ask| greeting(container, ask, status))
    }
}

/// `Mon Nov 16 05:03:35 UTC 2026`.
fn date(now: Stamp) -> String {
    let (year, month, day, hour, minute, second) = now.civil();
    let weekday =
        ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][now.secs().div_euclid(86_400).rem_euclid(7) as usize];
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = months[(month as usize).clamp(1, 12) - 1];
    format!("{weekday} {month} {day:2} {hour:02}:{minute:02}:{second:02} UTC {year}")
}

fn full_reference(image: &str) -> String {
    let first = image.split('/').next().unwrap_or_default();
    let tagged = if image.rsplit('/').next().is_some_and(|last| last.contains(':')) {
        image.into()
    } else {
        format!("{image}:latest")
    };
    match image.contains('/') {
        false => format!("docker.io/library/{tagged}"),
        true if first.contains(['.', ':']) => tagged,
        true => format!("docker.io/{tagged}"),
    }
}
