//! Memcached: items in memory, the oldest of which make room.

use cluster::{ExecEnd, Stamp};

use super::console::digest_of;
use super::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart};

/// The kind.
pub const KIND: StoreKind =
    StoreKind { name: "memcached", clients: &["memcached-tool"], fresh: || Box::new(MemcachedStore::default()) };

/// A server.
#[derive(Clone, Debug, Default)]
struct MemcachedStore {
    /// Bytes that it may keep.
    limit: f64,
    /// Bytes and items that it keeps; a restart is cold.
    bytes: f64,
    items: f64,
    asked: f64,
    found: f64,
    version: String,
    started: Stamp,
    /// What was put in by hand.
    own: std::collections::BTreeMap<String, String>,
}

/// Bytes of a usual item.
const ITEM: f64 = 600.0;
/// As many different items as programs ask for.
const ASKED_FOR: f64 = 2000.0;

impl DataStore for MemcachedStore {
    fn copy(&self) -> Box<dyn DataStore> {
        Box::new(self.clone())
    }

    fn digest(&self) -> u64 {
        digest_of(self)
    }

    fn start(&mut self, server: &StoreServer) -> StoreStart {
        let after = |name: &str| {
            let at = server.args.iter().position(|word| word == name)?;
            server.args.get(at + 1)?.parse::<f64>().ok()
        };
        let variable = server.env.get("MEMCACHED_CACHE_SIZE").and_then(|size| size.parse().ok());
        *self = Self { limit: after("-m").or(variable).unwrap_or(64.0) * 1024.0 * 1024.0, ..Self::default() };
        let version = server.version.split('-').next().unwrap_or_default();
        self.version = if version.starts_with(|c: char| c.is_ascii_digit()) { version.into() } else { "1.6.39".into() };
        self.started = server.now;
        StoreStart::Listens(Vec::new())
    }

    fn serve(&mut self, ask: &StoreAsk) -> StoreAnswer {
        let warmth = (self.items / ASKED_FOR).min(1.0) * 0.97;
        if ask.operation.starts_with("get") {
            self.asked += ask.rate;
            self.found += ask.rate * warmth;
            // What was not found is looked up and put in.
            self.items = (self.items + ask.rate * (1.0 - warmth)).min(ASKED_FOR).min(self.limit / ITEM);
            self.bytes = self.items * ITEM;
        }
        StoreAnswer::Done { cpu_ms: 0.02, wait_ms: 0.1, hits: warmth }
    }

    fn console(&mut self, call: &ConsoleCall) -> ExecEnd {
        match call.words.last().map(|word| &**word) {
            Some("stats") => ConsoleCall::prints(format!(
                "#{:<17} Field       Value\n{:>23} {:>12}\n{:>23} {:>12}\n{:>23} {:>12}\n{:>23} {:>12}\n",
                "127.0.0.1:11211",
                "bytes",
                self.bytes as i64,
                "curr_items",
                self.items as i64,
                "get_hits",
                self.found as i64,
                "limit_maxbytes",
                self.limit as i64
            )),
            _ => ConsoleCall::fails(1, "Usage: memcached-tool <host[:port]> [mode]\n"),
        }
    }

    fn typed(&mut self, text: &str, now: Stamp) -> Option<String> {
        let mut out = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                ["quit", ..] => break,
                ["set" | "add" | "replace", key, _, _, _, ..] => {
                    self.own.insert((*key).into(), lines.next().unwrap_or_default().into());
                    out.push_str("STORED\r\n");
                }
                words => out.push_str(&self.said(words, now)),
            }
        }
        Some(out)
    }

    fn memory(&self) -> i64 {
        self.bytes as i64
    }
}

impl MemcachedStore {
    /// What the server says to a line of its text protocol.
    fn said(&mut self, words: &[&str], now: Stamp) -> String {
        let items = self.items as i64 + self.own.len() as i64;
        match words {
            ["version"] => format!("VERSION {}\r\n", self.version),
            ["stats"] => {
                let (bytes, limit) = (self.bytes as i64, self.limit as i64);
                let (asked, found) = (self.asked as i64, self.found as i64);
                let (up, missed) = ((now.secs() - self.started.secs()).to_string(), asked - found);
                let numbers = [
                    ("cmd_get", asked),
                    ("get_hits", found),
                    ("get_misses", missed),
                    ("evictions", 0),
                    ("limit_maxbytes", limit),
                    ("bytes", bytes),
                    ("curr_items", items),
                ];
                let rows: String = numbers.iter().map(|(name, value)| format!("STAT {name} {value}\r\n")).collect();
                format!("STAT pid 1\r\nSTAT uptime {up}\r\nSTAT version {}\r\n{rows}END\r\n", self.version)
            }
            ["stats", "items"] => format!("STAT items:1:number {items}\r\nEND\r\n"),
            ["stats", "slabs"] => format!("STAT 1:chunk_size {ITEM}\r\nSTAT 1:used_chunks {items}\r\nEND\r\n"),
            ["stats", "settings"] => format!("STAT maxbytes {}\r\nSTAT maxconns 1024\r\nEND\r\n", self.limit as i64),
            ["stats", ..] => "END\r\n".into(),
            ["get" | "gets", keys @ ..] if !keys.is_empty() => {
                let found = keys.iter().filter_map(|key| Some((key, self.own.get(*key)?)));
                let rows: String =
                    found.map(|(key, value)| format!("VALUE {key} 0 {}\r\n{value}\r\n", value.len())).collect();
                format!("{rows}END\r\n")
            }
            ["delete", key] => if self.own.remove(*key).is_some() { "DELETED\r\n" } else { "NOT_FOUND\r\n" }.into(),
            ["flush_all", ..] => {
                self.own.clear();
                (self.items, self.bytes) = (0.0, 0.0);
                "OK\r\n".into()
            }
            _ => "ERROR\r\n".into(),
        }
    }
}
