//! What is scraped: the targets that Prometheus shows.

use cluster::Cluster;
use telemetry::Labels;
use telemetry::prometheus::{ScrapeTarget, TargetHealth};

use crate::usage::text;

/// The targets at the cluster's present moment: one for each job of the cluster, and two for every node.
pub(crate) fn scrape_targets(cluster: &Cluster) -> Vec<ScrapeTarget> {
    let now = cluster.now().0.div_euclid(1000);
    let mut targets = vec![target("kube-state-metrics", "kube-state-metrics:8080", now)];
    targets.push(target("otel-collector", "otel-collector:8889", now));
    for node in cluster.objects("nodes", None) {
        let name = text(node, "/metadata/name");
        targets.push(target("cadvisor", &format!("{name}:10250"), now));
        targets.push(target("node-exporter", &format!("{name}:9100"), now));
    }
    targets
}

fn target(job: &str, instance: &str, now: i64) -> ScrapeTarget {
    ScrapeTarget {
        pool: job.into(),
        discovered: Labels::new([("__address__", instance), ("job", job)]),
        labels: Labels::new([("instance", instance), ("job", job)]),
        url: format!("http://{instance}/metrics"),
        health: TargetHealth::Up,
        last_error: String::new(),
        last_scrape: now,
        last_duration: 0.004,
        interval: "15s".into(),
        timeout: "10s".into(),
    }
}
