//! Tables with names. A kind lists its keys, metrics and log lines once; each row has a name in code, so
//! that a row which is put in between moves no neighbour, and one that nothing uses is a warning.

use super::Metric;
use crate::config::{self, Value};

/// A row of a kind's table, by name.
pub(crate) trait Named: Copy {
    /// What a row holds.
    type Row: 'static;
    /// All rows, in the order in which they are shown.
    const TABLE: &'static [Self::Row];

    /// The position of this row.
    fn place(self) -> usize;
}

/// A table: `enum Log of Template { Evict = warn("evict", "..."), ... }`.
macro_rules! table {
    ($(#[$meta:meta])* $vis:vis enum $Name:ident of $Row:ty { $($Variant:ident = $row:expr,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $Name {
            $($Variant),+
        }

        impl $crate::services::Named for $Name {
            type Row = $Row;
            const TABLE: &'static [$Row] = &[$($row),+];

            #[inline]
            fn place(self) -> usize {
                self as usize
            }
        }
    };
}

pub(crate) use table;

/// The values that a service runs with, by key.
pub struct Values<'a>(&'a [&'a Value]);

impl<'a> Values<'a> {
    /// Values in the order of the kind's keys.
    pub(crate) fn new(values: &'a [&'a Value]) -> Values<'a> {
        Values(values)
    }

    pub(crate) fn get(&self, key: impl Named<Row = config::Key>) -> &'a Value {
        self.0[key.place()]
    }
}

/// Where a service puts its metrics when it is scraped.
pub struct Samples<'a>(&'a mut [f32]);

impl<'a> Samples<'a> {
    /// Cells in the order of the kind's metrics.
    pub(crate) fn new(cells: &'a mut [f32]) -> Samples<'a> {
        Samples(cells)
    }

    #[inline]
    pub(crate) fn set(&mut self, metric: impl Named<Row = Metric>, value: f64) {
        self.0[metric.place()] = value as f32;
    }
}
