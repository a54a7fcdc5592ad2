//! The samples of a job at a moment.

use std::collections::{BTreeMap, BTreeSet};

use telemetry::{Labels, METRIC_NAME, SeriesPlace};

/// A series that a job had at its last scrape.
pub(crate) type KnownSeries = (Labels, SeriesPlace);

/// So far ahead the series of the last scrape are looked through: a pod that is gone has fewer.
const AHEAD: usize = 256;

/// Gathers the samples of a job at a moment. Exporters tell series in the same order each time, so that labels are not made
/// anew but found behind the last one that was found.
pub(crate) struct Samples {
    pub(crate) job: &'static str,
    pub(crate) known: Vec<(KnownSeries, f64)>,
    pub(crate) new: Vec<(Labels, f64)>,
    pub(crate) described: BTreeMap<&'static str, (&'static str, &'static str)>,
    before: Vec<KnownSeries>,
    at: usize,
    missed: Vec<Labels>,
}

impl Samples {
    /// The samples of a job that had these series before.
    pub(crate) fn after(job: &'static str, before: Vec<KnownSeries>) -> Self {
        let (known, new) = (Vec::with_capacity(before.len()), Vec::new());
        Self { job, known, new, described: BTreeMap::new(), before, at: 0, missed: Vec::new() }
    }

    /// Says what a metric is.
    pub(crate) fn describe(&mut self, name: &'static str, kind: &'static str, help: &'static str) {
        self.described.insert(name, (kind, help));
    }

    /// Adds a sample; labels without a value are left out.
    pub(crate) fn add(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let rest = &self.before[self.at..];
        let own = [("job", self.job)];
        let pairs = || own.iter().chain(labels).copied();
        match rest.iter().take(AHEAD).position(|(known, _)| is_same(known, name, pairs())) {
            Some(skipped) => {
                self.missed.extend(rest[..skipped].iter().map(|(labels, _)| labels.clone()));
                self.known.push((rest[skipped].clone(), value));
                self.at += skipped + 1;
            }
            None => self.new.push((Labels::new([(METRIC_NAME, name)].into_iter().chain(pairs())), value)),
        }
    }

    /// The series that there were before and are no more.
    pub(crate) fn gone(&mut self) -> Vec<Labels> {
        let rest = self.before[self.at..].iter().map(|(labels, _)| labels.clone());
        let new: BTreeSet<&Labels> = self.new.iter().map(|(labels, _)| labels).collect();
        std::mem::take(&mut self.missed).into_iter().chain(rest).filter(|labels| !new.contains(labels)).collect()
    }
}

/// Whether labels are a name and these pairs, none of which is given twice.
fn is_same<'p>(known: &Labels, name: &str, pairs: impl Iterator<Item = (&'p str, &'p str)>) -> bool {
    if known.metric_name() != name {
        return false;
    }
    let mut count = 1;
    for (label, value) in pairs.filter(|(_, value)| !value.is_empty()) {
        count += 1;
        if known.find(label) != Some(value) {
            return false;
        }
    }
    count == known.len()
}
