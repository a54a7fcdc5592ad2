//! Tables with names. A kind lists its keys, metrics and log lines once; each row has a name in code, so
//! that a row which is put in between moves no neighbour, and one that nothing uses is a warning.

use super::{Gauge, Metric};
use crate::config::{self, Value};
use crate::fleet::Instance;
use crate::settings::{RevisionId, ServiceSettings};

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

/// What the instances of a service run with: one set of values for each revision in use, that of the oldest
/// instance first. Without instances it is what the template has rolled out.
pub struct InUse<'a>(Vec<Values<'a>>);

impl<'a> InUse<'a> {
    pub(crate) fn of(settings: &'a ServiceSettings, instances: &[Instance]) -> InUse<'a> {
        let values = |revision: RevisionId, instances: usize| {
            let values = settings.running(revision).collect();
            Values { revision, instances, values }
        };
        let mut all: Vec<Values<'a>> = Vec::with_capacity(1);
        for instance in instances {
            match all.iter_mut().find(|v| v.revision == instance.revision) {
                Some(alike) => alike.instances += 1,
                None => all.push(values(instance.revision, 1)),
            }
        }
        if all.is_empty() {
            all.push(values(RevisionId::TEMPLATE, 0));
        }
        InUse(all)
    }

    /// The set of the oldest instance: for physics that knows the service as a whole only.
    pub(crate) fn oldest(&self) -> &Values<'a> {
        &self.0[0]
    }

    /// All sets: for physics that tells instances apart.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Values<'a>> {
        self.0.iter()
    }
}

/// The values of one revision, by key.
pub struct Values<'a> {
    /// Which.
    pub revision: RevisionId,
    /// How many instances run with it.
    pub instances: usize,
    values: Vec<&'a Value>,
}

impl<'a> Values<'a> {
    pub(crate) fn get(&self, key: impl Named<Row = config::Key>) -> &'a Value {
        self.values[key.place()]
    }
}

/// Where a service puts its metrics when it is scraped.
pub struct Samples<'a> {
    cells: &'a mut [f32],
    /// The metrics that are asked for, one bit for each.
    wanted: u32,
}

impl<'a> Samples<'a> {
    /// Cells in the order of the kind's metrics.
    pub(crate) fn new(cells: &'a mut [f32]) -> Samples<'a> {
        Samples { cells, wanted: u32::MAX }
    }

    /// The same where only some are asked for, one bit for each: the others may be left as they are.
    pub(crate) fn only(cells: &'a mut [f32], wanted: u32) -> Samples<'a> {
        Samples { cells, wanted }
    }

    #[inline]
    pub(crate) fn set(&mut self, metric: impl Named<Row = Metric>, value: f64) {
        self.cells[metric.place()] = value as f32;
    }

    /// The same for a value that costs something to work out.
    #[inline]
    pub(crate) fn set_if_wanted(&mut self, metric: impl Named<Row = Metric>, value: impl FnOnce() -> f64) {
        if self.wanted >> metric.place() & 1 == 1 {
            self.set(metric, value());
        }
    }
}

/// Where a service puts its gauges when it is scraped.
pub struct Gauges<'a>(&'a mut [f32]);

impl<'a> Gauges<'a> {
    /// Cells in the order of the kind's gauges.
    pub(crate) fn new(cells: &'a mut [f32]) -> Gauges<'a> {
        Gauges(cells)
    }

    #[inline]
    pub(crate) fn set(&mut self, gauge: impl Named<Row = Gauge>, value: f64) {
        self.0[gauge.place()] = value as f32;
    }
}
