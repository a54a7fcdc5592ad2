//! Memcached: items in memory, the oldest of which make room.

use cluster::ExecEnd;

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

    fn memory(&self) -> i64 {
        self.bytes as i64
    }
}
