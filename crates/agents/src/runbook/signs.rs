//! Lines that tell by themselves what is wrong, as an operator's handbook lists them: the words, what helps, and how
//! surely the line is of a cause and not of its consequences elsewhere.

/// What helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandbookCure {
    /// More of a setting.
    Raise(&'static str),
    /// A setting at this value.
    Set(&'static str, &'static str),
    /// The share of the first of several equal backends.
    EvenShare(&'static str),
    /// The index that the statement of the line wants: its key is called after table and column.
    Index,
    /// The host of the service that a key is named after.
    RightHost(&'static str),
    /// A restart.
    Restart,
    /// The last change that begins with this word taken back.
    Rollback(&'static str),
    /// The last deployment taken back, if it came shortly before; else a restart.
    RollbackOrRestart,
}

/// One line of the handbook.
pub struct HandbookSign {
    /// Words that the line has, in lower case.
    pub words: &'static [&'static str],
    /// What helps.
    pub cure: HandbookCure,
    /// How surely it is a cause.
    pub sure: f64,
    /// What the catalogue of causes calls it.
    pub cause: &'static str,
}

const fn sign(words: &'static [&'static str], cure: HandbookCure, sure: f64, cause: &'static str) -> HandbookSign {
    HandbookSign { words, cure, sure, cause }
}

/// How the change history tells a deployment.
const DEPLOY: &str = "deploy";

/// All of them.
pub const SIGNS: &[HandbookSign] = &[
    sign(&["soon after its start", "back-off"], HandbookCure::Rollback(DEPLOY), 11.0, "crash_loop"),
    sign(&["not running"], HandbookCure::Restart, 10.0, "crash"),
    sign(&["restart policy is never"], HandbookCure::Restart, 10.0, "crash"),
    sign(
        &["ssl handshake failure", "alert certificate"],
        HandbookCure::Set("TLS_CERT_VALID", "true"),
        9.0,
        "tls_expired",
    ),
    sign(&["token is rejected, it has expired"], HandbookCure::Set("AUTH_TOKEN_VALID", "true"), 9.0, "auth_expired"),
    sign(&["in maintenance mode"], HandbookCure::Set("MAINTENANCE_MODE", "false"), 9.0, "maintenance_mode"),
    sign(
        &["could not extend file \"base", "no space left on device"],
        HandbookCure::Raise("DISK_QUOTA_GB"),
        9.0,
        "disk_full",
    ),
    sign(
        &["is down, reason: layer7 wrong status", "code: 404"],
        HandbookCure::Set("HEALTH_CHECK_PATH", "/healthz"),
        9.0,
        "health_check_path",
    ),
    sign(&["has not polled", "blocked on a lock"], HandbookCure::Restart, 9.0, "consumer_stall"),
    sign(&["off the time server"], HandbookCure::Restart, 9.0, "clock_skew"),
    sign(&["file descriptors", "never closed"], HandbookCure::Restart, 9.0, "descriptor_leak"),
    sign(&["too many open files"], HandbookCure::Restart, 9.0, "descriptor_leak"),
    sign(&["page verification failed"], HandbookCure::Restart, 9.0, "corruption"),
    sign(&["a second server, which takes writes"], HandbookCure::Restart, 9.0, "split_brain"),
    sign(&["wraparound data loss in database"], HandbookCure::Set("AUTOVACUUM_ENABLED", "true"), 9.0, "wraparound"),
    sign(&["throttled", "cpu quota"], HandbookCure::Rollback("resize"), 9.0, "cpu_quota"),
    sign(&["in code of this build"], HandbookCure::Rollback(DEPLOY), 8.8, "bad_build"),
    sign(&["sent again without an answer"], HandbookCure::Rollback(DEPLOY), 8.8, "bad_build"),
    sign(&["fe be_canary/", " 500 "], HandbookCure::Rollback("canary"), 8.8, "canary"),
    sign(&["waits for cpu, steal"], HandbookCure::Restart, 8.8, "noisy_neighbour"),
    sign(&["round trip", "long-lived connections"], HandbookCure::Restart, 8.8, "slow_link"),
    sign(&["retransmits", "long-lived connections"], HandbookCure::Restart, 8.8, "lossy_link"),
    sign(&["cached address of a peer that moved"], HandbookCure::Restart, 8.8, "stale_dns"),
    sign(&["statements stand behind one session"], HandbookCure::Restart, 8.8, "lock_contention"),
    sign(&["was promoted when the lease"], HandbookCure::Restart, 8.8, "failover"),
    sign(&["replay waits behind", "behind the primary"], HandbookCure::Restart, 8.8, "replication_lag"),
    sign(&["plan of a frequent statement changed"], HandbookCure::Set("AUTOVACUUM_ENABLED", "true"), 8.8, "plan_flip"),
    sign(&["log segments kept for a slot"], HandbookCure::Raise("DISK_QUOTA_GB"), 8.8, "disk_full"),
    sign(&["supervisor gave up respawning"], HandbookCure::Restart, 8.8, "worker_crash"),
    sign(&["replica: connection lost"], HandbookCure::Restart, 8.8, "replica_lost"),
    sign(&["cannot decode payload", " of "], HandbookCure::Set("RETRY_LIMIT", "3"), 8.6, "poison_messages"),
    sign(&["address with no listener"], HandbookCure::Restart, 8.6, "stale_dns"),
    sign(&["not returned, the first checked out"], HandbookCure::Restart, 8.6, "connection_leak"),
    sign(&["device await"], HandbookCure::Restart, 8.5, "slow_disk"),
    sign(&["seq scan on", "select * from"], HandbookCure::Index, 8.4, "missing_index"),
    sign(&["cache layer is switched off"], HandbookCure::Set("USE_CACHE", "true"), 8.4, "cache_bypass"),
    sign(&["no replica in the read pool"], HandbookCure::Set("READ_REPLICA_ENABLED", "true"), 8.2, "read_replica"),
    sign(&["uncompressed"], HandbookCure::Set("COMPRESSION_ENABLED", "true"), 8.2, "compression"),
    sign(&["found an entry that had expired"], HandbookCure::Raise("TTL_SECONDS"), 8.2, "cache_ttl"),
    sign(&["of the sessions of be, by cookie"], HandbookCure::Set("STICKY_SESSIONS", "false"), 8.2, "sticky_sessions"),
    sign(&["of the sessions of be, by weight"], HandbookCure::EvenShare("WEB_WEIGHT_PRIMARY"), 8.2, "backend_weight"),
    sign(&[" 200 sd-- "], HandbookCure::Raise("IDLE_TIMEOUT_MS"), 8.2, "idle_timeout"),
    sign(&["did not confirm within"], HandbookCure::Raise("QUEUE_PUBLISH_TIMEOUT_MS"), 8.0, "publish_timeout"),
    sign(
        &["cache lookup failed", "did not answer within 250ms"],
        HandbookCure::RightHost("CACHE_HOST"),
        8.0,
        "cache_host",
    ),
    sign(&["an old transaction still needs them"], HandbookCure::Restart, 8.0, "table_bloat"),
    sign(
        &["delivered again: not acknowledged"],
        HandbookCure::Raise("VISIBILITY_TIMEOUT_MS"),
        7.8,
        "visibility_timeout",
    ),
    sign(&["delivery paused", "in flight"], HandbookCure::Raise("MAX_IN_FLIGHT"), 7.6, "in_flight_limit"),
    sign(&["429 for user"], HandbookCure::Raise("RATE_LIMIT_RPS"), 7.6, "rate_limit"),
    sign(&["dead-letter queue after", "answered 503"], HandbookCure::Raise("RETRY_LIMIT"), 7.4, "retry_limit"),
    sign(&["dead rows", "no vacuum has run"], HandbookCure::Set("AUTOVACUUM_ENABLED", "true"), 7.4, "autovacuum"),
    sign(
        &["canceling statement due to statement timeout"],
        HandbookCure::Raise("QUERY_TIMEOUT_MS"),
        7.2,
        "query_timeout",
    ),
    sign(&["killed: out of memory"], HandbookCure::RollbackOrRestart, 7.2, "memory_leak"),
    sign(&["heap nearly full"], HandbookCure::RollbackOrRestart, 7.0, "memory_leak"),
    sign(&["consumers busy"], HandbookCure::Raise("CONSUMER_CONCURRENCY"), 6.4, "consumer_concurrency"),
    sign(
        &["reached the configured maximum connection"],
        HandbookCure::Raise("MAX_CONNECTIONS"),
        6.2,
        "connection_limit",
    ),
    sign(&["maxmemory", "reached"], HandbookCure::Raise("MAX_MEMORY_MB"), 6.0, "memory_limit"),
    sign(&["evict first"], HandbookCure::Raise("MAX_MEMORY_MB"), 6.0, "memory_limit"),
    sign(&["pooler: all", "connections in use"], HandbookCure::Raise("DB_POOL_SIZE"), 5.6, "connection_pool"),
    sign(&["gave no answer within"], HandbookCure::Raise("TIMEOUT_MS"), 4.6, "request_timeout"),
    sign(&["workers busy"], HandbookCure::Raise("MAX_WORKERS"), 4.4, "worker_limit"),
];

/// The sign that a line is, if it is one: the surest.
pub fn read(line: &str) -> Option<&'static HandbookSign> {
    SIGNS.iter().find(|sign| sign.words.iter().all(|words| line.contains(words)))
}

