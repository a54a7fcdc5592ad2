//! A load balancer: connection slots in front of the instances of the services behind it.

mod model;
mod tables;

use super::{Hazard, Kind, Model, ModelSetup, Named, Occupancy, RelativeLoad, Rule, Template};
use crate::config;
use crate::spec::{Op, ServiceSpec};
use model::BalancerModel;
use tables::{Key, Log, Metric};

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
        &[("keepalive_s", 2.9), ("stickiness", 0.9), ("overhead_ms", 3.0)]
    }

    fn metrics(&self) -> &'static [super::Metric] {
        Metric::TABLE
    }

    fn logs(&self) -> &'static [Template] {
        Log::TABLE
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

    fn model(&self, setup: &ModelSetup<'_>) -> Box<dyn Model> {
        Box::new(BalancerModel::new(setup))
    }

    fn restart_secs(&self) -> u64 {
        10
    }

    fn size(&self, service: &mut ServiceSpec, load: RelativeLoad) {
        service.set("MAX_CONNECTIONS", 2000.0 * load.held, 50.0, 20_000.0);
    }

    fn occupancy(&self, _: &Op, inner_ms: f64) -> Occupancy {
        // Clients keep their connection for a while after its use.
        Occupancy { held_ms: inner_ms + 2900.0, waited_ms: inner_ms }
    }
}
