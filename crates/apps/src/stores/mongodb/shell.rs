//! `mongo` and `mongosh`: how they connect, what they print, how they end.

use cluster::{ExecEnd, Stamp};

use super::MongoStore;
use super::access::Principal;
use super::helpers::ShellHost;
use super::print;
use crate::stores::ConsoleCall;
use crate::stores::console::{Options, uuid};
use crate::stores::script::{JsValue, Scope, ScriptError, parse, run};

const WITH_VALUE: &[&str] = &[
    "-u",
    "--username",
    "-p",
    "--password",
    "--authenticationDatabase",
    "--host",
    "--port",
    "--eval",
    "--tlsCAFile",
    "--tlsCertificateKeyFile",
    "--file",
    "-f",
];

/// Runs one of the shells.
pub(super) fn console(store: &mut MongoStore, call: &ConsoleCall) -> ExecEnd {
    let (name, words) = match call.words.split_first() {
        Some((name, words)) => (name.rsplit('/').next().unwrap_or(name), words),
        None => return ConsoleCall::fails(127, ""),
    };
    let is_old = name == "mongo";
    let options = Options::read(words, WITH_VALUE);
    if options.has(&["--version"]) {
        let version = &store.server.version;
        return ConsoleCall::prints(match is_old {
            true => format!("MongoDB shell version v{version}\n"),
            false => "2.5.8\n".into(),
        });
    }
    let target = Target::read(&options);
    let mut session = Session::local(&target.database, is_old);
    if !options.has(&["--quiet"]) && is_old {
        session.greet(store, &target);
    }
    if store.server.tls == "requireTLS" && !options.has(&["--tls", "--ssl"]) {
        return session.unreachable(&target);
    }
    if let Err(end) = session.log_in(store, &target) {
        return end;
    }
    let evals: Vec<&str> = options.all(&["--eval"]).collect();
    let failed = match evals.is_empty() {
        false => evals.iter().any(|script| !session.evaluate(store, script)),
        true => {
            session.run_script(store, &call.input, call.now);
            if is_old && !options.has(&["--quiet"]) {
                session.printed.push_str("bye\n");
            }
            false
        }
    };
    let code = match (failed, is_old) {
        (false, _) => 0,
        (true, true) => 252,
        (true, false) => 1,
    };
    let (stdout, stderr) = (session.printed.into_bytes(), session.complaints.into_bytes());
    ExecEnd { stdout, stderr, code, ..ExecEnd::default() }
}

/// Where a shell connects and as whom.
struct Target {
    host: String,
    database: String,
    user: String,
    password: String,
    /// Where the user is looked up.
    source: String,
}

impl Target {
    fn read(options: &Options) -> Self {
        let given = |names: &[&str]| options.get(names).unwrap_or_default().to_string();
        let mut target = Self {
            host: options.get(&["--host"]).unwrap_or("127.0.0.1").into(),
            database: "test".into(),
            user: given(&["-u", "--username"]),
            password: given(&["-p", "--password"]),
            source: given(&["--authenticationDatabase"]),
        };
        let first = options.rest.first().filter(|first| !first.ends_with(".js"));
        if let Some(address) = first.and_then(|first| first.strip_prefix("mongodb://")) {
            let (credentials, address) = address.rsplit_once('@').unwrap_or(("", address));
            let (address, query) = address.split_once('?').unwrap_or((address, ""));
            let (host, database) = address.split_once('/').unwrap_or((address, ""));
            if let Some((user, password)) = credentials.split_once(':') {
                (target.user, target.password) = (user.into(), password.into());
            }
            target.host = host.split(':').next().unwrap_or(host).into();
            if !database.is_empty() {
                target.database = database.into();
            }
            if let Some(source) = query.split('&').find_map(|pair| pair.strip_prefix("authSource=")) {
                target.source = source.into();
            }
        } else if let Some(first) = first {
            let (host, database) = first.split_once('/').unwrap_or(("", first));
            target.database = database.into();
            if !host.is_empty() {
                target.host = host.into();
            }
        }
        if target.source.is_empty() {
            target.source = if options.rest.is_empty() { "admin".into() } else { target.database.clone() };
        }
        target
    }
}

