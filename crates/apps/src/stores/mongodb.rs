//! MongoDB: users and their roles, databases, data files of a release, TLS.

mod access;
mod boot;
mod command;
mod data;
mod helpers;
mod print;
mod shell;

use std::collections::BTreeMap;

use cluster::{ExecEnd, Stamp};

use super::console::digest_of;
use super::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart};
use access::{Action, MongoUser};
use data::Collection;

/// The kind.
pub const KIND: StoreKind =
    StoreKind { name: "mongodb", clients: &["mongo", "mongosh"], fresh: || Box::new(MongoStore::default()) };

/// A data directory of MongoDB, and the server on it.
#[derive(Clone, Debug, Default)]
struct MongoStore {
    /// The release whose format the files have: `4.4`. Nothing for an empty directory.
    release: Option<String>,
    /// By database and name.
    users: BTreeMap<(String, String), MongoUser>,
    databases: BTreeMap<String, BTreeMap<String, Collection>>,
    server: MongoServer,
    /// Whether writes are blocked by `fsyncLock`.
    is_locked: bool,
    /// Operations under way, by number.
    operations: BTreeMap<u64, String>,
    /// How many ids were given.
    ids: u64,
    /// What the server prints next, and when it last told of each client that it turned away.
    pending: Vec<String>,
    turned_away: BTreeMap<String, Stamp>,
}

/// The server as it was started.
#[derive(Clone, Debug, Default)]
struct MongoServer {
    version: String,
    started: Stamp,
    has_access_control: bool,
    /// `disabled`, `allowTLS`, `preferTLS`, `requireTLS`.
    tls: String,
    /// The share of blocks that do not read as they were written.
    corrupt_share: f64,
    is_disk_full: bool,
}

impl DataStore for MongoStore {
    fn copy(&self) -> Box<dyn DataStore> {
        Box::new(self.clone())
    }

    fn digest(&self) -> u64 {
        digest_of(self)
    }

    fn start(&mut self, server: &StoreServer) -> StoreStart {
        boot::start(self, server)
    }

    fn serve(&mut self, ask: &StoreAsk) -> StoreAnswer {
        let mut words = ask.operation.split_whitespace();
        let (verb, collection) = (words.next().unwrap_or("find"), words.next().unwrap_or("data"));
        if self.server.tls == "requireTLS" && !ask.tls {
            self.tell_no_tls(ask);
            return StoreAnswer::Refused(
                "connection() error occurred during connection handshake: connection closed unexpectedly by the other \
                 side: EOF"
                    .into(),
            );
        }
        let user = match self.log_in(&ask.database, &ask.user, &ask.password) {
            Ok(user) => user,
            Err(why) => {
                self.tell_failed_login(ask, &why);
                return StoreAnswer::Refused(
                    "connection() error occurred during connection handshake: auth error: sasl conversation error: \
                     unable to authenticate using mechanism \"SCRAM-SHA-256\": (AuthenticationFailed) Authentication \
                     failed."
                        .into(),
                );
            }
        };
        let action = if matches!(verb, "find" | "count" | "aggregate") { Action::Read } else { Action::Write };
        if !self.may(user.as_ref(), action, &ask.database) {
            return StoreAnswer::Refused(match user {
                None => format!("(Unauthorized) command {verb} requires authentication"),
                Some(_) => format!("(Unauthorized) {}", access::not_authorized(&ask.database, verb, collection)),
            });
        }
        self.served(verb, collection, &ask.database)
    }

    fn console(&mut self, call: &ConsoleCall) -> ExecEnd {
        shell::console(self, call)
    }

