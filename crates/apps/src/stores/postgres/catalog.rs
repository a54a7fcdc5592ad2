//! The tables in which the server shows itself.

use cluster::Stamp;

use super::PgStore;
use crate::stores::sql::{SqlTable, SqlValue};

/// A view of the server, if there is one of this name.
pub(super) fn view(store: &PgStore, name: &str, alias: &str, own: &OwnSession, now: Stamp) -> Option<SqlTable> {
    let text = |text: &str| SqlValue::text(text);
    match name {
        "pg_stat_activity" => Some(activity(store, alias, own, now)),
        "pg_locks" => Some(locks(store, alias, own, now)),
        "pg_roles" | "pg_user" | "pg_authid" => {
            let is_user = name == "pg_user";
            let columns: &[&str] = match is_user {
                true => &["usename", "usecreatedb", "usesuper", "passwd"],
                false => &["rolname", "rolcreatedb", "rolsuper", "rolcanlogin", "rolconnlimit"],
            };
            let rows = store.roles.iter().map(|(name, role)| {
                let mut row = vec![text(name), SqlValue::Bool(role.makes_databases), SqlValue::Bool(role.is_superuser)];
                match is_user {
                    true => row.push(text("********")),
                    false => {
                        row.push(SqlValue::Bool(role.may_log_in));
                        row.push(SqlValue::Int(role.connection_limit));
                    }
                }
                row
            });
            Some(SqlTable::new(alias, columns, rows))
        }
        "pg_database" => {
            let rows = store.databases.iter().map(|(name, database)| vec![text(name), text(&database.owner)]);
            Some(SqlTable::new(alias, &["datname", "datdba"], rows))
        }
        "pg_stat_database" => {
            let count = |name: &String| {
                let programs = store.programs.keys().filter(|(_, database, _)| database == name).count();
                let own = usize::from(own.database == *name);
                let held = store.sessions.values().filter(|session| session.database == *name && session.until > now);
                SqlValue::Int((programs + held.count() + own) as i64)
            };
            let rows = store.databases.keys().map(|name| vec![text(name), count(name), SqlValue::Int(0)]);
            Some(SqlTable::new(alias, &["datname", "numbackends", "deadlocks"], rows))
        }
        "pg_settings" => {
            let rows = store.settings.iter().map(|(name, value)| vec![text(name), text(value)]);
            Some(SqlTable::new(alias, &["name", "setting"], rows))
        }
        "pg_namespace" => {
            let schemas = store.databases.get(&own.database).into_iter().flat_map(|database| &database.schemas);
            Some(SqlTable::new(alias, &["oid", "nspname"], schemas.map(|name| vec![text(name), text(name)])))
        }
        "pg_tables" | "tables" | "pg_class" | "pg_stat_user_tables" => {
            let columns: &[&str] = match name {
                "pg_tables" => &["schemaname", "tablename", "tableowner"],
                "tables" => &["table_schema", "table_name", "table_type"],
                "pg_class" => &["oid", "relname", "relkind", "relnamespace"],
                _ => &["schemaname", "relname", "n_live_tup"],
            };
            let tables = store.databases.get(&own.database).into_iter().flat_map(|database| &database.tables);
            let rows = tables.map(|((schema, table), found)| match name {
                "pg_tables" => vec![text(schema), text(table), text(&found.owner)],
                "tables" => vec![text(schema), text(table), text("BASE TABLE")],
                "pg_class" => vec![text(&format!("{schema}.{table}")), text(table), text("r"), text(schema)],
                _ => vec![text(schema), text(table), SqlValue::Int(found.rows.len() as i64 + found.more)],
            });
            Some(SqlTable::new(alias, columns, rows))
        }
        _ => None,
    }
}

/// The session that asks.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnSession {
    pub(super) pid: u32,
    pub(super) user: String,
    pub(super) database: String,
    pub(super) query: String,
}

