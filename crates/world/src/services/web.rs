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
        const fn metric(name: &'static str, unit: Unit, slack: f64) -> Metric {
            Metric { name, unit, slack }
        }
        const METRICS: &[Metric] = &[
            metric("request_rate", Unit::PerSecond, 10.0),
            metric("error_rate", Unit::Ratio, 0.006),
            metric("p95_latency_ms", Unit::Millis, 60.0),
            metric("upstream_timeout_rate", Unit::Ratio, 0.004),
            metric("healthy_workers", Unit::Count, 2.0),
            metric("memory_used_pct", Unit::Percent, 10.0),
            metric("worker_restarts", Unit::PerMinute, 1.0),
            metric("worker_utilization_pct", Unit::Percent, 15.0),
            metric("queued_requests", Unit::Count, 4.0),
            metric("rate_limited_requests", Unit::PerSecond, 1.0),
            metric("cache_bypass_rate", Unit::Ratio, 0.03),
            metric("checkout_error_rate", Unit::Ratio, 0.01),
            metric("client_abort_rate", Unit::Ratio, 0.0003),
            metric("open_files_pct", Unit::Percent, 10.0),
            metric("held_db_connections", Unit::Count, 8.0),
        ];
        METRICS
    }

    fn logs(&self) -> &'static [Template] {
        const fn line(name: &'static str, level: Level, chatter: bool, text: &'static str) -> Template {
            Template { name, level, chatter, text }
        }
        const LOGS: &[Template] = &[
            line(
                "request",
                Level::Info,
                true,
                "{instance} {GET|GET|GET|POST} /{browse|search|orders|cart} 200 user={user} {18..240}ms",
            ),
            line("session", Level::Info, true, "{instance} session {id} renewed for user={user}"),
            line("slow_template", Level::Warn, true, "{instance} template render took {210..480}ms for user={user}"),
            line("bad_input", Level::Warn, true, "{instance} 400 malformed coupon code from user={user}"),
            line(
                "db_timeout",
                Level::Error,
                false,
                "{instance} request {id} failed: {dep:database} gave no answer within {TIMEOUT_MS}ms",
            ),
            line(
                "db_pool",
                Level::Error,
                false,
                "{instance} request {id} failed: timed out waiting for a connection to {dep:database}, all in use",
            ),
            line(
                "db_refused",
                Level::Error,
                false,
                "{instance} request {id} failed: connection to {dep:database} refused",
            ),
            line(
                "db_readonly",
                Level::Error,
                false,
                "{instance} order {id} not saved: {dep:database} does not accept writes",
            ),
            line(
                "db_disk",
                Level::Error,
                false,
                "{instance} order {id} not saved: {dep:database} could not extend file, no space left",
            ),
            line(
                "db_cancelled",
                Level::Error,
                false,
                "{instance} query for request {id} was cancelled by {dep:database}: statement timeout",
            ),
            line(
                "cache_refused",
                Level::Error,
                false,
                "{instance} cache lookup failed: {CACHE_HOST} refused the connection, asking the database",
            ),
            line(
                "cache_host",
                Level::Error,
                false,
                "{instance} cache lookup failed: {CACHE_HOST} did not answer within 250ms, asking the database",
            ),
            line(
                "cache_auth",
                Level::Error,
                false,
                "{instance} cache lookup failed: {CACHE_HOST} says NOAUTH, asking the database",
            ),
            line(
                "cache_off",
                Level::Warn,
                false,
                "{instance} cache layer is switched off, read for product:{id} went to {dep:database}",
            ),
            line(
                "publish_timeout",
                Level::Error,
                false,
                "{instance} checkout {id} failed: {dep:queue} did not confirm within {QUEUE_PUBLISH_TIMEOUT_MS}ms",
            ),
            line(
                "publish_refused",
                Level::Error,
                false,
                "{instance} checkout {id} failed: {dep:queue} refused the connection",
            ),
            line(
                "queue_full",
                Level::Error,
                false,
                "{instance} 503 request {id} dropped: all {MAX_WORKERS} workers busy and the backlog is full",
            ),
            line(
                "saturated",
                Level::Warn,
                false,
                "{instance} all {MAX_WORKERS} workers busy, {20..160} requests waiting",
            ),
            line(
                "rate_limited",
                Level::Warn,
                false,
                "{instance} 429 for user={user}: over {RATE_LIMIT_RPS} requests per second",
            ),
            line(
                "worker_exit",
                Level::Error,
                false,
                "{instance} worker pid {2000..31000} exited with signal 11, supervisor gave up respawning it",
            ),
            line(
                "oom_kill",
                Level::Error,
                false,
                "{instance} worker pid {2000..31000} killed: out of memory (heap 3.{1..9}GB)",
            ),
            line("gc", Level::Warn, false, "{instance} collection pause of {400..1900}ms, heap nearly full"),
            line(
                "client_abort",
                Level::Error,
                false,
                "{instance} export {id} aborted: peer closed the connection after long silence, report was still being built",
            ),
            line(
                "cache_slow",
                Level::Warn,
                false,
                "{instance} cache miss for product:{id}, loading it took {700..2900}ms",
            ),
            line(
                "unhandled",
                Level::Error,
                false,
                "{instance} 500 request {id}: unhandled {KeyError 'price_tier'|TypeError in totals.apply|IndexError in cart.merge} in code of this build",
            ),
            line(
                "hedged",
                Level::Warn,
                false,
                "{instance} query of request {id} sent again after {80..400}ms without an answer, attempt {2..5}; the first still runs",
            ),
            line(
                "stale",
                Level::Error,
                false,
                "{instance} request {id} failed: {dep:database} returned rows older than the session's last write",
            ),
            line(
                "db_astray",
                Level::Error,
                false,
                "{instance} request {id} failed: {dep:database} resolves to an address with no listener (cached answer, {2..9}h old)",
            ),
            line(
                "astray",
                Level::Error,
                false,
                "{instance} call failed: a host of this service's dependencies resolves to an address with no listener (cached answer, {2..9}h old)",
            ),
            line(
                "not_returned",
                Level::Warn,
                false,
                "{instance} pool: {12..60} connections to {dep:database} checked out for more than 600s, their requests ended long ago",
            ),
        ];
        LOGS
    }

    fn rules(&self) -> &'static [Rule] {
        const fn rule(
            name: &'static str,
            metric: &'static str,
            above: bool,
            threshold: f64,
            hold: u64,
            pages: bool,
        ) -> Rule {
            Rule { name, metric, above, threshold, hold, pages }
        }
        const RULES: &[Rule] = &[
            rule("down", "up", false, 0.49, 30, true),
            rule("error_rate", "error_rate", true, 0.03, 75, true),
            rule("checkout_errors", "checkout_error_rate", true, 0.06, 45, true),
            rule("rate_limited", "rate_limited_requests", true, 10.0, 45, true),
            rule("memory", "memory_used_pct", true, 90.0, 60, true),
            rule("worker_saturation", "worker_utilization_pct", true, 97.0, 75, true),
            rule("client_aborts", "client_abort_rate", true, 0.0004, 45, true),
            rule("latency", "p95_latency_ms", true, 2000.0, 75, true),
            rule("timeouts", "upstream_timeout_rate", true, 0.02, 60, true),
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
