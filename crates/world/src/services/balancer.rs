//! A load balancer: connection slots in front of the instances of the services behind it.

mod model;
mod tables;

use super::{
    Hazard, Kind, Model, ModelSetup, Named, Occupancy, Overruled, Physics, Quirk, RelativeLoad, Rule, Template,
};
use crate::config;
use crate::flow::Reason;
use crate::growth::{Growth, Needs};
use crate::kind::{Repeated, Settle};
use crate::spec::{Op, ServiceSpec};
use model::BalancerModel;
use tables::{Gauge, Key, Log, Metric};

/// The kind.
pub struct Balancer;

impl Kind for Balancer {
    fn name(&self) -> &'static str {
        "balancer"
    }

    fn title(&self) -> &'static str {
        "load_balancer"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &[
            "load balancer",
            "loadbalancer",
            "balancer",
            "lb",
            "edge",
            "edge proxy",
            "proxy",
            "reverse proxy",
            "haproxy",
            "nginx",
            "ingress",
            "gateway",
            "elb",
            "alb",
        ]
    }

    fn tier(&self) -> u32 {
        0
    }

    fn keys(&self) -> &'static [config::Key] {
        Key::TABLE
    }

    fn params(&self) -> &'static [(&'static str, f64)] {
        // Seconds for which clients keep an idle connection; share of the clients that one backend is stuck with (0: clients
        // are too many and too short-lived to stick); own work in ms; whether backends answer any probe; whether the
        // shares are by weight, not by least connections; whether TLS ends here; whether bytes are sent while
        // nothing else is, so that no connection is ever idle; seconds between two checks of a backend; how many failures in a
        // row take it out and how many successes put it back; seconds that it has for a check which waits for a worker as
        // requests do (0: checks look at the process alone); seconds after which a refused connection is tried once more.
        &[
            ("keepalive_s", 2.9),
            ("stickiness", 0.9),
            ("overhead_ms", 3.0),
            ("any_probe", 0.0),
            ("weighted", 1.0),
            ("ends_tls", 1.0),
            ("pings", 0.0),
            ("check_s", 5.0),
            ("fall", 3.0),
            ("rise", 2.0),
            ("check_wait_s", 0.0),
            ("reconnect_s", 0.0),
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

    fn limit(&self, reason: Reason) -> Option<&'static str> {
        (reason == Reason::IdleReset).then_some("IDLE_TIMEOUT_MS")
    }

    fn rules(&self) -> &'static [Rule] {
        const RULES: &[Rule] = &[
            Rule::new("down", "up", false, 0.99, 30, true),
            Rule::new("no_healthy_backends", "healthy_backends", false, 1.0, 30, true),
            Rule::new("tls_errors", "tls_handshake_error_rate", true, 0.05, 30, true),
            Rule::new("connections_refused", "refused_connections_rate", true, 0.03, 60, true),
            Rule::new("edge_resets", "edge_reset_rate", true, 0.0004, 45, true),
            Rule::new("backend_5xx", "backend_5xx_rate", true, 0.03, 90, true),
            Rule::new("backend_skew", "backend_skew_pct", true, 60.0, 45, true),
            Rule::new("latency", "p95_latency_ms", true, 2500.0, 90, true),
            Rule::new("connections_high", "connection_utilization_pct", true, 85.0, 120, false),
        ];
        RULES
    }

    fn hazards(&self) -> &'static [Hazard] {
        &[Hazard::Descriptors, Hazard::Clock, Hazard::Canary, Hazard::Certificate]
    }

    fn upkeep(&self) -> &'static [&'static str] {
        &[
            "deploy proxy package {n} (security patches)",
            "deploy rules revision {n} (request headers)",
            "deploy rules revision {n} (redirects)",
            "deploy rules revision {n} (blocked networks)",
        ]
    }

    fn restart_secs(&self) -> u64 {
        10
    }

    fn grow(&self, service: &mut ServiceSpec, by: &Growth) -> Needs {
        service.scale_param("keepalive_s", by.keepalive);
        // What clients keep open without using it is nearly all of it; a patient edge keeps a little more.
        let held = 0.1 + 0.9 * by.keepalive;
        vec![("MAX_CONNECTIONS", by.size * held), ("IDLE_TIMEOUT_MS", by.long * by.heavy)]
    }

    fn quirks(&self) -> &'static [Quirk] {
        const QUIRKS: &[Quirk] = &[
            Quirk {
                key: "HEALTH_CHECK_PATH",
                values: &["/status", "/ready", "/livez", "/ping"],
                settle: Settle::Own(|s| s.set_param("any_probe", 1.0)),
                overruled: Some(Overruled {
                    by: ("any_probe", 1.0),
                    cause: "backends",
                    effect: "answer 200 on every path",
                    calling: None,
                }),
            },
            Quirk {
                key: "STICKY_SESSIONS",
                values: &["true"],
                settle: Settle::Own(|s| s.set_param("stickiness", 0.0)),
                overruled: Some(Overruled {
                    by: ("stickiness", 0.0),
                    cause: "CDN in front",
                    effect: "passes on no cookie, so no session is pinned",
                    calling: None,
                }),
            },
            Quirk {
                key: "WEB_WEIGHT_PRIMARY",
                values: &["0", "5", "12", "20", "30", "62", "70", "78", "85", "92", "97", "100"],
                settle: Settle::Own(|s| s.set_param("weighted", 0.0)),
                overruled: Some(Overruled {
                    by: ("weighted", 0.0),
                    cause: "backends",
                    effect: "take turns, weights are not used",
                    calling: None,
                }),
            },
            Quirk {
                key: "IDLE_TIMEOUT_MS",
                values: &["8000", "14000", "24000", "40000", "66000", "110000", "190000", "320000", "530000", "900000"],
                settle: Settle::Own(|s| s.set_param("pings", 1.0)),
                overruled: Some(Overruled {
                    by: ("pings", 1.0),
                    cause: "CDN in front",
                    effect: "keeps connections open with HTTP/2 pings, none is ever idle",
                    calling: None,
                }),
            },
            Quirk {
                key: "TLS_CERT_VALID",
                values: &["false"],
                settle: Settle::Own(|s| s.set_param("ends_tls", 0.0)),
                overruled: Some(Overruled {
                    by: ("ends_tls", 0.0),
                    cause: "CDN in front",
                    effect: "ends TLS, the certificate here is not presented",
                    calling: None,
                }),
            },
        ];
        QUIRKS
    }

    fn size(&self, service: &mut ServiceSpec, load: RelativeLoad) {
        service.set("MAX_CONNECTIONS", 2000.0 * load.held, 50.0, 20_000.0);
    }

    fn occupancy(&self, _: &Op, inner_ms: f64) -> Occupancy {
        // Clients keep their connection for a while after its use.
        Occupancy { held_ms: inner_ms + 2900.0, waited_ms: inner_ms }
    }
}

impl Physics for Balancer {
    fn model(&self, setup: &ModelSetup<'_>) -> Box<dyn Model> {
        Box::new(BalancerModel::new(setup))
    }
}