const ACTIVITY: &[&str] = &[
    "datname",
    "pid",
    "usename",
    "application_name",
    "client_addr",
    "backend_start",
    "xact_start",
    "query_start",
    "state_change",
    "wait_event_type",
    "wait_event",
    "state",
    "query",
    "backend_type",
];

fn activity(store: &PgStore, alias: &str, own: &OwnSession, now: Stamp) -> SqlTable {
    let text = |text: &str| if text.is_empty() { SqlValue::Null } else { SqlValue::text(text) };
    let row = |database: &str,
               pid: u32,
               user: &str,
               application: &str,
               address: &str,
               since: Stamp,
               wait: (&str, &str),
               state: &str,
               query: &str| {
        let in_transaction = state != "idle";
        vec![
            text(database),
            SqlValue::Int(i64::from(pid)),
            text(user),
            SqlValue::text(application),
            text(address),
            SqlValue::Time(since),
            if in_transaction { SqlValue::Time(since) } else { SqlValue::Null },
            SqlValue::Time(since),
            SqlValue::Time(since),
            text(wait.0),
            text(wait.1),
            text(state),
            SqlValue::text(query),
            SqlValue::text("client backend"),
        ]
    };
    let mut rows = Vec::new();
    for (pid, session) in store.sessions.iter().filter(|(_, session)| session.until > now) {
        let (wait, state) = match session.is_sleeping {
            true => (("Timeout", "PgSleep"), "active"),
            false => (("Client", "ClientRead"), "idle in transaction"),
        };
        let (database, user) = (&session.database, &session.user);
        rows.push(row(database, *pid, user, "psql", &session.address, session.began, wait, state, &session.query));
    }
    for ((user, database, _), link) in &store.programs {
        let (wait, state) = match &link.waits_for {
            Some(_) => (("Lock", "relation"), "active"),
            None => (("Client", "ClientRead"), "idle"),
        };
        rows.push(row(database, link.pid, user, "", &link.address, link.heard, wait, state, &link.query));
    }
    rows.push(row(&own.database, own.pid, &own.user, "psql", "", now, ("", ""), "active", &own.query));
    SqlTable::new(alias, ACTIVITY, rows)
}

fn locks(store: &PgStore, alias: &str, own: &OwnSession, now: Stamp) -> SqlTable {
    let row = |relation: &str, pid: u32, mode: &str, granted: bool| {
        vec![
            SqlValue::text("relation"),
            SqlValue::Int(16384),
            SqlValue::text(relation),
            SqlValue::Int(i64::from(pid)),
            SqlValue::text(mode),
            SqlValue::Bool(granted),
        ]
    };
    let mut rows = Vec::new();
    for (pid, session) in store.sessions.iter().filter(|(_, session)| session.until > now) {
        for ((schema, table), mode) in &session.locks {
            rows.push(row(&format!("{schema}.{table}"), *pid, mode, true));
        }
    }
    for link in store.programs.values() {
        if let Some(table) = &link.waits_for {
            let mode =
                if link.query.to_lowercase().starts_with("select") { "AccessShareLock" } else { "RowExclusiveLock" };
            rows.push(row(table, link.pid, mode, false));
        }
    }
    rows.push(row("pg_locks", own.pid, "AccessShareLock", true));
    SqlTable::new(alias, &["locktype", "database", "relation", "pid", "mode", "granted"], rows)
}

/// Who blocks a process: the sessions whose locks it waits for.
pub(super) fn blockers(store: &PgStore, pid: i64, now: Stamp) -> String {
    let link = store.programs.values().find(|link| i64::from(link.pid) == pid);
    let table = link.and_then(|link| link.waits_for.as_deref()).and_then(|name| name.split_once('.'));
    let holder = table
        .and_then(|(schema, table)| store.holder(&(schema.to_string(), table.to_string()), "SELECT", u32::MAX, now));
    format!("{{{}}}", holder.map(|(pid, _)| pid.to_string()).unwrap_or_default())
}
