//! OpenSearch: indexes and how many documents they hold.

use std::collections::BTreeMap;

use cluster::{ExecEnd, HttpAnswer, HttpAsk, Stamp};
use serde_json::json;

use super::console::digest_of;
use super::{ConsoleCall, DataStore, StoreAnswer, StoreAsk, StoreKind, StoreServer, StoreStart, in_json, in_text};

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
        let say = |place: &str, text: &str| format!("[{time}][INFO ][{place:<25}] [{}] {text}", server.host);
        StoreStart::Listens(vec![
            say("o.o.n.Node", "started"),
            say("o.o.c.r.a.AllocationService", "Cluster health status changed from [RED] to [GREEN]"),
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

    fn asked(&mut self, ask: &HttpAsk, now: Stamp) -> Option<HttpAnswer> {
        Some(self.over_http(ask, now))
    }

    fn memory(&self) -> i64 {
        (self.indexes.values().sum::<f64>() * 40.0).min(100e6) as i64
    }
}

/// What a node says to a request of an operator.
impl OpenSearchStore {
    fn over_http(&self, ask: &HttpAsk, now: Stamp) -> HttpAnswer {
        let (path, query) = ask.path.split_once('?').unwrap_or((&ask.path, ""));
        let has_heads = query.split('&').any(|word| word == "v" || word == "v=true");
        let headed =
            |heads: &str, rows: String| in_text(200, if has_heads { format!("{heads}\n{rows}") } else { rows });
        let count = self.indexes.len();
        match path.trim_end_matches('/') {
            "" => in_json(
                200,
                &json!({"name": "opensearch-0", "cluster_name": "demo-cluster", "version":
                {"distribution": "opensearch", "number": "3.4.0", "build_type": "tar"},
                "tagline": "The OpenSearch Project: https://opensearch.org/"}),
            ),
            "/_cluster/health" => in_json(
                200,
                &json!({"cluster_name": "demo-cluster", "status": "green",
                "timed_out": false, "number_of_nodes": 1, "number_of_data_nodes": 1, "active_primary_shards": count,
                "active_shards": count, "relocating_shards": 0, "initializing_shards": 0, "unassigned_shards": 0,
                "number_of_pending_tasks": 0, "active_shards_percent_as_number": 100.0}),
            ),
            "/_cluster/settings" => in_json(200, &json!({"persistent": {}, "transient": {}})),
            "/_cat/health" => {
                let heads =
                    "epoch      timestamp cluster      status node.total node.data shards pri relo init unassign";
                let (.., hour, minute, second) = now.civil();
                let clock = format!("{hour:02}:{minute:02}:{second:02}");
                let row = format!(
                    "{} {clock}  demo-cluster green           1         1      {count}   {count}    0    0        0\n",
                    now.secs()
                );
                headed(heads, row)
            }
            "/_cat/nodes" => headed(
                "ip        heap.percent ram.percent cpu load_1m node.role name",
                "127.0.0.1           41          87   2    0.21 dimr      opensearch-0\n".into(),
            ),
            "/_cat/indices" => {
                let rows = self.indexes.iter().map(|(name, documents)| {
                    let kilobytes = documents * 0.4;
                    format!(
                        "green  open   {name:<20} 1   0 {:>10}            0 {kilobytes:>9.1}kb {kilobytes:>13.1}kb\n",
                        *documents as i64
                    )
                });
                headed(
                    "health status index               pri rep docs.count docs.deleted store.size pri.store.size",
                    rows.collect(),
                )
            }
            "/_cat/shards" => {
                let row = |(name, documents): (&String, &f64)| {
                    format!(
                        "{name:<20} 0     p      STARTED {:>8} {:>8.1}kb 127.0.0.1 opensearch-0\n",
                        *documents as i64,
                        documents * 0.4
                    )
                };
                headed(
                    "index                shard prirep state       docs      store ip        node",
                    self.indexes.iter().map(row).collect(),
                )
            }
            path => self.of_index(path),
        }
    }

    /// `/otel-logs`, `/otel-logs/_count`, `/otel-logs/_settings`.
    fn of_index(&self, path: &str) -> HttpAnswer {
        let mut parts = path.trim_start_matches('/').splitn(2, '/');
        let (name, what) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if name.starts_with('_') {
            let why = format!("no handler found for uri [{path}] and method [GET]");
            return in_json(400, &json!({"error": why}));
        }
        let is_meant = |own: &str| match name.strip_suffix('*') {
            Some(start) => own.starts_with(start),
            None => own == name,
        };
        let found: Vec<(&String, &f64)> = self.indexes.iter().filter(|(own, _)| is_meant(own)).collect();
        if found.is_empty() {
            let cause = json!({"type": "index_not_found_exception", "reason": format!("no such index [{name}]"),
                "index": name, "resource.id": name, "resource.type": "index_or_alias"});
            return in_json(
                404,
                &json!({"error": {"root_cause": [cause], "type": "index_not_found_exception",
                "reason": format!("no such index [{name}]"), "index": name}, "status": 404}),
            );
        }
        let documents: f64 = found.iter().map(|(_, documents)| **documents).sum();
        let shards = json!({"total": found.len(), "successful": found.len(), "skipped": 0, "failed": 0});
        match what {
            "_count" => in_json(200, &json!({"count": documents as i64, "_shards": shards})),
            "_search" => in_json(
                200,
                &json!({"took": 2, "timed_out": false, "_shards": shards, "hits":
                {"total": {"value": (documents as i64).min(10_000), "relation": if documents > 10_000.0 { "gte" } else { "eq" }},
                "max_score": 1.0, "hits": []}}),
            ),
            _ => {
                let mut index = serde_json::Map::new();
                for (name, _) in found {
                    let blocks = if self.is_disk_full { json!({"read_only_allow_delete": "true"}) } else { json!({}) };
                    let settings =
                        json!({"index": {"number_of_shards": "1", "number_of_replicas": "0", "blocks": blocks}});
                    index.insert(name.clone(), json!({"settings": settings}));
                }
                in_json(200, &index.into())
            }
        }
    }
}
