//! What a server tells of its tables and of itself.

use cluster::Stamp;

use super::statement::{MysqlResult, MysqlSession};
use super::{MysqlStore, MysqlTable};
use crate::stores::sql::{SqlTable, SqlValue};

type Outcome = Result<MysqlResult, String>;

/// A table of a database, or how the server words that there is none.
fn found<'a>(store: &'a MysqlStore, database: &str, table: &str) -> Result<&'a MysqlTable, String> {
    if database.is_empty() {
        return Err("1046 (3D000): No database selected".into());
    }
    let known = store.databases.get(database).and_then(|tables| tables.get(table));
    known.ok_or_else(|| format!("1146 (42S02): Table '{database}.{table}' doesn't exist"))
}

/// Columns with their kinds; a table of which only rows are known has an id.
fn shape(table: &MysqlTable) -> Vec<(String, String)> {
    match table.columns.is_empty() {
        true => vec![("id".into(), "varchar(36)".into())],
        false => table.columns.clone(),
    }
}

fn rows(names: &[&str], rows: Vec<Vec<SqlValue>>) -> Outcome {
    Ok(MysqlResult::Rows(names.iter().map(ToString::to_string).collect(), rows))
}

/// `DESCRIBE orders`.
pub(super) fn columns(store: &MysqlStore, database: &str, table: &str) -> Outcome {
    let shape = shape(found(store, database, table)?);
    let row = |(at, (name, kind)): (usize, &(String, String))| {
        let key = if at == 0 { ["NO", "PRI"] } else { ["YES", ""] };
        let mut row = [&**name, &**kind, key[0], key[1]].map(SqlValue::text).to_vec();
        row.extend([SqlValue::Null, SqlValue::text("")]);
        row
    };
    rows(&["Field", "Type", "Null", "Key", "Default", "Extra"], shape.iter().enumerate().map(row).collect())
}

/// `SHOW CREATE TABLE orders`.
pub(super) fn made(store: &MysqlStore, database: &str, table: &str) -> Outcome {
    let shape = shape(found(store, database, table)?);
    let lines: Vec<String> = shape.iter().map(|(name, kind)| format!("  `{name}` {kind}")).collect();
    let key = shape.first().map_or("id", |(name, _)| name);
    let text = format!(
        "CREATE TABLE `{table}` (\n{},\n  PRIMARY KEY (`{key}`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
        lines.join(",\n")
    );
    rows(&["Table", "Create Table"], vec![vec![SqlValue::text(table), SqlValue::text(text)]])
}

/// `SHOW INDEX FROM orders`.
pub(super) fn indexes(store: &MysqlStore, database: &str, table: &str) -> Outcome {
    let known = found(store, database, table)?;
    let key = shape(known).first().map_or("id".into(), |(name, _)| name.clone());
    let count = known.rows.len() as i64 + known.more;
    let row = vec![
        SqlValue::text(table),
        SqlValue::Int(0),
        SqlValue::text("PRIMARY"),
        SqlValue::Int(1),
        SqlValue::text(key),
        SqlValue::text("A"),
        SqlValue::Int(count),
        SqlValue::text("BTREE"),
    ];
    let names =
        ["Table", "Non_unique", "Key_name", "Seq_in_index", "Column_name", "Collation", "Cardinality", "Index_type"];
    rows(&names, vec![row])
}

/// `EXPLAIN SELECT * FROM orders`.
pub(super) fn explained(store: &MysqlStore, database: &str, table: &str) -> Outcome {
    let known = found(store, database, table)?;
    let count = known.rows.len() as i64 + known.more;
    let row = vec![
        SqlValue::Int(1),
        SqlValue::text("SIMPLE"),
        SqlValue::text(table),
        SqlValue::text("ALL"),
        SqlValue::Null,
        SqlValue::Null,
        SqlValue::Int(count),
        SqlValue::Null,
    ];
    rows(&["id", "select_type", "table", "type", "possible_keys", "key", "rows", "Extra"], vec![row])
}

/// All connections, that of the session last.
pub(super) fn processes(store: &MysqlStore, session: &MysqlSession) -> Vec<Vec<SqlValue>> {
    let database = |user: &str| {
        let grants = store.users.get(user).into_iter().flat_map(|user| &user.grants);
        let own = grants.map(|(_, of)| of).find(|of| **of != "*");
        own.map_or(SqlValue::Null, |of| SqlValue::text(&**of))
    };
    let mut rows = Vec::new();
    for (at, ((user, _), (address, heard))) in store.clients.iter().enumerate() {
        rows.push(vec![
            SqlValue::Int(at as i64 + 11),
            SqlValue::text(&**user),
            SqlValue::text(format!("{address}:{}", 32_768 + at * 37)),
            database(user),
            SqlValue::text("Sleep"),
            SqlValue::Int((session.now.secs() - heard.secs()).max(0)),
            SqlValue::text(""),
            SqlValue::Null,
        ]);
    }
    rows.push(vec![
        SqlValue::Int(store.clients.len() as i64 + 11),
        SqlValue::text(&*session.user),
        SqlValue::text("localhost"),
        if session.database.is_empty() { SqlValue::Null } else { SqlValue::text(&*session.database) },
        SqlValue::text("Query"),
        SqlValue::Int(0),
        SqlValue::text("starting"),
        SqlValue::text("show processlist"),
    ]);
    rows
}

/// The tables of `information_schema` that people ask.
pub(super) fn of_schema(store: &MysqlStore, session: &MysqlSession, name: &str, alias: &str) -> Option<SqlTable> {
    let text = |text: &str| SqlValue::text(text);
    match name {
        "processlist" => {
            let names = ["id", "user", "host", "db", "command", "time", "state", "info"];
            Some(SqlTable::new(alias, &names, processes(store, session)))
        }
        "tables" => {
            let all = store.databases.iter().flat_map(|(schema, tables)| tables.iter().map(move |own| (schema, own)));
            let rows = all.map(|(schema, (table, own))| {
                vec![text(schema), text(table), text("InnoDB"), SqlValue::Int(own.rows.len() as i64 + own.more)]
            });
            Some(SqlTable::new(alias, &["table_schema", "table_name", "engine", "table_rows"], rows))
        }
        "schemata" => Some(SqlTable::new(alias, &["schema_name"], store.databases.keys().map(|name| vec![text(name)]))),
        _ => None,
    }
}

/// `SHOW ENGINE INNODB STATUS`.
pub(super) fn innodb(store: &MysqlStore, now: Stamp) -> MysqlResult {
    let time = now.rfc3339().trim_end_matches('Z').replace('T', " ");
    let rule = "=====================================";
    let text = format!(
        "\n{rule}\n{time} 0x7f3c5a1fe700 INNODB MONITOR OUTPUT\n{rule}\n------------\nTRANSACTIONS\n------------\nLIST OF \
         TRANSACTIONS FOR EACH SESSION:\n---TRANSACTION 421897, not started\n0 lock struct(s), heap size 1136, 0 row \
         lock(s)\n--------------\nROW OPERATIONS\n--------------\n0 queries inside InnoDB, 0 queries in queue\n0 read views \
         open inside InnoDB\nProcess ID=1, {} connections, state: sleeping\n----------------------------\nEND OF INNODB \
         MONITOR OUTPUT\n============================\n",
        store.clients.len() + 1
    );
    let row = [SqlValue::text("InnoDB"), SqlValue::text(""), SqlValue::text(text)].to_vec();
    MysqlResult::Rows(["Type", "Name", "Status"].map(String::from).to_vec(), vec![row])
}
