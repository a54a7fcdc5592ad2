//! What a database is set by, what is measured of it, and what it writes.

use crate::config::{self, Bad, flag, int};
use crate::flow::Reason;
use crate::services::{self, Level};
use crate::services::{Template, Unit, error, metric, table, usual, warn};

table! {
    /// What it is set by.
    pub(super) enum Key of config::Key {
        DbPoolSize = int("DB_POOL_SIZE", 1, 200_000, "connections", "140")
            .about("connections that clients share; how many a client takes differs; too many get into each other's way")
            .roomy(1.5)
            .hurts(Bad::Times(0.35), "connection_pool"),
        QueryTimeoutMs = int("QUERY_TIMEOUT_MS", 10, 600_000, "milliseconds", "8000")
            .about("a statement without a limit of its own that runs longer is cancelled")
            .rolled_out_in(10)
            .roomy(2.0)
            .spare(1.4)
            .hurts(Bad::Times(0.125), "query_timeout"),
        DiskQuotaGb = int("DISK_QUOTA_GB", 10, 10_000, "gigabytes", "240")
            .about("space that data and logs may take")
            .rolled_out_in(20)
            .roomy(2.5)
            .hurts(Bad::Times(0.417), "disk_full"),
        MaintenanceMode = flag("MAINTENANCE_MODE", "false")
            .about("take no writes on this node: a standby takes them where there is one, else they are refused")
            .rolled_out_in(5)
            .hurts(Bad::Is("true"), "maintenance_mode"),
        ReadReplicaEnabled = flag("READ_REPLICA_ENABLED", "true")
            .about("clients send reads to the replica instead of the primary; a proxy in front decides by itself")
            .rolled_out_in(30)
            .hurts(Bad::Is("false"), "read_replica"),
        AutovacuumEnabled = flag("AUTOVACUUM_ENABLED", "true")
            .about("clean up dead rows in the background")
            .rolled_out_in(10)
            .hurts(Bad::Is("false"), "autovacuum"),
        IndexOrdersUserId = flag("INDEX_ORDERS_USER_ID", "true")
            .about("index of orders by user_id; building it takes a minute")
            .rolled_out_in(60)
            .hurts(Bad::Is("false"), "missing_index"),
        IndexProductsSku = flag("INDEX_PRODUCTS_SKU", "true")
            .about("index of products by sku; building it takes a minute")
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
        QueryP95LatencyMs = metric("query_p95_latency_ms", Unit::Millis, 60.0).percentile(),
        DiskUsedPct = metric("disk_used_pct", Unit::Percent, 8.0).exact(),
        WriteErrorRate = metric("write_error_rate", Unit::Ratio, 0.005),
        ReadIops = metric("read_iops", Unit::PerSecond, 150.0),
        ReadIopsPct = metric("read_iops_pct", Unit::Percent, 12.0),
        TableBloatPct = metric("table_bloat_pct", Unit::Percent, 6.0).exact(),
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
            "checkpoint complete: {=writes} writes per second, data at {=disk_pct}% of the quota"),
        Connect = usual(Level::Info, "connect", "connection authorized: user=app database=app client={ip}"),
        Deadlock = usual(Level::Warn, "deadlock", "process {pid} still waiting for ShareLock on transaction {xid} after 1000.{part} ms"),
        SlowQuery = warn("slow_query",
            "duration: more than {=wait_ms} ms, spent waiting for CPU and IO  execute <unnamed>: /* {op} */ {sql}{plan}")
            .reads(),
        SlowWrite = warn("slow_write",
            "duration: more than {=primary_wait_ms} ms, spent waiting for CPU and IO  execute <unnamed>: /* {op} */ {sql}")
            .writes(),
        SeqOrders = warn("seq_orders",
            "duration: {=orders_ms} ms on average  plan: seq scan on orders  statement: SELECT * FROM orders WHERE user_id=$1"),
        SeqProducts = warn("seq_products",
            "duration: {=products_ms} ms on average  plan: seq scan on products  statement: SELECT * FROM products WHERE sku=$1"),
        PoolFull = error("pool_full",
            "pooler: all {DB_POOL_SIZE} connections in use, clients such as {ip} wait {=pool_wait_ms}ms on average"),
        PoolDrop = error("pool_drop", "pooler: app/app@{ip} closing because: query_wait_timeout, gave up waiting for a connection")
            .of(Reason::PoolExhausted),
        Cancelled = error("cancelled",
            "canceling statement due to statement timeout  STATEMENT: /* {op} */ {sql}")
            .of(Reason::StatementTimeout),
        NoSpace = error("no_space",
            "could not extend file \"base/16384/{file}\": No space left on device  HINT: Check free disk space."),
        SpaceLow = warn("space_low", "disk usage at {=disk_pct}% of the quota of {DISK_QUOTA_GB}GB"),
        ReadOnly = error("read_only",
            "cannot execute INSERT in a read-only transaction from {ip}: database is in maintenance mode, writes are not accepted"),
        PrimaryReads = warn("primary_reads", "primary serves all SELECT statements, no replica in the read pool"),
        PrimaryBusy = error("primary_busy",
            "primary: run queue {=primary_queue}, statements wait {=primary_wait_ms}ms for CPU and IO"),
        ReplicaBusy = warn("replica_busy",
            "replica: run queue {=replica_queue}, statements wait {=replica_wait_ms}ms for CPU and IO"),
        Bloat = warn("bloat", "table orders: {=bloat_pct}% dead rows, no vacuum has run, scans slow down"),
        NotRunning = error("not_running", "supervisor: {instance} not running"),
        ReplicaLost = error("replica_lost",
            "replica: connection lost, no heartbeat since; reads fall back to the primary"),
        ReplicaLag = warn("replica_lag",
            "replica: replay waits behind a conflicting query, position is {=lag_s}s behind the primary"),
        SlowVolume = error("slow_volume", "volume: device await {=await_ms}ms, syncing a checkpoint takes {=slower}x its usual time"),
        Filling = warn("filling",
            "archiver: {=kept_segments} log segments kept for a slot that nothing reads, {=kept_gb}GB in all"),
        Pinned = warn("pinned",
            "vacuum of orders: dead rows cannot be removed yet ({=bloat_pct}% of the table), an old transaction still needs them"),
        Reconnects = warn("reconnects", "{=connecting} new connections in the last second, authentication waits for CPU"),
        IdleSessions = warn("idle_sessions", "{=idle_sessions} sessions idle, the first for {=idle_s}s, held by clients such as {holder}"),
        LockWait = warn("lock_wait",
            "process {pid} still waiting for RowExclusiveLock on relation orders after {=lock_ms} ms: {=locked_writes} statements stand behind one session"),
        BadPage = error("bad_page",
            "page verification failed in relation orders, checksum does not match; session of client {ip} is reset"),
        TwoPrimaries = error("two_primaries",
            "timeline differs from that of a second server, which takes writes as well; rows written there are not here"),
        Promoted = warn("promoted",
            "this server was promoted when the lease of the last primary ran out; it has {=primary_pct}% of its processors"),
        NoIds = error("no_ids",
            "database is not accepting commands that assign new transaction IDs to avoid wraparound data loss in database \"app\""),
        BadPlan = warn("bad_plan",
            "plan of a frequent statement changed, it takes {=plan_slower}x its usual time; its index exists, statistics of the table are out of date"),
    }
}

