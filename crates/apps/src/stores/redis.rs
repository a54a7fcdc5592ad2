//! Redis and Valkey: keys, memory, and settings that are changed while they run.

mod cli;
mod commands;

use std::collections::BTreeMap;

use cluster::{ExecEnd, Stamp};

use super::console::digest_of;
use super::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart};

/// The kind.
pub const KIND: StoreKind =
    StoreKind { name: "redis", clients: &["redis-cli", "valkey-cli"], fresh: || Box::new(RedisStore::default()) };

/// A server of Redis or Valkey.
#[derive(Clone, Debug, Default)]
struct RedisStore {
    version: String,
    started: Stamp,
    settings: BTreeMap<String, String>,
    /// When the password was last changed: connections from before stay.
    password_since: Stamp,
    keys: BTreeMap<String, RedisEntry>,
    /// Keys of programs, which are only counted, and their bytes.
    program_keys: f64,
    program_bytes: f64,
    memory_limit: Option<i64>,
    /// Writes of programs since its memory was last written to disk, and when that was.
    changes: f64,
    saved: Stamp,
    /// Programs that are connected, by address, and when each was first and last heard.
    clients: BTreeMap<String, (Stamp, Stamp)>,
    /// Commands of programs so far and in this second, and keys that made room.
    commands: f64,
    evicted: f64,
}

/// What a key holds.
#[derive(Clone, Debug, PartialEq)]
struct RedisEntry {
    value: RedisValue,
    expires: Option<Stamp>,
}

#[derive(Clone, Debug, PartialEq)]
enum RedisValue {
    Text(String),
    Hash(BTreeMap<String, String>),
    List(Vec<String>),
}

/// Bytes that an empty server has in use.
const EMPTY: f64 = 930_000.0;

impl DataStore for RedisStore {
    fn copy(&self) -> Box<dyn DataStore> {
        Box::new(self.clone())
    }

    fn digest(&self) -> u64 {
        digest_of(self)
    }

    fn start(&mut self, server: &StoreServer) -> StoreStart {
        let settings = settings(server);
        let keeps = settings.get("appendonly").is_some_and(|value| value == "yes");
        if !keeps {
            self.keys.clear();
            (self.program_keys, self.program_bytes) = (0.0, 0.0);
        }
        self.settings = settings;
        self.password_since = server.now;
        self.version = version(&server.version);
        self.started = server.now;
        self.memory_limit = server.memory_limit;
        (self.changes, self.saved) = (0.0, server.now);
        (self.commands, self.evicted) = (0.0, 0.0);
        self.clients.clear();
        let is_valkey = self.version.starts_with(['8', '9']);
        let time = clock(server.logs_at);
        // Since 7.2 these are no warnings any more, and the kind of connections is told.
        let is_new = !self.version.starts_with(['5', '6']);
        let (note, over) = if is_new { ('*', " tcp") } else { ('#', "") };
        let say = |mark: char, text: &str| format!("1:M {time} {mark} {text}");
        let name = if is_valkey { "Valkey" } else { "Redis" };
        let mut lines = vec![
            format!("1:C {time} {note} oO0OoO0OoO0Oo {name} is starting oO0OoO0OoO0Oo"),
            format!(
                "1:C {time} {note} {name} version={}, bits=64, commit=00000000, modified=0, pid=1, just started",
                self.version
            ),
            say('*', "monotonic clock: POSIX clock_gettime"),
            say('*', "Running mode=standalone, port=6379."),
            say(note, "Server initialized"),
        ];
        if self.settings.get("requirepass").is_some_and(String::is_empty)
            && self.settings.get("protected-mode").is_some_and(|value| value == "yes")
            && self.settings.contains_key("bind")
        {
            lines.push(say('#', "WARNING: protected mode is on and no password is set"));
        }
        lines.push(say('*', &format!("Ready to accept connections{over}")));
        StoreStart::Listens(lines)
    }