/// A shell that is connected.
pub(super) struct Session {
    database: String,
    user: Option<Principal>,
    is_old: bool,
    printed: String,
    complaints: String,
    scope: Scope,
}

impl Session {
    pub(super) fn local(database: &str, is_old: bool) -> Self {
        Self {
            database: database.into(),
            user: None,
            is_old,
            printed: String::new(),
            complaints: String::new(),
            scope: Scope::default(),
        }
    }

    pub(super) fn printed(&self) -> &str {
        &self.printed
    }

    fn greet(&mut self, store: &MongoStore, target: &Target) {
        let (version, database) = (&store.server.version, &target.database);
        self.printed = format!(
            "MongoDB shell version v{version}\nconnecting to: \
             mongodb://{}:27017/{database}?compressors=disabled&gssapiServiceName=mongodb\nImplicit session: session {{ \
             \"id\" : UUID(\"{}\") }}\nMongoDB server version: {version}\n",
            target.host,
            uuid(&format!("session/{}", store.server.started.0)),
        );
    }

    fn unreachable(&mut self, target: &Target) -> ExecEnd {
        let host = &target.host;
        match self.is_old {
            true => {
                let text = format!(
                    "Error: couldn't connect to server {host}:27017, connection attempt failed: HostUnreachable: \
                     Connection closed by peer :\nconnect@src/mongo/shell/mongo.js:374:17\n@(connect):2:6\nexception: \
                     connect failed\nexiting with code 1\n"
                );
                ExecEnd { stdout: text.into_bytes(), code: 1, ..ExecEnd::default() }
            }
            false => ConsoleCall::fails(
                1,
                format!("MongoServerSelectionError: connection <monitor> to {host}:27017 closed\n"),
            ),
        }
    }

    fn log_in(&mut self, store: &MongoStore, target: &Target) -> Result<(), ExecEnd> {
        match store.log_in(&target.source, &target.user, &target.password) {
            Ok(user) => {
                self.user = user;
                Ok(())
            }
            Err(_) if self.is_old => {
                let banner = self.printed.lines().take(2).map(|line| format!("{line}\n")).collect::<String>();
                let text = format!(
                    "{banner}Error: Authentication failed. :\nconnect@src/mongo/shell/mongo.js:374:17\n@(connect):2:6\n\
                     exception: connect failed\nexiting with code 1\n"
                );
                Err(ExecEnd { stdout: text.into_bytes(), code: 1, ..ExecEnd::default() })
            }
            Err(_) => Err(ConsoleCall::fails(1, "MongoServerError: Authentication failed.\n")),
        }
    }

    /// `--eval`: prints the value of the last expression; whether it went well.
    fn evaluate(&mut self, store: &mut MongoStore, script: &str) -> bool {
        match self.value_of(store, script) {
            Ok(value) => {
                self.show(&value, false);
                true
            }
            Err(error) => {
                let text = self.worded(&error, "@(shell eval):1:1");
                match self.is_old {
                    true => self.printed.push_str(&text),
                    false => self.complaints.push_str(&text),
                }
                false
            }
        }
    }

