//! PostgreSQL: roles and their passwords, databases, sessions, locks.

mod admin;
mod boot;
mod catalog;
mod describe;
mod print;
mod psql;
mod sessions;
mod statement;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use cluster::{ExecEnd, Stamp};

use super::console::digest_of;
use super::sql::SqlValue;
use super::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart};
use sessions::PgSession;

/// The kind.
pub const KIND: StoreKind =
    StoreKind { name: "postgres", clients: &["psql", "pg_isready"], fresh: || Box::new(PgStore::default()) };

/// A data directory of PostgreSQL, and the server on it.
#[derive(Clone, Debug, Default)]
struct PgStore {
    /// The major version that made the files; nothing for an empty directory.
    major: Option<String>,
    version: String,
    started: Stamp,
    roles: BTreeMap<String, PgRole>,
    databases: BTreeMap<String, PgDatabase>,
    settings: BTreeMap<String, String>,
    /// What `ALTER SYSTEM` has set: it counts from the next start.
    altered: BTreeMap<String, String>,
    /// Sessions that hold something, by process id.
    sessions: BTreeMap<u32, PgSession>,
    /// Programs that are connected, by role, database and pod.
    programs: BTreeMap<(String, String, String), ProgramLink>,
    next_pid: u32,
    is_disk_full: bool,
    /// What the server prints at the next opportunity.
    pending: Vec<String>,
    /// Rows that there were at the last checkpoint, and when one that is under way ends.
    checkpointed: i64,
    checkpoint_ends: Option<Stamp>,
}

/// A role.
#[derive(Clone, Debug, Default, PartialEq)]
struct PgRole {
    password: String,
    is_superuser: bool,
    may_log_in: bool,
    makes_databases: bool,
    makes_roles: bool,
    /// Negative for none.
    connection_limit: i64,
}

/// A database: its owner, its schemas, its tables by schema and name.
#[derive(Clone, Debug, Default)]
struct PgDatabase {
    owner: String,
    schemas: BTreeSet<String>,
    tables: BTreeMap<(String, String), PgTable>,
}

/// A table.
#[derive(Clone, Debug, Default)]
struct PgTable {
    owner: String,
    columns: Vec<(String, String)>,
    rows: Vec<Vec<SqlValue>>,
    /// Rows of programs, which are only counted.
    more: i64,
    /// What is left of a row for those that come less often than once a second.
    part: f64,
    /// Who may do what: role and privilege in capitals.
    grants: BTreeSet<(String, String)>,
}

/// The connections of a program.
#[derive(Clone, Debug, Default)]
struct ProgramLink {
    pid: u32,
    heard: Stamp,
    /// When it logged in.
    connected: Stamp,
    address: String,
    query: String,
    /// The table whose lock it waits for.
    waits_for: Option<String>,
}

impl DataStore for PgStore {
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
        match self.serve_program(ask) {
            Ok(answer) => answer,
            Err(why) => StoreAnswer::Refused(why),
        }
    }

    fn console(&mut self, call: &ConsoleCall) -> ExecEnd {
        psql::console(self, call)
    }

    fn tick(&mut self, now: Stamp) -> Vec<String> {
        self.sessions.retain(|_, session| session.until > now);
        self.check_point(now);
        std::mem::take(&mut self.pending)
    }

    fn hang_up(&mut self, address: &str) {
        self.sessions.retain(|_, session| session.address != address);
        self.programs.retain(|_, link| link.address != address);
    }

    fn memory(&self) -> i64 {
        i64::try_from(self.programs.len() + self.sessions.len()).unwrap_or(0) * (2 << 20)
    }
}

/// A line of the process that makes checkpoints.
fn by_checkpointer(now: Stamp, text: &str) -> String {
    boot::said(now, "LOG", text).replacen("[1]", "[27]", 1)
}

/// Seconds between two checkpoints.
const CHECKPOINTS: i64 = 300;

