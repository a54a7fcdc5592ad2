//! Warnings and hints that come with an answer.

use std::collections::BTreeMap;

use super::ast::Position;

/// At most this many of each kind are told; the rest is counted.
const SHOWN: usize = 10;

/// What an evaluation wants to say beside its values. Each text is told once.
#[derive(Clone, Debug, Default)]
pub struct Annotations {
    warnings: Vec<(String, Position)>,
    infos: Vec<(String, Position)>,
    monotonicity: BTreeMap<(String, usize), Monotonicity>,
}

/// How far buckets had to be bent so that they grow.
#[derive(Clone, Debug)]
pub(super) struct Monotonicity {
    pub lowest: f64,
    pub highest: f64,
    pub largest_difference: f64,
    pub samples: usize,
    pub first: i64,
    pub last: i64,
    pub position: Position,
}

impl Annotations {
    pub(super) fn warn(&mut self, text: impl Into<String>, position: Position) {
        add(&mut self.warnings, format!("PromQL warning: {}", text.into()), position);
    }

    pub(super) fn info(&mut self, text: impl Into<String>, position: Position) {
        add(&mut self.infos, format!("PromQL info: {}", text.into()), position);
    }

    /// Buckets were bent: one hint tells all of it.
    pub(super) fn bent(&mut self, metric: &str, found: Monotonicity) {
        let key = (metric.to_owned(), found.position.start);
        match self.monotonicity.get_mut(&key) {
            None => {
                self.monotonicity.insert(key, found);
            }
            Some(known) => {
                known.lowest = known.lowest.min(found.lowest);
                known.highest = known.highest.max(found.highest);
                known.largest_difference = known.largest_difference.max(found.largest_difference);
                known.samples += found.samples;
                known.first = known.first.min(found.first);
                known.last = known.last.max(found.last);
            }
        }
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.warnings.is_empty() && self.infos.is_empty() && self.monotonicity.is_empty()
    }

    /// The warnings, with their places in the query where one is given.
    pub fn warnings(&self, query: Option<&str>) -> Vec<String> {
        shown(&self.warnings, query, "warning")
    }

    /// The hints, with their places in the query where one is given.
    pub fn infos(&self, query: Option<&str>) -> Vec<String> {
        let mut all = self.infos.clone();
        for ((metric, _), bent) in &self.monotonicity {
            all.push((bent.text(metric), bent.position));
        }
        shown(&all, query, "info")
    }
}

impl Monotonicity {
    fn text(&self, metric: &str) -> String {
        let named =
            if metric.is_empty() { String::new() } else { format!(" for metric name {}", crate::go::quote(metric)) };
        let number = crate::go::number::general;
        format!(
            "PromQL info: input to histogram_quantile needed to be fixed for monotonicity (see \
             https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile){named}, from buckets \
             {} to {}, with a max diff of {}, over {} samples from {} to {}",
            number(self.lowest),
            number(self.highest),
            number(self.largest_difference),
            self.samples,
            crate::go::time::rfc3339_nanos(self.first * 1_000_000),
            crate::go::time::rfc3339_nanos(self.last * 1_000_000),
        )
    }
}

fn add(list: &mut Vec<(String, Position)>, text: String, position: Position) {
    if !list.iter().any(|(known, place)| *known == text && *place == position) {
        list.push((text, position));
    }
}

fn shown(list: &[(String, Position)], query: Option<&str>, kind: &str) -> Vec<String> {
    let mut out: Vec<String> = list
        .iter()
        .take(SHOWN)
        .map(|(text, position)| match query {
            Some(query) => format!("{text} ({})", position.in_query(query)),
            None => text.clone(),
        })
        .collect();
    if list.len() > SHOWN {
        out.push(format!("{} more {kind} annotations omitted", list.len() - SHOWN));
    }
    out
}