    /// A script that is piped in: each statement by itself, with the shell's own words between them.
    pub(super) fn run_script(&mut self, store: &mut MongoStore, script: &str, _now: Stamp) {
        let mut pending = String::new();
        for line in script.lines() {
            let words: Vec<&str> = line.trim().trim_end_matches(';').split_whitespace().collect();
            match words.as_slice() {
                ["use", database] if pending.is_empty() => {
                    self.database = (*database).into();
                    self.printed.push_str(&format!("switched to db {database}\n"));
                    continue;
                }
                ["show", what] if pending.is_empty() => {
                    self.list(store, what);
                    continue;
                }
                ["exit" | "quit"] | ["quit()"] if pending.is_empty() => return,
                _ => {}
            }
            pending.push_str(line);
            pending.push('\n');
            // A statement goes on as long as what was typed is no whole one.
            if let Err(error) = parse(&pending)
                && matches!(&*error.message, "unexpected end of input" | "unterminated string literal")
            {
                continue;
            }
            self.typed(store, &std::mem::take(&mut pending));
        }
        if !pending.trim().is_empty() {
            self.typed(store, &pending);
        }
    }

    fn typed(&mut self, store: &mut MongoStore, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match self.value_of(store, text) {
            Ok(value) => self.show(&value, true),
            Err(error) => {
                let text = self.worded(&error, "@(shell):1:1");
                self.printed.push_str(&text);
            }
        }
    }

    fn value_of(&mut self, store: &mut MongoStore, text: &str) -> Result<JsValue, ScriptError> {
        let statements = parse(text)?;
        let mut host = ShellHost {
            store,
            database: &mut self.database,
            user: &mut self.user,
            is_old: self.is_old,
            printed: &mut self.printed,
        };
        run(&mut host, &mut self.scope, &statements)
    }

    fn show(&mut self, value: &JsValue, _is_typed: bool) {
        let text = match value {
            JsValue::Undefined => return,
            JsValue::Text(text) => text.clone(),
            JsValue::Host("DBQuery", _, items) if self.is_old => {
                items.iter().take(20).map(|item| print::old_style(item, 0, true)).collect::<Vec<_>>().join("\n")
            }
            JsValue::Host("DBQuery", _, items) => {
                print::new_style(&JsValue::List(items.iter().take(20).cloned().collect()), 0)
            }
            other if self.is_old => print::old_style(other, 0, false),
            other => print::new_style(other, 0),
        };
        if !text.is_empty() {
            self.printed.push_str(&text);
            self.printed.push('\n');
        }
    }

    fn list(&mut self, store: &mut MongoStore, what: &str) {
        let script = match what {
            "dbs" | "databases" => return self.list_databases(store),
            "collections" | "tables" => "db.getCollectionNames().join('\\n')",
            "users" => "db.getUsers()",
            other => {
                self.printed.push_str(&format!("Error: don't know how to show [{other}] :\n"));
                return;
            }
        };
        self.typed(store, script);
    }

    fn list_databases(&mut self, store: &mut MongoStore) {
        if let Err(error) = store.allow(self.user.as_ref(), "admin", "listDatabases", "1") {
            // A client without rights is shown the databases that it may see: none.
            if !self.is_old {
                let text = self.worded(&error, "");
                self.printed.push_str(&text);
            }
            return;
        }
        let names = store.database_names();
        let width = names.iter().map(String::len).max().unwrap_or(0);
        for name in names {
            let size = store.size_of(&name);
            let shown = match self.is_old {
                true => format!("{:.3}GB", size / 1e9),
                false => format!("{:.2} KiB", size / 1024.0),
            };
            self.printed.push_str(&format!("{name:<width$}  {shown}\n"));
        }
    }

    fn worded(&self, error: &ScriptError, place: &str) -> String {
        let (name, message) = (&error.name, &error.message);
        match self.is_old {
            true if name == "MongoServerError" => {
                let reply = JsValue::object([
                    ("ok", JsValue::Number(0.0)),
                    ("errmsg", JsValue::text(&**message)),
                    ("code", JsValue::Number(13.0)),
                    ("codeName", JsValue::text("Unauthorized")),
                ]);
                format!("uncaught exception: Error: error: {} :\n{place}\n", print::old_style(&reply, 0, false))
            }
            true => format!("uncaught exception: {name}: {message} :\n{place}\n"),
            false => format!("{name}: {message}\n"),
        }
    }
}
