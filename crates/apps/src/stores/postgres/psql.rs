//! `psql` and `pg_isready`.

use std::collections::BTreeMap;

use cluster::{ExecEnd, Stamp};

use super::PgStore;
use super::describe;
use super::print::{Layout, table};
use super::statement::{PgResult, PgWorker};
use crate::stores::ConsoleCall;
use crate::stores::console::Options;
use crate::stores::sql::{SqlValue, split};

const WITH_VALUE: &[&str] = &[
    "-U",
    "--username",
    "-h",
    "--host",
    "-p",
    "--port",
    "-d",
    "--dbname",
    "-c",
    "--command",
    "-f",
    "--file",
    "-v",
    "--set",
    "-P",
    "--pset",
    "-F",
    "-o",
    "-t",
];

/// Runs one of the clients.
pub(super) fn console(store: &mut PgStore, call: &ConsoleCall) -> ExecEnd {
    let name = call.words.first().map_or("", |name| name.rsplit('/').next().unwrap_or(name));
    let with_value: Vec<&str> =
        WITH_VALUE.iter().copied().filter(|option| *option != "-t" || name == "pg_isready").collect();
    let mut words: Vec<String> = Vec::new();
    for word in &call.words[1..] {
        // Letters without values may stand together, before one with a value: `-tAc`.
        let is_flag = |c: char| "tAqXxbwW".contains(c);
        let letters = word.strip_prefix('-').filter(|rest| {
            let (flags, last) = rest.split_at(rest.len().saturating_sub(1));
            !flags.is_empty() && flags.chars().all(is_flag) && last.chars().all(|c| is_flag(c) || "cdUhf".contains(c))
        });
        match letters.filter(|_| name == "psql") {
            Some(letters) => words.extend(letters.chars().map(|c| format!("-{c}"))),
            None => words.push(word.clone()),
        }
    }
    let options = Options::read(&words, &with_value);
    let target = Target::read(&options, &call.env);
    if name == "pg_isready" {
        let host = if target.host.is_empty() { "/var/run/postgresql" } else { &target.host };
        return ConsoleCall::prints(format!("{host}:5432 - accepting connections\n"));
    }
    if options.has(&["--version", "-V"]) {
        return ConsoleCall::prints(format!("psql (PostgreSQL) {}\n", store.version));
    }
    if let Err(why) = target.connect(store, call) {
        return ConsoleCall::fails(2, format!("psql: error: {}: FATAL:  {why}\n", target.place()));
    }
    let mut session = PsqlSession::local(&target.user, &target.database, call.now);
    session.worker.address = call.address.clone().unwrap_or_default();
    session.worker.own.pid = store.new_pid();
    session.layout = Layout {
        is_bare: options.has(&["-t", "--tuples-only"]),
        is_unaligned: options.has(&["-A", "--no-align"]),
        is_expanded: options.has(&["-x", "--expanded"]),
    };
    session.is_quiet = options.has(&["-q", "--quiet"]);
    let stops = options.all(&["-v", "--set"]).any(|pair| pair == "ON_ERROR_STOP=1" || pair == "ON_ERROR_STOP=on");
    let commands: Vec<&str> = options.all(&["-c", "--command"]).collect();
    let mut code = 0;
    for command in &commands {
        session.worker.whole = Some(command.to_string());
        if !session.script(store, command) {
            code = 1;
            break;
        }
    }
    if commands.is_empty() && !session.script(store, &call.input) && stops {
        code = 3;
    }
    let takes = session.worker.takes;
    let end = ExecEnd {
        stdout: session.printed.into_bytes(),
        stderr: session.complaints.into_bytes(),
        code,
        ..ExecEnd::default()
    };
    ConsoleCall::took(end, takes)
}

/// Where a client connects and as whom.
struct Target {
    user: String,
    password: String,
    database: String,
    host: String,
}

