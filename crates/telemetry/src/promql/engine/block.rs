//! Values of many series at many steps, in one piece of memory.

use std::collections::BTreeMap;
use std::ops::Deref;

use crate::labels::{Labels, METRIC_NAME, is_about_the_metric};
use crate::store::{STALE, SeriesStore, is_stale};

use super::EvalError;

/// What stands where a series has no value at a step.
pub(super) const ABSENT: f64 = STALE;

pub(super) fn is_absent(value: f64) -> bool {
    is_stale(value)
}

/// The moments at which an expression is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    pub start: i64,
    pub step: i64,
    pub count: usize,
}

impl Steps {
    pub fn times(self) -> impl Iterator<Item = i64> {
        (0..self.count).map(move |i| self.at(i))
    }

    pub fn at(self, i: usize) -> i64 {
        self.start + self.step * i as i64
    }

    pub fn last(self) -> i64 {
        self.at(self.count.saturating_sub(1))
    }
}

/// What an expression gives.
#[derive(Clone, Debug)]
pub(super) enum Evaluated<'s> {
    Scalar(Vec<f64>),
    Text(String),
    Vector(Block<'s>),
}

/// The labels of a row. Those of a stored series are only pointed at: a wide selection would spend most of its time on
/// counting who shares them.
#[derive(Clone, Debug)]
pub(super) enum RowLabels<'s> {
    /// Those of the series at a place of the store.
    Stored(&'s Labels, u32),
    /// Others.
    Own(Labels),
}

impl Deref for RowLabels<'_> {
    type Target = Labels;

    fn deref(&self) -> &Labels {
        match self {
            Self::Stored(labels, _) => labels,
            Self::Own(labels) => labels,
        }
    }
}

/// A series of a block.
#[derive(Clone, Debug)]
pub(super) struct Row<'s> {
    pub labels: RowLabels<'s>,
    /// The name is still there and no longer counts.
    pub nameless: bool,
}

impl<'s> Row<'s> {
    pub fn new(labels: Labels) -> Self {
        Self { labels: RowLabels::Own(labels), nameless: false }
    }

    /// The row of a stored series.
    pub fn stored(store: &'s SeriesStore, place: u32) -> Self {
        Self { labels: RowLabels::Stored(store.at(place).labels(), place), nameless: false }
    }

    /// Where the series is stored, if its labels are still those of the store.
    pub fn place(&self) -> Option<u32> {
        match self.labels {
            RowLabels::Stored(_, place) => Some(place),
            RowLabels::Own(_) => None,
        }
    }

    /// The labels as a user sees them.
    pub fn shown_labels(&self) -> Labels {
        if self.nameless { self.labels.without_name() } else { Labels::clone(&self.labels) }
    }

    /// The value of a label as functions see it; with delayed removal the name is seen until the end.
    pub fn get(&self, name: &str, delayed: bool) -> &str {
        if self.nameless && !delayed && is_about_the_metric(name) { "" } else { self.labels.get(name) }
    }

    /// The labels as functions see them.
    pub fn seen_labels(&self, delayed: bool) -> Labels {
        if self.nameless && !delayed { self.labels.without_name() } else { Labels::clone(&self.labels) }
    }
}

/// Rows of values, one per series, all of the same width.
#[derive(Clone, Debug, Default)]
pub(super) struct Block<'s> {
    pub rows: Vec<Row<'s>>,
    pub values: Vec<f64>,
    pub width: usize,
    /// All rows have the same metric name or none, so that dropping it makes no two rows alike.
    pub one_name: bool,
}

impl<'s> Block<'s> {
    pub fn new(width: usize) -> Self {
        Self { rows: Vec::new(), values: Vec::new(), width, one_name: true }
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..(i + 1) * self.width]
    }

    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.width..(i + 1) * self.width]
    }

    /// Adds a row without values and gives it back.
    pub fn push(&mut self, row: Row<'s>) -> &mut [f64] {
        self.rows.push(row);
        self.values.resize(self.rows.len() * self.width, ABSENT);
        let start = self.values.len() - self.width;
        &mut self.values[start..]
    }

    /// Drops the names of all rows; two rows may then be one series with values at different steps.
    pub fn without_names(mut self, delayed: bool) -> Result<Self, EvalError> {
        for row in &mut self.rows {
            row.nameless = true;
        }
        if self.one_name || delayed {
            return Ok(self);
        }
        self.merged()
    }

    /// Rows of equal labels become one, unless both have a value at the same step.
    pub fn merged(mut self) -> Result<Self, EvalError> {
        let mut places: BTreeMap<Labels, usize> = BTreeMap::new();
        let mut out = Self::new(self.width);
        let mut merged_any = false;
        for i in 0..self.rows.len() {
            let labels = self.rows[i].shown_labels();
            let Some(known) = places.get(&labels) else {
                places.insert(labels.clone(), out.rows.len());
                out.push(Row::new(labels)).copy_from_slice(self.row(i));
                continue;
            };
            merged_any = true;
            let target = out.row_mut(*known);
            for (place, value) in target.iter_mut().zip(&self.values[i * self.width..]) {
                if is_absent(*value) {
                    continue;
                }
                if !is_absent(*place) {
                    return Err(same_labels());
                }
                *place = *value;
            }
        }
        if merged_any {
            return Ok(out);
        }
        self.one_name = true;
        Ok(self)
    }

    /// What remains to be done at the end of a query.
    pub fn finished(self, delayed: bool) -> Result<Self, EvalError> {
        if delayed && self.rows.iter().any(|r| r.nameless && !r.labels.get(METRIC_NAME).is_empty()) {
            return self.merged();
        }
        Ok(self)
    }
}

pub(super) fn same_labels() -> EvalError {
    EvalError::Execution("vector cannot contain metrics with the same labelset".to_owned())
}
