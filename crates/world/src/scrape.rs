//! What is scraped of a world: a row of samples, as the instruments show it.

use crate::blueprint::{CALL_COLUMNS, ROUTE_COLUMNS, SampleSource, SeriesInfo};
use crate::digest::with_cell;
use crate::flow::Flow;
use crate::instruments::Series;
use crate::moment::Moment;
use crate::noise::Noise;
use crate::sampling::{SampleDraws, sample_by_chance, sample_what_pages};
use crate::services::{CallTraffic, Gauges, OwnTime, Samples, Sight};
use crate::time::{SCRAPE, Span, Time};
use crate::world::World;

/// What is shown of a call, by column.
fn call_cells(flow: &Flow, own: OwnTime) -> [f32; CALL_COLUMNS.len()] {
    let Flow { offered, latency, delay, miss, .. } = *flow;
    let reason = flow.worst().map_or(0.0, |reason| f64::from(reason as u8 + 1));
    let (mean, deviation) = ((latency.mean + delay) * 1e3, latency.deviation() * 1e3);
    let OwnTime { work, wait } = own;
    let [work, work_deviation, wait, wait_deviation] =
        [work.mean, work.deviation(), wait.mean, wait.deviation()].map(|seconds| seconds * 1e3);
    [offered, flow.felt(), reason, mean, deviation, miss, work, work_deviation, wait, wait_deviation, delay * 1e3]
        .map(|value| value as f32)
}

impl World {
    /// Takes a row of samples, lets the alert rules look at it, and starts the next row.
    pub(crate) fn scrape(&mut self) {
        self.next_scrape = self.now + SCRAPE;
        if self.sketched {
            return self.scrape_sketch();
        }
        self.note_platform();
        // What instruments repeat and what appeared later is a matter of the rows before.
        if self.instruments.is_empty() && self.later_series.is_empty() {
            self.scrape_moment();
        } else {
            self.scrape_at_once();
        }
        self.begin_row();
    }

    /// Keeps what the row is worked out from where it is read. What may page is looked at now.
    fn scrape_moment(&mut self) {
        let moment = self.moment();
        if self.paging && self.page.is_none() {
            self.take_what_pages();
            self.watch(false);
            self.unwatched.others += 1;
        } else if self.paging {
            self.unwatched.paging += 1;
            self.unwatched.others += 1;
        }
        self.undigested += 1;
        self.history.push_moment(self.now, moment);
    }

    fn moment(&mut self) -> Moment {
        self.fill_row();
        let when = (self.seed, self.noise, self.now);
        Moment::take(&self.plan, when, &self.row[..self.plan.width], (&self.flows, &self.fleet))
    }

    /// Adds to what was counted how things stand now, chance and noise aside, and without what is worked out where it is read.
    fn fill_row(&mut self) {
        let (plan, traffic) = (&*self.plan, CallTraffic::Now(&self.flows));
        plan.routes.iter().for_each(|route| self.row[route.columns.end - 1] = 0.0);
        for (me, (info, model)) in plan.services.iter().zip(&self.models).enumerate() {
            let (metrics, sight) = (&mut self.row[info.metrics.clone()], Sight { plan, me, traffic });
            let mut wanted = u32::MAX;
            if let Some(late) = info.kind.answers_within() {
                (metrics[late], wanted) = (0.0, !(1 << late));
            }
            model.sample(&sight, &mut Samples::only(metrics, wanted));
            let gauges = &mut self.row[info.gauges.clone()];
            info.kind.repeated().iter().for_each(|late| gauges[late.gauge] = 0.0);
            model.gauge(&mut Gauges::new(gauges));
        }
        let (cells, _) = self.row[plan.first_of_calls()..plan.width].as_chunks_mut();
        for ((cells, flow), (service, place)) in cells.iter_mut().zip(&self.flows).zip(&plan.answered_by) {
            *cells = call_cells(flow, self.models[*service].own_time(*place));
        }
    }

    /// Works the row out now. Series that have ended say nothing any more, so those that the blueprint does not have are digested
    /// while it is known which live; so is what instruments make of others.
    fn scrape_at_once(&mut self) {
        self.catch_up_with_alerts(true);
        let moment = self.moment();
        let chain = moment.digest(self.digest());
        self.row[..self.plan.width].copy_from_slice(&moment.all());
        self.pass_through_instruments();
        self.sample_later_series();
        let disturbed = self.instruments.iter().map(|(column, _)| *column);
        let columns = disturbed.chain(self.live_series().map(|(column, _)| column));
        self.chain = columns.fold(chain, |chain, column| with_cell(chain, self.row[column]));
        self.undigested = 0;
        if self.paging {
            self.watch(true);
        }
        self.history.push_changed(self.now, &self.row, moment);
    }

    /// Takes what objectives and the rules that page look at, and leaves the rest of the row as it was.
    fn scrape_sketch(&mut self) {
        if self.paging {
            self.take_what_pages();
            self.pass_through_instruments();
            self.watch(false);
        }
        // What users feel stands first in a row. The rest is read again only by instruments that repeat what they showed before.
        let kept = if self.may_repeat() { self.row.len() } else { self.plan.first_of_services() };
        self.history.push(self.now, &self.row[..kept]);
        self.sketched_rows += 1;
        self.begin_row();
    }