    /// Up to 5.0 a server tells of each checkpoint, which it makes once a minute.
    fn tick(&mut self, now: Stamp) -> Vec<String> {
        let age = now.secs() - self.server.started.secs();
        let tells = ["4.4", "5.0"].iter().any(|own| self.server.version.starts_with(own));
        let pending = std::mem::take(&mut self.pending);
        if !tells || age <= 0 || age % 60 != 0 {
            return pending;
        }
        let snapshot = 30 + age / 60 * 2 + i64::try_from(self.ids).unwrap_or(0);
        let place = format!("[{}:{:06}][1:0x7f3c5a1fe700]", now.secs(), now.0.rem_euclid(1_000_000));
        let told = format!(
            "{place}, WT_SESSION.checkpoint: [WT_VERB_CHECKPOINT_PROGRESS] saving checkpoint snapshot min: {snapshot}, \
             snapshot max: {snapshot} snapshot count: 0, oldest timestamp: (0, 0) , meta checkpoint timestamp: (0, 0)"
        );
        let mut lines = boot::Lines { now, lines: pending };
        let attr = format!("\"attr\":{{\"message\":\"{told}\"}}");
        lines.say("I", "STORAGE", 22430, "WTCheckpointThread", "WiredTiger message", &attr);
        lines.lines
    }

    fn memory(&self) -> i64 {
        let documents: usize = self.databases.values().flat_map(BTreeMap::values).map(Collection::count).sum();
        i64::try_from(documents).unwrap_or(i64::MAX).saturating_mul(400).min(1 << 30)
    }
}

/// Seconds between two lines about the same client.
const QUIET: i64 = 10;

impl MongoStore {
    /// Tells of a client that was turned away, if it has not lately.
    fn tell(&mut self, ask: &StoreAsk, component: &str, id: u32, message: &str, attr: impl Fn(&str) -> String) {
        let last = self.turned_away.get(&ask.client).copied();
        if last.is_some_and(|last| ask.now.secs() - last.secs() < QUIET) {
            return;
        }
        self.turned_away.insert(ask.client.clone(), ask.now);
        let number = 7 + self.turned_away.len() as i64 + (ask.now.secs() - self.server.started.secs()).max(0) / QUIET;
        let remote = format!("{}:{}", ask.address, 32_768 + number * 37 % 28_000);
        let mut lines = boot::Lines { now: ask.now, lines: Vec::new() };
        lines.say("I", component, id, &format!("conn{number}"), message, &attr(&remote));
        self.pending.append(&mut lines.lines);
    }

    fn tell_no_tls(&mut self, ask: &StoreAsk) {
        let error = "{\"code\":141,\"codeName\":\"SSLHandshakeFailed\",\"errmsg\":\"The server is configured to only allow SSL connections\"}";
        self.tell(
            ask,
            "NETWORK",
            22988,
            "Error receiving request from client. Ending connection from remote",
            |remote| format!("\"attr\":{{\"error\":{error},\"remote\":\"{remote}\"}}"),
        );
    }

    fn tell_failed_login(&mut self, ask: &StoreAsk, why: &str) {
        let (user, database, why) = (&ask.user, &ask.database, why.replace('"', "\\\""));
        self.tell(ask, "ACCESS", 20249, "Authentication failed", |remote| {
            format!(
                "\"attr\":{{\"mechanism\":\"SCRAM-SHA-256\",\"principalName\":\"{user}\",\"authenticationDatabase\":\"{database}\",\
                 \"remote\":\"{remote}\",\"extraInfo\":{{}},\"error\":\"{why}\"}}"
            )
        });
    }

    fn served(&mut self, verb: &str, collection: &str, database: &str) -> StoreAnswer {
        if matches!(verb, "find" | "count" | "aggregate") {
            return StoreAnswer::Done { cpu_ms: 0.25, wait_ms: 0.4, hits: 1.0 };
        }
        if self.is_locked {
            return StoreAnswer::Hangs;
        }
        if self.server.is_disk_full {
            return StoreAnswer::Refused("(OutOfDiskSpace) 28: No space left on device".into());
        }
        let collection = self.databases.entry(database.into()).or_default().entry(collection.into()).or_default();
        if verb == "insert" {
            collection.more += 1;
        }
        StoreAnswer::Done { cpu_ms: 0.3, wait_ms: 0.8, hits: 1.0 }
    }
}
