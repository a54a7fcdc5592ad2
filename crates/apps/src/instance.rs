//! A container's program while it runs: how far it has come, what it was told, what it uses.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cluster::{ContainerRun, Stamp};

use crate::journal::ContainerLog;
use crate::scatter::{mix, stir};
use crate::spec::{ContainerProgram, SettingTemplate, WireProtocol};
use crate::words::{LogLevel, LogPlace, dated, frame, is_dated};

/// Namespace, pod and container.
pub(crate) type InstanceKey = (Arc<str>, Arc<str>, Arc<str>);

/// How far a program has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Phase {
    /// The process comes up.
    Launching { until: Stamp },
    /// It asks for the need of this number, since then.
    Needing { need: usize, since: Stamp },
    /// It listens, since then.
    Serving { since: Stamp },
    /// It was asked to stop, or ended.
    Over,
}

/// A program in a container.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) run: ContainerRun,
    pub(crate) name: Arc<str>,
    pub(crate) program: Arc<ContainerProgram>,
    /// The tag of its image.
    pub(crate) version: String,
    pub(crate) phase: Phase,
    pub(crate) settings: Arc<BTreeMap<String, String>>,
    /// Ports and what is spoken there.
    pub(crate) ports: Vec<(u16, WireProtocol)>,
    /// Where its store's state lives.
    pub(crate) store: Option<Arc<str>>,
    /// Cores that it may use.
    pub(crate) cpu_limit: Option<f64>,
    /// Requests that wait.
    pub(crate) queue: f64,
    /// Seconds that a request waits for its turn.
    pub(crate) wait: f64,
    /// Cores in use.
    pub(crate) cpu: f64,
    /// How many times longer a request takes because other work of the program wants the same cores.
    pub(crate) crowding: f64,
    /// The share of periods in which it was held back by its limit.
    pub(crate) throttled: f64,
    /// The share of connections for which no file is left.
    pub(crate) turned_away: f64,
    /// Bytes in use, of which those that stay behind.
    pub(crate) memory: f64,
    pub(crate) leaked: f64,
    /// The share of questions that a cache in it or before it answers when warm.
    pub(crate) warmth: f64,
    /// When it ends by itself, and with which code.
    pub(crate) ends: Option<(Stamp, i32)>,
    /// From when until when its certificate is valid, if it has one.
    pub(crate) certificate: Option<(Stamp, Stamp)>,
    /// Whether health checks fail.
    pub(crate) unhealthy: bool,
    pub(crate) log: ContainerLog,
}

impl Instance {
    pub(crate) fn is_serving(&self) -> bool {
        matches!(self.phase, Phase::Serving { .. })
    }

    /// Whether it has been serving before this moment: what it prints then is no longer of its start.
    fn serves_already(&self, at: Stamp) -> bool {
        matches!(self.phase, Phase::Serving { since } if since < at)
    }

    pub(crate) fn listens_on(&self, port: u16) -> Option<WireProtocol> {
        let own = self.ports.iter().find(|(own, _)| *own == port).map(|(_, wire)| *wire);
        own.filter(|_| self.is_serving())
    }

    /// Prints a message in the frame of its logger, which may take several lines.
    pub(crate) fn say(&mut self, now: Stamp, level: LogLevel, message: &str) {
        let at = self.moment(now);
        let port = self.ports.first().map(|(port, _)| *port).filter(|_| self.serves_already(at));
        let lines = frame(&self.program, at, level, LogPlace { name: &self.name, port }, message);
        lines.split('\n').for_each(|line| self.print(at, line));
    }

    /// When within the last second something happened that is told at its end; nothing happens on the full second only.
    /// What is told later did not happen earlier.
    pub(crate) fn moment(&self, now: Stamp) -> Stamp {
        let last = self.log.all().last().map_or(0, |(at, _)| at.0);
        let first = now.0 - if self.is_serving() { 990_000 } else { 200_000 };
        let draw = mix(stir(&self.run.pod_uid) ^ mix(last as u64) ^ now.0 as u64) % 1_000_003;
        // Of many in one second, each leaves room for the others.
        let (earliest, share) = if last < first { (first, 1) } else { (last + 137, 8) };
        let room = (now.0 - earliest).max(0) / share;
        Stamp((earliest + room * draw as i64 / 1_000_003).min(now.0))
    }

    /// Prints what a program says when it comes up. Where its logger writes the time into the lines, they stand as they are
    /// and some milliseconds apart: coming up takes a moment.
    pub(crate) fn say_all(&mut self, now: Stamp, lines: &[String], settings: Option<&BTreeMap<String, String>>) {
        let has_times = lines.iter().any(|line| is_dated(line));
        let bytes = self.run.pod_uid.bytes().chain(self.run.name.bytes());
        let seed = bytes.fold(7, |sum, byte| (sum * 31 + i64::from(byte)) % 9973);
        let mut earliest = self.log.all().last().map_or(Stamp(0), |(at, _)| *at);
        for (number, line) in (0..).zip(lines) {
            let line = settings.map_or_else(|| line.clone(), |own| SettingTemplate::from(line.as_str()).fill(own));
            let line =
                line.replace("{version}", self.version.trim_start_matches('v')).replace("{pod_ip}", &self.run.pod_ip);
            if !has_times {
                self.say(now, LogLevel::Info, &line);
                continue;
            }
            let left = lines.len() as i64 - number;
            let at = Stamp(now.0 - left * 29_000 - mix((seed * 97 + number) as u64) as i64 % 27_011).max(earliest);
            earliest = at.after(Duration::from_micros(137)).min(now);
            self.print(at, dated(&line, at));
        }
    }

    /// Prints what something wrote within the last second, as it is.
    pub(crate) fn print_all(&mut self, now: Stamp, text: &str) {
        let at = self.moment(now);
        text.lines().for_each(|line| self.print(at, line));
    }

    /// Prints a line as it is.
    pub(crate) fn print(&mut self, at: Stamp, line: impl Into<Arc<str>>) {
        self.log.push(self.run.attempt, at, line);
    }

    pub(crate) fn setting(&self, name: &str) -> &str {
        self.settings.get(name).map_or("", |value| value)
    }
}
