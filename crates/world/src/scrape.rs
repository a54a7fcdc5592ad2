//! What is scraped of a world: a row of samples, as the instruments show it, and the alert rules that look at it.

use crate::blueprint::{Blueprint, ROUTE_COLUMNS, RouteInfo, SampleSource, SeriesInfo, Watch};
use crate::instruments::Series;
use crate::noise::Noise;
use crate::sampling::{SampleDraws, percentile_by_chance, sample_by_chance};
use crate::services::{Gauges, OwnTime, Samples, Sight};
use crate::time::{Span, Time};
use crate::world::{Page, SCRAPE, World};

/// An objective burns when more than this multiple of what is allowed goes wrong...
const BURN: f64 = 4.0;
/// ... or any objective of an application that pages as a whole, which is watched more closely; ...
const APP_BURN: f64 = 2.5;
/// ... for so long.
const BURN_HOLD: Span = Span::secs(105);

impl World {
    /// Takes a row of samples, evaluates the alert rules, and starts the next row.
    pub(crate) fn scrape(&mut self) {
        self.next_scrape = self.now + SCRAPE;
        if self.sketched {
            return self.scrape_sketch();
        }
        for (me, (model, info)) in self.models.iter().zip(&self.plan.services).enumerate() {
            let sight = Sight { plan: &self.plan, me, flows: &self.flows };
            model.sample(&sight, &mut Samples::new(&mut self.row[info.metrics.clone()]));
        }
        let draws = SampleDraws::at(self.seed, self.now);
        for (service, model) in self.models.iter().enumerate() {
            let info = &self.plan.services[service];
            sample_by_chance(info, info.metrics.clone(), &self.flows, &mut self.row, draws);
            let [samples, gauges] = self
                .row
                .get_disjoint_mut([info.metrics.clone(), info.gauges.clone()])
                .expect("a service's metrics and gauges lie side by side");
            model.gauge(&mut Gauges::new(gauges, samples));
        }
        for (at, route) in self.plan.routes.iter().enumerate() {
            // Users who have left see no answer, however late.
            let flow = &self.flows[route.entry];
            let seen = percentile_by_chance(flow, flow.times().p95(), draws.of(at as u64 | 1 << 40).draw());
            self.row[route.columns.start + 3] = (seen.min(route.patience) * 1000.0) as f32;
        }
        for (info, flow) in self.plan.calls.iter().zip(&self.flows) {
            let reason = flow.worst().map_or(0.0, |reason| f32::from(reason as u8 + 1));
            let (mean, deviation) = ((flow.latency.mean + flow.delay) * 1e3, flow.latency.deviation() * 1e3);
            let cells =
                [flow.offered as f32, flow.felt() as f32, reason, mean as f32, deviation as f32, flow.miss as f32];
            self.row[info.columns.start..info.columns.start + cells.len()].copy_from_slice(&cells);
            self.row[info.columns.end - 1] = (flow.delay * 1e3) as f32;
        }
        self.note_own_times();
        self.note_platform();
        self.blur();
        self.pass_through_instruments();
        self.sample_later_series();
        self.digest_row();
        if self.paging {
            self.watch();
        }
        self.history.push(self.now, &self.row);
        self.begin_row();
    }

    /// Notes what each call spends with the service that answers it.
    fn note_own_times(&mut self) {
        for (info, model) in self.plan.services.iter().zip(&self.models) {
            let answered = info.calls.iter().enumerate().map(|(at, call)| (Some(at), *call));
            for (at, call) in answered.chain(info.roots.iter().map(|root| (None, *root))) {
                let OwnTime { work, wait } = model.own_time(at);
                let end = self.plan.calls[call].columns.end;
                let cells =
                    [work.mean, work.deviation(), wait.mean, wait.deviation()].map(|seconds| (seconds * 1e3) as f32);
                self.row[end - 5..end - 1].copy_from_slice(&cells);
            }
        }
    }

