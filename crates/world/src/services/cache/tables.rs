//! What a cache is set by, what is measured of it, and what it writes.

use crate::config::{self, Bad, flag, int};
use crate::services::{self, Level};
use crate::services::{Template, Unit, error, metric, table, usual, warn};

table! {
    /// What it is set by.
    pub(super) enum Key of config::Key {
        TtlSeconds = int("TTL_SECONDS", 1, 86_400, "seconds", "300")
            .about("how long an entry lives; long lives serve stale data and fill memory")
            .roomy(2.0)
            .hurts(Bad::Times(0.017), "cache_ttl"),
        MaxMemoryMb = int("MAX_MEMORY_MB", 32, 65_536, "megabytes", "1024")
            .about("memory for entries; the least used are evicted beyond it")
            .roomy(1.8)
            .hurts(Bad::Times(0.25), "memory_limit"),
        CompressionEnabled = flag("COMPRESSION_ENABLED", "true")
            .about("compress entries: less memory, a little more work")
            .hurts(Bad::Is("false"), "compression"),
        AuthTokenValid = flag("AUTH_TOKEN_VALID", "true")
            .about("whether the token that clients present is accepted")
            .runs_out("auth_expired"),
    }
}

table! {
    /// What is measured of it.
    pub(super) enum Metric of services::Metric {
        HitRate = metric("hit_rate", Unit::Ratio, 0.05).better_high(),
        P95LatencyMs = metric("p95_latency_ms", Unit::Millis, 3.0),
        MemoryUsedPct = metric("memory_used_pct", Unit::Percent, 12.0),
        EvictionsPerMin = metric("evictions_per_min", Unit::PerMinute, 60.0),
        AuthDeniedRate = metric("auth_denied_rate", Unit::Ratio, 0.01),
        BackendFillLatencyMs = metric("backend_fill_latency_ms", Unit::Millis, 60.0),
        RequestRate = metric("request_rate", Unit::PerSecond, 60.0),
    }
}

table! {
    /// What it writes into its log.
    pub(super) enum Log of Template {
        Stats = usual(Level::Info, "stats", "stats: {180..420} clients, {900..4000} keys touched in the last second"),
        Snapshot = usual(Level::Info, "snapshot", "background save finished in {300..900}ms"),
        SlowClient = usual(Level::Warn, "slow_client", "client {ip} reads slowly, output buffer at {64..512}kB"),
        Evict = warn("evict", "evicted {200..900} live keys in the last second: maxmemory {MAX_MEMORY_MB}MB reached"),
        Oom = error("oom", "memory limit reached, {40..220} writes had to evict first (maxmemory {MAX_MEMORY_MB}MB)"),
        Expire = warn("expire", "{60..95}% of lookups found an entry that had just expired (ttl {TTL_SECONDS}s)"),
        Denied = error("denied", "NOAUTH client {ip}: token rejected, it has expired"),
        Fatal = error("fatal", "supervisor: {instance} ended with signal 9, restart policy is never"),
        Refused = error("refused", "supervisor: {instance} not running, connection from {ip} refused"),
        Cold = warn("cold", "dataset is {5..60}% of its usual size, warming"),
        Large = warn("large",
            "stored value of {180..900}kB for product:{id} uncompressed, average entry {2..4}x its usual size"),
        Idle = warn("idle", "no commands for {20..90}s from application clients"),
        Fill = warn("fill", "slow fill: loader for key product:{id} took {900..3900}ms"),
    }
}
