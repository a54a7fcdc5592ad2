//! A store that takes everything from every client: what small caches and foreign servers are to their clients.

use cluster::ExecEnd;

use super::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart};

/// The kind.
pub const KIND: StoreKind = StoreKind { name: "plain", clients: &[], fresh: || Box::new(PlainStore) };

/// Nothing in it is administered.
#[derive(Clone, Debug)]
struct PlainStore;

impl DataStore for PlainStore {
    fn copy(&self) -> Box<dyn DataStore> {
        Box::new(self.clone())
    }

    fn digest(&self) -> u64 {
        0
    }

    fn start(&mut self, _server: &StoreServer) -> StoreStart {
        StoreStart::Listens(Vec::new())
    }

    fn serve(&mut self, _ask: &StoreAsk) -> StoreAnswer {
        StoreAnswer::Done { cpu_ms: 0.1, wait_ms: 0.3, hits: 0.9 }
    }

    fn console(&mut self, call: &ConsoleCall) -> ExecEnd {
        let name = call.words.first().map_or("", |name| name);
        ConsoleCall::fails(127, format!("{name}: command not found\n"))
    }
}