    /// Takes what objectives and the rules that page look at, and leaves the rest of the row as it was.
    fn scrape_sketch(&mut self) {
        for (me, (model, info)) in self.models.iter().zip(&self.plan.services).enumerate().filter(|s| s.1.1.can_page) {
            let sight = Sight { plan: &self.plan, me, flows: &self.flows };
            model.sample(&sight, &mut Samples::new(&mut self.row[info.metrics.clone()]));
        }
        let draws = SampleDraws::at(self.seed, self.now);
        for of_one in self.plan.paging_metrics.chunk_by(|a, b| a.0 == b.0) {
            let columns = of_one.iter().map(|(_, column)| *column);
            sample_by_chance(&self.plan.services[of_one[0].0], columns, &self.flows, &mut self.row, draws);
        }
        self.blur();
        self.pass_through_instruments();
        if self.paging {
            self.watch();
        }
        // What users feel stands first in a row. The rest is read again only by instruments that repeat what they showed before.
        let repeats = !self.instruments.is_empty() || !self.schedule.is_empty();
        let kept = if repeats { self.row.len() } else { self.plan.routes.last().map_or(0, |route| route.columns.end) };
        self.history.push(self.now, &self.row[..kept]);
        self.sketched_rows += 1;
        self.begin_row();
    }

    /// What is counted between two scrapes is counted from the beginning.
    pub(crate) fn begin_row(&mut self) {
        for route in &self.plan.routes {
            self.row[route.columns.start..route.columns.start + ROUTE_COLUMNS - 1].fill(0.0);
        }
        for info in &self.plan.services {
            self.row[info.events.clone()].fill(0.0);
        }
    }

    /// A number that differs when anything that was ever scraped differs. Few ask for it, so rows are added to it when
    /// it is asked for.
    pub fn digest(&self) -> u64 {
        let rows = self.history.newest_first(Time(0), self.now).skip(self.sketched_rows);
        let mut latest: Vec<_> = rows.take(self.undigested).collect();
        latest.reverse();
        latest.iter().fold(self.chain, |chain, row| with_row(chain, &row.cells[..self.plan.width]))
    }

    /// Adds what was scraped to the digest, or leaves it for later. Series that have ended say nothing any more, so those that
    /// the blueprint does not have are added while it is known which live.
    fn digest_row(&mut self) {
        if self.row.len() == self.plan.width {
            self.undigested += 1;
            return;
        }
        let chain = with_row(self.digest(), &self.row[..self.plan.width]);
        self.chain = self.live_series().fold(chain, |chain, (column, _)| with_cell(chain, self.row[column]));
        self.undigested = 0;
    }

    /// The noise dial: jitter and lost scrapes.
    fn blur(&mut self) {
        if self.noise == Noise(0) {
            return;
        }
        let (jitter, dropped) = (self.noise.jitter(), self.noise.dropped());
        let stream = self.seed.stream("telemetry noise").within(self.now.0);
        for (at, info) in self.plan.services.iter().enumerate() {
            let lost = stream.at(at as u64 | 1 << 40).chance(dropped);
            for (column, metric) in info.metrics.clone().zip(info.kind.metrics()) {
                let cell = &mut self.row[column];
                if lost {
                    *cell = f32::NAN;
                } else if !metric.exact {
                    let factor = 1.0 + jitter * stream.at(column as u64).normal();
                    let most = if *cell <= metric.unit.most() { metric.unit.most() } else { f32::INFINITY };
                    *cell = (*cell * factor as f32).min(most);
                }
            }
        }
        self.cry_wolf();
    }

    /// Lines that mean nothing: on a bad day services complain of what has passed before the first look.
    fn cry_wolf(&mut self) {
        let stream = self.seed.stream("false alarms").within(self.now.0);
        for (at, info) in self.plan.services.iter().enumerate() {
            let draws = stream.within(at as u64);
            if draws.at(0).chance(self.noise.false_alarms()) {
                // The last cell is the platform's, which complains of nothing that did not happen.
                let template = draws.at(1).below(info.events.len() as u64 - 1) as usize;
                // What is written at a change of state is not written without one, and what became of a request is a fact.
                if !info.own_templates().nth(template).is_some_and(|line| line.is_once || line.is_only) {
                    self.row[info.events.start + template] += 1.0;
                }
            }
        }
    }

