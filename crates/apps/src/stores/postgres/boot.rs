//! What happens before the server listens.

use std::collections::BTreeMap;

use cluster::Stamp;

use super::psql::PsqlSession;
use super::{PgDatabase, PgRole, PgStore};
use crate::stores::{StoreServer, StoreStart};

/// Starts a server on a data directory.
pub(super) fn start(store: &mut PgStore, server: &StoreServer) -> StoreStart {
    let version = version(&server.version);
    let major = version.split('.').next().unwrap_or("17").to_string();
    let mut lines = Vec::new();
    if let Some(found) = store.major.clone().filter(|found| *found != major) {
        lines.push(said(server.logs_at, "FATAL", "database files are incompatible with server"));
        lines.push(said(
            server.logs_at,
            "DETAIL",
            &format!(
                "The data directory was initialized by PostgreSQL version {found}, which is not compatible with this \
                 version {version}."
            ),
        ));
        return StoreStart::Ends(1, lines);
    }
    if server.corrupt_share > 0.0 && store.major.is_some() {
        lines.push(said(server.logs_at, "PANIC", "could not locate a valid checkpoint record at 0/1A2B3C8"));
        return StoreStart::Ends(1, lines);
    }
    if server.is_disk_full || server.has_write_errors {
        let why = if server.is_disk_full { "No space left on device" } else { "Input/output error" };
        lines.push(said(server.logs_at, "FATAL", &format!("could not write lock file \"postmaster.pid\": {why}")));
        return StoreStart::Ends(1, lines);
    }
    let is_first = store.major.is_none();
    if is_first && !has_password(server) {
        lines.push("Error: Database is uninitialized and superuser password is not specified.".into());
        lines.push("       You must specify POSTGRES_PASSWORD to a non-empty value for the".into());
        lines.push("       superuser. For example, \"-e POSTGRES_PASSWORD=password\" on \"docker run\".".into());
        return StoreStart::Ends(1, lines);
    }
    store.major = Some(major);
    store.version = version;
    store.started = server.now;
    store.sessions.clear();
    store.programs.clear();
    store.is_disk_full = server.is_disk_full;
    store.settings = settings(server, &store.altered);
    if is_first {
        first_start(store, server, &mut lines);
    } else {
        lines.push(String::new());
        lines.push("PostgreSQL Database directory appears to contain a database; Skipping initialization".into());
        lines.push(String::new());
    }
    let say = |text: &str| said(server.logs_at, "LOG", text);
    lines.push(say(&format!(
        "starting PostgreSQL {} on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14+deb12u1) 12.2.0, 64-bit",
        store.version
    )));
    lines.push(say("listening on IPv4 address \"0.0.0.0\", port 5432"));
    lines.push(say("listening on IPv6 address \"::\", port 5432"));
    lines.push(say("listening on Unix socket \"/var/run/postgresql/.s.PGSQL.5432\""));
    lines.push(say("database system is ready to accept connections"));
    StoreStart::Listens(lines)
}

fn has_password(server: &StoreServer) -> bool {
    let env = |name: &str| server.env.get(name).map_or("", |value| value);
    !env("POSTGRES_PASSWORD").is_empty() || env("POSTGRES_HOST_AUTH_METHOD") == "trust"
}

fn version(tag: &str) -> String {
    let version = tag.split('-').next().unwrap_or(tag);
    if version.starts_with(|c: char| c.is_ascii_digit()) { version.into() } else { "17.6".into() }
}

/// A line of the server's log.
pub(super) fn said(now: Stamp, level: &str, text: &str) -> String {
    let time = now.rfc3339_micro();
    format!("{} UTC [1] {level}:  {text}", time.get(..23).unwrap_or(&time).replace('T', " "))
}

/// What `ALTER SYSTEM` left stays; the command line wins.
fn settings(server: &StoreServer, altered: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let defaults = [
        ("max_connections", "100"),
        ("shared_buffers", "128MB"),
        ("lock_timeout", "0"),
        ("statement_timeout", "0"),
        ("idle_in_transaction_session_timeout", "0"),
        ("superuser_reserved_connections", "3"),
        ("work_mem", "4MB"),
    ];
    let mut settings: BTreeMap<String, String> =
        defaults.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    settings.extend(altered.iter().map(|(name, value)| (name.clone(), value.clone())));
    let mut words = server.args.iter();
    while let Some(word) = words.next() {
        let pair = match &**word {
            "-c" => words.next().and_then(|pair| pair.split_once('=')),
            "-N" => words.next().map(|value| ("max_connections", &**value)),
            other => other.strip_prefix("-c").and_then(|pair| pair.split_once('=')),
        };
        if let Some((name, value)) = pair {
            settings.insert(name.to_string(), value.to_string());
        }
    }
    settings
}

fn first_start(store: &mut PgStore, server: &StoreServer, lines: &mut Vec<String>) {
    let env = |name: &str| server.env.get(name).cloned().filter(|value| !value.is_empty());
    let user = env("POSTGRES_USER").unwrap_or_else(|| "postgres".into());
    let role = PgRole {
        password: env("POSTGRES_PASSWORD").unwrap_or_default(),
        is_superuser: true,
        may_log_in: true,
        makes_databases: true,
        makes_roles: true,
        connection_limit: -1,
    };
    store.roles.insert(user.clone(), role);
    let database = env("POSTGRES_DB").unwrap_or_else(|| user.clone());
    for name in ["postgres", "template0", "template1", &database] {
        let schemas = ["public".to_string()].into();
        store.databases.insert(name.into(), PgDatabase { owner: user.clone(), schemas, ..PgDatabase::default() });
    }
    lines.push("The files belonging to this database system will be owned by user \"postgres\".".into());
    lines.push("This user must also own the server process.".into());
    lines.push("Success. You can now start the database server using:".into());
    for (path, text) in &server.files {
        let Some(name) = path.strip_prefix("/docker-entrypoint-initdb.d/") else { continue };
        if !name.ends_with(".sql") {
            lines.push(format!("/usr/local/bin/docker-entrypoint.sh: ignoring {path}"));
            continue;
        }
        lines.push(format!("/usr/local/bin/docker-entrypoint.sh: running {path}"));
        let mut session = PsqlSession::local(&user, &database, server.now);
        session.script(store, text);
        lines.extend(session.printed().lines().map(Into::into));
    }
    lines.push("PostgreSQL init process complete; ready for start up.".into());
}
