//! Metrics of a simulated cluster: what kube-state-metrics, cAdvisor and node_exporter would tell of it, scraped into a
//! store of series, and the alert rules that stand on them. An [`Observatory`] is all of it beside a cluster: Prometheus,
//! Loki, Jaeger and Alertmanager. A [`ClusterCamera`] takes pictures of it for people.
//!
//! No IO and no clock: a scrape is a function of the cluster's objects, the use of its containers and the last scrape.

mod cadvisor;
mod camera;
mod collect;
mod counters;
mod kube_state;
mod node;
mod observatory;
mod picture;
mod rules;
mod samples;
mod scrape;
mod span_metrics;
mod targets;
mod tools;
mod traces;
mod usage;

pub use camera::{ClusterCamera, EventPicture, PICTURE_SECONDS};
pub use observatory::{ObservabilityServer, Observatory, SCRAPE_SECONDS};
pub use picture::{CallPicture, ClusterPicture, NodePicture, PodPicture};
pub use rules::alert_rules;
pub use scrape::Scraper;
pub use usage::{ContainerUsage, container_usage};
