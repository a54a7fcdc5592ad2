//! Prometheus, Loki, Jaeger and Alertmanager beside a cluster: they watch it as time passes and answer their clients.

use std::time::Duration;

use cluster::{Cluster, Programs, Stamp};
use telemetry::alertmanager::{Alertmanager, AlertmanagerConfig, HeldAlert};
use telemetry::jaeger::Jaeger;
use telemetry::loki::Loki;
use telemetry::prometheus::Prometheus;
use telemetry::rules::AlertState;
use telemetry::{TelemetryRequest, TelemetryResponse};

use crate::collect::LogCollector;
use crate::rules::alert_rules;
use crate::scrape::Scraper;
use crate::targets::scrape_targets;
use crate::traces::Tracer;
use crate::usage::container_usage;

/// Series are scraped, lines collected and rules looked at this often.
pub const SCRAPE_SECONDS: i64 = 15;

/// One of the four servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservabilityServer {
    /// Series and rules.
    Prometheus,
    /// Lines of containers.
    Loki,
    /// Traces.
    Jaeger,
    /// Alerts and silences.
    Alertmanager,
}

impl ObservabilityServer {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 4] = [Self::Prometheus, Self::Loki, Self::Jaeger, Self::Alertmanager];

    /// Its name, as in the paths under one address.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prometheus => "prometheus",
            Self::Loki => "loki",
            Self::Jaeger => "jaeger",
            Self::Alertmanager => "alertmanager",
        }
    }
}

/// The four servers, and what they remember between two looks at the cluster.
#[derive(Clone, Debug)]
pub struct Observatory {
    pub(crate) prometheus: Prometheus,
    pub(crate) loki: Loki,
    pub(crate) jaeger: Jaeger,
    pub(crate) alertmanager: Alertmanager,
    scraper: Scraper,
    collector: LogCollector,
    tracer: Tracer,
    next: Stamp,
}

impl Observatory {
    /// Servers that start at a moment and know nothing yet.
    pub fn new(now: Stamp) -> Self {
        let mut prometheus =
            Prometheus { started: millis(now), now: millis(now), evaluation_interval: 30_000, ..Prometheus::default() };
        prometheus.rules.groups = alert_rules();
        Self {
            prometheus,
            loki: Loki::default(),
            jaeger: Jaeger::default(),
            alertmanager: Alertmanager::new(AlertmanagerConfig::default(), nanos(now)),
            scraper: Scraper::default(),
            collector: LogCollector::default(),
            tracer: Tracer::default(),
            next: now,
        }
    }

    /// Lets time pass in the cluster and watches it meanwhile.
    pub fn advance(&mut self, cluster: &mut Cluster, programs: &mut dyn Programs, to: Stamp) {
        while self.next <= to {
            if self.next > cluster.now() {
                cluster.advance(programs, self.next);
            }
            self.look(cluster, programs);
            self.next = cluster.now().after_secs(SCRAPE_SECONDS);
        }
        if to > cluster.now() {
            cluster.advance(programs, to);
        }
        self.set_time(to);
    }

    /// Looks at the cluster if it is time to: for those who let time pass themselves.
    pub fn look_if_due(&mut self, cluster: &mut Cluster, programs: &mut dyn Programs) {
        if self.next <= cluster.now() {
            self.look(cluster, programs);
            self.next = cluster.now().after_secs(SCRAPE_SECONDS);
        }
    }

    /// When it looks at the cluster next.
    pub fn next_look(&self) -> Stamp {
        self.next
    }

    fn look(&mut self, cluster: &mut Cluster, programs: &mut dyn Programs) {
        let now = cluster.now();
        let usage = container_usage(cluster, programs);
        self.scraper.scrape(cluster, &usage, &mut self.prometheus.store);
        let calls = programs.calls();
        self.scraper.scrape_calls(&calls, now, &mut self.prometheus.store);
        self.tracer.trace(&calls, now, Duration::from_secs(SCRAPE_SECONDS.unsigned_abs()), &mut self.jaeger.store);
        self.collector.collect(cluster, programs, &mut self.loki.store);
        self.prometheus.targets = scrape_targets(cluster);
        let Prometheus { rules, store, evaluation_interval, .. } = &mut self.prometheus;
        rules.evaluate(store, millis(now), *evaluation_interval);
        self.set_time(now);
        self.send_alerts();
    }

    /// What fires goes to Alertmanager, as Prometheus sends it.
    fn send_alerts(&mut self) {
        let now = self.alertmanager.now;
        for alert in self.prometheus.rules.active().filter(|alert| alert.state == AlertState::Firing) {
            self.alertmanager.receive(HeldAlert {
                labels: alert.labels.clone(),
                annotations: alert.annotations.clone(),
                starts_at: alert.fired_at.unwrap_or(alert.active_at) * 1_000_000,
                // Unless it is sent again, it is over after four rounds of rules.
                ends_at: now + 120_000_000_000,
                updated_at: now,
                generator: String::new(),
            });
        }
    }

    /// Tells the servers what time it is.
    pub fn set_time(&mut self, now: Stamp) {
        self.prometheus.now = millis(now);
        self.loki.now = nanos(now);
        self.jaeger.now = now.0;
        self.alertmanager.now = nanos(now);
    }

    /// Answers a request to one of the servers.
    pub fn answer(&mut self, server: ObservabilityServer, request: &TelemetryRequest) -> TelemetryResponse {
        match server {
            ObservabilityServer::Prometheus => self.prometheus.answer(request),
            ObservabilityServer::Loki => self.loki.answer(request),
            ObservabilityServer::Jaeger => self.jaeger.answer(request),
            ObservabilityServer::Alertmanager => self.alertmanager.answer(request),
        }
    }
}

fn millis(now: Stamp) -> i64 {
    now.0.div_euclid(1000)
}

fn nanos(now: Stamp) -> i64 {
    now.0.saturating_mul(1000)
}