    fn serve(&mut self, ask: &StoreAsk) -> StoreAnswer {
        let is_known = ask.since.is_some_and(|since| since.max(self.started) < self.password_since);
        if !is_known && let Err(why) = self.check_password(&ask.password, ask.password.is_empty()) {
            return StoreAnswer::Refused(why);
        }
        self.commands += ask.rate;
        self.clients.entry(ask.address.clone()).or_insert((ask.now, ask.now)).1 = ask.now;
        let mut words = ask.operation.split_whitespace();
        let verb = words.next().unwrap_or("get");
        let is_write = matches!(verb, "set" | "hset" | "hmset" | "lpush" | "zadd" | "incr" | "setex");
        if is_write {
            self.changes += ask.rate;
            if self.is_full() && !self.evicts() {
                return StoreAnswer::Refused("OOM command not allowed when used memory > 'maxmemory'.".into());
            }
            // A size makes the value a new one each time; otherwise the same keys are written again.
            if let Some(size) = words.next().and_then(|size| size.parse::<f64>().ok()) {
                self.program_keys += ask.rate;
                self.program_bytes += ask.rate * size;
            } else if self.program_keys < 1000.0 {
                self.program_keys += ask.rate;
                self.program_bytes += ask.rate * 320.0;
            }
            if self.evicts() && self.limit() > 0.0 {
                let over = (self.used() - self.limit()).max(0.0).min(self.program_bytes);
                let share = if self.program_bytes > 0.0 { over / self.program_bytes } else { 0.0 };
                self.evicted += self.program_keys * share;
                self.program_keys -= self.program_keys * share;
                self.program_bytes -= over;
            }
        }
        StoreAnswer::Done { cpu_ms: 0.02, wait_ms: 0.1, hits: if self.program_keys > 0.0 { 0.95 } else { 0.0 } }
    }

    fn console(&mut self, call: &ConsoleCall) -> ExecEnd {
        cli::console(self, call)
    }

    fn typed(&mut self, text: &str, now: Stamp) -> Option<String> {
        Some(cli::typed(self, text, now))
    }

    fn tick(&mut self, now: Stamp) -> Vec<String> {
        self.save(now)
    }

    fn hang_up(&mut self, address: &str) {
        self.clients.remove(address);
    }

    fn memory(&self) -> i64 {
        (self.used() - EMPTY) as i64
    }
}

/// After so many seconds, memory is written to disk if there were so many writes, where nothing else is set.
const SAVES: [(i64, f64); 3] = [(60, 10_000.0), (300, 100.0), (3600, 1.0)];

impl RedisStore {
    /// Writes memory to disk if it is time, and tells that.
    fn save(&mut self, now: Stamp) -> Vec<String> {
        let waited = now.secs() - self.saved.secs();
        let due = SAVES.iter().find(|(after, writes)| waited >= *after && self.changes >= *writes);
        let Some((after, writes)) = due.filter(|_| self.settings.get("save").is_none_or(|save| !save.is_empty()))
        else {
            return Vec::new();
        };
        (self.changes, self.saved) = (0.0, now);
        let pid = 20 + (now.secs() - self.started.secs()) / after;
        let time = clock(now);
        let shared = match self.version.starts_with(['5', '6']) {
            true => "RDB: 0 MB of memory used by copy-on-write",
            false => "Fork CoW for RDB: current 0 MB, peak 0 MB, average 0 MB",
        };
        vec![
            format!("1:M {time} * {writes:.0} changes in {after} seconds. Saving..."),
            format!("1:M {time} * Background saving started by pid {pid}"),
            format!("{pid}:C {time} * DB saved on disk"),
            format!("{pid}:C {time} * {shared}"),
            format!("1:M {time} * Background saving terminated with success"),
        ]
    }

    fn password(&self) -> &str {
        self.settings.get("requirepass").map_or("", |password| password)
    }

