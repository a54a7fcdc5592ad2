//! Log templates, compiled once per blueprint: lines are rendered by the million.

use std::fmt::Write;
use std::sync::Arc;

use super::{Blueprint, ServiceInfo};
use crate::config::Value;
use crate::kind::{OfState, PLATFORM_GAUGES};
use crate::kind::{Role, Template};
use crate::rng::Stream;
use crate::time::Time;

/// A template of a service, ready to be filled in.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    parts: Vec<Part>,
    /// About how long a line is.
    length: usize,
    /// What of a request the line tells.
    pub about: About,
    /// The line where another server failed it.
    pub of_server: Option<Box<Line>>,
    /// The lines where the service where it began is in the state of a gauge: its own, and of another server.
    pub of_state: Option<(&'static str, Box<[Line; 2]>)>,
}

/// What a line tells of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum About {
    /// It is about no request.
    Nothing,
    /// Which one it is.
    Id,
    /// Also what came of it.
    Outcome,
}

/// What a line is filled with: all of it is so in one world, between two scrapes.
pub(crate) struct Ink<'a> {
    /// Draws of the line.
    pub draws: Stream,
    /// The cells of the row of history, by column.
    pub cell: &'a dyn Fn(usize) -> f32,
    /// The value of a key that the instance ran with.
    pub key: &'a dyn Fn(usize) -> &'a Value,
    /// The number of the instance that writes.
    pub instance: u32,
    /// The address of the one at the other end.
    pub peer: &'a dyn Fn() -> [u8; 4],
    /// The address of one that keeps what it does not use.
    pub holder: &'a dyn Fn() -> [u8; 4],
    /// The host of the one that it asked, or that failed it.
    pub callee: &'a dyn Fn() -> Option<&'a str>,
    /// What the service was asked, and as what statement.
    pub op: &'a str,
    pub statement: Statement,
    /// The request that the line is about.
    pub id: u64,
    pub user: u64,
    pub answer: Answer,
    pub ms: f64,
    /// Which of the lines of its template it is between two scrapes, from 0 on, and how many there are.
    pub number: u64,
    pub of: u64,
    /// Name and number of the server that was sent the request.
    pub backend: &'a dyn Fn() -> Option<(&'a str, u32)>,
    /// When the line was written.
    pub time: Time,
    /// Name and number of a server behind this one, by its position from 0 on.
    pub server: &'a dyn Fn(usize) -> Option<(&'a str, u32)>,
}

/// What a database is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    Write,
    /// A read through an index, or through the whole table.
    Read {
        is_indexed: bool,
    },
}

impl Statement {
    fn text(self) -> &'static str {
        if self == Statement::Write { "INSERT ..." } else { "SELECT ..." }
    }

    fn plan(self) -> &'static str {
        match self {
            Statement::Write => "",
            Statement::Read { is_indexed: true } => " (index scan)",
            Statement::Read { is_indexed: false } => " (seq scan)",
        }
    }
}

/// What a request was answered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answer {
    pub status: u16,
    /// Whether a proxy wrote it because no server did, and whether none took the connection.
    pub is_own: bool,
    pub is_refused: bool,
}

impl Answer {
    /// How a proxy notes the end of a session: who ended it, and when.
    fn flags(self) -> &'static str {
        match (self.is_own, self.is_refused, self.status) {
            (false, ..) => "----",
            (true, true, _) => "SC--",
            (true, false, 504) => "sH--",
            (true, false, _) => "SH--",
        }
    }

    /// The times that a proxy notes before that of the whole session: until the request was read, in the queue, until the server took
    /// the connection, until it began to answer.
    fn timers(self) -> &'static str {
        match (self.is_own, self.is_refused) {
            (false, _) => "0/0/0/",
            (true, true) => "0/0/-1/-1/",
            (true, false) => "0/0/0/-1/",
        }
    }
}

#[derive(Clone, Debug)]
enum Part {
    Text(&'static str),
    Id,
    User,
    Path,
    Status,
    Flags,
    Timers,
    Millis,
    Ip,
    Holder,
    Backend,
    Pid,
    File,
    Xid,
    /// Thousandths.
    Thousandths,
    Op,
    Sql,
    Plan,
    Topic(Arc<str>),
    Instance(Arc<str>),
    Host(Arc<str>),
    /// The one among several that the line is about; the host where that is not known.
    Peer(Arc<str>),
    /// The server that a column names.
    Server(usize),
    /// How many servers a column says there are, when this line of several was written: fewer with each, or more.
    Left(usize),
    Back(usize),
    /// A column of the row, and what it is multiplied with.
    Gauge(usize, f64),
    Key(usize),
    UpTo(usize),
}

impl Line {
    /// Reads a template; what is wrong with one is a bug of its kind.
    pub fn compile(template: &Template, service: &ServiceInfo, plan: &Blueprint) -> Line {
        let of_server = template.of_server.map(|text| Box::new(Line::of(text, service, plan)));
        let of_state = template.of_state.map(|OfState { gauge, text, of_server }| {
            (gauge, Box::new([text, of_server].map(|text| Line::of(text, service, plan))))
        });
        Line { of_server, of_state, ..Line::of(template.text, service, plan) }
    }

