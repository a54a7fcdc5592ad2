//! A database: a connection pool in front of a primary and its read replica, with disk, bloat and indexes.

mod clients;
mod model;
mod state;
mod tables;
mod trouble;

use super::{
    Hazard, Kind, Model, ModelSetup, Named, Occupancy, Overruled, Physics, Quirk, RelativeLoad, Rule, Template,
};
use crate::config;
use crate::flow::Reason;
use crate::growth::{self, Growth, Needs};
use crate::kind::{Repeated, Settle};
use crate::spec::{Op, ServiceSpec};
use model::DatabaseModel;
use tables::{Gauge, Key, Log, Metric};

/// The kind.
pub struct Database;

impl Kind for Database {
    fn name(&self) -> &'static str {
        "database"
    }

    fn title(&self) -> &'static str {
        "database"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["database", "data base", "db", "postgres", "postgresql", "pg", "mysql", "sql server", "datastore", "rdbms"]
    }

    fn tier(&self) -> u32 {
        3
    }

    fn words(&self) -> &'static [&'static str] {
        &["orders", "user_id", "products", "sku", "app"]
    }

    fn keys(&self) -> &'static [config::Key] {
        Key::TABLE
    }

    fn params(&self) -> &'static [(&'static str, f64)] {
        // Servers of the primary and of the replica; data in GB; growth in GB per 1000 writes; how much
        // slower a query without its index is; bloat per write, in percent, and its removal per second;
        // milliseconds for which the pooler keeps a connection after its statement; milliseconds of an engine
        // that opening a connection costs; active connections from which on they get into each other's way; whether a
        // standby takes the writes during maintenance; connections that one client takes; whether a proxy sends reads to the replica, whatever is set; whether
        // statements say themselves how long they may take; seconds after which clients stop waiting for a connection; whether what is
        // beyond the pool is refused instead of waiting; seconds after which clients that lost their connections connect again, twice
        // as many after each try that fails (0: as soon as the database is back).
        &[
            ("primary_servers", 12.0),
            ("replica_servers", 22.0),
            ("data_gb", 99.6),
            ("gb_per_kwrite", 0.05),
            ("scan_factor", 14.0),
            ("bloat_per_kwrite", 0.7),
            ("vacuum_pct_per_s", 0.35),
            ("linger_ms", 75.0),
            ("connect_ms", 4.0),
            ("crowd", 260.0),
            ("standby", 0.0),
            ("parts", 1.0),
            ("read_proxy", 0.0),
            ("own_limits", 0.0),
            ("acquire_s", 0.5),
            ("refuses", 0.0),
            ("reconnect_s", 0.0),
        ]
    }

    fn metrics(&self) -> &'static [super::Metric] {
        Metric::TABLE
    }

    fn repeated(&self) -> &'static [Repeated] {
        &[]
    }

    fn answers_within(&self) -> Option<usize> {
        None
    }

    fn logs(&self) -> &'static [Template] {
        Log::TABLE
    }

    fn gauges(&self) -> &'static [super::Gauge] {
        Gauge::TABLE
    }

    fn limit(&self, reason: Reason) -> Option<&'static str> {
        (reason == Reason::StatementTimeout).then_some("QUERY_TIMEOUT_MS")
    }

    fn rules(&self) -> &'static [Rule] {
        const RULES: &[Rule] = &[
            Rule::new("down", "up", false, 0.99, 30, true),
            Rule::new("disk_full", "disk_used_pct", true, 99.8, 15, true),
            Rule::new("write_errors", "write_error_rate", true, 0.02, 45, true),
            Rule::new("connection_wait", "connection_wait_ms", true, 60.0, 45, true),
            Rule::new("statement_timeouts", "statement_timeout_rate", true, 0.004, 45, true),
            Rule::new("query_latency", "query_p95_latency_ms", true, 400.0, 45, true),
            Rule::new("primary_busy", "read_primary_utilization_pct", true, 93.0, 45, true),
            Rule::new("bloat", "table_bloat_pct", true, 45.0, 120, false),
        ];
        RULES
    }

    fn hazards(&self) -> &'static [Hazard] {
        &[Hazard::Work, Hazard::Sessions, Hazard::Disk, Hazard::Tables, Hazard::Replica]
    }

    fn upkeep(&self) -> &'static [&'static str] {
        &[
            "deploy schema revision {n} (new column)",
            "deploy schema revision {n} (drop unused columns)",
            "deploy schema revision {n} (wider type of a column)",
            "deploy schema revision {n} (new table)",
            "deploy engine package {n} (minor version)",
            "deploy pooler package {n} (security patches)",
        ]
    }

    fn restart_secs(&self) -> u64 {
        40
    }

    fn grow(&self, service: &mut ServiceSpec, by: &Growth) -> Needs {
        // A quarter of the time for which a connection is taken in the shop is the pooler's.
        let pool = by.size * (0.77 + 0.23 * by.linger);
        let fit = |name: &str| growth::servers(service.param(name), by.size) / service.param(name);
        let (primary, replica) = (fit("primary_servers"), fit("replica_servers"));
        service.scale_param("primary_servers", primary);
        service.scale_param("replica_servers", replica);
        service.scale_param("linger_ms", by.linger);
        service.scale_param("crowd", pool);
        service.scale_param("parts", by.parts);
        service.scale_param("data_gb", by.data);
        service.scale_param("gb_per_kwrite", by.data / by.size);
        service.scale_param("bloat_per_kwrite", 1.0 / by.size);
        vec![("DB_POOL_SIZE", pool * by.parts), ("QUERY_TIMEOUT_MS", by.heavy), ("DISK_QUOTA_GB", by.data)]
    }

    fn quirks(&self) -> &'static [Quirk] {
        const QUIRKS: &[Quirk] = &[
            Quirk {
                key: "READ_REPLICA_ENABLED",
                values: &["false"],
                settle: Settle::Own(|s| s.set_param("read_proxy", 1.0)),
                overruled: Some(Overruled {
                    by: ("read_proxy", 1.0),
                    cause: "proxy in front",
                    effect: "sends reads to the replica",
                    calling: None,
                }),
            },
            Quirk::idle("AUTOVACUUM_ENABLED", &["false"], Settle::Own(|s| s.scale_param("bloat_per_kwrite", 0.002))),
            Quirk {
                key: "MAINTENANCE_MODE",
                values: &["true"],
                settle: Settle::Own(|s| s.set_param("standby", 1.0)),
                overruled: Some(Overruled {
                    by: ("standby", 1.0),
                    cause: "proxy in front",
                    effect: "sends writes to the standby while this node is in maintenance",
                    calling: None,
                }),
            },
            Quirk {
                key: "QUERY_TIMEOUT_MS",
                values: &["1600", "2400", "3600", "5400", "8000", "12000", "18000", "27000", "40000"],
                settle: Settle::Own(|s| s.set_param("own_limits", 1.0)),
                overruled: Some(Overruled {
                    by: ("own_limits", 1.0),
                    cause: "clients",
                    effect: "set statement_timeout in each session",
                    calling: None,
                }),
            },
            Quirk::idle("INDEX_ORDERS_USER_ID", &["false"], Settle::NoIndex),
            Quirk::idle("INDEX_PRODUCTS_SKU", &["false"], Settle::NoIndex),
        ];
        QUIRKS
    }

    fn size(&self, service: &mut ServiceSpec, load: RelativeLoad) {
        service.set("DB_POOL_SIZE", 140.0 * load.held, 12.0, 2000.0);
        service.set_param("primary_servers", (12.0 * load.work).max(2.0));
        service.set_param("replica_servers", (22.0 * load.work).max(3.0));
        service.set_param("gb_per_kwrite", 0.05 / load.writes);
        service.set_param("bloat_per_kwrite", 0.7 / load.writes);
    }

    fn occupancy(&self, op: &Op, _: f64) -> Occupancy {
        // The pooler keeps a connection for a while after its use.
        Occupancy { held_ms: op.work_ms + op.hold_ms + 75.0, waited_ms: op.work_ms }
    }
}

impl Physics for Database {
    fn model(&self, setup: &ModelSetup<'_>) -> Box<dyn Model> {
        Box::new(DatabaseModel::new(setup))
    }
}
