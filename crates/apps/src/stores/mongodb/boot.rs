//! What happens before `mongod` listens: its configuration, its files, its first start.

use std::collections::BTreeMap;

use cluster::Stamp;

use super::shell::Session;
use super::{MongoServer, MongoStore};
use crate::stores::{StoreServer, StoreStart};

/// Starts a server on a data directory.
pub(super) fn start(store: &mut MongoStore, server: &StoreServer) -> StoreStart {
    let settings = Settings::read(server);
    let mut lines = Lines { now: server.logs_at, lines: Vec::new() };
    if let Err(code) = tls(&settings, server, &mut lines).and_then(|()| files(store, server, &mut lines)) {
        return StoreStart::Ends(code, lines.lines);
    }
    let is_first = store.release.is_none();
    store.release.get_or_insert_with(|| release(&server.version));
    store.is_locked = false;
    store.operations.clear();
    store.server = MongoServer {
        version: version(&server.version),
        started: server.now,
        has_access_control: false,
        tls: settings.tls.clone(),
        corrupt_share: server.corrupt_share,
        is_disk_full: server.is_disk_full,
    };
    if is_first {
        first_start(store, server, &mut lines);
    }
    store.server.has_access_control = settings.has_access_control;
    lines.greet(&store.server.version, &server.host);
    if !settings.has_access_control {
        let warning = "Access control is not enabled for the database. Read and write access to data and configuration \
                       is unrestricted";
        lines.say("W", "CONTROL", 22120, "initandlisten", warning, "\"tags\":[\"startupWarnings\"]");
    }
    let tls = if settings.tls == "disabled" { "off" } else { "on" };
    lines.say("I", "NETWORK", 23015, "listener", "Listening on", "\"attr\":{\"address\":\"0.0.0.0\"}");
    let attr = format!("\"attr\":{{\"port\":27017,\"ssl\":\"{tls}\"}}");
    lines.say("I", "NETWORK", 23016, "listener", "Waiting for connections", &attr);
    StoreStart::Listens(lines.lines)
}

/// What the command line and its configuration file say.
struct Settings {
    has_access_control: bool,
    tls: String,
    certificate: String,
}

impl Settings {
    fn read(server: &StoreServer) -> Self {
        let after = |name: &str| {
            let at = server.args.iter().position(|word| word == name)?;
            server.args.get(at + 1).cloned()
        };
        let path = after("--config").or_else(|| after("-f")).unwrap_or_default();
        let file = server.files.get(&path).map(|text| flat(text)).unwrap_or_default();
        let of_file = |name: &str| file.get(name).cloned();
        Self {
            has_access_control: server.args.iter().any(|word| word == "--auth")
                || of_file("security.authorization").is_some_and(|value| value == "enabled")
                || server.env.contains_key("MONGO_INITDB_ROOT_USERNAME"),
            tls: after("--tlsMode").or_else(|| of_file("net.tls.mode")).unwrap_or_else(|| "disabled".into()),
            certificate: after("--tlsCertificateKeyFile")
                .or_else(|| of_file("net.tls.certificateKeyFile"))
                .unwrap_or_default(),
        }
    }
}

/// The scalars of a small YAML file, by dotted path.
fn flat(text: &str) -> BTreeMap<String, String> {
    fn walk(value: &serde_json::Value, path: &str, out: &mut BTreeMap<String, String>) {
        match value {
            serde_json::Value::Object(fields) => {
                for (name, value) in fields {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    walk(value, &path, out);
                }
            }
            serde_json::Value::String(text) => drop(out.insert(path.into(), text.clone())),
            other => drop(out.insert(path.into(), other.to_string())),
        }
    }
    let mut out = BTreeMap::new();
    for document in cluster::yaml::documents(text).unwrap_or_default() {
        walk(&document, "", &mut out);
    }
    out
}

