//! What an application server is set by, what is measured of it, and what it writes.

use crate::config::{self, Bad, flag, host, int};
use crate::flow::Reason;
use crate::kind::OfState;
use crate::services::{self, Level};
use crate::services::{Template, Unit, error, metric, table, usual, warn};

table! {
    /// What it is set by.
    pub(super) enum Key of config::Key {
        TimeoutMs = int("TIMEOUT_MS", 50, 60_000, "milliseconds", "3000")
            .about("how long a worker waits for one call to another service")
            .rolled_out_in(20)
            .roomy(2.5)
            .hurts(Bad::Times(0.25), "request_timeout"),
        MaxWorkers = int("MAX_WORKERS", 1, 65_536, "workers", "40")
            .about("workers of one instance; how many a request takes differs; each costs memory")
            .rolled_out_in(20)
            .restarting()
            .roomy(1.4)
            .hurts(Bad::Times(0.4), "worker_limit"),
        CacheHost = host("CACHE_HOST", "cache.internal")
            .about("where the cache is looked for")
            .rolled_out_in(20)
            .hurts(Bad::Is("cache-old.internal"), "cache_host"),
        UseCache = flag("USE_CACHE", "true")
            .about("ask the cache before the database; a storage library that reads through it does so in any case")
            .rolled_out_in(20)
            .hurts(Bad::Is("false"), "cache_bypass"),
        RateLimitRps = int("RATE_LIMIT_RPS", 10, 200_000, "requests per second", "600")
            .about("requests per second taken in one zone; how many there are differs; more get 429")
            .rolled_out_in(20)
            .roomy(5.0)
            .hurts(Bad::Times(0.25), "rate_limit"),
        QueuePublishTimeoutMs = int("QUEUE_PUBLISH_TIMEOUT_MS", 50, 60_000, "milliseconds", "3000")
            .about("how long a worker waits for the queue to confirm a message")
            .rolled_out_in(20)
            .roomy(2.0)
            .spare(2.0)
            .hurts(Bad::Times(0.125), "publish_timeout"),
    }
}

table! {
    /// What is measured of it.
    pub(super) enum Metric of services::Metric {
        RequestRate = metric("request_rate", Unit::PerSecond, 10.0),
        ErrorRate = metric("error_rate", Unit::Ratio, 0.006),
        P95LatencyMs = metric("p95_latency_ms", Unit::Millis, 60.0).percentile(),
        UpstreamTimeoutRate = metric("upstream_timeout_rate", Unit::Ratio, 0.004),
        HealthyWorkers = metric("healthy_workers", Unit::Count, 2.0),
        MemoryUsedPct = metric("memory_used_pct", Unit::Percent, 10.0).exact(),
        WorkerRestarts = metric("worker_restarts", Unit::PerMinute, 1.0),
        WorkerUtilizationPct = metric("worker_utilization_pct", Unit::Percent, 15.0),
        QueuedRequests = metric("queued_requests", Unit::Count, 4.0),
        RateLimitedRequests = metric("rate_limited_requests", Unit::PerSecond, 1.0),
        CacheBypassRate = metric("cache_bypass_rate", Unit::Ratio, 0.03),
        CheckoutErrorRate = metric("checkout_error_rate", Unit::Ratio, 0.01),
        ClientAbortRate = metric("client_abort_rate", Unit::Ratio, 0.0003),
        OpenFilesPct = metric("open_files_pct", Unit::Percent, 10.0).exact(),
        HeldDbConnections = metric("held_db_connections", Unit::Count, 8.0),
    }
}