    fn of(pattern: &'static str, service: &ServiceInfo, plan: &Blueprint) -> Line {
        let mut parts = Vec::new();
        let mut rest = pattern;
        while let Some((before, behind)) = rest.split_once('{') {
            let (name, after) = behind.split_once('}').expect("templates close their braces");
            parts.push(Part::Text(before));
            parts.push(field(name, service, plan));
            rest = after;
        }
        parts.push(Part::Text(rest));
        let about = parts.iter().map(|part| match part {
            Part::Path | Part::Status | Part::Flags | Part::Timers | Part::Millis => About::Outcome,
            Part::Id | Part::User => About::Id,
            _ => About::Nothing,
        });
        let about = about.max().unwrap_or(About::Nothing);
        Line { length: pattern.len() + 24, about, parts, of_server: None, of_state: None }
    }

    /// A line.
    pub fn render(&self, ink: &Ink<'_>) -> String {
        let mut out = String::with_capacity(self.length);
        for (slot, part) in self.parts.iter().enumerate() {
            fill(part, slot as u64, ink, &mut out);
        }
        out
    }
}

fn field(name: &'static str, service: &ServiceInfo, plan: &Blueprint) -> Part {
    let key = |name: &str| {
        let key = service.kind.keys().iter().position(|k| k.name == name);
        key.unwrap_or_else(|| panic!("template field {{{name}}} is no key of {}", service.kind.name()))
    };
    match name {
        "id" => Part::Id,
        "user" => Part::User,
        "path" => Part::Path,
        "status" => Part::Status,
        "flags" => Part::Flags,
        "timers" => Part::Timers,
        "ms" => Part::Millis,
        "ip" => Part::Ip,
        "holder" => Part::Holder,
        "backend" => Part::Backend,
        "pid" => Part::Pid,
        "xid" => Part::Xid,
        "part" => Part::Thousandths,
        "file" => Part::File,
        "op" => Part::Op,
        "sql" => Part::Sql,
        "plan" => Part::Plan,
        "topic" => Part::Topic(topic(service, plan)),
        "instance" => Part::Instance(format!("{}-", service.name).into()),
        _ if name.starts_with("dep:") => {
            let known = || service.depends_on.iter().map(|&d| &plan.services[d]);
            let host = known().find(|d| d.kind.name() == &name[4..]).map_or("upstream".into(), |d| d.host.clone());
            let answers = |d: &&ServiceInfo| d.kind.role() == Role::Answer;
            // A queue or a cache is named by its kind; of those that answer there may be several.
            let is_one_of_many =
                known().filter(answers).count() > 1 || (known().any(|d| answers(&d)) && &*host == "upstream");
            if is_one_of_many && ["database", "web"].contains(&&name[4..]) {
                Part::Peer(host)
            } else {
                Part::Host(host)
            }
        }
        "acquire_s" => Part::Topic(acquire(service, plan)),
        _ if name.starts_with('=') => {
            let (name, by) = name[1..].split_once('*').unwrap_or((&name[1..], "1"));
            let by = by.parse().expect("templates multiply gauges by numbers");
            Part::Gauge(gauge(name, service), by)
        }
        _ if name.starts_with("server:") => Part::Server(gauge(&name[7..], service)),
        _ if name.starts_with("left:") => Part::Left(gauge(&name[5..], service)),
        _ if name.starts_with("back:") => Part::Back(gauge(&name[5..], service)),
        _ if name.starts_with("1..") => Part::UpTo(key(&name[3..])),
        _ => Part::Key(key(name)),
    }
}

/// The column of a gauge.
fn gauge(name: &str, service: &ServiceInfo) -> usize {
    let all = service.kind.gauges().iter().chain(PLATFORM_GAUGES);
    let place = all.enumerate().find(|(_, gauge)| gauge.0 == name);
    let (at, _) = place.unwrap_or_else(|| panic!("`{name}` is no gauge of {}", service.kind.name()));
    service.gauges.start + at
}

/// For how long the service waits for a connection to its database, in seconds.
fn acquire(service: &ServiceInfo, plan: &Blueprint) -> Arc<str> {
    let known = service.depends_on.iter().find_map(|&d| plan.services[d].params.get("acquire_s"));
    format!("{:.2}", known.copied().unwrap_or_default()).into()
}

/// What the messages of a queue are: the last word of what its consumers do with them.
fn topic(service: &ServiceInfo, plan: &Blueprint) -> Arc<str> {
    let own = service.roots.iter().chain(&service.calls).next();
    let word = own.and_then(|&call| plan.calls[call].op.name.rsplit(' ').next());
    word.filter(|word| !word.is_empty()).unwrap_or("message").into()
}

fn fill(part: &Part, slot: u64, ink: &Ink<'_>, out: &mut String) {
    match part {
        Part::Text(text) => out.push_str(text),
        Part::Id => push_hex(out, ink.id),
        Part::User => push_whole(out, ink.user),
        Part::Path | Part::Op => out.push_str(ink.op),
        Part::Sql => out.push_str(ink.statement.text()),
        Part::Plan => out.push_str(ink.statement.plan()),
        Part::Status => push_whole(out, u64::from(ink.answer.status)),
        Part::Flags => out.push_str(ink.answer.flags()),
        Part::Timers => {
            let whole = ink.ms.max(1.0).round() as u64;
            out.push_str(ink.answer.timers());
            if !ink.answer.is_own {
                push_whole(out, whole);
                out.push('/');
            }
            push_whole(out, whole);
        }
        Part::Millis => push_whole(out, ink.ms.max(1.0).round() as u64),
        Part::Ip => push_address(out, (ink.peer)()),
        Part::Holder => push_address(out, (ink.holder)()),
        Part::Pid => push_whole(out, 2000 + ink.draws.at(slot).below(29_000)),
        Part::File => push_whole(out, 16_000 + ink.draws.at(slot).below(13_000)),
        // They are given out one after the other.
        Part::Xid => push_whole(out, 700_000 + ink.time.0 / 40 + ink.draws.at(slot).below(24)),
        Part::Thousandths => {
            let part = 40 + ink.draws.at(slot).below(430);
            out.push_str(if part < 100 { "0" } else { "" });
            push_whole(out, part);
        }
        Part::Backend => match (ink.backend)() {
            Some((name, ordinal)) => push_instance(out, name, ordinal),
            None => out.push_str("<NOSRV>"),
        },
        Part::Topic(name) => out.push_str(name),
        Part::Instance(name) => {
            out.push_str(name);
            push_whole(out, u64::from(ink.instance));
        }
        Part::Host(host) => out.push_str(host),
        Part::Peer(usual) => out.push_str((ink.callee)().unwrap_or(usual)),
        Part::Server(column) => {
            // A byte for each line, as positions from 1 on.
            let at = ((ink.cell)(*column) as u32 >> (8 * ink.number.min(2)) & 255) as usize;
            if let Some((name, ordinal)) = (ink.server)(at.saturating_sub(1)).or_else(|| (ink.server)(0)) {
                push_instance(out, name, ordinal);
            }
        }
        Part::Left(column) => push_whole(out, (ink.cell)(*column) as u64 + ink.of.saturating_sub(ink.number + 1)),
        Part::Back(column) => {
            let later = ink.of.saturating_sub(ink.number + 1);
            push_whole(out, ((ink.cell)(*column) as u64).saturating_sub(later));
        }
        Part::Gauge(column, by) => push_whole(out, (f64::from((ink.cell)(*column)) * by).max(0.0).round() as u64),
        Part::Key(key) => write!(out, "{}", (ink.key)(*key)).expect("a string takes everything"),
        Part::UpTo(key) => push_whole(out, 1 + ink.draws.at(slot).below((ink.key)(*key).int() as u64)),
    }
}

// The formatting machinery would cost more than all the rest of a line.
fn push_whole(out: &mut String, n: u64) {
    if n >= 10 {
        push_whole(out, n / 10);
    }
    out.push((b'0' + (n % 10) as u8) as char);
}

fn push_instance(out: &mut String, name: &str, ordinal: u32) {
    out.push_str(name);
    out.push('-');
    push_whole(out, u64::from(ordinal));
}

fn push_address(out: &mut String, address: [u8; 4]) {
    for (at, byte) in address.into_iter().enumerate() {
        if at > 0 {
            out.push('.');
        }
        push_whole(out, u64::from(byte));
    }
}

fn push_hex(out: &mut String, n: u64) {
    for at in (0..16).rev() {
        out.push(b"0123456789abcdef"[(n >> (4 * at) & 15) as usize] as char);
    }
}
