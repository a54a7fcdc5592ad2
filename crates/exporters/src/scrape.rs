//! Scraping: the samples of a moment, and markers for series that are gone.

use std::collections::{BTreeMap, BTreeSet};

use cluster::Cluster;
use telemetry::{Labels, METRIC_NAME, MetricMetadata, STALE, SeriesStore};

use crate::{ContainerUsage, cadvisor, kube_state, node};

/// Gathers the samples of a job at a moment.
pub(crate) struct Samples {
    job: &'static str,
    list: Vec<(Labels, f64)>,
    described: BTreeMap<&'static str, (&'static str, &'static str)>,
}

impl Samples {
    pub fn new(job: &'static str) -> Self {
        Self { job, list: Vec::new(), described: BTreeMap::new() }
    }

    /// Says what a metric is.
    pub fn describe(&mut self, name: &'static str, kind: &'static str, help: &'static str) {
        self.described.insert(name, (kind, help));
    }

    /// Adds a sample; labels without a value are left out.
    pub fn add(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let all = [(METRIC_NAME, name), ("job", self.job)].into_iter().chain(labels.iter().copied());
        self.list.push((Labels::new(all), value));
    }
}

/// What a scraper remembers between scrapes: which series each job had, and counters that only ever grow.
#[derive(Clone, Debug, Default)]
pub struct Scraper {
    seen: BTreeMap<&'static str, BTreeSet<Labels>>,
    /// CPU seconds by namespace, pod, container and attempt.
    pub(crate) cpu: BTreeMap<(String, String, String, u64), f64>,
    /// CPU seconds of nodes by name: busy and idle.
    pub(crate) node_cpu: BTreeMap<String, (f64, f64)>,
    last: Option<i64>,
}

impl Scraper {
    /// Scrapes all jobs at the cluster's present moment into a store.
    pub fn scrape(&mut self, cluster: &Cluster, usage: &[ContainerUsage], store: &mut SeriesStore) {
        let now = cluster.now().0.div_euclid(1000);
        let seconds = self.last.map_or(0.0, |last| (now - last).max(0) as f64 / 1000.0);
        self.last = Some(now);
        for samples in [
            kube_state::samples(cluster),
            cadvisor::samples(self, cluster, usage, seconds),
            node::samples(self, cluster, usage, seconds),
        ] {
            self.write(samples, now, store);
        }
    }

    fn write(&mut self, samples: Samples, now: i64, store: &mut SeriesStore) {
        for (name, (kind, help)) in &samples.described {
            let metadata = MetricMetadata { kind: (*kind).to_owned(), help: (*help).to_owned(), unit: String::new() };
            store.describe(*name, metadata);
        }
        let present: BTreeSet<Labels> = samples.list.iter().map(|(labels, _)| labels.clone()).collect();
        let before = self.seen.insert(samples.job, present.clone()).unwrap_or_default();
        for gone in before.difference(&present) {
            store.append(gone, now, STALE);
        }
        for (labels, value) in samples.list {
            store.append(&labels, now, value);
        }
    }
}
