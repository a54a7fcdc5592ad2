//! Scraping: the samples of a moment, and markers for series that are gone.

use std::collections::BTreeMap;

use cluster::{CallFigures, Cluster, Stamp};
use telemetry::{MetricMetadata, STALE, SeriesStore};

use crate::counters::Counters;
use crate::samples::{KnownSeries, Samples};
use crate::usage::ContainerUsage;
use crate::{cadvisor, kube_state, node, span_metrics};

/// What a scraper remembers between scrapes: which series each job had, and counters that only ever grow.
#[derive(Clone, Debug, Default)]
pub struct Scraper {
    seen: BTreeMap<&'static str, Vec<KnownSeries>>,
    counters: Counters,
    last: Option<i64>,
    last_calls: Option<i64>,
}

impl Scraper {
    /// Scrapes all jobs at the cluster's present moment into a store.
    pub fn scrape(&mut self, cluster: &Cluster, usage: &[ContainerUsage], store: &mut SeriesStore) {
        let now = cluster.now().0.div_euclid(1000);
        let seconds = self.last.map_or(0.0, |last| (now - last).max(0) as f64 / 1000.0);
        self.last = Some(now);
        let samples = kube_state::samples(self.begin(kube_state::JOB), cluster);
        self.write(samples, now, store);
        let samples = cadvisor::samples(self.begin(cadvisor::JOB), &mut self.counters, cluster, usage, seconds);
        self.write(samples, now, store);
        let samples = node::samples(self.begin(node::JOB), &mut self.counters, cluster, usage, seconds);
        self.write(samples, now, store);
    }

    /// Counts the calls between programs at a moment, and tells them as span metrics.
    pub fn scrape_calls(&mut self, calls: &[CallFigures], now: Stamp, store: &mut SeriesStore) {
        let now = now.0.div_euclid(1000);
        let seconds = self.last_calls.map_or(0.0, |last| (now - last).max(0) as f64 / 1000.0);
        self.last_calls = Some(now);
        let samples = span_metrics::samples(self.begin(span_metrics::JOB), &mut self.counters, calls, seconds);
        self.write(samples, now, store);
    }

    fn begin(&mut self, job: &'static str) -> Samples {
        Samples::after(job, self.seen.remove(job).unwrap_or_default())
    }

    fn write(&mut self, mut samples: Samples, now: i64, store: &mut SeriesStore) {
        for (name, (kind, help)) in &samples.described {
            let metadata = MetricMetadata { kind: (*kind).to_owned(), help: (*help).to_owned(), unit: String::new() };
            store.describe(*name, metadata);
        }
        for gone in samples.gone() {
            store.append(&gone, now, STALE);
        }
        let mut seen = Vec::with_capacity(samples.known.len() + samples.new.len());
        for (known, value) in samples.known {
            store.append_at(known.1, now, value);
            seen.push(known);
        }
        for (labels, value) in samples.new {
            let place = store.append(&labels, now, value);
            seen.push((labels, place));
        }
        self.seen.insert(samples.job, seen);
    }
}
