//! What an application server is set by, what is measured of it, and what it writes.

use crate::config::{self, Bad, flag, host, int};
use crate::services::{self, Level};
use crate::services::{Template, Unit, error, metric, table, usual, warn};

table! {
    /// What it is set by.
    pub(super) enum Key of config::Key {
        TimeoutMs = int("TIMEOUT_MS", 50, 60_000, "milliseconds", "3000")
            .about("how long a worker waits for one call to another service")
            .rolled_out_in(20)
            .roomy(1.8)
            .hurts(Bad::Times(0.25), "request_timeout"),
        MaxWorkers = int("MAX_WORKERS", 1, 4096, "workers", "40")
            .about("requests that one instance works on at once; each costs memory")
            .rolled_out_in(20)
            .restarting()
            .roomy(1.4)
            .hurts(Bad::Times(0.4), "worker_limit"),
        CacheHost = host("CACHE_HOST", "cache.internal")
            .about("where the cache is looked for")
            .rolled_out_in(20)
            .hurts(Bad::Is("cache-old.internal"), "cache_host"),
        UseCache = flag("USE_CACHE", "true")
            .about("look into the cache before asking the database")
            .rolled_out_in(20)
            .hurts(Bad::Is("false"), "cache_bypass"),
        RateLimitRps = int("RATE_LIMIT_RPS", 10, 200_000, "requests per second", "600")
            .about("requests per second taken over all instances; more get 429")
            .rolled_out_in(20)
            .roomy(3.0)
            .hurts(Bad::Times(0.25), "rate_limit"),
        QueuePublishTimeoutMs = int("QUEUE_PUBLISH_TIMEOUT_MS", 50, 60_000, "milliseconds", "3000")
            .about("how long a worker waits for the queue to confirm a message")
            .rolled_out_in(20)
            .roomy(2.0)
            .hurts(Bad::Times(0.125), "publish_timeout"),
    }
}

table! {
    /// What is measured of it.
    pub(super) enum Metric of services::Metric {
        RequestRate = metric("request_rate", Unit::PerSecond, 10.0),
        ErrorRate = metric("error_rate", Unit::Ratio, 0.006),
        P95LatencyMs = metric("p95_latency_ms", Unit::Millis, 60.0),
        UpstreamTimeoutRate = metric("upstream_timeout_rate", Unit::Ratio, 0.004),
        HealthyWorkers = metric("healthy_workers", Unit::Count, 2.0),
        MemoryUsedPct = metric("memory_used_pct", Unit::Percent, 10.0),
        WorkerRestarts = metric("worker_restarts", Unit::PerMinute, 1.0),
        WorkerUtilizationPct = metric("worker_utilization_pct", Unit::Percent, 15.0),
        QueuedRequests = metric("queued_requests", Unit::Count, 4.0),
        RateLimitedRequests = metric("rate_limited_requests", Unit::PerSecond, 1.0),
        CacheBypassRate = metric("cache_bypass_rate", Unit::Ratio, 0.03),
        CheckoutErrorRate = metric("checkout_error_rate", Unit::Ratio, 0.01),
        ClientAbortRate = metric("client_abort_rate", Unit::Ratio, 0.0003),
        OpenFilesPct = metric("open_files_pct", Unit::Percent, 10.0),
        HeldDbConnections = metric("held_db_connections", Unit::Count, 8.0),
    }
}

table! {
    /// What it writes into its log.
    pub(super) enum Log of Template {
        Request = usual(Level::Info, "request",
            "{instance} {GET|GET|GET|POST} /{browse|search|orders|cart} 200 user={user} {18..240}ms"),
        Session = usual(Level::Info, "session", "{instance} session {id} renewed for user={user}"),
        SlowTemplate = usual(Level::Warn, "slow_template",
            "{instance} template render took {210..480}ms for user={user}"),
        BadInput = usual(Level::Warn, "bad_input", "{instance} 400 malformed coupon code from user={user}"),
        DbTimeout = error("db_timeout",
            "{instance} request {id} failed: {dep:database} gave no answer within {TIMEOUT_MS}ms"),
        DbPool = error("db_pool",
            "{instance} request {id} failed: timed out waiting for a connection to {dep:database}, all in use"),
        DbRefused = error("db_refused", "{instance} request {id} failed: connection to {dep:database} refused"),
        DbReadonly = error("db_readonly", "{instance} order {id} not saved: {dep:database} does not accept writes"),
        DbDisk = error("db_disk",
            "{instance} order {id} not saved: {dep:database} could not extend file, no space left"),
        DbCancelled = error("db_cancelled",
            "{instance} query for request {id} was cancelled by {dep:database}: statement timeout"),
        CacheRefused = error("cache_refused",
            "{instance} cache lookup failed: {CACHE_HOST} refused the connection, asking the database"),
        CacheHost = error("cache_host",
            "{instance} cache lookup failed: {CACHE_HOST} did not answer within 250ms, asking the database"),
        CacheAuth = error("cache_auth",
            "{instance} cache lookup failed: {CACHE_HOST} says NOAUTH, asking the database"),
        CacheOff = warn("cache_off",
            "{instance} cache layer is switched off, read for product:{id} went to {dep:database}"),
        PublishTimeout = error("publish_timeout",
            "{instance} checkout {id} failed: {dep:queue} did not confirm within {QUEUE_PUBLISH_TIMEOUT_MS}ms"),
        PublishRefused = error("publish_refused",
            "{instance} checkout {id} failed: {dep:queue} refused the connection"),
        QueueFull = error("queue_full",
            "{instance} 503 request {id} dropped: all {MAX_WORKERS} workers busy and the backlog is full"),
        Saturated = warn("saturated", "{instance} all {MAX_WORKERS} workers busy, {20..160} requests waiting"),
        RateLimited = warn("rate_limited", "{instance} 429 for user={user}: over {RATE_LIMIT_RPS} requests per second"),
        WorkerExit = error("worker_exit",
            "{instance} worker pid {2000..31000} exited with signal 11, supervisor gave up respawning it"),
        OomKill = error("oom_kill", "{instance} worker pid {2000..31000} killed: out of memory (heap 3.{1..9}GB)"),
        Gc = warn("gc", "{instance} collection pause of {400..1900}ms, heap nearly full"),
        ClientAbort = error("client_abort",
            "{instance} export {id} aborted: peer closed the connection after long silence, report was still being built"),
        CacheSlow = warn("cache_slow", "{instance} cache miss for product:{id}, loading it took {700..2900}ms"),
        Unhandled = error("unhandled",
            "{instance} 500 request {id}: unhandled {KeyError 'price_tier'|TypeError in totals.apply|IndexError in cart.merge} in code of this build"),
        Hedged = warn("hedged",
            "{instance} query of request {id} sent again after {80..400}ms without an answer, attempt {2..5}; the first still runs"),
        Stale = error("stale",
            "{instance} request {id} failed: {dep:database} returned rows older than the session's last write"),
        DbAstray = error("db_astray",
            "{instance} request {id} failed: {dep:database} resolves to an address with no listener (cached answer, {2..9}h old)"),
        Astray = error("astray",
            "{instance} call failed: a host of this service's dependencies resolves to an address with no listener (cached answer, {2..9}h old)"),
        NotReturned = warn("not_returned",
            "{instance} pool: {12..60} connections to {dep:database} checked out for more than 600s, their requests ended long ago"),
    }
}
