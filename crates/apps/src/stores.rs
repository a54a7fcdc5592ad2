//! Databases, caches and brokers: the state in them that people administer, and what their clients get.
//!
//! A store knows no cluster: it is handed how its server was started, what clients ask and which commands are typed into
//! its own client. Where its state lives (in a volume, or with the container) is the fleet's business.

mod console;
mod consul;
mod kafka;
mod memcached;
mod mongodb;
mod mysql;
mod opensearch;
mod plain;
mod postgres;
mod rabbitmq;
mod redis;
mod script;
mod sql;
mod unreachable;

use std::collections::BTreeMap;
use std::time::Duration;

use cluster::{ExecEnd, HttpAnswer, HttpAsk, Stamp};

pub use unreachable::unreachable;

/// A store: its state as a plain value, and everything that reads or changes it.
pub trait DataStore: std::fmt::Debug + Send + Sync {
    /// A copy, for clones of the fleet.
    fn copy(&self) -> Box<dyn DataStore>;

    /// A number that changes when the state does: equal stores have equal digests.
    fn digest(&self) -> u64;

    /// Its server starts on this state: reads its files, initialises an empty one, or refuses.
    fn start(&mut self, server: &StoreServer) -> StoreStart;

    /// What a client's operation gets.
    fn serve(&mut self, ask: &StoreAsk) -> StoreAnswer;

    /// Runs one of its own clients: `mongosh`, `psql`.
    fn console(&mut self, call: &ConsoleCall) -> ExecEnd;

    /// Answers a request over HTTP, where people ask it so: `curl localhost:9200/_cat/indices`. Nothing for a store that speaks no
    /// HTTP.
    fn asked(&mut self, _ask: &HttpAsk, _now: Stamp) -> Option<HttpAnswer> {
        None
    }

    /// Answers lines that are typed at its port: `echo stats | nc localhost 11211`. Nothing for a store that speaks no text.
    fn typed(&mut self, _text: &str, _now: Stamp) -> Option<String> {
        None
    }

    /// A second passes: sessions end, memory fills, consumers fall behind. Returns what the server prints.
    fn tick(&mut self, _now: Stamp) -> Vec<String> {
        Vec::new()
    }

    /// The clients at an address are gone, and with them what they held.
    fn hang_up(&mut self, _address: &str) {}

    /// Bytes that the server holds in memory beside its own.
    fn memory(&self) -> i64 {
        0
    }

    /// The code with which its server has just ended by itself: a heap that is full, a corrupt index.
    fn ends(&self) -> Option<i32> {
        None
    }

    /// What consumers have not taken yet: group, topic and number of records.
    fn lags(&self) -> Vec<(String, String, f64)> {
        Vec::new()
    }

    /// Whether a health check of its server succeeds.
    fn is_healthy(&self) -> bool {
        true
    }
}

/// How a server was started.
#[derive(Clone, Debug, Default)]
pub struct StoreServer {
    /// When.
    pub now: Stamp,
    /// The time that its lines carry: coming up takes a moment.
    pub logs_at: Stamp,
    /// The tag of its image.
    pub version: String,
    /// Its command and arguments.
    pub args: Vec<String>,
    /// Its environment; the last of equal names.
    pub env: BTreeMap<String, String>,
    /// The files that volumes bring: configuration, certificates, scripts of the first start.
    pub files: BTreeMap<String, String>,
    /// The share of its disk's blocks that do not read as they were written.
    pub corrupt_share: f64,
    /// Whether its disk is full.
    pub is_disk_full: bool,
    /// Whether writes to its disk fail.
    pub has_write_errors: bool,
    /// Bytes of memory that it may use.
    pub memory_limit: Option<i64>,
    /// The name of its host: that of its pod.
    pub host: String,
}

/// What came of a start.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreStart {
    /// It listens, after having printed these lines.
    Listens(Vec<String>),
    /// It ends with this code, after having printed these lines.
    Ends(i32, Vec<String>),
}

