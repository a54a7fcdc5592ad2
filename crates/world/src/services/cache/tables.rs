//! What a cache is set by, what is measured of it, and what it writes.

use crate::config::{self, Bad, flag, int};
use crate::services::{self, Level};
use crate::services::{Template, Unit, error, metric, table, usual, warn};

table! {
    /// What it is set by.
    pub(super) enum Key of config::Key {
        TtlSeconds = int("TTL_SECONDS", 1, 86_400, "seconds", "300")
            .about("how long an entry lives that is not renewed; long lives serve stale data and fill memory")
            .roomy(1.6)
            .hurts(Bad::Times(0.017), "cache_ttl"),
        MaxMemoryMb = int("MAX_MEMORY_MB", 32, 65_536, "megabytes", "1024")
            .about("memory for entries; the least used are evicted beyond it")
            .roomy(1.8)
            .hurts(Bad::Times(0.25), "memory_limit"),
        CompressionEnabled = flag("COMPRESSION_ENABLED", "true")
            .about("compress entries: less memory, a little more work")
            .crowds("MAX_MEMORY_MB")
            .hurts(Bad::Is("false"), "compression"),
        AuthTokenValid = flag("AUTH_TOKEN_VALID", "true")
            .about("whether the token of clients is accepted, where one is asked for")
            .runs_out("auth_expired"),
    }
}

table! {
    /// What is measured of it.
    pub(super) enum Metric of services::Metric {
        HitRate = metric("hit_rate", Unit::Ratio, 0.05).better_high(),
        P95LatencyMs = metric("p95_latency_ms", Unit::Millis, 3.0).percentile(),
        MemoryUsedPct = metric("memory_used_pct", Unit::Percent, 12.0).exact(),
        EvictionsPerMin = metric("evictions_per_min", Unit::PerMinute, 60.0),
        AuthDeniedRate = metric("auth_denied_rate", Unit::Ratio, 0.01),
        BackendFillLatencyMs = metric("backend_fill_latency_ms", Unit::Millis, 60.0),
        RequestRate = metric("request_rate", Unit::PerSecond, 60.0),
    }
}

table! {
    /// What it writes into its log.
    pub(super) enum Log of Template {
        Stats = usual(Level::Info, "stats", "stats: {=commands} commands per second, {=held_mb}MB in entries"),
        Snapshot = usual(Level::Info, "snapshot", "Background saving terminated with success, DB saved on disk, {=held_mb}MB"),
        SlowClient = usual(Level::Warn, "slow_client", "client {ip} reads slowly, its output buffer grows"),
        Evict = warn("evict", "evicting {=evicted} live keys per second: maxmemory {MAX_MEMORY_MB}MB reached"),
        Oom = error("oom", "memory limit reached, writes have to evict first (maxmemory {MAX_MEMORY_MB}MB)"),
        Expire = warn("expire", "{=expired_pct}% of lookups found an entry that had expired (ttl {TTL_SECONDS}s)"),
        Denied = error("denied", "client {ip}: WRONGPASS invalid username-password pair or user is disabled. Its token is rejected, it has expired"),
        Fatal = error("fatal", "supervisor: {instance} ended with signal 9, restart policy is never").once(),
        Refused = error("refused", "supervisor: {instance} not running, connection from {ip} refused"),
        Cold = warn("cold", "dataset is {=warm_pct}% of its usual size, warming"),
        Large = warn("large", "values are stored uncompressed, the average entry is {=swelling}x its usual size"),
        Idle = warn("idle", "next to no commands from application clients: {=commands} per second"),
        Fill = warn("fill", "slow fill: loaders take {=fill_ms}ms on average"),
    }
}

table! {
    /// What its lines tell of.
    pub(super) enum Gauge of services::Gauge {
        Commands = services::Gauge("commands"),
        HeldMb = services::Gauge("held_mb"),
        Evicted = services::Gauge("evicted"),
        ExpiredPct = services::Gauge("expired_pct"),
        WarmPct = services::Gauge("warm_pct"),
        Swelling = services::Gauge("swelling"),
        FillMs = services::Gauge("fill_ms"),
    }
}
