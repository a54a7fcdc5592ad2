//! One statement of a session.

use std::time::Duration;

use cluster::Stamp;

use super::PgStore;
use super::admin::joined;
use super::catalog::{OwnSession, blockers, view};
use super::sessions::PgSession;
use crate::stores::sql::{SqlFunctions, SqlParser, SqlTable, SqlToken, SqlValue, parse_select, project, tokens};

/// What a statement leaves.
pub(super) enum PgResult {
    /// A table.
    Rows(Vec<String>, Vec<Vec<SqlValue>>),
    /// A word: `ALTER ROLE`.
    Tag(String),
}

/// A session at work.
#[derive(Clone, Debug, Default)]
pub(super) struct PgWorker {
    pub(super) own: OwnSession,
    pub(super) address: String,
    pub(super) now: Stamp,
    pub(super) in_transaction: bool,
    locks: Vec<((String, String), String)>,
    lock_timeout: Option<Duration>,
    /// What was sent at once, of which a statement may be a part.
    pub(super) whole: Option<String>,
    /// How long it has run.
    pub(super) takes: Duration,
}

/// How long a person waits for a statement that does not come back.
const PATIENCE: Duration = Duration::from_secs(300);

impl PgWorker {
    /// Runs a statement.
    pub(super) fn run(&mut self, store: &mut PgStore, text: &str) -> Result<PgResult, String> {
        self.own.query = self.whole.clone().unwrap_or_else(|| text.to_string());
        let words = tokens(text);
        let first = match words.first() {
            Some(SqlToken::Word(word, _)) => word.to_lowercase(),
            _ => return Err(wrong(text)),
        };
        let tag = |text: &str| Ok(PgResult::Tag(text.into()));
        match &*first {
            "select" | "table" => self.select(store, text, &words),
            "explain" => self.explain(store, text, &words),
            "show" => self.show(store, &words),
            "begin" | "start" => {
                self.in_transaction = true;
                tag("BEGIN")
            }
            "commit" | "end" | "rollback" => {
                self.in_transaction = false;
                self.locks.clear();
                tag(if first == "rollback" { "ROLLBACK" } else { "COMMIT" })
            }
            "set" => {
                self.set(&words);
                tag("SET")
            }
            "lock" => self.lock(store, text, &words),
            "create" | "alter" | "drop" => {
                let (user, database) = (self.own.user.clone(), self.own.database.clone());
                let done = store.define(&words, &user, &database).unwrap_or_else(|| Err(wrong(text)))?;
                Ok(PgResult::Tag(done))
            }
            "grant" | "revoke" => {
                let database = self.own.database.clone();
                Ok(PgResult::Tag(store.grant(&words, &database).unwrap_or_else(|| Err(wrong(text)))?))
            }
            "insert" | "update" | "delete" | "truncate" => self.write(store, text, &words, &first),
            "vacuum" | "analyze" | "reindex" | "checkpoint" | "comment" => tag(&first.to_uppercase()),
            _ => Err(wrong(text)),
        }
    }

    fn select(&mut self, store: &mut PgStore, text: &str, words: &[SqlToken]) -> Result<PgResult, String> {
        let mut parser = SqlParser::new(&words[1..]);
        let selection = parse_select(&mut parser).ok_or_else(|| wrong(text))?;
        let mut tables = Vec::new();
        for source in &selection.from {
            let is_catalog = matches!(source.schema.as_deref(), None | Some("pg_catalog" | "information_schema"));
            let shown = view(store, &source.table, &source.alias, &self.own, self.now).filter(|_| is_catalog);
            tables.push(match shown {
                Some(table) => table,
                None => self.table(store, &joined(source.schema.as_deref(), &source.table), &source.alias)?,
            });
        }
        let mut functions = PgFunctions { store, own: &self.own, now: self.now, sleeps: 0.0 };
        let (names, rows) = project(&selection, &tables, &mut functions)?;
        let sleeps = functions.sleeps;
        if sleeps > 0.0 {
            self.hold(store, Duration::from_secs_f64(sleeps), true);
        }
        Ok(PgResult::Rows(names, rows))
    }

    /// How the server would go about a statement: whole tables are read, one after the other.
    fn explain(&mut self, store: &mut PgStore, text: &str, words: &[SqlToken]) -> Result<PgResult, String> {
        let from = words.iter().position(|word| word.is("select")).ok_or_else(|| wrong(text))?;
        let selection = parse_select(&mut SqlParser::new(&words[from + 1..])).ok_or_else(|| wrong(text))?;
        let mut lines = Vec::new();
        for source in &selection.from {
            let database = self.own.database.clone();
            let name = store.table_name(&database, &joined(source.schema.as_deref(), &source.table))?;
            store.check_right(&self.own.user, &database, &name, "SELECT")?;
            let table = store.databases.get(&database).and_then(|database| database.tables.get(&name));
            let rows = table.map_or(0, |table| table.rows.len() as i64 + table.more);
            let cost = 1.0 + rows as f64 * 0.01;
            lines.push(format!("Seq Scan on {}  (cost=0.00..{cost:.2} rows={rows} width=64)", name.1));
        }
        if lines.is_empty() {
            lines.push("Result  (cost=0.00..0.01 rows=1 width=4)".into());
        }
        let rows = lines.into_iter().map(|line| vec![SqlValue::text(line)]).collect();
        Ok(PgResult::Rows(vec!["QUERY PLAN".into()], rows))
    }