/// What a client asks.
#[derive(Clone, Debug, Default)]
pub struct StoreAsk {
    /// When.
    pub now: Stamp,
    /// Who it says it is; empty for a client that does not say.
    pub user: String,
    /// How it proves that.
    pub password: String,
    /// Whether it speaks TLS.
    pub tls: bool,
    /// The database, topic or index.
    pub database: String,
    /// `find`, `insert`, `get`, `set`, `select products`, `publish`, `consume`.
    pub operation: String,
    /// How many of these come per second.
    pub rate: f64,
    /// The pod that asks.
    pub client: String,
    /// Its address.
    pub address: String,
    /// Since when it has been connected; nothing for one that connects anew.
    pub since: Option<Stamp>,
}

/// What an operation gets.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreAnswer {
    /// It is done.
    Done {
        /// Milliseconds of a core.
        cpu_ms: f64,
        /// Milliseconds that pass besides.
        wait_ms: f64,
        /// The share of questions that a cache answers.
        hits: f64,
    },
    /// It is refused, in the store's own words.
    Refused(String),
    /// Nothing comes back: a lock is held, a disk hangs.
    Hangs,
}

/// A command for a store's own client.
#[derive(Clone, Debug, Default)]
pub struct ConsoleCall {
    /// When.
    pub now: Stamp,
    /// The client and its arguments.
    pub words: Vec<String>,
    /// What was piped into it.
    pub input: String,
    /// The environment of the container in which it is typed.
    pub env: BTreeMap<String, String>,
    /// Whether it is shown on a terminal.
    pub terminal: bool,
    /// The address of the pod in which it is typed, if that is not the server's own.
    pub address: Option<String>,
}

impl ConsoleCall {
    /// What a client leaves that ran for some time.
    pub fn took(end: ExecEnd, takes: Duration) -> ExecEnd {
        ExecEnd { takes, ..end }
    }

    /// What a client that printed something and ended well leaves.
    pub fn prints(text: impl Into<String>) -> ExecEnd {
        ExecEnd { stdout: text.into().into_bytes(), ..ExecEnd::default() }
    }

    /// What a client that complained leaves.
    pub fn fails(code: i32, text: impl Into<String>) -> ExecEnd {
        ExecEnd { stderr: text.into().into_bytes(), code, takes: Duration::ZERO, ..ExecEnd::default() }
    }
}

/// An answer in JSON.
fn in_json(status: u16, body: &serde_json::Value) -> HttpAnswer {
    HttpAnswer { status, content_type: "application/json".into(), body: format!("{body}").into_bytes() }
}

/// An answer in plain text.
fn in_text(status: u16, body: impl Into<String>) -> HttpAnswer {
    HttpAnswer { status, content_type: "text/plain; charset=UTF-8".into(), body: body.into().into_bytes() }
}

/// A kind of store: its name in program files, its clients, and how an empty one begins.
#[derive(Clone, Copy, Debug)]
pub struct StoreKind {
    /// `mongodb`.
    pub name: &'static str,
    /// The programs that talk to it: `mongosh`, `mongo`.
    pub clients: &'static [&'static str],
    /// An empty one.
    pub fresh: fn() -> Box<dyn DataStore>,
}

/// All kinds. A new store is one file, one line above and one line here.
pub const KINDS: &[StoreKind] = &[
    consul::KIND,
    consul::NACOS,
    kafka::KIND,
    memcached::KIND,
    mongodb::KIND,
    mysql::KIND,
    mysql::TIDB,
    opensearch::KIND,
    postgres::KIND,
    rabbitmq::KIND,
    redis::KIND,
    plain::KIND,
];

/// The kind of a name; a plain one for what has no file of its own.
pub fn kind(name: &str) -> &'static StoreKind {
    KINDS.iter().find(|kind| kind.name == name).unwrap_or(&plain::KIND)
}
