//! Scraping: the samples of a moment, and markers for series that are gone.

use std::collections::{BTreeMap, BTreeSet};

use cluster::{CallFigures, Cluster, Stamp};
use telemetry::{Labels, MetricMetadata, STALE, SeriesStore};

use crate::counters::Counters;
use crate::samples::Samples;
use crate::usage::ContainerUsage;
use crate::{cadvisor, kube_state, node, span_metrics};

/// What a scraper remembers between scrapes: which series each job had, and counters that only ever grow.
#[derive(Clone, Debug, Default)]
pub struct Scraper {
    seen: BTreeMap<&'static str, BTreeSet<Labels>>,
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
        for samples in [
            kube_state::samples(cluster),
            cadvisor::samples(&mut self.counters, cluster, usage, seconds),
            node::samples(&mut self.counters, cluster, usage, seconds),
        ] {
            self.write(samples, now, store);
        }
    }

    /// Counts the calls between programs at a moment, and tells them as span metrics.
    pub fn scrape_calls(&mut self, calls: &[CallFigures], now: Stamp, store: &mut SeriesStore) {
        let now = now.0.div_euclid(1000);
        let seconds = self.last_calls.map_or(0.0, |last| (now - last).max(0) as f64 / 1000.0);
        self.last_calls = Some(now);
        let samples = span_metrics::samples(&mut self.counters, calls, seconds);
        self.write(samples, now, store);
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
