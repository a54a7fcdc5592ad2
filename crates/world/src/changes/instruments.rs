//! Series that begin, end and are scraped differently.

use std::sync::Arc;

use crate::blueprint::{SampleSource, SeriesInfo};
use crate::fleet::InstanceId;
use crate::instruments::Series;
use crate::kind::Unit;
use crate::mutation::Mutation;
use crate::world::World;

impl World {
    /// Puts the series of a column into a state; gives the old one.
    pub(crate) fn set_series(&mut self, service: usize, metric: usize, series: Series) -> Mutation {
        let column = self.plan.services[service].metrics.start + metric;
        let at = self.instruments.iter().position(|(c, _)| *c == column);
        let old = at.map_or(Series::Sound, |at| self.instruments.remove(at).1);
        if series != Series::Sound {
            self.instruments.push((column, series));
        }
        Mutation::Series { service, metric, series: old }
    }

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
}
