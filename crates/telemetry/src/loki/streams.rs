//! Log streams: lines of one label set, sorted by time.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::labels::Labels;
use crate::logql::Entry;
use crate::logql::ast::LogQuery;
use crate::matcher::Matcher;

use super::detect::{detected_level, service_name};

/// A line as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLine {
    /// Nanoseconds.
    pub time: i64,
    /// The text.
    pub line: String,
    /// Labels of the line alone, the detected level among them.
    pub metadata: Vec<(String, String)>,
}

/// The lines of a label set.
#[derive(Clone, Debug, Default)]
pub struct LogStream {
    lines: Vec<StoredLine>,
}

impl LogStream {
    /// All lines, oldest first.
    pub fn lines(&self) -> &[StoredLine] {
        &self.lines
    }

    /// The lines from a moment to another, which is not included.
    pub fn between(&self, start: i64, end: i64) -> &[StoredLine] {
        let low = self.lines.partition_point(|l| l.time < start);
        let high = self.lines.partition_point(|l| l.time < end);
        &self.lines[low..high.max(low)]
    }
}

/// All streams. Clones share every stream that they did not change.
#[derive(Clone, Debug, Default)]
pub struct LogStore {
    streams: BTreeMap<Labels, Arc<LogStream>>,
}

impl LogStore {
    /// Adds a line, with the level and the service that its text and labels tell.
    pub fn append(&mut self, labels: &Labels, time: i64, line: impl Into<String>) {
        self.append_with(labels, time, line.into(), Vec::new());
    }

    /// Adds a line that brings labels of its own.
    pub fn append_with(&mut self, labels: &Labels, time: i64, line: String, mut metadata: Vec<(String, String)>) {
        let mut named = labels.edit();
        if labels.find("service_name").is_none() {
            named.set("service_name", service_name(labels));
        }
        if !metadata.iter().any(|(name, _)| name == "detected_level") {
            metadata.push(("detected_level".to_owned(), detected_level(&line, labels, &metadata).to_owned()));
        }
        metadata.sort();
        let stream = Arc::make_mut(self.streams.entry(named.finish()).or_default());
        // Lines of one moment keep the order in which they came.
        let at = stream.lines.partition_point(|l| l.time <= time);
        stream.lines.insert(at, StoredLine { time, line, metadata });
    }

    /// All streams, sorted by labels.
    pub fn streams(&self) -> impl Iterator<Item = (&Labels, &LogStream)> {
        self.streams.iter().map(|(labels, stream)| (labels, &**stream))
    }

    /// The streams that all matchers fit.
    pub fn select<'s>(&'s self, matchers: &'s [Matcher]) -> impl Iterator<Item = (&'s Labels, &'s LogStream)> {
        self.streams().filter(|(labels, _)| matchers.iter().all(|m| m.fits(labels)))
    }

    /// The lines that a query's selector and first filters let pass, from a moment to another, which is not included;
    /// oldest first.
    pub(crate) fn entries(&self, log: &LogQuery, start: i64, end: i64) -> Vec<Entry> {
        let mut out: Vec<Entry> = Vec::new();
        for (labels, stream) in self.select(&log.matchers) {
            let lines = stream.between(start, end).iter().filter(|l| log.may_pass(&l.line));
            out.extend(lines.map(|l| Entry::new(l.time, &l.line, labels, &l.metadata)));
        }
        out.sort_by_key(|e| e.time);
        out
    }

    /// How many lines there are.
    pub fn line_count(&self) -> usize {
        self.streams.values().map(|s| s.lines.len()).sum()
    }

    /// Forgets lines before a moment, and streams that have none left.
    pub fn forget_before(&mut self, moment: i64) {
        self.streams.retain(|_, stream| {
            let from = stream.lines.partition_point(|l| l.time < moment);
            if from > 0 {
                Arc::make_mut(stream).lines.drain(..from);
            }
            !stream.lines.is_empty()
        });
    }
}
