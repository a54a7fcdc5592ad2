//! MySQL and TiDB: users, databases and tables, connections, and the `mysql` client.

mod client;
mod statement;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use cluster::{ExecEnd, Stamp};

use super::console::digest_of;
use super::sql::SqlValue;
use super::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart};
use crate::words::dated;

/// MySQL and what is made of it.
pub const KIND: StoreKind = StoreKind {
    name: "mysql",
    clients: &["mysql", "mysqladmin"],
    fresh: || Box::new(MysqlStore { is_tidb: false, ..MysqlStore::default() }),
};

/// TiDB speaks the same and keeps its rows elsewhere.
pub const TIDB: StoreKind =
    StoreKind { name: "tidb", clients: &[], fresh: || Box::new(MysqlStore { is_tidb: true, ..MysqlStore::default() }) };

/// A server.
#[derive(Clone, Debug, Default)]
struct MysqlStore {
    is_tidb: bool,
    is_initialised: bool,
    version: String,
    users: BTreeMap<String, MysqlUser>,
    databases: BTreeMap<String, BTreeMap<String, MysqlTable>>,
    settings: BTreeMap<String, String>,
    /// Pods that are connected, and when they were last heard.
    clients: BTreeMap<(String, String), (String, Stamp)>,
    pending: Vec<String>,
    started: Stamp,
}

/// A user: its password, and what it may do where; `*` stands for everywhere.
#[derive(Clone, Debug, Default, PartialEq)]
struct MysqlUser {
    password: String,
    grants: BTreeSet<(String, String)>,
}

/// A table.
#[derive(Clone, Debug, Default)]
struct MysqlTable {
    columns: Vec<(String, String)>,
    rows: Vec<Vec<SqlValue>>,
    /// Rows of programs, which are only counted.
    more: i64,
}

impl DataStore for MysqlStore {
    fn copy(&self) -> Box<dyn DataStore> {
        Box::new(self.clone())
    }

    fn digest(&self) -> u64 {
        digest_of(self)
    }

    fn start(&mut self, server: &StoreServer) -> StoreStart {
        let time = server.logs_at.rfc3339_micro();
        if server.is_disk_full || server.has_write_errors {
            let why = if server.is_disk_full { "No space left on device" } else { "Input/output error" };
            let line = format!("{time} 0 [ERROR] InnoDB: Write to file ./ibdata1 failed: {why}");
            return StoreStart::Ends(1, vec![line]);
        }
        if server.corrupt_share > 0.0 && self.is_initialised && !self.is_tidb {
            let why = "InnoDB: Database page corruption on disk or a failed file read of page [page id: space=0, page number=5]";
            return StoreStart::Ends(1, vec![format!("{time} 0 [ERROR] {why}")]);
        }
        let env = |name: &str| server.env.get(name).cloned().unwrap_or_default();
        self.started = server.now;
        self.version = if self.is_tidb { of_tidb(&server.version) } else { "5.7.34-37-log".into() };
        if !self.is_initialised {
            self.is_initialised = true;
            let all = [("ALL".to_string(), "*".to_string())].into();
            self.users.insert("root".into(), MysqlUser { password: env("MYSQL_ROOT_PASSWORD"), grants: all });
            for name in ["information_schema", "mysql", "performance_schema", "sys"] {
                self.databases.insert(name.into(), BTreeMap::new());
            }
            let (database, user) = (env("MYSQL_DATABASE"), env("MYSQL_USER"));
            if !database.is_empty() {
                self.databases.insert(database.clone(), BTreeMap::new());
            }
            if !user.is_empty() {
                let grants = [("ALL".to_string(), if database.is_empty() { "*".into() } else { database })].into();
                self.users.insert(user, MysqlUser { password: env("MYSQL_PASSWORD"), grants });
            }
        }
        self.settings = settings(server);
        self.clients.clear();
        let (at, release) = (server.logs_at, self.release());
        StoreStart::Listens(match self.is_tidb {
            true => vec![
                dated(&format!("{START} [printer.go:52] [\"Welcome to TiDB.\"] [\"Release Version\"={release}]"), at),
                dated(
                    &format!("{START} [server.go:295] [\"server is running MySQL protocol\"] [addr=0.0.0.0:4000]"),
                    at,
                ),
            ],
            false => vec![
                format!("{time} 0 [Note] mysqld (mysqld {}) starting as process 1 ...", self.version),
                format!("{time} 0 [Note] InnoDB: Buffer pool(s) load completed"),
                format!("{time} 0 [Note] mysqld: ready for connections."),
                format!("Version: '{}'  socket: '/var/lib/mysql/mysql.sock'  port: 3306", self.version),
            ],
        })
    }

