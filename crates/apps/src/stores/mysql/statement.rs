//! One statement.

use cluster::Stamp;

use super::{MysqlStore, tables};
use crate::stores::sql::{SqlFunctions, SqlParser, SqlTable, SqlToken, SqlValue, parse_select, project, tokens};

/// What a statement leaves.
pub(super) enum MysqlResult {
    Rows(Vec<String>, Vec<Vec<SqlValue>>),
    Done,
}

/// A session.
pub(super) struct MysqlSession {
    pub(super) user: String,
    pub(super) database: String,
    pub(super) now: Stamp,
}

type Outcome = Result<MysqlResult, String>;

impl MysqlSession {
    /// Runs a statement.
    pub(super) fn run(&mut self, store: &mut MysqlStore, text: &str) -> Outcome {
        let words = tokens(text);
        let mut parser = SqlParser::new(&words);
        let first = parser.name().unwrap_or_default();
        let wrong = || {
            let near: String = text.chars().take(80).collect();
            format!(
                "1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server \
                 version for the right syntax to use near '{near}' at line 1"
            )
        };
        match &*first {
            "select" => {
                let found = self.select(store, &words).unwrap_or_else(|| Err(wrong()));
                found.map(|found| named_by(found, text))
            }
            "describe" | "desc" => {
                let table = parser.name().ok_or_else(wrong)?;
                tables::columns(store, &self.database, &table)
            }
            "explain" => {
                let from = words.iter().position(|word| word.is("from")).ok_or_else(wrong)?;
                let table = SqlParser::new(&words[from + 1..]).name().ok_or_else(wrong)?;
                tables::explained(store, &self.database, &table)
            }
            "show" => self.show(store, &mut parser).unwrap_or_else(|| Err(wrong())),
            "use" => {
                let name = parser.name().ok_or_else(wrong)?;
                if !store.databases.contains_key(&name) {
                    return Err(format!("1049 (42000): Unknown database '{name}'"));
                }
                self.database = name;
                Ok(MysqlResult::Done)
            }
            "create" | "alter" | "drop" => self.define(store, &first, &mut parser).unwrap_or_else(|| Err(wrong())),
            "grant" | "revoke" => self.grant(store, &first, &mut parser).unwrap_or_else(|| Err(wrong())),
            "set" => {
                parser.took("global");
                let name = parser.name().ok_or_else(wrong)?;
                parser.took_sign("=");
                let value = match parser.next() {
                    Some(SqlToken::Number(text) | SqlToken::Text(text) | SqlToken::Word(text, _)) => text.clone(),
                    _ => return Err(wrong()),
                };
                if !store.settings.contains_key(&name) {
                    return Err(format!("1193 (HY000): Unknown system variable '{name}'"));
                }
                store.settings.insert(name, value);
                Ok(MysqlResult::Done)
            }
            "kill" => match parser.next() {
                Some(SqlToken::Number(number)) => {
                    let at = number.parse::<usize>().unwrap_or(0).checked_sub(11);
                    let key = at.and_then(|at| store.clients.keys().nth(at).cloned());
                    match key {
                        Some(key) => {
                            store.clients.remove(&key);
                            Ok(MysqlResult::Done)
                        }
                        None => Err(format!("1094 (HY000): Unknown thread id: {number}")),
                    }
                }
                _ => Err(wrong()),
            },
            "flush" | "commit" | "begin" | "rollback" | "start" => Ok(MysqlResult::Done),
            _ => Err(wrong()),
        }
    }

    fn select(&mut self, store: &mut MysqlStore, words: &[SqlToken]) -> Option<Outcome> {
        let selection = parse_select(&mut SqlParser::new(&words[1..]))?;
        let mut tables = Vec::new();
        for source in &selection.from {
            let database = source.schema.clone().unwrap_or_else(|| self.database.clone());
            let name = &source.table;
            if database == "mysql" && name == "user" {
                let rows = store.users.keys().map(|user| vec![SqlValue::text(&**user), SqlValue::text("%")]);
                tables.push(SqlTable::new(&source.alias, &["user", "host"], rows));
                continue;
            }
            if database == "information_schema" {
                match tables::of_schema(store, self, name, &source.alias) {
                    Some(table) => tables.push(table),
                    None => return Some(Err(format!("1109 (42S02): Unknown table '{name}' in information_schema"))),
                }
                continue;
            }
            if database.is_empty() {
                return Some(Err("1046 (3D000): No database selected".into()));
            }
            let Some(table) = store.databases.get(&database).and_then(|tables| tables.get(name)) else {
                return Some(Err(format!("1146 (42S02): Table '{database}.{name}' doesn't exist")));
            };
            let columns: Vec<&str> = table.columns.iter().map(|(name, _)| &**name).collect();
            let columns = if columns.is_empty() { vec!["id"] } else { columns };
            let programs = (0..table.more.clamp(0, 1000)).map(|number| {
                let cell = |at: usize| if at == 0 { SqlValue::Int(number + 1) } else { SqlValue::Null };
                (0..columns.len()).map(cell).collect()
            });
            tables.push(SqlTable::new(&source.alias, &columns, table.rows.iter().cloned().chain(programs)));
        }
        let mut functions = MysqlFunctions { store, session: self };
        Some(match project(&selection, &tables, &mut functions) {
            Ok((names, rows)) => {
                let shown = |name: String| match &*name {
                    "count" => "count(*)".into(),
                    "version" | "now" | "current_user" | "sysdate" => format!("{name}()"),
                    _ => name,
                };
                let cell = |value: SqlValue| match value {
                    SqlValue::Time(time) => SqlValue::text(time.rfc3339().trim_end_matches('Z').replace('T', " ")),
                    other => other,
                };
                let rows = rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
                Ok(MysqlResult::Rows(names.into_iter().map(shown).collect(), rows))
            }
            Err(why) => Err(format!("1054 (42S22): {why}")),
        })
    }

