//! Metrics of a simulated cluster: what kube-state-metrics, cAdvisor and node_exporter would tell of it, scraped into a
//! store of series, and the alert rules that stand on them. An [`Observatory`] is all of it beside a cluster: Prometheus,
//! Loki, Jaeger and Alertmanager.
//!
//! No IO and no clock: a scrape is a function of the cluster's objects, the use of its containers and the last scrape.

mod cadvisor;
mod collect;
mod counters;
mod kube_state;
mod node;
mod observatory;
mod rules;
mod samples;
mod scrape;
mod span_metrics;
mod targets;
mod tools;
mod traces;
mod usage;

pub use observatory::{ObservabilityServer, Observatory, SCRAPE_SECONDS};
pub use rules::alert_rules;
pub use scrape::Scraper;
pub use usage::{ContainerUsage, container_usage};