fn tls(settings: &Settings, server: &StoreServer, lines: &mut Lines) -> Result<(), i32> {
    if settings.tls == "disabled" || server.files.contains_key(&settings.certificate) {
        return Ok(());
    }
    if settings.certificate.is_empty() {
        let why = "need tlsCertificateKeyFile or certificateSelector when TLS is enabled";
        let attr = format!("\"attr\":{{\"error\":{{\"code\":2,\"codeName\":\"BadValue\",\"errmsg\":\"{why}\"}}}}");
        lines.say("F", "CONTROL", 20574, "main", "Error during global initialization", &attr);
        return Err(1);
    }
    let attr = format!(
        "\"attr\":{{\"keyFile\":\"{}\",\"error\":\"error:02001002:system library:fopen:No such file or directory\"}}",
        settings.certificate
    );
    lines.say("E", "NETWORK", 23248, "main", "Cannot read certificate file", &attr);
    let attr = "\"attr\":{\"error\":{\"code\":140,\"codeName\":\"InvalidSSLConfiguration\",\"errmsg\":\"Can not set up PEM \
                key file.\"}}";
    lines.say("F", "CONTROL", 20574, "main", "Error during global initialization", attr);
    Err(1)
}

/// Reads the data files, which must be sound and of a release that this one understands.
fn files(store: &MongoStore, server: &StoreServer, lines: &mut Lines) -> Result<(), i32> {
    if server.is_disk_full || server.has_write_errors {
        let (number, why) =
            if server.is_disk_full { (28, "No space left on device") } else { (5, "Input/output error") };
        let message = format!("handle-write: pwrite: failed to write 128 bytes at offset 0: {why}");
        let attr = format!("\"attr\":{{\"error\":{number},\"message\":\"{message}\"}}");
        lines.say("E", "STORAGE", 22435, "initandlisten", "WiredTiger error", &attr);
        let attr = "\"attr\":{\"msgid\":28595,\"file\":\"src/mongo/db/storage/wiredtiger/wiredtiger_kv_engine.cpp\"}";
        lines.say("F", "-", 23095, "initandlisten", "Fatal assertion", attr);
        return Err(14);
    }
    let Some(found) = &store.release else { return Ok(()) };
    if server.corrupt_share > 0.0 {
        let message = "__wt_block_read_off, 283: WiredTiger.wt: read checksum error for 4096B block at offset 28672: block \
                       header checksum of 0x6ef7a15 doesn't match expected checksum of 0x41d3c8f2";
        let attr = format!("\"attr\":{{\"error\":-31802,\"message\":\"{message}\"}}");
        lines.say("E", "STORAGE", 22435, "initandlisten", "WiredTiger error", &attr);
        let attr = "\"attr\":{\"error\":-31804,\"message\":\"WT_PANIC: WiredTiger library panic\"}";
        lines.say("E", "STORAGE", 22435, "initandlisten", "WiredTiger error", attr);
        let attr =
            "\"attr\":{\"msgid\":50853,\"file\":\"src/mongo/db/storage/wiredtiger/wiredtiger_util.cpp\",\"line\":481}";
        lines.say("F", "-", 23089, "initandlisten", "Fatal assertion", attr);
        lines.say("F", "-", 23090, "initandlisten", "\\n\\n***aborting after fassert() failure\\n\\n", "");
        return Err(14);
    }
    let own = release(&server.version);
    if reads(&own, found) {
        return Ok(());
    }
    let detail = if RELEASES.iter().position(|r| *r == own) < RELEASES.iter().position(|r| r == found) {
        "The data files are of a later release"
    } else {
        "If the current featureCompatibilityVersion is below the previous release, see the documentation on upgrading"
    };
    let attr = format!(
        "\"attr\":{{\"error\":\"UPGRADE PROBLEM: Found an invalid featureCompatibilityVersion document (ERROR: \
         Location4926900: Invalid featureCompatibilityVersion document in admin.system.version: {{ _id: \
         \\\"featureCompatibilityVersion\\\", version: \\\"{found}\\\" }}). {detail}.\"}}"
    );
    lines.say("F", "CONTROL", 20573, "initandlisten", "Wrong mongod version", &attr);
    Err(62)
}

const RELEASES: &[&str] = &["3.6", "4.0", "4.2", "4.4", "5.0", "6.0", "7.0", "8.0"];

/// Whether a release reads files of another: its own and those of the one before.
fn reads(own: &str, found: &str) -> bool {
    let place = |release: &str| RELEASES.iter().position(|known| *known == release);
    match (place(own), place(found)) {
        (Some(own), Some(found)) => own == found || own == found + 1,
        _ => own == found,
    }
}

