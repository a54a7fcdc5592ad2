//! A database: a connection pool in front of a primary and its read replica, with disk, bloat and indexes.

mod ills;
mod model;

use super::{Kind, Level, Metric, Model, Rule, Setup, Template, Unit};
use crate::config::{Key, KeyType};
use crate::time::Span;
use model::State;

/// The kind.
pub struct Database;

impl Kind for Database {
    fn name(&self) -> &'static str {
        "database"
    }

    fn keys(&self) -> &'static [Key] {
        const fn key(name: &'static str, takes: KeyType, default: &'static str, secs: u64, about: &'static str) -> Key {
            Key { name, takes, default, rollout: Span::secs(secs), restarts: false, about }
        }
        const fn int(min: i64, max: i64, unit: &'static str) -> KeyType {
            KeyType::Int { min, max, unit }
        }
        const KEYS: &[Key] = &[
            key(
                "DB_POOL_SIZE",
                int(1, 2000, "connections"),
                "140",
                15,
                "connections that clients share; too many get into each other's way",
            ),
            key(
                "QUERY_TIMEOUT_MS",
                int(10, 600_000, "milliseconds"),
                "8000",
                10,
                "a statement that runs longer is cancelled",
            ),
            key("DISK_QUOTA_GB", int(10, 10_000, "gigabytes"), "240", 20, "space that data and logs may take"),
            key("MAINTENANCE_MODE", KeyType::Bool, "false", 5, "accept no writes"),
            key("READ_REPLICA_ENABLED", KeyType::Bool, "true", 30, "send reads to the replica instead of the primary"),
            key("AUTOVACUUM_ENABLED", KeyType::Bool, "true", 10, "clean up dead rows in the background"),
            key(
                "INDEX_ORDERS_USER_ID",
                KeyType::Bool,
                "true",
                60,
                "index of orders by user; building it takes a minute",
            ),
            key(
                "INDEX_PRODUCTS_SKU",
                KeyType::Bool,
                "true",
                60,
                "index of products by SKU; building it takes a minute",
            ),
        ];
        KEYS
    }

    fn params(&self) -> &'static [(&'static str, f64)] {
        // Servers of the primary and of the replica; data in GB; growth in GB per 1000 writes; how much
        // slower a query without its index is; bloat per write, in percent, and its removal per second;
        // milliseconds for which the pooler keeps a connection after its statement; milliseconds of an engine
        // that opening a connection costs.
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
        ]
    }

    fn metrics(&self) -> &'static [Metric] {
        const METRICS: &[Metric] = &[
            Metric::new("active_connections", Unit::Count, 8.0),
            Metric::new("max_connections", Unit::Count, 1.0),
            Metric::new("connection_wait_ms", Unit::Millis, 20.0),
            Metric::new("query_p95_latency_ms", Unit::Millis, 60.0),
            Metric::new("disk_used_pct", Unit::Percent, 8.0),
            Metric::new("write_error_rate", Unit::Ratio, 0.005),
            Metric::new("read_iops", Unit::PerSecond, 150.0),
            Metric::new("read_iops_pct", Unit::Percent, 12.0),
            Metric::new("table_bloat_pct", Unit::Percent, 6.0),
            Metric::new("read_primary_utilization_pct", Unit::Percent, 12.0),
            Metric::new("statement_timeout_rate", Unit::Ratio, 0.003),
            Metric::new("replica_lag_s", Unit::Count, 3.0),
            Metric::new("new_connections_rate", Unit::PerSecond, 3.0),
        ];
        METRICS
    }

    fn logs(&self) -> &'static [Template] {
        const LOGS: &[Template] = &[
            Template::new(
                "checkpoint",
                Level::Info,
                true,
                "checkpoint complete: wrote {800..4200} buffers in {2..9}.{0..9}s",
            ),
            Template::new("connect", Level::Info, true, "connection authorized: user=shop_app client={ip}"),
            Template::new(
                "deadlock",
                Level::Warn,
                true,
                "process {2000..31000} still waiting for ShareLock after 1000ms",
            ),
            Template::new(
                "slow_query",
                Level::Warn,
                false,
                "duration: {900..4800}ms  plan: index scan  statement: {SELECT * FROM products WHERE category=$1|SELECT sum(total) FROM orders WHERE day=$1}",
            ),
            Template::new(
                "seq_orders",
                Level::Warn,
                false,
                "duration: {1200..6900}ms  plan: seq scan on orders ({4..9} million rows)  statement: SELECT * FROM orders WHERE user_id=$1",
            ),
            Template::new(
                "seq_products",
                Level::Warn,
                false,
                "duration: {900..5200}ms  plan: seq scan on products ({1..3} million rows)  statement: SELECT * FROM products WHERE sku=$1",
            ),
            Template::new(
                "pool_full",
                Level::Error,
                false,
                "pooler: all {DB_POOL_SIZE} connections in use, client {ip} has waited {200..1900}ms",
            ),
            Template::new("pool_drop", Level::Error, false, "pooler: client {ip} gave up waiting for a connection"),
            Template::new(
                "cancelled",
                Level::Error,
                false,
                "canceling statement due to statement timeout ({QUERY_TIMEOUT_MS}ms): {SELECT * FROM products WHERE category=$1|COPY (SELECT * FROM orders WHERE day=$1) TO STDOUT}",
            ),
            Template::new(
                "no_space",
                Level::Error,
                false,
                "could not extend file \"base/16384/{16000..29000}\": no space left within the quota of {DISK_QUOTA_GB}GB",
            ),
            Template::new("space_low", Level::Warn, false, "disk usage at {94..99}% of the quota of {DISK_QUOTA_GB}GB"),
            Template::new(
                "read_only",
                Level::Error,
                false,
                "rejected INSERT from {ip}: database is in maintenance mode, writes are not accepted",
            ),
            Template::new(
                "primary_reads",
                Level::Warn,
                false,
                "primary serves {60..99}% of SELECT statements, no replica in the read pool",
            ),
            Template::new(
                "primary_busy",
                Level::Error,
                false,
                "primary: run queue {18..60}, statements wait {300..2400}ms for CPU and IO",
            ),
            Template::new(
                "replica_busy",
                Level::Warn,
                false,
                "replica: run queue {18..60}, statements wait {300..2400}ms for CPU and IO",
            ),
            Template::new(
                "bloat",
                Level::Warn,
                false,
                "table orders: {30..85}% dead rows, last vacuum {1..9}h ago, scans slow down",
            ),
            Template::new("not_running", Level::Error, false, "supervisor: {instance} not running"),
            Template::new(
                "replica_lost",
                Level::Error,
                false,
                "replica: connection lost {2..40}min ago, no heartbeat since; reads fall back to the primary",
            ),
            Template::new(
                "replica_lag",
                Level::Warn,
                false,
                "replica: replay waits behind a conflicting query, position is {20..900}s behind the primary",
            ),
            Template::new(
                "slow_volume",
                Level::Error,
                false,
                "volume: device await {60..400}ms, checkpoint took {40..240}s to sync {80..300} files",
            ),
            Template::new(
                "filling",
                Level::Warn,
                false,
                "archiver: {120..900} log segments kept for a slot that nobody reads, {10..90}GB in all",
            ),
            Template::new(
                "pinned",
                Level::Warn,
                false,
                "vacuum of orders: {2..9} million dead rows cannot be removed yet, oldest transaction began {2..30}h ago",
            ),
            Template::new(
                "reconnects",
                Level::Warn,
                false,
                "{40..400} new connections in the last second, authentication waits for CPU",
            ),
            Template::new(
                "idle_sessions",
                Level::Warn,
                false,
                "{12..90} sessions idle for more than 600s, held by client {ip}",
            ),
        ];
        LOGS
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

    fn model(&self, setup: &Setup<'_>) -> Box<dyn Model> {
        Box::new(State::new(setup))
    }

    fn restart_secs(&self) -> u64 {
        40
    }
}