    fn show(&self, store: &MysqlStore, parser: &mut SqlParser<'_>) -> Option<Outcome> {
        parser.took("full");
        parser.took("global");
        let what = parser.name()?;
        let rows = |name: &str, names: Vec<String>| {
            let rows = names.into_iter().map(|name| vec![SqlValue::text(name)]).collect();
            Some(Ok(MysqlResult::Rows(vec![name.into()], rows)))
        };
        match &*what {
            "databases" | "schemas" => rows("Database", store.databases.keys().cloned().collect()),
            "tables" => {
                if self.database.is_empty() {
                    return Some(Err("1046 (3D000): No database selected".into()));
                }
                let tables = store.databases.get(&self.database).into_iter().flat_map(|tables| tables.keys().cloned());
                rows(&format!("Tables_in_{}", self.database), tables.collect())
            }
            "processlist" => {
                let names = ["Id", "User", "Host", "db", "Command", "Time", "State", "Info"].map(String::from).to_vec();
                Some(Ok(MysqlResult::Rows(names, tables::processes(store, self))))
            }
            "create" => {
                parser.took("table");
                Some(tables::made(store, &self.database, &parser.name()?))
            }
            "columns" | "fields" => {
                parser.took("from");
                Some(tables::columns(store, &self.database, &parser.name()?))
            }
            "index" | "indexes" | "keys" => {
                parser.took("from");
                Some(tables::indexes(store, &self.database, &parser.name()?))
            }
            "slave" | "replica" => Some(Ok(MysqlResult::Rows(vec!["Slave_IO_State".into()], Vec::new()))),
            "master" | "binary" => {
                let names =
                    ["File", "Position", "Binlog_Do_DB", "Binlog_Ignore_DB", "Executed_Gtid_Set"].map(String::from);
                let row = ["mysql-bin.000003", "194", "", "", ""].map(SqlValue::text).to_vec();
                Some(Ok(MysqlResult::Rows(names.to_vec(), vec![row])))
            }
            "engine" => Some(Ok(tables::innodb(store, self.now))),
            "variables" | "status" => {
                let like = if parser.took("like") { parser.name() } else { None };
                let part = like.unwrap_or_default().replace('%', "");
                let found = store.settings.iter().filter(|(name, _)| name.contains(&part));
                let mut shown: Vec<Vec<SqlValue>> =
                    found.map(|(name, value)| vec![SqlValue::text(&**name), SqlValue::text(&**value)]).collect();
                if what == "status" {
                    let count = store.clients.len() as i64 + 1;
                    let up = (self.now.secs() - store.started.secs()).max(0);
                    let all = [("Threads_connected", count), ("Threads_running", 1), ("Uptime", up)];
                    let wanted = all.iter().filter(|(name, _)| name.to_lowercase().contains(&part.to_lowercase()));
                    shown = wanted.map(|(name, count)| vec![SqlValue::text(*name), SqlValue::Int(*count)]).collect();
                }
                Some(Ok(MysqlResult::Rows(vec!["Variable_name".into(), "Value".into()], shown)))
            }
            "grants" => {
                let user = if parser.took("for") { parser.name()? } else { self.user.clone() };
                let Some(found) = store.users.get(&user) else {
                    return Some(Err(format!(
                        "1141 (42000): There is no such grant defined for user '{user}' on host '%'"
                    )));
                };
                let name = format!("Grants for {user}@%");
                let shown = found.grants.iter().map(|(right, of)| {
                    let of = if of == "*" { "*".into() } else { format!("`{of}`") };
                    format!("GRANT {right} PRIVILEGES ON {of}.* TO '{user}'@'%'")
                });
                rows(&name, shown.collect())
            }
            _ => None,
        }
    }