    /// Whether a client that gives this password, or none, may go on.
    fn check_password(&self, password: &str, gives_none: bool) -> Result<(), String> {
        match (self.password().is_empty(), gives_none) {
            (true, true) => Ok(()),
            (true, false) => {
                Err("ERR AUTH <password> called without any password configured for the default user. Are you \
                                  sure your configuration is correct?"
                    .into())
            }
            (false, true) => Err("NOAUTH Authentication required.".into()),
            (false, false) if password == self.password() => Ok(()),
            (false, false) => Err("WRONGPASS invalid username-password pair or user is disabled.".into()),
        }
    }

    fn limit(&self) -> f64 {
        self.settings.get("maxmemory").and_then(|text| bytes(text)).unwrap_or(0.0)
    }

    fn used(&self) -> f64 {
        let own: usize = self.keys.iter().map(|(key, entry)| key.len() + size(&entry.value) + 56).sum();
        EMPTY + self.program_bytes + own as f64
    }

    fn is_full(&self) -> bool {
        self.limit() > 0.0 && self.used() >= self.limit()
    }

    fn evicts(&self) -> bool {
        self.settings.get("maxmemory-policy").is_some_and(|policy| policy != "noeviction")
    }
}

fn size(value: &RedisValue) -> usize {
    match value {
        RedisValue::Text(text) => text.len(),
        RedisValue::Hash(fields) => fields.iter().map(|(name, value)| name.len() + value.len() + 16).sum(),
        RedisValue::List(items) => items.iter().map(|item| item.len() + 8).sum(),
    }
}

/// `64mb` in bytes.
fn bytes(text: &str) -> Option<f64> {
    let lower = text.to_lowercase();
    let number: f64 = lower.trim_end_matches(|c: char| c.is_alphabetic()).parse().ok()?;
    let unit = match lower.trim_start_matches(|c: char| c.is_ascii_digit()) {
        "k" => 1e3,
        "kb" => 1024.0,
        "m" => 1e6,
        "mb" => 1024.0 * 1024.0,
        "g" => 1e9,
        "gb" => 1024.0 * 1024.0 * 1024.0,
        _ => 1.0,
    };
    Some(number * unit)
}

fn version(tag: &str) -> String {
    let version = tag.split('-').next().unwrap_or(tag);
    if version.starts_with(|c: char| c.is_ascii_digit()) { version.into() } else { "7.4.6".into() }
}

/// Defaults, then the file that the command line names, then its options.
fn settings(server: &StoreServer) -> BTreeMap<String, String> {
    let defaults = [
        ("appendonly", "no"),
        ("maxclients", "10000"),
        ("maxmemory", "0"),
        ("maxmemory-policy", "noeviction"),
        ("port", "6379"),
        ("protected-mode", "yes"),
        ("requirepass", ""),
        ("save", "3600 1 300 100 60 10000"),
        ("timeout", "0"),
    ];
    let mut settings: BTreeMap<String, String> =
        defaults.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let path = server.args.iter().find(|word| word.ends_with(".conf"));
    for line in path.and_then(|path| server.files.get(path)).map_or("", |text| text).lines() {
        let line = line.trim();
        if let Some((name, value)) = line.split_once(' ').filter(|_| !line.starts_with('#')) {
            settings.insert(name.to_lowercase(), value.trim().trim_matches('"').into());
        }
    }
    let mut words = server.args.iter();
    while let Some(word) = words.next() {
        if let Some(name) = word.strip_prefix("--") {
            settings.insert(name.to_lowercase(), words.next().cloned().unwrap_or_default());
        }
    }
    settings
}

/// `15 Nov 2026 00:00:02.000`.
fn clock(now: Stamp) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (year, month, day, hour, minute, second) = now.civil();
    let month = MONTHS[usize::try_from(month - 1).unwrap_or(0) % 12];
    format!("{day:02} {month} {year} {hour:02}:{minute:02}:{second:02}.{:03}", now.0.rem_euclid(1_000_000) / 1000)
}