    /// Looks at the rules: all of them, or only at those that page.
    fn watch(&mut self) {
        let plan = self.plan.clone();
        if self.sketched {
            plan.paging.iter().for_each(|at| self.watch_rule(&plan, *at));
            return;
        }
        for (at, glance) in plan.glances.iter().enumerate() {
            // Most rules hold and held before.
            if glance.may_be_bad(&self.row) || self.alerts[at].pending.is_some() {
                self.watch_rule(&plan, at);
            }
        }
    }

    fn watch_rule(&mut self, plan: &Blueprint, at: usize) {
        let (info, state) = (&plan.alerts[at], &mut self.alerts[at]);
        let (value, bad) = match &info.watches {
            Watch::Metric(service, column, rule) => {
                let value = column.map_or_else(|| self.fleet.up(*service), |c| f64::from(self.row[c]));
                (value, if rule.above { value > rule.threshold } else { value < rule.threshold })
            }
            Watch::Burn(route) => {
                let route = &plan.routes[*route];
                let cells = &self.row[route.columns.clone()];
                let wrong = f64::from(cells[1] + cells[2]) / f64::from(cells[0]).max(1e-9);
                (wrong, wrong > BURN * route.allowed)
            }
            Watch::AppBurn(routes) => {
                let burn = |route: &RouteInfo| {
                    let cells = &self.row[route.columns.clone()];
                    f64::from(cells[1] + cells[2]) / f64::from(cells[0]).max(1e-9) / route.allowed
                };
                let worst = routes.iter().map(|r| burn(&plan.routes[*r])).fold(0.0, f64::max);
                (worst, worst > APP_BURN)
            }
        };
        if !bad {
            // Of a scrape that was lost nothing is known.
            if state.pending.is_some() && !value.is_nan() {
                (state.pending, state.firing) = (None, None);
            }
            return;
        }
        state.value = value;
        let hold = match &info.watches {
            Watch::Metric(_, _, rule) => Span::secs(rule.hold),
            Watch::Burn(_) | Watch::AppBurn(_) => BURN_HOLD,
        };
        let since = *state.pending.get_or_insert(self.now);
        if state.firing.is_none() && self.now.since(since) >= hold {
            state.firing = Some(self.now);
            if info.pages && self.page.is_none() && !state.silenced {
                self.page = Some(Page { time: self.now, alert: at, value });
            }
        }
    }

    /// What the instruments make of a row that was just scraped.
    pub(crate) fn pass_through_instruments(&mut self) {
        for &(column, series) in &self.instruments {
            let last = self.history.last().map_or(f32::NAN, |row| row.cells[column]);
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

/// A digest with one more row.
fn with_row(chain: u64, row: &[f32]) -> u64 {
    // Four chains side by side: none has to wait for the others.
    let (eights, rest) = row.as_chunks::<8>();
    let mut lanes = [1, 2, 3, 4].map(|lane: u64| chain.wrapping_add(lane));
    for cells in eights {
        for (lane, chain) in lanes.iter_mut().enumerate() {
            *chain = mixed(*chain, bits(cells[2 * lane]) << 32 | bits(cells[2 * lane + 1]));
        }
    }
    rest.iter().fold(lanes.into_iter().fold(chain, mixed), |chain, cell| with_cell(chain, *cell))
}

fn with_cell(chain: u64, cell: f32) -> u64 {
    mixed(chain, bits(cell))
}

fn bits(cell: f32) -> u64 {
    u64::from(cell.to_bits())
}

fn mixed(chain: u64, word: u64) -> u64 {
    (chain ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Blueprint, Seed, shop};

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
                let (is, shown) = (one.cells[column], other.cells[column]);
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
            let spoken =
                |row: crate::history::Row<'_>| plan.services.iter().any(|s| row.cells[s.events.end - 1] != 0.0);
            assert!(!world.history().newest_first(from, world.now()).any(spoken), "nothing happened to any process");
        }
    }
}