    /// The rows of a table that the session may read, once no lock is in the way.
    fn table(&mut self, store: &mut PgStore, name: &str, alias: &str) -> Result<SqlTable, String> {
        let database = self.own.database.clone();
        let name = store.table_name(&database, name)?;
        store.check_right(&self.own.user, &database, &name, "SELECT")?;
        self.wait_for(store, &name, "SELECT")?;
        let found = store.databases.get(&database).and_then(|database| database.tables.get(&name));
        let Some(table) = found else { return Ok(SqlTable::default()) };
        let columns: Vec<&str> = table.columns.iter().map(|(name, _)| &**name).collect();
        let programs = (0..table.more.clamp(0, 1000)).map(|number| {
            let cell =
                |at: usize| if at == 0 { SqlValue::text(format!("{:08x}", 0x5eed + number)) } else { SqlValue::Null };
            (0..columns.len()).map(cell).collect()
        });
        Ok(SqlTable::new(alias, &columns, table.rows.iter().cloned().chain(programs)))
    }

    /// Waits until a table's lock is free, for as long as the session waits.
    fn wait_for(&mut self, store: &PgStore, name: &(String, String), verb: &str) -> Result<(), String> {
        let Some((_, until)) = store.holder(name, verb, self.own.pid, self.now) else { return Ok(()) };
        let held = until.since(self.now);
        match self.lock_timeout {
            Some(limit) if limit < held => {
                self.takes += limit;
                Err("canceling statement due to lock timeout".into())
            }
            _ if held < PATIENCE => {
                self.takes += held;
                Ok(())
            }
            _ => {
                self.takes += PATIENCE;
                Err("canceling statement due to user request".into())
            }
        }
    }

    fn lock(&mut self, store: &PgStore, text: &str, words: &[SqlToken]) -> Result<PgResult, String> {
        let mut parser = SqlParser::new(&words[1..]);
        parser.took("table");
        let (schema, table) = parser.path().ok_or_else(|| wrong(text))?;
        if !self.in_transaction {
            return Err("LOCK TABLE can only be used in transaction blocks".into());
        }
        let name = store.table_name(&self.own.database, &joined(schema.as_deref(), &table))?;
        let mode: String = if parser.took("in") {
            let mut mode = String::new();
            while let Some(word) = parser.name().filter(|word| word != "mode") {
                mode.push_str(&word[..1].to_uppercase());
                mode.push_str(&word[1..]);
            }
            format!("{mode}Lock")
        } else {
            "AccessExclusiveLock".into()
        };
        self.wait_for(store, &name, "LOCK")?;
        self.locks.push((name, mode));
        Ok(PgResult::Tag("LOCK TABLE".into()))
    }

    /// The session runs on for some time with what it holds: others see it.
    pub(super) fn hold(&mut self, store: &mut PgStore, time: Duration, is_sleeping: bool) {
        self.takes += time;
        let session = PgSession {
            user: self.own.user.clone(),
            database: self.own.database.clone(),
            address: self.address.clone(),
            query: self.own.query.clone(),
            began: self.now,
            until: self.now.after(self.takes),
            locks: self.locks.clone(),
            is_sleeping,
        };
        store.sessions.insert(self.own.pid, session);
    }

    fn set(&mut self, words: &[SqlToken]) {
        let is_timeout = words.iter().any(|word| word.is("lock_timeout") || word.is("statement_timeout"));
        if !is_timeout {
            return;
        }
        let text = match words.last() {
            Some(SqlToken::Text(text) | SqlToken::Number(text)) => text.clone(),
            _ => return,
        };
        let number: f64 = text.trim_end_matches(|c: char| c.is_alphabetic()).trim().parse().unwrap_or(0.0);
        let seconds = match text.trim_start_matches(|c: char| c.is_ascii_digit()).trim() {
            "s" => number,
            "min" => number * 60.0,
            _ => number / 1000.0,
        };
        self.lock_timeout = (seconds > 0.0).then(|| Duration::from_secs_f64(seconds));
    }

