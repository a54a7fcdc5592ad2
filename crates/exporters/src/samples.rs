//! The samples of a job at a moment.

use std::collections::BTreeMap;

use telemetry::{Labels, METRIC_NAME};

/// Gathers the samples of a job at a moment.
pub(crate) struct Samples {
    pub(crate) job: &'static str,
    pub(crate) list: Vec<(Labels, f64)>,
    pub(crate) described: BTreeMap<&'static str, (&'static str, &'static str)>,
}

impl Samples {
    pub(crate) fn new(job: &'static str) -> Self {
        Self { job, list: Vec::new(), described: BTreeMap::new() }
    }

    /// Says what a metric is.
    pub(crate) fn describe(&mut self, name: &'static str, kind: &'static str, help: &'static str) {
        self.described.insert(name, (kind, help));
    }

    /// Adds a sample; labels without a value are left out.
    pub(crate) fn add(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let all = [(METRIC_NAME, name), ("job", self.job)].into_iter().chain(labels.iter().copied());
        self.list.push((Labels::new(all), value));
    }
}
