//! Metrics as they are read.

use crate::band::Band;
use crate::kind::Sampled;
use crate::operator::View;
use crate::services::Unit;
use crate::time::{Span, Time};

/// One metric now, beside its usual value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Its name.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// The latest sample; `None` if it was lost.
    pub value: Option<f64>,
    /// The mean over the healthy past.
    pub usual: f64,
    /// Ten minutes ago.
    pub before: Option<f64>,
    /// Whether it is clearly not usual.
    pub unusual: bool,
}

impl<'w> View<'w> {
    /// All metrics of a service, now.
    pub fn metrics(self, service: usize) -> impl Iterator<Item = Reading> + 'w {
        let world = self.world;
        let info = &world.plan.services[service];
        let now = world.history.last();
        let before = world.history.newest_first(Time(0), world.now.back(Span::mins(10))).next();
        let metrics = info.kind.metrics().iter().zip(info.metrics.clone());
        metrics.zip(world.usual(service)).map(move |((metric, column), band)| {
            let sample =
                |row: Option<crate::history::Row<'_>>| row.map(|r| f64::from(r.cell(column))).filter(|v| !v.is_nan());
            let value = sample(now);
            Reading {
                name: metric.name,
                unit: metric.unit,
                value,
                usual: band.usual,
                before: sample(before),
                unusual: value.is_some_and(|v| band.unusual(v)),
            }
        })
    }

    /// How many metrics of a service are clearly not usual now: as [`View::metrics`] says, without what they were before, which
    /// would have to be worked out.
    pub fn unusual_now(self, service: usize) -> usize {
        let is_unusual = |(value, band): &(&f32, Band)| !value.is_nan() && band.unusual(f64::from(**value));
        self.latest(service).iter().zip(self.world.usual(service)).filter(is_unusual).count()
    }

    /// The metrics of a service that have a sample now, whether each is not usual beyond what chance does to samples, and whether it is
    /// so far from usual that it will still be so soon: without what they were before, which would have to be worked out.
    pub fn metrics_now(self, service: usize) -> impl Iterator<Item = (&'static str, bool, bool)> + 'w {
        let metrics = self.world.plan.services[service].kind.metrics().iter().zip(self.latest(service));
        metrics.zip(self.world.usual(service)).filter_map(move |((metric, value), band)| {
            let value = Some(f64::from(*value)).filter(|value| !value.is_nan())?;
            let (is_exact, is_clear) = (metric.sampled == Sampled::Exactly, band.clearly_unusual(value));
            Some((metric.name, is_clear || (is_exact && band.unusual(value)), is_clear))
        })
    }

    /// The latest samples of a service's metrics.
    fn latest(self, service: usize) -> &'w [f32] {
        let columns = self.world.plan.services[service].metrics.clone();
        self.world.history.last().map_or(&[], |row| row.metrics(service, columns))
    }

    /// The samples of one metric over a window, oldest first; `None` where a scrape was lost, and no
    /// series at all for a metric that the service does not have.
    pub fn series(self, service: usize, metric: &str, from: Time, to: Time) -> Option<Vec<(Time, Option<f64>)>> {
        let info = &self.world.plan.services[service];
        let at = info.kind.metrics().iter().position(|m| m.name == metric)?;
        let column = info.metrics.start + at;
        let rows = self.world.history.newest_first(from, to);
        let mut samples: Vec<_> =
            rows.map(|r| (r.time, Some(f64::from(r.cell(column))).filter(|v| !v.is_nan()))).collect();
        samples.reverse();
        Some(samples)
    }

    /// Whether a value of a metric is clearly not usual.
    pub fn unusual(self, service: usize, metric: &str, value: f64) -> bool {
        let info = &self.world.plan.services[service];
        let at = info.kind.metrics().iter().position(|m| m.name == metric);
        at.and_then(|m| self.world.usual(service).nth(m)).is_some_and(|band| band.unusual(value))
    }
}
