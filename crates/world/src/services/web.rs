//! An application server: workers that are held while they wait for others, so that downstream
//! latency eats upstream capacity.

mod model;
mod tables;

use super::{
    Hazard, Kind, LookupKeys, Model, ModelSetup, Named, Overruled, Physics, Quirk, RelativeLoad, Role, Rule, Template,
};
use crate::config;
use crate::growth::{Growth, Needs};
use crate::kind::{Repeated, Settle};
use crate::spec::ServiceSpec;
use model::WebModel;
use tables::{Gauge, Key, Log, Metric};

/// Workers that fit into the memory of one instance.
const WORKERS: f64 = 42.0;

/// The kind.
pub struct Web;

impl Kind for Web {
    fn name(&self) -> &'static str {
        "web"
    }

    fn title(&self) -> &'static str {
        "web_server"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &[
            "web",
            "web server",
            "webserver",
            "web tier",
            "web app",
            "web node",
            "app",
            "app server",
            "application",
            "application server",
            "frontend",
            "front end",
            "storefront",
            "api server",
        ]
    }

    fn tier(&self) -> u32 {
        1
    }

    fn words(&self) -> &'static [&'static str] {
        &["checkout", "session renewed", "client reads slowly", "malformed input"]
    }

    fn keys(&self) -> &'static [config::Key] {
        Key::TABLE
    }

    fn params(&self) -> &'static [(&'static str, f64)] {
        // Requests that may wait at one instance; share of failed reads that are tried once more; unavoidable errors;
        // memory of a worker in MB; workers that one request takes; zones that each have the limit; whether a library
        // looks into the cache that does not know the switch.
        &[
            ("backlog", 160.0),
            ("retries", 0.5),
            ("bug_rate", 0.002),
            ("worker_mb", 28.0),
            ("threads", 1.0),
            ("zones", 1.0),
            ("reads_through", 0.0),
        ]
    }

    fn metrics(&self) -> &'static [super::Metric] {
        Metric::TABLE
    }

    fn logs(&self) -> &'static [Template] {
        Log::TABLE
    }

    fn gauges(&self) -> &'static [super::Gauge] {
        Gauge::TABLE
    }

    fn repeated(&self) -> &'static [Repeated] {
        &[]
    }

    fn answers_within(&self) -> Option<usize> {
        Some(Metric::P95LatencyMs.place())
    }

    fn deadline(&self, role: Role) -> Option<&'static str> {
        Some(if role == Role::Handover { "QUEUE_PUBLISH_TIMEOUT_MS" } else { "TIMEOUT_MS" })
    }

    fn lookup_keys(&self) -> Option<LookupKeys> {
        Some(LookupKeys { switch: "USE_CACHE", host: "CACHE_HOST", forced_by: "reads_through" })
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

    fn hazards(&self) -> &'static [Hazard] {
        &[
            Hazard::Workers,
            Hazard::Memory,
            Hazard::Descriptors,
            Hazard::Code,
            Hazard::Work,
            Hazard::Repeats,
            Hazard::Borrows,
            Hazard::Admission,
        ]
    }

    fn restart_secs(&self) -> u64 {
        20
    }

    fn grow(&self, service: &mut ServiceSpec, by: &Growth) -> Needs {
        service.scale_param("backlog", by.size);
        service.scale_param("worker_mb", 1.0 / by.size);
        service.scale_param("threads", by.threads);
        service.scale_param("zones", 1.0 / by.zoned);
        vec![
            ("MAX_WORKERS", by.size * by.threads),
            ("RATE_LIMIT_RPS", by.size * by.zoned),
            ("TIMEOUT_MS", by.heavy),
            ("QUEUE_PUBLISH_TIMEOUT_MS", by.confirm),
        ]
    }

    fn quirks(&self) -> &'static [Quirk] {
        const QUIRKS: &[Quirk] = &[
            Quirk::idle(
                "CACHE_HOST",
                &["cache-old.internal", "cache-2.internal", "cache-a.internal"],
                Settle::All("cache", |cache| cache.set_param("former_host", 1.0)),
            ),
            Quirk {
                key: "USE_CACHE",
                values: &["false"],
                settle: Settle::Own(|s| s.set_param("reads_through", 1.0)),
                overruled: Some(Overruled {
                    by: ("reads_through", 1.0),
                    cause: "storage library",
                    effect: "reads through the cache",
                    calling: Some(Role::Lookup),
                }),
            },
            Quirk::idle(
                "RATE_LIMIT_RPS",
                &["50", "90", "160", "280", "500", "900", "1600", "2800", "5000", "9000"],
                // Each client counts as a zone of its own.
                Settle::Own(|s| s.set_param("zones", 1e6)),
            ),
        ];
        QUIRKS
    }

    fn size(&self, service: &mut ServiceSpec, load: RelativeLoad) {
        service.staff("MAX_WORKERS", 80.0 * load.held, WORKERS);
        service.set("RATE_LIMIT_RPS", 600.0 * load.calls, 10.0, 20_000.0);
    }
}

impl Physics for Web {
    fn model(&self, setup: &ModelSetup<'_>) -> Box<dyn Model> {
        Box::new(WebModel::new(setup))
    }
}