impl Target {
    fn read(options: &Options, env: &BTreeMap<String, String>) -> Self {
        let variable = |name: &str| env.get(name).cloned().unwrap_or_default();
        let or = |given: Option<&str>, other: String| given.map_or(other, Into::into);
        let first = options.get(&["-d", "--dbname"]).or_else(|| options.rest.first().map(|word| &**word));
        let second = options.rest.get(1).map(|word| &**word);
        let user = or(options.get(&["-U", "--username"]).or(second), variable("PGUSER"));
        let mut target = Self {
            user: if user.is_empty() { "root".into() } else { user },
            password: variable("PGPASSWORD"),
            database: or(first, variable("PGDATABASE")),
            host: or(options.get(&["-h", "--host"]), variable("PGHOST")),
        };
        if let Some(address) = first.and_then(|first| first.split_once("://")).map(|(_, address)| address) {
            let (credentials, address) = address.rsplit_once('@').unwrap_or(("", address));
            let (host, database) = address.split_once('/').unwrap_or((address, ""));
            let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
            target.host = host.split(':').next().unwrap_or_default().into();
            target.database = database.split('?').next().unwrap_or_default().into();
            (target.user, target.password) = (user.into(), password.into());
        } else if let Some(pairs) = first.filter(|first| first.contains('=')) {
            target.database = String::new();
            for (name, value) in pairs.split_whitespace().filter_map(|pair| pair.split_once('=')) {
                match name {
                    "host" => target.host = value.into(),
                    "user" => target.user = value.into(),
                    "password" => target.password = value.into(),
                    "dbname" => target.database = value.into(),
                    _ => {}
                }
            }
        }
        if target.database.is_empty() {
            target.database.clone_from(&target.user);
        }
        target
    }

    /// The machine itself is trusted; over the network a password is needed.
    fn connect(&self, store: &mut PgStore, call: &ConsoleCall) -> Result<(), String> {
        let is_local = call.address.is_none() && matches!(&*self.host, "" | "localhost" | "127.0.0.1" | "::1");
        if !is_local {
            return store.log_in(&self.user, &self.password, &self.database, call.now);
        }
        match (store.roles.get(&self.user), store.databases.contains_key(&self.database)) {
            (None, _) => Err(format!("role \"{}\" does not exist", self.user)),
            (Some(role), _) if !role.may_log_in => Err(format!("role \"{}\" is not permitted to log in", self.user)),
            (_, false) => Err(format!("database \"{}\" does not exist", self.database)),
            _ => Ok(()),
        }
    }

    fn place(&self) -> String {
        match self.host.is_empty() {
            true => "connection to server on socket \"/var/run/postgresql/.s.PGSQL.5432\" failed".into(),
            false => format!("connection to server at \"{}\", port 5432 failed", self.host),
        }
    }
}

/// A client that is connected.
pub(super) struct PsqlSession {
    pub(super) worker: PgWorker,
    layout: Layout,
    is_quiet: bool,
    printed: String,
    complaints: String,
}

impl PsqlSession {
    pub(super) fn local(user: &str, database: &str, now: Stamp) -> Self {
        let mut worker = PgWorker::default();
        worker.now = now;
        worker.own.user = user.into();
        worker.own.database = database.into();
        let (printed, complaints) = (String::new(), String::new());
        Self { worker, layout: Layout::default(), is_quiet: false, printed, complaints }
    }

    pub(super) fn printed(&self) -> &str {
        &self.printed
    }

    /// Runs statements and the client's own commands; whether all went well.
    pub(super) fn script(&mut self, store: &mut PgStore, text: &str) -> bool {
        let mut is_well = true;
        let mut pending = String::new();
        for line in text.lines() {
            if pending.trim().is_empty() && line.trim_start().starts_with('\\') {
                is_well &= self.own_command(store, line.trim());
                continue;
            }
            pending.push_str(line);
            pending.push('\n');
            if line.trim_end().ends_with(';') {
                is_well &= self.statements(store, &std::mem::take(&mut pending));
            }
        }
        is_well & self.statements(store, &pending)
    }

    fn statements(&mut self, store: &mut PgStore, text: &str) -> bool {
        let mut is_well = true;
        for statement in split(text) {
            match self.worker.run(store, &statement) {
                Ok(PgResult::Rows(names, rows)) => self.printed.push_str(&table("", &names, &rows, self.layout)),
                Ok(PgResult::Tag(tag)) if !self.is_quiet => self.printed.push_str(&format!("{tag}\n")),
                Ok(PgResult::Tag(_)) => {}
                Err(why) => {
                    self.complaints.push_str(&format!("ERROR:  {why}\n{}", pointer(&statement, &why)));
                    is_well = false;
                }
            }
        }
        is_well
    }