table! {
    /// What its lines tell of.
    pub(super) enum Gauge of services::Gauge {
        Writes = services::Gauge("writes"),
        DiskPct = services::Gauge("disk_pct"),
        WaitMs = services::Gauge("wait_ms"),
        OrdersMs = services::Gauge("orders_ms"),
        ProductsMs = services::Gauge("products_ms"),
        PoolWaitMs = services::Gauge("pool_wait_ms"),
        PrimaryQueue = services::Gauge("primary_queue"),
        PrimaryWaitMs = services::Gauge("primary_wait_ms"),
        ReplicaQueue = services::Gauge("replica_queue"),
        ReplicaWaitMs = services::Gauge("replica_wait_ms"),
        BloatPct = services::Gauge("bloat_pct"),
        LagS = services::Gauge("lag_s"),
        AwaitMs = services::Gauge("await_ms"),
        Slower = services::Gauge("slower"),
        KeptSegments = services::Gauge("kept_segments"),
        KeptGb = services::Gauge("kept_gb"),
        Connecting = services::Gauge("connecting"),
        IdleSessions = services::Gauge("idle_sessions"),
        IdleS = services::Gauge("idle_s"),
        LockMs = services::Gauge("lock_ms"),
        LockedWrites = services::Gauge("locked_writes"),
        PlanSlower = services::Gauge("plan_slower"),
        PrimaryPct = services::Gauge("primary_pct"),
        IdsUsedUp = services::Gauge("ids_used_up"),
    }
}
