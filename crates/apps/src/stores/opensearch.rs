//! OpenSearch: indexes and how many documents they hold.

use std::collections::BTreeMap;

use cluster::ExecEnd;

use super::console::digest_of;
use super::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart};

/// The kind. People talk to it with `curl`.
pub const KIND: StoreKind =
    StoreKind { name: "opensearch", clients: &[], fresh: || Box::new(OpenSearchStore::default()) };

/// A node.
#[derive(Clone, Debug, Default)]
struct OpenSearchStore {
    indexes: BTreeMap<String, f64>,
    is_disk_full: bool,
}

impl DataStore for OpenSearchStore {
    fn copy(&self) -> Box<dyn DataStore> {
        Box::new(self.clone())
    }

    fn digest(&self) -> u64 {
        digest_of(self)
    }

    fn start(&mut self, server: &StoreServer) -> StoreStart {
        self.is_disk_full = server.is_disk_full;
        let time = server.logs_at.rfc3339_micro();
        let time = time.get(..23).unwrap_or(&time).replace('.', ",");
        let say = |text: &str| format!("[{time}][INFO ]{text}");
        StoreStart::Listens(vec![
            say("[o.o.n.Node               ] [opensearch-0] version[3.4.0], pid[1], build[tar]"),
            say("[o.o.n.Node               ] [opensearch-0] started"),
            say("[o.o.c.r.a.AllocationService] [opensearch-0] Cluster health status changed from [RED] to [GREEN]"),
        ])
    }

    fn serve(&mut self, ask: &StoreAsk) -> StoreAnswer {
        let index = if ask.database.is_empty() { "otel-logs" } else { &ask.database };
        if ask.operation.starts_with("index") {
            if self.is_disk_full {
                return StoreAnswer::Refused(format!(
                    "cluster_block_exception: index [{index}] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded \
                     flood-stage watermark, index has read-only-allow-delete block];"
                ));
            }
            *self.indexes.entry(index.into()).or_default() += ask.rate;
        }
        StoreAnswer::Done { cpu_ms: 0.4, wait_ms: 2.0, hits: 1.0 }
    }

    fn console(&mut self, call: &ConsoleCall) -> ExecEnd {
        let name = call.words.first().map_or("", |name| name);
        ConsoleCall::fails(127, format!("{name}: command not found\n"))
    }

    fn memory(&self) -> i64 {
        (self.indexes.values().sum::<f64>() * 40.0).min(100e6) as i64
    }
}