    fn define(&mut self, store: &mut MysqlStore, verb: &str, parser: &mut SqlParser<'_>) -> Option<Outcome> {
        let what = parser.name()?;
        let forgives = parser.took_all(&["if", "exists"]) || parser.took_all(&["if", "not", "exists"]);
        let name = parser.name()?;
        let done = Some(Ok(MysqlResult::Done));
        match (verb, &*what) {
            ("create", "database" | "schema") => match store.databases.contains_key(&name) && !forgives {
                true => Some(Err(format!("1007 (HY000): Can't create database '{name}'; database exists"))),
                false => {
                    store.databases.entry(name).or_default();
                    done
                }
            },
            ("drop", "database" | "schema") => match store.databases.remove(&name) {
                None if !forgives => {
                    Some(Err(format!("1008 (HY000): Can't drop database '{name}'; database doesn't exist")))
                }
                _ => done,
            },
            ("create" | "alter", "user") => {
                let exists = store.users.contains_key(&name);
                if exists == (verb == "create") && !forgives {
                    return Some(Err(format!(
                        "1396 (HY000): Operation {} USER failed for '{name}'@'%'",
                        verb.to_uppercase()
                    )));
                }
                let mut password = None;
                while let Some(token) = parser.next() {
                    if token.is("by") {
                        password = parser.name();
                    }
                }
                let user = store.users.entry(name).or_default();
                if let Some(password) = password {
                    user.password = password;
                }
                done
            }
            ("drop", "user") => match store.users.remove(&name) {
                Some(_) => done,
                None => Some(Err(format!("1396 (HY000): Operation DROP USER failed for '{name}'@'%'"))),
            },
            ("drop", "table") => {
                let table = if parser.took_sign(".") { parser.name()? } else { name.clone() };
                match store.databases.get_mut(&self.database).and_then(|tables| tables.remove(&table)) {
                    Some(_) => done,
                    None => Some(Err(format!("1051 (42S02): Unknown table '{}.{table}'", self.database))),
                }
            }
            ("create" | "alter", "table" | "index") => done,
            _ => None,
        }
    }

    fn grant(&self, store: &mut MysqlStore, verb: &str, parser: &mut SqlParser<'_>) -> Option<Outcome> {
        let right = parser.name()?.to_uppercase();
        let mut of = String::new();
        let mut user = String::new();
        while let Some(token) = parser.next() {
            if token.is("on") {
                of = if parser.took_sign("*") { "*".into() } else { parser.name()? };
            } else if token.is("to") || token.is("from") {
                user = parser.name()?;
            }
        }
        let Some(found) = store.users.get_mut(&user) else {
            return Some(Err("1410 (42000): You are not allowed to create a user with GRANT".into()));
        };
        match verb {
            "grant" => found.grants.insert((right, of)),
            _ if right == "ALL" => {
                found.grants.retain(|(_, own)| *own != of);
                true
            }
            _ => found.grants.remove(&(right, of)),
        };
        Some(Ok(MysqlResult::Done))
    }
}

/// A column without a name is called what was written.
fn named_by(found: MysqlResult, text: &str) -> MysqlResult {
    match found {
        MysqlResult::Rows(names, rows) if names == ["?column?"] => {
            MysqlResult::Rows(vec![text.trim().get(6..).unwrap_or_default().trim().into()], rows)
        }
        other => other,
    }
}

struct MysqlFunctions<'a> {
    store: &'a MysqlStore,
    session: &'a MysqlSession,
}

impl SqlFunctions for MysqlFunctions<'_> {
    fn divide(&self, left: f64, right: f64, _are_whole: bool) -> Result<SqlValue, String> {
        match right == 0.0 {
            true => Ok(SqlValue::Null),
            false => Ok(SqlValue::text(format!("{:.4}", left / right))),
        }
    }

    fn call(&mut self, name: &str, _args: &[SqlValue]) -> Result<SqlValue, String> {
        match name {
            "version" => Ok(SqlValue::text(&*self.store.version)),
            "now" | "current_timestamp" | "sysdate" => Ok(SqlValue::Time(self.session.now)),
            "user" | "current_user" | "session_user" => Ok(SqlValue::text(format!("{}@%", self.session.user))),
            "database" | "schema" => Ok(match self.session.database.is_empty() {
                true => SqlValue::Null,
                false => SqlValue::text(&*self.session.database),
            }),
            "tidb_version" if self.store.is_tidb => {
                Ok(SqlValue::text(format!("Release Version: {}\nEdition: Community", self.store.release())))
            }
            _ => Err(format!("FUNCTION {name} does not exist")),
        }
    }
}