table! {
    /// What it writes into its log.
    pub(super) enum Log of Template {
        Request = usual(Level::Info, "request",
            "{instance} \"{path} HTTP/1.1\" {status} {ms}ms user={user} id={id}"),
        Session = usual(Level::Info, "session", "{instance} session renewed user={user} id={id}"),
        SlowTemplate = usual(Level::Warn, "slow_template", "{instance} client reads slowly user={user} id={id}"),
        BadInput = usual(Level::Warn, "bad_input", "{instance} 500 ValueError not caught: malformed input user={user} id={id}")
            .of(Reason::Internal),
        DbTimeout = error("db_timeout",
            "{instance} request {id} failed: {dep:database} gave no answer within {TIMEOUT_MS}ms")
            .of(Reason::TimedOut),
        DbPool = error("db_pool",
            "{instance} request {id} failed: PoolTimeout: couldn't get a connection to {dep:database} after {acquire_s} sec")
            .of(Reason::PoolExhausted)
            .of_server("{instance} request {id} failed: {dep:database} answered 500: PoolTimeout"),
        DbRefused = error("db_refused", "{instance} request {id} failed: OperationalError: connection to server at \"{dep:database}\" failed: Connection refused")
            .of(Reason::Refused)
            .of_server("{instance} request {id} failed: ConnectError: http://{dep:database}:8080: Connection refused"),
        DbReadonly = error("db_readonly", "{instance} request {id} failed: ReadOnlySqlTransaction: {dep:database} cannot execute INSERT in a read-only transaction")
            .of(Reason::ReadOnly)
            .of_server("{instance} request {id} failed: {dep:database} answered 500: ReadOnlySqlTransaction")
            .of_state(OfState {
                gauge: "ids_used_up",
                text: "{instance} request {id} failed: ProgramLimitExceeded: {dep:database} is not accepting commands that assign new transaction IDs to avoid wraparound data loss",
                of_server: "{instance} request {id} failed: {dep:database} answered 500: ProgramLimitExceeded",
            }),
        DbDisk = error("db_disk",
            "{instance} request {id} failed: DiskFull: {dep:database} could not extend file: No space left")
            .of(Reason::DiskFull)
            .of_server("{instance} request {id} failed: {dep:database} answered 500: DiskFull"),
        DbCancelled = error("db_cancelled",
            "{instance} request {id} failed: QueryCanceled: statement timeout of {dep:database}")
            .of(Reason::StatementTimeout)
            .of_server("{instance} request {id} failed: {dep:database} answered 500: QueryCanceled"),
        CacheRefused = error("cache_refused",
            "{instance} cache lookup failed: ConnectionError: Error 111 connecting to {CACHE_HOST}:6379. Connection refused."),
        CacheHost = error("cache_host",
            "{instance} cache lookup failed: TimeoutError: {CACHE_HOST}:6379 did not answer within 250ms"),
        CacheAuth = error("cache_auth",
            "{instance} cache lookup failed: AuthenticationError: {CACHE_HOST}:6379: invalid username-password pair or user is disabled."),
        CacheOff = warn("cache_off",
            "{instance} cache layer is switched off, read of request {id} went to {dep:database}"),
        PublishTimeout = error("publish_timeout",
            "{instance} request {id} failed: {dep:queue} did not confirm within {QUEUE_PUBLISH_TIMEOUT_MS}ms")
            .of(Reason::TimedOut),
        PublishRefused = error("publish_refused",
            "{instance} request {id} failed: {dep:queue} refused the connection").of(Reason::Refused),
        QueueFull = error("queue_full",
            "{instance} 503 request {id} dropped: all {MAX_WORKERS} workers busy and the backlog is full")
            .of(Reason::Overloaded).only().of_busiest(),
        Saturated = warn("saturated",
            "{instance} all {MAX_WORKERS} workers busy, {=queued} requests waiting at all instances").of_busiest(),
        RateLimited = warn("rate_limited",
            "{instance} 429 for user={user} id={id}: over {RATE_LIMIT_RPS} requests per second")
            .of(Reason::RateLimited).only(),
        WorkerExit = error("worker_exit",
            "{instance} Worker (pid:{pid}) was sent SIGSEGV! The supervisor gave up respawning it"),
        OomKill = error("oom_kill", "{instance} Worker (pid:{pid}) was sent SIGKILL! killed: out of memory ({=memory_mb}MB in use)"),
        Gc = warn("gc", "{instance} long collection pauses, heap nearly full ({=memory_mb}MB in use)"),
        ClientAbort = error("client_abort",
            "{instance} \"{path} HTTP/1.1\" id={id} aborted: peer closed the connection before the answer was complete"),
        CacheSlow = warn("cache_slow",
            "{instance} cache miss of request {id}, loading takes {=load_ms}ms on average"),
        Unhandled = error("unhandled",
            "{instance} 500 request {id}: unhandled KeyError in code of this build").of(Reason::Internal),
        Hedged = warn("hedged",
            "{instance} query of request {id} sent again without an answer to the first, which still runs"),
        Stale = error("stale",
            "{instance} request {id} failed: {dep:database} returned rows older than the session's last write")
            .of(Reason::Stale),
        DbAstray = error("db_astray",
            "{instance} request {id} failed: {dep:database} resolves to an address with no listener (cached answer)")
            .of(Reason::Astray),
        Astray = error("astray",
            "{instance} call failed: a host of this service's dependencies resolves to an address with no listener (cached answer)"),
        UpstreamBusy = error("upstream_busy",
            "{instance} request {id} failed: {dep:web} answered 503: its backlog is full").of(Reason::Overloaded),
        NotReturned = warn("not_returned",
            "{instance} pool: {=held_connections} connections to {dep:database} not returned, the first checked out {=held_s}s ago"),
    }
}

table! {
    /// What its lines tell of.
    pub(super) enum Gauge of services::Gauge {
        Queued = services::Gauge("queued"),
        MemoryMb = services::Gauge("memory_mb"),
        LoadMs = services::Gauge("load_ms"),
        HeldConnections = services::Gauge("held_connections"),
        HeldS = services::Gauge("held_s"),
    }
}