/// The key of the index that the statement of a line wants.
pub fn index(line: &str) -> Option<String> {
    let (table, rest) = line.split_once("select * from ")?.1.split_once(" where ")?;
    let column = rest.split('=').next()?;
    Some(format!("INDEX_{table}_{column}").to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_recognised_by_their_words() {
        let check =
            |line: &str, expect: Option<HandbookCure>| assert_eq!(read(line).map(|sign| sign.cure), expect, "{line}");
        check("supervisor: cache-1 not running, connection from 10.0.0.1 refused", Some(HandbookCure::Restart));
        check(
            "pooler: all 30 connections in use, client 10.0.0.1 has waited 900ms",
            Some(HandbookCure::Raise("DB_POOL_SIZE")),
        );
        check("all 12 workers busy, 40 requests waiting", Some(HandbookCure::Raise("MAX_WORKERS")));
        let scan = "plan: seq scan on rides  statement: select * from rides where rider_id=$1";
        check(scan, Some(HandbookCure::Index));
        assert_eq!(index(scan).as_deref(), Some("INDEX_RIDES_RIDER_ID"));
        check("checkpoint complete: wrote 900 buffers in 2.1s", None);
    }

    #[test]
    fn the_surest_come_first() {
        assert!(SIGNS.windows(2).all(|pair| pair[0].sure >= pair[1].sure));
    }
}
