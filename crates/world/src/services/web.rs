//! An application server: workers that are held while they wait for others, so that downstream
//! latency eats upstream capacity.

mod model;

use super::{Kind, Level, Metric, Model, Rule, Setup, Template, Unit};
use crate::config::{Key, KeyType};
use crate::time::Span;
use model::State;

/// The kind.
pub struct Web;

impl Kind for Web {
    fn name(&self) -> &'static str {
        "web"
    }

    fn keys(&self) -> &'static [Key] {
        const fn key(
            name: &'static str,
            takes: KeyType,
            default: &'static str,
            restarts: bool,
            about: &'static str,
        ) -> Key {
            Key { name, takes, default, rollout: Span::secs(20), restarts, about }
        }
        const fn int(min: i64, max: i64, unit: &'static str) -> KeyType {
            KeyType::Int { min, max, unit }
        }
        const KEYS: &[Key] = &[
            key(
                "TIMEOUT_MS",
                int(50, 60_000, "milliseconds"),
                "3000",
                false,
                "how long a worker waits for one call to another service",
            ),
            key(
                "MAX_WORKERS",
                int(1, 512, "workers"),
                "40",
                true,
                "requests that one instance works on at once; each costs memory",
            ),
            key("CACHE_HOST", KeyType::Host, "cache.internal", false, "where the cache is looked for"),
            key("USE_CACHE", KeyType::Bool, "true", false, "look into the cache before asking the database"),
            key(
                "RATE_LIMIT_RPS",
                int(10, 20_000, "requests per second"),
                "600",
                false,
                "requests per second taken over all instances; more get 429",
            ),
            key(
                "QUEUE_PUBLISH_TIMEOUT_MS",
                int(50, 60_000, "milliseconds"),
                "3000",
                false,
                "how long a worker waits for the queue to confirm a message",
            ),
        ];
        KEYS
    }

    fn params(&self) -> &'static [(&'static str, f64)] {
        // Requests that may wait at one instance; share of failed reads that are tried once more; unavoidable errors;
        // memory of a worker in MB.
        &[("backlog", 160.0), ("retries", 0.5), ("bug_rate", 0.002), ("worker_mb", 28.0)]
    }

    fn metrics(&self) -> &'static [Metric] {
        const METRICS: &[Metric] = &[
            Metric::new("request_rate", Unit::PerSecond, 10.0),
            Metric::new("error_rate", Unit::Ratio, 0.006),
            Metric::new("p95_latency_ms", Unit::Millis, 60.0),
            Metric::new("upstream_timeout_rate", Unit::Ratio, 0.004),
            Metric::new("healthy_workers", Unit::Count, 2.0),
            Metric::new("memory_used_pct", Unit::Percent, 10.0),
            Metric::new("worker_restarts", Unit::PerMinute, 1.0),
            Metric::new("worker_utilization_pct", Unit::Percent, 15.0),
            Metric::new("queued_requests", Unit::Count, 4.0),
            Metric::new("rate_limited_requests", Unit::PerSecond, 1.0),
            Metric::new("cache_bypass_rate", Unit::Ratio, 0.03),
            Metric::new("checkout_error_rate", Unit::Ratio, 0.01),
            Metric::new("client_abort_rate", Unit::Ratio, 0.0003),
            Metric::new("open_files_pct", Unit::Percent, 10.0),
            Metric::new("held_db_connections", Unit::Count, 8.0),
        ];
        METRICS
    }

    fn logs(&self) -> &'static [Template] {
        const LOGS: &[Template] = &[
            Template::new(
                "request",
                Level::Info,
                true,
                "{instance} {GET|GET|GET|POST} /{browse|search|orders|cart} 200 user={user} {18..240}ms",
            ),
            Template::new("session", Level::Info, true, "{instance} session {id} renewed for user={user}"),
            Template::new(
                "slow_template",
                Level::Warn,
                true,
                "{instance} template render took {210..480}ms for user={user}",
            ),
            Template::new("bad_input", Level::Warn, true, "{instance} 400 malformed coupon code from user={user}"),
            Template::new(
                "db_timeout",
                Level::Error,
                false,
                "{instance} request {id} failed: {dep:database} gave no answer within {TIMEOUT_MS}ms",
            ),
            Template::new(
                "db_pool",
                Level::Error,
                false,
                "{instance} request {id} failed: timed out waiting for a connection to {dep:database}, all in use",
            ),
            Template::new(
                "db_refused",
                Level::Error,
                false,
                "{instance} request {id} failed: connection to {dep:database} refused",
            ),
            Template::new(
                "db_readonly",
                Level::Error,
                false,
                "{instance} order {id} not saved: {dep:database} does not accept writes",
            ),
            Template::new(
                "db_disk",
                Level::Error,
                false,
                "{instance} order {id} not saved: {dep:database} could not extend file, no space left",
            ),
            Template::new(
                "db_cancelled",
                Level::Error,
                false,
                "{instance} query for request {id} was cancelled by {dep:database}: statement timeout",
            ),
            Template::new(
                "cache_refused",
                Level::Error,
                false,
                "{instance} cache lookup failed: {CACHE_HOST} refused the connection, asking the database",
            ),
            Template::new(
                "cache_host",
                Level::Error,
                false,
                "{instance} cache lookup failed: {CACHE_HOST} did not answer within 250ms, asking the database",
            ),
            Template::new(
                "cache_auth",
                Level::Error,
                false,
                "{instance} cache lookup failed: {CACHE_HOST} says NOAUTH, asking the database",
            ),
            Template::new(
                "cache_off",
                Level::Warn,
                false,
                "{instance} cache layer is switched off, read for product:{id} went to {dep:database}",
            ),
            Template::new(
                "publish_timeout",
                Level::Error,
                false,
                "{instance} checkout {id} failed: {dep:queue} did not confirm within {QUEUE_PUBLISH_TIMEOUT_MS}ms",
            ),
            Template::new(
                "publish_refused",
                Level::Error,
                false,
                "{instance} checkout {id} failed: {dep:queue} refused the connection",
            ),
            Template::new(
                "queue_full",
                Level::Error,
                false,
                "{instance} 503 request {id} dropped: all {MAX_WORKERS} workers busy and the backlog is full",
            ),
            Template::new(
                "saturated",
                Level::Warn,
                false,
                "{instance} all {MAX_WORKERS} workers busy, {20..160} requests waiting",
            ),
            Template::new(
                "rate_limited",
                Level::Warn,
                false,
                "{instance} 429 for user={user}: over {RATE_LIMIT_RPS} requests per second",
            ),
            Template::new(
                "worker_exit",
                Level::Error,
                false,
                "{instance} worker pid {2000..31000} exited with signal 11, supervisor gave up respawning it",
            ),
            Template::new(
                "oom_kill",
                Level::Error,
                false,
                "{instance} worker pid {2000..31000} killed: out of memory (heap 3.{1..9}GB)",
            ),
            Template::new("gc", Level::Warn, false, "{instance} collection pause of {400..1900}ms, heap nearly full"),
            Template::new(
                "client_abort",
                Level::Error,
                false,
                "{instance} export {id} aborted: peer closed the connection after long silence, report was still being built",
            ),
            Template::new(
                "cache_slow",
                Level::Warn,
                false,
                "{instance} cache miss for product:{id}, loading it took {700..2900}ms",
            ),
            Template::new(
                "unhandled",
                Level::Error,
                false,
                "{instance} 500 request {id}: unhandled {KeyError 'price_tier'|TypeError in totals.apply|IndexError in cart.merge} in code of this build",
            ),
            Template::new(
                "hedged",
                Level::Warn,
                false,
                "{instance} query of request {id} sent again after {80..400}ms without an answer, attempt {2..5}; the first still runs",
            ),
            Template::new(
                "stale",
                Level::Error,
                false,
                "{instance} request {id} failed: {dep:database} returned rows older than the session's last write",
            ),
            Template::new(
                "db_astray",
                Level::Error,
                false,
                "{instance} request {id} failed: {dep:database} resolves to an address with no listener (cached answer, {2..9}h old)",
            ),
            Template::new(
                "astray",
                Level::Error,
                false,
                "{instance} call failed: a host of this service's dependencies resolves to an address with no listener (cached answer, {2..9}h old)",
            ),
            Template::new(
                "not_returned",
                Level::Warn,
                false,
                "{instance} pool: {12..60} connections to {dep:database} checked out for more than 600s, their requests ended long ago",
            ),
        ];
        LOGS
    }

    fn rules(&self) -> &'static [Rule] {
        const RULES: &[Rule] = &[
            Rule::new("down", "up", false, 0.49, 30, true),
            Rule::new("error_rate", "error_rate", true, 0.03, 75, true),
            Rule::new("checkout_errors", "checkout_error_rate", true, 0.06, 45, true),
            Rule::new("rate_limited", "rate_limited_requests", true, 10.0, 45, true),
            Rule::new("memory", "memory_used_pct", true, 90.0, 60, true),
            Rule::new("worker_saturation", "worker_utilization_pct", true, 97.0, 75, true),
            Rule::new("client_aborts", "client_abort_rate", true, 0.0004, 45, true),
            Rule::new("latency", "p95_latency_ms", true, 2000.0, 75, true),
            Rule::new("timeouts", "upstream_timeout_rate", true, 0.02, 60, true),
        ];
        RULES
    }

    fn model(&self, setup: &Setup<'_>) -> Box<dyn Model> {
        Box::new(State::new(setup))
    }

    fn restart_secs(&self) -> u64 {
        20
    }
}