    fn show(&self, store: &PgStore, words: &[SqlToken]) -> Result<PgResult, String> {
        let mut parser = SqlParser::new(&words[1..]);
        let name = parser.name().unwrap_or_default();
        if name == "all" {
            let rows =
                store.settings.iter().map(|(name, value)| vec![SqlValue::text(&**name), SqlValue::text(&**value)]);
            return Ok(PgResult::Rows(vec!["name".into(), "setting".into()], rows.collect()));
        }
        let value = match &*name {
            "server_version" => Some(store.version.clone()),
            _ => store.settings.get(&name).cloned(),
        };
        let value = value.ok_or_else(|| format!("unrecognized configuration parameter \"{name}\""))?;
        Ok(PgResult::Rows(vec![name], vec![vec![SqlValue::text(value)]]))
    }

    fn write(&mut self, store: &mut PgStore, text: &str, words: &[SqlToken], verb: &str) -> Result<PgResult, String> {
        let mut parser = SqlParser::new(&words[1..]);
        for word in ["into", "from", "table", "only"] {
            parser.took(word);
        }
        let (schema, table) = parser.path().ok_or_else(|| wrong(text))?;
        let database = self.own.database.clone();
        let name = store.table_name(&database, &joined(schema.as_deref(), &table))?;
        let right = verb.to_uppercase();
        store.check_right(&self.own.user, &database, &name, &right)?;
        self.wait_for(store, &name, &right)?;
        let (own, now) = (self.own.clone(), self.now);
        super::write::apply(store, &own, now, &name, verb, &mut parser)
            .unwrap_or_else(|| Err(wrong(text)))
            .map(PgResult::Tag)
    }
}

/// How the server words what it does not understand.
fn wrong(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or(text);
    format!("syntax error at or near \"{first}\"")
}

/// Functions of the server.
pub(super) struct PgFunctions<'a> {
    pub(super) store: &'a mut PgStore,
    pub(super) own: &'a OwnSession,
    pub(super) now: Stamp,
    /// Seconds of `pg_sleep`.
    pub(super) sleeps: f64,
}

impl SqlFunctions for PgFunctions<'_> {
    fn call(&mut self, name: &str, args: &[SqlValue]) -> Result<SqlValue, String> {
        let number = |at: usize| args.get(at).and_then(|arg| arg.shown().parse::<f64>().ok()).unwrap_or(0.0);
        match name {
            "now" | "current_timestamp" | "clock_timestamp" | "statement_timestamp" => Ok(SqlValue::Time(self.now)),
            "version" => Ok(SqlValue::text(format!(
                "PostgreSQL {} on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14+deb12u1) 12.2.0, 64-bit",
                self.store.version
            ))),
            "current_user" | "session_user" | "user" => Ok(SqlValue::text(&*self.own.user)),
            "current_database" => Ok(SqlValue::text(&*self.own.database)),
            "pg_backend_pid" => Ok(SqlValue::Int(i64::from(self.own.pid))),
            "pg_postmaster_start_time" => Ok(SqlValue::Time(self.store.started)),
            "pg_is_in_recovery" => Ok(SqlValue::Bool(false)),
            "pg_reload_conf" => Ok(SqlValue::Bool(true)),
            "pg_sleep" => {
                self.sleeps += number(0);
                Ok(SqlValue::Null)
            }
            "pg_terminate_backend" | "pg_cancel_backend" => {
                let is_super = self.store.roles.get(&self.own.user).is_some_and(|role| role.is_superuser);
                if !is_super {
                    return Err("permission denied to terminate process".into());
                }
                Ok(SqlValue::Bool(self.store.terminate(number(0) as u32, self.now)))
            }
            "pg_blocking_pids" => Ok(SqlValue::text(blockers(self.store, number(0) as i64, self.now))),
            "has_table_privilege" => self.has_privilege(args),
            "pg_size_pretty" => Ok(SqlValue::text(format!("{} kB", (number(0) / 1024.0) as i64))),
            "pg_database_size" | "pg_total_relation_size" | "pg_relation_size" => Ok(SqlValue::Int(7_688_192)),
            _ => {
                let kinds = args.iter().map(|_| "unknown").collect::<Vec<_>>().join(", ");
                Err(format!("function {name}({kinds}) does not exist"))
            }
        }
    }
}

impl PgFunctions<'_> {
    /// `has_table_privilege('otelu', 'catalog.products', 'select')`, or without a role for that of the session.
    fn has_privilege(&self, args: &[SqlValue]) -> Result<SqlValue, String> {
        let args: Vec<String> = args.iter().map(SqlValue::shown).collect();
        let (user, table, right) = match args.as_slice() {
            [user, table, right] => (user, table, right),
            [table, right] => (&self.own.user, table, right),
            _ => return Err("function has_table_privilege() does not exist".into()),
        };
        if !self.store.roles.contains_key(user) {
            return Err(format!("role \"{user}\" does not exist"));
        }
        let name = self.store.table_name(&self.own.database, table)?;
        let may = self.store.check_right(user, &self.own.database, &name, &right.to_uppercase()).is_ok();
        Ok(SqlValue::Bool(may))
    }
}