    fn serve(&mut self, ask: &StoreAsk) -> StoreAnswer {
        let key = (ask.user.clone(), ask.client.clone());
        let is_live = ask.since.is_some() && self.clients.contains_key(&key);
        if !is_live && let Err(why) = self.log_in(&ask.user, &ask.password, &ask.database, &ask.address) {
            return StoreAnswer::Refused(why);
        }
        self.clients.insert(key, (ask.address.clone(), ask.now));
        let most: usize = self.settings.get("max_connections").and_then(|most| most.parse().ok()).unwrap_or(151);
        if self.clients.len() > most {
            return StoreAnswer::Refused(
                "Data source rejected establishment of connection,  message from server: \"Too many connections\""
                    .into(),
            );
        }
        let mut words = ask.operation.split_whitespace();
        let (verb, table) = (words.next().unwrap_or("select"), words.next().unwrap_or_default());
        if verb == "insert" && !table.is_empty() {
            let tables = self.databases.entry(ask.database.clone()).or_default();
            tables.entry(table.into()).or_default().more += ask.rate.max(1.0) as i64;
        }
        StoreAnswer::Done { cpu_ms: 0.4, wait_ms: if self.is_tidb { 1.5 } else { 0.5 }, hits: 1.0 }
    }

    fn console(&mut self, call: &ConsoleCall) -> ExecEnd {
        client::console(self, call)
    }

    fn tick(&mut self, now: Stamp) -> Vec<String> {
        self.clients.retain(|_, (_, heard)| now.secs() - heard.secs() < 300);
        std::mem::take(&mut self.pending)
    }

    fn memory(&self) -> i64 {
        i64::try_from(self.clients.len()).unwrap_or(0) * (1 << 20)
    }
}

impl MysqlStore {
    /// `v8.1.0` of a TiDB.
    fn release(&self) -> &str {
        self.version.rsplit("TiDB-").next().unwrap_or_default()
    }

    fn log_in(&mut self, user: &str, password: &str, database: &str, address: &str) -> Result<(), String> {
        let given = if password.is_empty() { "NO" } else { "YES" };
        let host = if address.is_empty() { "localhost" } else { address };
        let denied = format!("Access denied for user '{user}'@'{host}' (using password: {given})");
        let Some(found) = self.users.get(user).filter(|found| found.password == password) else { return Err(denied) };
        if database.is_empty() {
            return Ok(());
        }
        if !found.grants.iter().any(|(_, of)| of == "*" || of == database) {
            return Err(format!("Access denied for user '{user}'@'{host}' to database '{database}'"));
        }
        match self.databases.contains_key(database) {
            true => Ok(()),
            // An application that comes first makes its own database.
            false if self.is_tidb => {
                self.databases.insert(database.into(), BTreeMap::new());
                Ok(())
            }
            false => Err(format!("Unknown database '{database}'")),
        }
    }
}

/// The version that a TiDB tells its clients, who think that it is a MySQL: of 8.0 since its release 7.4, of 5.7 before.
fn of_tidb(tag: &str) -> String {
    let release = tag.trim_start_matches('v');
    let numbers: Vec<u32> = release.split('.').filter_map(|part| part.parse().ok()).collect();
    let is_old = numbers.get(..2).is_some_and(|first| first < &[7, 4][..]);
    let release = if numbers.is_empty() { "8.1.0" } else { release };
    format!("{}-TiDB-v{release}", if is_old { "5.7.25" } else { "8.0.11" })
}

/// How lines of a TiDB begin.
const START: &str = "[{t:pingcap}] [INFO]";

/// `max_connections` and friends, from files in the format of `my.cnf` and the command line.
fn settings(server: &StoreServer) -> BTreeMap<String, String> {
    let mut settings: BTreeMap<String, String> = [
        ("max_connections", "151"),
        ("wait_timeout", "28800"),
        ("innodb_lock_wait_timeout", "50"),
        ("read_only", "OFF"),
    ]
    .iter()
    .map(|(name, value)| (name.to_string(), value.to_string()))
    .collect();
    let lines = server.files.iter().filter(|(path, _)| path.ends_with(".cnf")).flat_map(|(_, text)| text.lines());
    let args = server.args.iter().filter_map(|word| word.strip_prefix("--"));
    for (name, value) in lines.chain(args).filter_map(|line| line.split_once('=')) {
        settings.insert(name.trim().replace('-', "_"), value.trim().into());
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tidb_tells_a_version_of_mysql() {
        let check = |tag: &str, expect: &str| assert_eq!(of_tidb(tag), expect, "{tag}");
        check("v8.1.0", "8.0.11-TiDB-v8.1.0");
        check("v3.0.8", "5.7.25-TiDB-v3.0.8");
        check("v7.3.0", "5.7.25-TiDB-v7.3.0");
        check("latest", "8.0.11-TiDB-v8.1.0");
    }
}
