//! What a database is set by, what is measured of it, and what it writes.

use crate::config::{self, Bad, flag, int};
use crate::services::{self, Level};
use crate::services::{Template, Unit, error, metric, table, usual, warn};

table! {
    /// What it is set by.
    pub(super) enum Key of config::Key {
        DbPoolSize = int("DB_POOL_SIZE", 1, 20_000, "connections", "140")
            .about("connections that clients share; too many get into each other's way")
            .roomy(1.5)
            .hurts(Bad::Times(0.35), "connection_pool"),
        QueryTimeoutMs = int("QUERY_TIMEOUT_MS", 10, 600_000, "milliseconds", "8000")
            .about("a statement that runs longer is cancelled")
            .rolled_out_in(10)
            .roomy(2.0)
            .hurts(Bad::Times(0.125), "query_timeout"),
        DiskQuotaGb = int("DISK_QUOTA_GB", 10, 10_000, "gigabytes", "240")
            .about("space that data and logs may take")
            .rolled_out_in(20)
            .roomy(2.5)
            .hurts(Bad::Times(0.417), "disk_full"),
        MaintenanceMode = flag("MAINTENANCE_MODE", "false")
            .about("accept no writes")
            .rolled_out_in(5)
            .hurts(Bad::Is("true"), "maintenance_mode"),
        ReadReplicaEnabled = flag("READ_REPLICA_ENABLED", "true")
            .about("send reads to the replica instead of the primary")
            .rolled_out_in(30)
            .hurts(Bad::Is("false"), "read_replica"),
        AutovacuumEnabled = flag("AUTOVACUUM_ENABLED", "true")
            .about("clean up dead rows in the background")
            .rolled_out_in(10)
            .hurts(Bad::Is("false"), "autovacuum"),
        IndexOrdersUserId = flag("INDEX_ORDERS_USER_ID", "true")
            .about("index of orders by user; building it takes a minute")
            .rolled_out_in(60)
            .hurts(Bad::Is("false"), "missing_index"),
        IndexProductsSku = flag("INDEX_PRODUCTS_SKU", "true")
            .about("index of products by SKU; building it takes a minute")
            .rolled_out_in(60)
            .hurts(Bad::Is("false"), "missing_index"),
    }
}

table! {
    /// What is measured of it.
    pub(super) enum Metric of services::Metric {
        ActiveConnections = metric("active_connections", Unit::Count, 8.0),
        MaxConnections = metric("max_connections", Unit::Count, 1.0),
        ConnectionWaitMs = metric("connection_wait_ms", Unit::Millis, 20.0),
        QueryP95LatencyMs = metric("query_p95_latency_ms", Unit::Millis, 60.0),
        DiskUsedPct = metric("disk_used_pct", Unit::Percent, 8.0),
        WriteErrorRate = metric("write_error_rate", Unit::Ratio, 0.005),
        ReadIops = metric("read_iops", Unit::PerSecond, 150.0),
        ReadIopsPct = metric("read_iops_pct", Unit::Percent, 12.0),
        TableBloatPct = metric("table_bloat_pct", Unit::Percent, 6.0),
        ReadPrimaryUtilizationPct = metric("read_primary_utilization_pct", Unit::Percent, 12.0),
        StatementTimeoutRate = metric("statement_timeout_rate", Unit::Ratio, 0.003),
        ReplicaLagS = metric("replica_lag_s", Unit::Count, 3.0).of_any_size(),
        NewConnectionsRate = metric("new_connections_rate", Unit::PerSecond, 3.0),
    }
}

table! {
    /// What it writes into its log.
    pub(super) enum Log of Template {
        Checkpoint = usual(Level::Info, "checkpoint",
            "checkpoint complete: wrote {800..4200} buffers in {2..9}.{0..9}s"),
        Connect = usual(Level::Info, "connect", "connection authorized: user=shop_app client={ip}"),
        Deadlock = usual(Level::Warn, "deadlock", "process {2000..31000} still waiting for ShareLock after 1000ms"),
        SlowQuery = warn("slow_query",
            "duration: {900..4800}ms  plan: index scan  statement: {SELECT * FROM products WHERE category=$1|SELECT sum(total) FROM orders WHERE day=$1}"),
        SeqOrders = warn("seq_orders",
            "duration: {1200..6900}ms  plan: seq scan on orders ({4..9} million rows)  statement: SELECT * FROM orders WHERE user_id=$1"),
        SeqProducts = warn("seq_products",
            "duration: {900..5200}ms  plan: seq scan on products ({1..3} million rows)  statement: SELECT * FROM products WHERE sku=$1"),
        PoolFull = error("pool_full",
            "pooler: all {DB_POOL_SIZE} connections in use, client {ip} has waited {200..1900}ms"),
        PoolDrop = error("pool_drop", "pooler: client {ip} gave up waiting for a connection"),
        Cancelled = error("cancelled",
            "canceling statement due to statement timeout ({QUERY_TIMEOUT_MS}ms): {SELECT * FROM products WHERE category=$1|COPY (SELECT * FROM orders WHERE day=$1) TO STDOUT}"),
        NoSpace = error("no_space",
            "could not extend file \"base/16384/{16000..29000}\": no space left within the quota of {DISK_QUOTA_GB}GB"),
        SpaceLow = warn("space_low", "disk usage at {94..99}% of the quota of {DISK_QUOTA_GB}GB"),
        ReadOnly = error("read_only",
            "rejected INSERT from {ip}: database is in maintenance mode, writes are not accepted"),
        PrimaryReads = warn("primary_reads",
            "primary serves {60..99}% of SELECT statements, no replica in the read pool"),
        PrimaryBusy = error("primary_busy",
            "primary: run queue {18..60}, statements wait {300..2400}ms for CPU and IO"),
        ReplicaBusy = warn("replica_busy", "replica: run queue {18..60}, statements wait {300..2400}ms for CPU and IO"),
        Bloat = warn("bloat", "table orders: {30..85}% dead rows, last vacuum {1..9}h ago, scans slow down"),
        NotRunning = error("not_running", "supervisor: {instance} not running"),
        ReplicaLost = error("replica_lost",
            "replica: connection lost {2..40}min ago, no heartbeat since; reads fall back to the primary"),
        ReplicaLag = warn("replica_lag",
            "replica: replay waits behind a conflicting query, position is {20..900}s behind the primary"),
        SlowVolume = error("slow_volume",
            "volume: device await {60..400}ms, checkpoint took {40..240}s to sync {80..300} files"),
        Filling = warn("filling",
            "archiver: {120..900} log segments kept for a slot that nobody reads, {10..90}GB in all"),
        Pinned = warn("pinned",
            "vacuum of orders: {2..9} million dead rows cannot be removed yet, oldest transaction began {2..30}h ago"),
        Reconnects = warn("reconnects", "{40..400} new connections in the last second, authentication waits for CPU"),
        IdleSessions = warn("idle_sessions", "{12..90} sessions idle for more than 600s, held by client {ip}"),
    }
}