/// The version behind a tag; what has no number is the latest.
fn version(tag: &str) -> String {
    if tag.starts_with(|c: char| c.is_ascii_digit()) { tag.into() } else { "8.0.14".into() }
}

fn release(tag: &str) -> String {
    version(tag).split('.').take(2).collect::<Vec<_>>().join(".")
}

/// An empty directory: users of the environment, then the scripts in their folder.
fn first_start(store: &mut MongoStore, server: &StoreServer, lines: &mut Lines) {
    let env = |name: &str| server.env.get(name).cloned().unwrap_or_default();
    let (name, password) = (env("MONGO_INITDB_ROOT_USERNAME"), env("MONGO_INITDB_ROOT_PASSWORD"));
    if !name.is_empty() {
        let roles = [("root".to_string(), "admin".to_string())].into();
        store.users.insert(("admin".into(), name), super::MongoUser { password, roles });
    }
    for (path, text) in &server.files {
        let Some(name) = path.strip_prefix("/docker-entrypoint-initdb.d/") else { continue };
        let is_script = name.ends_with(".sh") || name.ends_with(".js");
        if !is_script {
            lines.lines.push(format!("/usr/local/bin/docker-entrypoint.sh: ignoring {path}"));
            continue;
        }
        lines.lines.push(format!("/usr/local/bin/docker-entrypoint.sh: running {path}"));
        let script = if name.ends_with(".sh") { here_documents(text) } else { text.clone() };
        let mut session = Session::local("test", store.server.version.starts_with(['3', '4']));
        session.run_script(store, &script, server.now);
        lines.lines.extend(session.printed().lines().map(Into::into));
    }
}

/// What a shell script feeds to the client.
fn here_documents(text: &str) -> String {
    let mut out = String::new();
    let mut end: Option<String> = None;
    for line in text.lines() {
        match &end {
            Some(word) if line.trim() == word => end = None,
            Some(_) => {
                out.push_str(line);
                out.push('\n');
            }
            None if line.trim_start().starts_with("mongo") => {
                let word = line.split_once("<<").map(|(_, word)| word.trim().trim_matches(['-', '\'', '"']));
                end = word.map(Into::into);
            }
            None => {}
        }
    }
    out
}

/// Lines of the server's log.
pub(super) struct Lines {
    pub(super) now: Stamp,
    pub(super) lines: Vec<String>,
}

impl Lines {
    fn greet(&mut self, version: &str, host: &str) {
        let place = "\"pid\":1,\"port\":27017,\"dbPath\":\"/data/db\",\"architecture\":\"64-bit\"";
        let attr = format!("\"attr\":{{{place},\"host\":\"{host}\"}}");
        self.say("I", "CONTROL", 4_615_611, "initandlisten", "MongoDB starting", &attr);
        let attr = format!("\"attr\":{{\"buildInfo\":{{\"version\":\"{version}\",\"allocator\":\"tcmalloc\"}}}}");
        self.say("I", "CONTROL", 23403, "initandlisten", "Build Info", &attr);
        let attr = "\"attr\":{\"config\":\"create,cache_size=7483M,session_max=33000,eviction=(threads_min=4,threads_max=4)\"}";
        self.say("I", "STORAGE", 22315, "initandlisten", "Opening WiredTiger", attr);
    }

    /// One line, in the columns that the server gives it.
    pub(super) fn say(&mut self, level: &str, component: &str, id: u32, context: &str, message: &str, attr: &str) {
        let (component, id) = (format!("\"{component}\","), format!("{id},"));
        let time = self.now.rfc3339_micro();
        let time = format!("{}+00:00", time.get(..23).unwrap_or(&time));
        let attr = if attr.is_empty() { String::new() } else { format!(",{attr}") };
        self.lines.push(format!(
            "{{\"t\":{{\"$date\":\"{time}\"}},\"s\":\"{level}\",  \"c\":{component:<12}\"id\":{id:<9}\"ctx\":\"{context}\",\
             \"msg\":\"{message}\"{attr}}}"
        ));
    }
}