    fn own_command(&mut self, store: &mut PgStore, line: &str) -> bool {
        let mut words = line.trim_end_matches(';').split_whitespace();
        let name = words.next().unwrap_or_default();
        let arg = words.next().unwrap_or_default();
        let text = |text: &str| SqlValue::text(text);
        let mut show = |title: &str, names: &[&str], rows: Vec<Vec<SqlValue>>| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            self.printed.push_str(&table(title, &names, &rows, self.layout));
        };
        match name.trim_end_matches('+') {
            "\\l" | "\\list" => {
                let rows = store.databases.iter().map(|(name, database)| {
                    vec![
                        text(name),
                        text(&database.owner),
                        text("UTF8"),
                        text("libc"),
                        text("en_US.utf8"),
                        text("en_US.utf8"),
                    ]
                });
                let names = ["Name", "Owner", "Encoding", "Locale Provider", "Collate", "Ctype"];
                show("List of databases", &names, rows.collect());
            }
            "\\du" | "\\dg" => {
                let rows = store.roles.iter().map(|(name, role)| vec![text(name), text(&attributes(role))]);
                show("List of roles", &["Role name", "Attributes"], rows.collect());
            }
            "\\dn" => {
                let database = store.databases.get(&self.worker.own.database);
                let rows = database.into_iter().flat_map(|database| {
                    database.schemas.iter().map(|schema| vec![text(schema), text(&database.owner)])
                });
                show("List of schemas", &["Name", "Owner"], rows.collect());
            }
            "\\dt" => {
                let wanted = arg.split_once('.').map_or("public", |(schema, _)| schema);
                let database = store.databases.get(&self.worker.own.database);
                let tables = database.into_iter().flat_map(|database| &database.tables);
                let tables = tables.filter(|((schema, _), _)| wanted == "*" || schema == wanted);
                let rows: Vec<_> = tables
                    .map(|((schema, table), found)| vec![text(schema), text(table), text("table"), text(&found.owner)])
                    .collect();
                if rows.is_empty() {
                    let what = if arg.is_empty() {
                        "Did not find any relations.".into()
                    } else {
                        format!("Did not find any relation named \"{arg}\".")
                    };
                    self.complaints.push_str(&format!("{what}\n"));
                    return true;
                }
                show("List of relations", &["Schema", "Name", "Type", "Owner"], rows);
            }
            "\\c" | "\\connect" => {
                if !store.databases.contains_key(arg) {
                    let place = "connection to server on socket \"/var/run/postgresql/.s.PGSQL.5432\" failed";
                    self.complaints
                        .push_str(&format!("\\connect: {place}: FATAL:  database \"{arg}\" does not exist\n"));
                    return false;
                }
                self.worker.own.database = arg.into();
                let user = &self.worker.own.user;
                self.printed.push_str(&format!("You are now connected to database \"{arg}\" as user \"{user}\".\n"));
            }
            "\\conninfo" => {
                let (database, user) = (&self.worker.own.database, &self.worker.own.user);
                self.printed.push_str(&format!(
                    "You are connected to database \"{database}\" as user \"{user}\" via socket in \
                     \"/var/run/postgresql\" at port \"5432\".\n"
                ));
            }
            "\\x" => {
                self.layout.is_expanded = !self.layout.is_expanded;
                let now = if self.layout.is_expanded { "on" } else { "off" };
                self.printed.push_str(&format!("Expanded display is {now}.\n"));
            }
            "\\d" if !arg.is_empty() => match describe::table(store, &self.worker.own.database, arg, self.layout) {
                Some(text) => self.printed.push_str(&text),
                None => {
                    self.complaints.push_str(&format!("Did not find any relation named \"{arg}\".\n"));
                    return false;
                }
            },
            "\\d" => return self.own_command(store, "\\dt"),
            "\\dp" | "\\z" => {
                self.printed.push_str(&describe::privileges(store, &self.worker.own.database, arg, self.layout));
            }
            "\\timing" => self.printed.push_str("Timing is on.\n"),
            "\\echo" => self.printed.push_str(&format!("{}\n", line["\\echo".len()..].trim())),
            "\\q" | "\\pset" | "\\set" => {}
            other => {
                self.complaints.push_str(&format!("invalid command {other}\nTry \\? for help.\n"));
                return false;
            }
        }
        true
    }
}

fn attributes(role: &super::PgRole) -> String {
    let mut out = Vec::new();
    if role.is_superuser {
        out.push("Superuser");
    }
    if role.makes_roles {
        out.push("Create role");
    }
    if role.makes_databases {
        out.push("Create DB");
    }
    if !role.may_log_in {
        out.push("Cannot login");
    }
    out.join(", ")
}

/// The line under an error that shows where it is, if a quoted name says so.
fn pointer(statement: &str, why: &str) -> String {
    let named = why.split('"').nth(1).unwrap_or_default();
    let line = statement.lines().enumerate().find_map(|(number, line)| Some((number, line, line.find(named)?)));
    match line.filter(|_| !named.is_empty() && !why.starts_with("role") && !why.starts_with("database")) {
        Some((number, line, at)) => {
            let head = format!("LINE {}: ", number + 1);
            format!("{head}{line}\n{}^\n", " ".repeat(head.len() + at))
        }
        None => String::new(),
    }
}