    /// Samples the metrics that rules which page look at. Chance is let into those alone that it may make bad, where nothing else of
    /// the row will be read.
    fn take_what_pages(&mut self) {
        if self.noise != Noise(0) || self.sketched && self.may_repeat() {
            return self.take_all_of_those_who_page();
        }
        let (traffic, draws) = (CallTraffic::Now(&self.flows), || SampleDraws::at(self.seed, self.now));
        for of_one in self.plan.paging_metrics.chunk_by(|a, b| a.service == b.service) {
            let me = of_one[0].service;
            let (info, sight) = (&self.plan.services[me], Sight { plan: &self.plan, me, traffic });
            let metrics = &mut self.row[info.metrics.clone()];
            self.models[me].sample(&sight, &mut Samples::only(metrics, info.paged));
            sample_what_pages(info, of_one, traffic, metrics, draws);
        }
    }

    /// The same with all metrics of services that have such rules.
    fn take_all_of_those_who_page(&mut self) {
        let traffic = CallTraffic::Now(&self.flows);
        for (me, (model, info)) in self.models.iter().zip(&self.plan.services).enumerate().filter(|s| s.1.1.can_page) {
            let sight = Sight { plan: &self.plan, me, traffic };
            model.sample(&sight, &mut Samples::new(&mut self.row[info.metrics.clone()]));
        }
        let draws = SampleDraws::at(self.seed, self.now);
        for of_one in self.plan.paging_metrics.chunk_by(|a, b| a.service == b.service) {
            let (info, columns) = (&self.plan.services[of_one[0].service], of_one.iter().map(|metric| metric.column));
            sample_by_chance(info, columns, traffic, &mut self.row[info.metrics.clone()], draws);
        }
        for (at, info) in self.plan.services.iter().enumerate() {
            self.noise.blur((self.seed, self.now), (at, info), &mut self.row[info.columns()]);
        }
    }

    /// Whether instruments repeat what they showed before, or may yet.
    pub(crate) fn may_repeat(&self) -> bool {
        !self.instruments.is_empty() || !self.schedule.is_empty()
    }

    /// Takes over what was shown last: for those who will repeat it.
    pub(crate) fn take_over_samples(&mut self) {
        let Some(last) = self.history.last() else { return };
        for info in &self.plan.services {
            self.row[info.metrics.clone()].copy_from_slice(last.part(info.metrics.clone()));
        }
    }

    /// What is counted between two scrapes is counted from the beginning.
    pub(crate) fn begin_row(&mut self) {
        for route in &self.plan.routes {
            self.row[route.columns.start..route.columns.start + ROUTE_COLUMNS - 1].fill(0.0);
        }
        for events in &self.plan.event_columns {
            self.row[events.clone()].fill(0.0);
        }
    }

    /// A number that differs when anything that was ever scraped differs, or what that is worked out from. Few ask for it, so rows
    /// are added to it when it is asked for.
    pub fn digest(&self) -> u64 {
        let rows = self.history.newest_first(Time(0), self.now).skip(self.sketched_rows);
        let mut latest: Vec<_> = rows.take(self.undigested).collect();
        latest.reverse();
        latest.iter().fold(self.chain, |chain, row| row.digest(chain))
    }

    /// What the instruments make of a row that was just scraped.
    pub(crate) fn pass_through_instruments(&mut self) {
        for &(column, series) in &self.instruments {
            let last = self.history.last().map_or(f32::NAN, |row| row.cell(column));
            self.row[column] = if series == Series::Stale { last } else { f32::NAN };
        }
    }

    /// How far the logs of a service lag behind.
    pub(crate) fn log_delay(&self, service: usize) -> Span {
        self.noise.log_delay() + self.log_delays[service]
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Blueprint, Noise, Seed, shop};

    #[test]
    fn noise_disturbs_measurements_and_no_facts() {
        let plan = Arc::new(Blueprint::compile(&shop()).expect("the shop compiles"));
        let until = |noise| {
            let mut world = World::healthy(&plan, Seed(1), Noise(noise));
            world.run_until(world.now() + Span::mins(30));
            world
        };
        // Under the third degree machines are disturbed as well, which is no matter of the telemetry.
        let (clear, noisy) = (until(0), until(1));
        let rows =
            clear.history().newest_first(Time(0), clear.now()).zip(noisy.history().newest_first(Time(0), noisy.now()));
        let mut jittered = 0;
        for (one, other) in rows.take(100) {
            for (column, metric) in plan.services.iter().flat_map(|s| s.metrics.clone().zip(s.kind.metrics())) {
                let (is, shown) = (one.cell(column), other.cell(column));
                assert!(!metric.exact || is == shown, "{} is {is}, not {shown}", metric.name);
                assert!(is > metric.unit.most() || shown <= metric.unit.most(), "{} at {shown}", metric.name);
                jittered += usize::from(is != shown);
            }
        }
        assert!(jittered > 1000, "only {jittered} measurements are disturbed");
    }

    #[test]
    fn false_alarms_never_speak_for_the_platform() {
        let plan = Arc::new(Blueprint::compile(&shop()).expect("the shop compiles"));
        for seed in 0..4 {
            let mut world = World::healthy(&plan, Seed(seed), Noise(3));
            let from = world.now();
            world.run_until(from + Span::hours(6));
            let spoken = |row: crate::history::Row<'_>| plan.services.iter().any(|s| row.cell(s.events.end - 1) != 0.0);
            assert!(!world.history().newest_first(from, world.now()).any(spoken), "nothing happened to any process");
        }
    }
}
