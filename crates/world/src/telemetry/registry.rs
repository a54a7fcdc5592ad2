//! Which series there are: their names and labels, when they began and whether they have ended. A world begins
//! with those of its blueprint; others may appear and end while it runs.

use std::sync::Arc;

use crate::blueprint::Blueprint;
use crate::fleet::InstanceId;
use crate::operator::View;
use crate::services::Unit;
use crate::time::Time;
use crate::world::World;

/// A series: its column in a row of history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeriesId(pub usize);

/// One series, as those who query see it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesInfo {
    /// Its name.
    pub name: &'static str,
    /// What it is about: `service`, `route`, `instance`, `template`, in this order.
    pub labels: Vec<(&'static str, Arc<str>)>,
    /// Its unit.
    pub unit: Unit,
    /// Since when it is scraped.
    pub born: Time,
    /// Since when it is not any more.
    pub ended: Option<Time>,
    /// Where its samples come from, beside the physics of the services.
    pub(crate) source: SampleSource,
}

/// Where samples come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SampleSource {
    /// The physics of a service, or what users felt.
    Physics,
    /// Whether an instance runs.
    Up(InstanceId),
}

/// All series of a world, by column: those of its blueprint, then those that appeared later.
#[derive(Clone, Copy, Debug)]
pub struct SeriesRegistry<'w> {
    first: &'w [SeriesInfo],
    later: &'w [SeriesInfo],
}

/// The series of a blueprint, in the order of its columns.
pub(crate) fn series_of(plan: &Blueprint) -> Arc<[SeriesInfo]> {
    let series = |name, unit, labels| SeriesInfo {
        name,
        labels,
        unit,
        born: Time(0),
        ended: None,
        source: SampleSource::Physics,
    };
    let mut all = Vec::with_capacity(plan.width);
    for route in &plan.routes {
        let names = [("route_requests", Unit::Count), ("route_failed", Unit::Count), ("route_slow", Unit::Count)];
        let of_route = || vec![("route", route.name.clone())];
        all.extend(names.into_iter().map(|(name, unit)| series(name, unit, of_route())));
        all.push(series("route_p95_latency_ms", Unit::Millis, of_route()));
    }
    for service in &plan.services {
        let of_service = || vec![("service", service.name.clone())];
        all.extend(service.kind.metrics().iter().map(|m| series(m.name, m.unit, of_service())));
        let line = |template: &str| {
            let mut labels = of_service();
            labels.push(("template", template.into()));
            series("log_lines", Unit::Count, labels)
        };
        all.extend(service.own_templates().map(|template| line(template.name)));
        // One cell holds all lines of the platform.
        all.push(line("platform"));
    }
    assert_eq!(all.len(), plan.width, "every column is a series");
    all.into()
}

impl<'w> SeriesRegistry<'w> {
    /// All series that ever were, with their ids.
    pub fn iter(self) -> impl Iterator<Item = (SeriesId, &'w SeriesInfo)> {
        self.first.iter().chain(self.later).enumerate().map(|(at, info)| (SeriesId(at), info))
    }

    /// What is known of a series.
    pub fn get(self, id: SeriesId) -> Option<&'w SeriesInfo> {
        self.first.get(id.0).or_else(|| self.later.get(id.0.checked_sub(self.first.len())?))
    }

    /// How many columns a row has.
    pub fn width(self) -> usize {
        self.first.len() + self.later.len()
    }
}

impl World {
    /// A series that tells whether an instance runs appears.
    pub(crate) fn begin_series(&mut self, instance: InstanceId) {
        let Some(there) = self.fleet.get(instance) else { return };
        let service = &self.plan.services[there.service].name;
        let name = format!("{service}-{}", there.ordinal);
        let labels = vec![("service", service.clone()), ("instance", name.into())];
        let info = SeriesInfo {
            name: "up",
            labels,
            unit: Unit::Count,
            born: self.now,
            ended: None,
            source: SampleSource::Up(instance),
        };
        Arc::make_mut(&mut self.later_series).push(info);
        self.row.push(f32::NAN);
    }

    /// The series of an instance end: their last value is no value of now.
    pub(crate) fn end_series(&mut self, instance: InstanceId) {
        let now = self.now;
        let its = |s: &&mut SeriesInfo| s.source == SampleSource::Up(instance) && s.ended.is_none();
        if self.live_series().any(|(_, s)| s.source == SampleSource::Up(instance)) {
            Arc::make_mut(&mut self.later_series).iter_mut().filter(its).for_each(|s| s.ended = Some(now));
        }
    }

    /// Samples the series that the blueprint does not have.
    pub(crate) fn sample_later_series(&mut self) {
        if self.later_series.is_empty() {
            return;
        }
        self.row[self.plan.width..].fill(f32::NAN);
        for (at, info) in self.later_series.iter().enumerate().filter(|(_, info)| info.ended.is_none()) {
            if let SampleSource::Up(instance) = info.source {
                let up = self.fleet.get(instance).is_some_and(|i| i.process.up());
                self.row[self.plan.width + at] = f32::from(u8::from(up));
            }
        }
    }

    /// Series that came after the blueprint's and have not ended, by column.
    pub(crate) fn live_series(&self) -> impl Iterator<Item = (usize, &SeriesInfo)> {
        let later = self.later_series.iter().enumerate().filter(|(_, info)| info.ended.is_none());
        later.map(|(at, info)| (self.plan.width + at, info))
    }
}

impl<'w> View<'w> {
    /// All series that ever were.
    pub fn registry(self) -> SeriesRegistry<'w> {
        SeriesRegistry { first: self.world.plan.series(), later: &self.world.later_series }
    }

    /// The samples of a series over a window, oldest first: none from before it began and after it ended, `None`
    /// where a scrape was lost.
    pub fn samples(self, id: SeriesId, from: Time, to: Time) -> Vec<(Time, Option<f64>)> {
        let Some(info) = self.registry().get(id) else { return Vec::new() };
        let lives = |time: Time| time > info.born && info.ended.is_none_or(|end| time <= end);
        let rows = self.world.history.newest_first(from, to).filter(|row| lives(row.time));
        let mut samples: Vec<_> = rows.map(|row| (row.time, row.sample(id.0))).collect();
        samples.reverse();
        samples
    }
}
