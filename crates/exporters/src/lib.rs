//! Metrics of a simulated cluster: what kube-state-metrics, cAdvisor and node_exporter would tell of it, scraped into a
//! store of series, and the alert rules that stand on them.
//!
//! No IO and no clock: a scrape is a function of the cluster's objects, the use of its containers and the last scrape.

mod cadvisor;
mod kube_state;
mod node;
mod rules;
mod scrape;
mod usage;

pub use rules::alert_rules;
pub use scrape::Scraper;
pub use usage::{ContainerUsage, container_usage};