impl PgStore {
    /// Every five minutes what was written since then goes to disk, and the server tells that.
    fn check_point(&mut self, now: Stamp) {
        let age = now.secs() - self.started.secs();
        if let Some(ends) = self.checkpoint_ends.filter(|ends| *ends <= now) {
            let took = ends.secs() - self.started.secs();
            let seconds = took % CHECKPOINTS;
            let (buffers, kilobytes) = (10 * seconds + took % 9, 12 + took % 270);
            let line = format!(
                "checkpoint complete: wrote {buffers} buffers (0.{}%); 0 WAL file(s) added, 0 removed, 0 recycled; \
                 write={}.{:03} s, sync=0.004 s, total={}.{:03} s; sync files={}, longest=0.003 s, average=0.001 s; \
                 distance={kilobytes} kB, estimate={} kB",
                1 + buffers / 17,
                seconds,
                took % 397,
                seconds,
                took % 397 + 9,
                2 + buffers / 5,
                kilobytes + 31
            );
            self.pending.push(by_checkpointer(now, &line));
            self.checkpoint_ends = None;
        }
        if age <= 0 || age % CHECKPOINTS != 0 {
            return;
        }
        let tables = self.databases.values().flat_map(|database| database.tables.values());
        let rows = tables.map(|table| table.more + i64::try_from(table.rows.len()).unwrap_or(0)).sum();
        if rows != self.checkpointed {
            self.checkpointed = rows;
            self.checkpoint_ends = Some(now.after_secs(1 + age / CHECKPOINTS % 4));
            self.pending.push(by_checkpointer(now, "checkpoint starting: time"));
        }
    }

    fn serve_program(&mut self, ask: &StoreAsk) -> Result<StoreAnswer, String> {
        let key = (ask.user.clone(), ask.database.clone(), ask.client.clone());
        let link = self.programs.get(&key).map(|link| (link.pid, link.connected));
        let is_live = ask.since.zip(link).is_some_and(|(since, (_, connected))| since <= connected);
        if !is_live {
            self.log_in(&ask.user, &ask.password, &ask.database, ask.now)?;
        }
        let pid = link.map_or_else(|| self.new_pid(), |(pid, _)| pid);
        let mut words = ask.operation.split_whitespace();
        let (verb, table) = (words.next().unwrap_or("select").to_uppercase(), words.next().unwrap_or_default());
        let link = self.programs.entry(key.clone()).or_default();
        link.pid = pid;
        link.heard = ask.now;
        link.connected = if is_live { link.connected } else { ask.now };
        link.address.clone_from(&ask.address);
        link.query = ask.operation.clone();
        link.waits_for = None;
        if table.is_empty() {
            return Ok(StoreAnswer::Done { cpu_ms: 0.2, wait_ms: 0.3, hits: 1.0 });
        }
        let name = self.table_name(&ask.database, table)?;
        self.check_right(&ask.user, &ask.database, &name, &verb)?;
        if self.is_locked(&name, &verb, pid, ask.now) {
            self.programs.entry(key).or_default().waits_for = Some(format!("{}.{}", name.0, name.1));
            return Ok(StoreAnswer::Hangs);
        }
        if verb != "SELECT" {
            if self.is_disk_full {
                return Err("could not extend file \"base/16384/16385\": No space left on device".into());
            }
            let database = self.databases.get_mut(&ask.database);
            if let Some(table) =
                database.and_then(|database| database.tables.get_mut(&name)).filter(|_| verb == "INSERT")
            {
                table.part += ask.rate;
                table.more += table.part as i64;
                table.part -= table.part.trunc();
            }
        }
        Ok(StoreAnswer::Done { cpu_ms: 0.4, wait_ms: 0.6, hits: 1.0 })
    }

    fn new_pid(&mut self) -> u32 {
        self.next_pid = self.next_pid.max(70) + 1;
        self.next_pid
    }

    fn setting(&self, name: &str) -> &str {
        self.settings.get(name).map_or("", |value| value)
    }
}
