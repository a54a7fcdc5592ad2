//! What a scrape takes of a world, from which its row of samples is worked out where it is read: few rows are read, and
//! of those a service or two.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::blueprint::Blueprint;
use crate::digest::{with_numbers, with_row};
use crate::fleet::Fleet;
use crate::flow::Flow;
use crate::noise::Noise;
use crate::rng::Seed;
use crate::sampling::{SampleDraws, percentile_by_chance, sample_by_chance};
use crate::services::{CallTraffic, Passing, Sight};
use crate::time::Time;

/// A world at the moment of a scrape, as far as its samples follow from it.
pub(crate) struct Moment {
    plan: Arc<Blueprint>,
    seed: Seed,
    noise: Noise,
    time: Time,
    /// The row as it would be without chance and without noise, and without what is worked out of the calls where it is read.
    plain: Box<[f32]>,
    calls: Box<[Passing]>,
    /// The share of each service's instances that run, where not all do.
    up: Option<Box<[f64]>>,
    shown: OnceLock<Box<Shown>>,
}

/// The columns as they are shown, once they were worked out.
struct Shown {
    routes: OnceLock<Box<[f32]>>,
    services: Box<[OnceLock<Box<[f32]>>]>,
}

impl Moment {
    /// Takes what a row is made of, from the plain row of the moment.
    pub fn take(
        plan: &Arc<Blueprint>,
        (seed, noise, time): (Seed, Noise, Time),
        plain: &[f32],
        (flows, fleet): (&[Flow], &Fleet),
    ) -> Moment {
        let runs = |service: usize| fleet.up(service);
        let all_run = (0..plan.services.len()).all(|service| runs(service) == 1.0);
        Moment {
            plan: plan.clone(),
            seed,
            noise,
            time,
            plain: plain.into(),
            calls: flows.iter().map(Passing::of).collect(),
            up: (!all_run).then(|| (0..plan.services.len()).map(runs).collect()),
            shown: OnceLock::new(),
        }
    }

    /// How many columns it has.
    pub fn width(&self) -> usize {
        self.plain.len()
    }

    /// The share of a service's instances that ran.
    pub fn up(&self, service: usize) -> f64 {
        self.up.as_ref().map_or(1.0, |up| up[service])
    }

    /// Columns that belong together: of one route, of one service, of one call.
    pub fn part(&self, columns: Range<usize>) -> &[f32] {
        let (plan, at) = (&*self.plan, columns.start);
        if at < plan.first_of_services() {
            return &self.routes()[columns];
        }
        if at >= plan.first_of_calls() {
            return &self.plain[columns.start..columns.end.min(self.plain.len())];
        }
        let service = plan.services.partition_point(|info| info.metrics.start <= at) - 1;
        let (cells, first) = (self.service(service), plan.services[service].metrics.start);
        &cells[columns.start - first..(columns.end - first).min(cells.len())]
    }

    /// The cell of a column that is one of a service's.
    pub fn cell_of(&self, service: usize, column: usize) -> f32 {
        self.service(service)[column - self.plan.services[service].metrics.start]
    }

    /// The metrics of a service.
    pub fn metrics(&self, service: usize) -> &[f32] {
        &self.service(service)[..self.plan.services[service].metrics.len()]
    }

    /// What users of a route asked, and what failed and was slow of that, without what has to be worked out.
    pub fn counted(&self, route: Range<usize>) -> &[f32] {
        &self.plain[route]
    }

    /// The metrics of a service without chance and without noise.
    pub fn plain_metrics(&self, service: usize) -> Cow<'_, [f32]> {
        let info = &self.plan.services[service];
        let metrics = &self.plain[info.metrics.clone()];
        let Some(at) = info.kind.answers_within() else { return metrics.into() };
        let mut metrics = metrics.to_vec();
        metrics[at] = Sight { plan: &self.plan, me: service, traffic: self.traffic() }.p95_ms() as f32;
        metrics.into()
    }

    /// How often each line of a service was written.
    pub fn events(&self, service: usize) -> &[f32] {
        let columns = self.plan.services[service].events.clone();
        match self.noise {
            Noise(0) => &self.plain[columns],
            _ => self.part(columns),
        }
    }

    /// The whole row.
    pub fn all(&self) -> Cow<'_, [f32]> {
        let mut cells = Vec::with_capacity(self.plain.len());
        cells.extend_from_slice(self.routes());
        (0..self.plan.services.len()).for_each(|service| cells.extend_from_slice(self.service(service)));
        cells.extend_from_slice(&self.plain[self.plan.first_of_calls()..]);
        cells.into()
    }

    /// A digest with everything that its row is worked out from.
    pub fn digest(&self, chain: u64) -> u64 {
        let row = with_row(chain, &self.plain);
        self.up.as_ref().map_or(row, |up| with_numbers(row, up))
    }

    /// Bytes that it holds, what was worked out included.
    pub fn bytes(&self) -> usize {
        let worked_out = self.shown.get().map_or(0, |shown| {
            let all = shown.services.iter().filter_map(OnceLock::get).chain(shown.routes.get());
            size_of_val(&*shown.services) + all.map(|cells| size_of_val(&**cells)).sum::<usize>()
        });
        size_of::<Moment>() + size_of_val(&*self.plain) + size_of_val(&*self.calls) + worked_out
    }

    fn traffic(&self) -> CallTraffic<'_> {
        CallTraffic::Then(&self.calls)
    }

    fn shown(&self) -> &Shown {
        self.shown.get_or_init(|| {
            let services = self.plan.services.iter().map(|_| OnceLock::new()).collect();
            Box::new(Shown { routes: OnceLock::new(), services })
        })
    }

    fn routes(&self) -> &[f32] {
        self.shown().routes.get_or_init(|| {
            let draws = SampleDraws::at(self.seed, self.time);
            let mut cells: Box<[f32]> = self.plain[..self.plan.first_of_services()].into();
            for (at, route) in self.plan.routes.iter().enumerate() {
                // Users who have left see no answer, however late.
                let seen = self.traffic().of(route.entry);
                let p95 = percentile_by_chance(&seen, seen.times().p95(), draws.of(at as u64 | 1 << 40).draw());
                cells[route.columns.end - 1] = (p95.min(route.patience) * 1000.0) as f32;
            }
            cells
        })
    }

    fn service(&self, service: usize) -> &[f32] {
        self.shown().services[service].get_or_init(|| {
            let (plan, info) = (&*self.plan, &self.plan.services[service]);
            let mut cells: Box<[f32]> = self.plain[info.columns()].into();
            let (metrics, others) = cells.split_at_mut(info.metrics.len());
            if let Some(at) = info.kind.answers_within() {
                metrics[at] = Sight { plan, me: service, traffic: self.traffic() }.p95_ms() as f32;
            }
            let draws = SampleDraws::at(self.seed, self.time);
            sample_by_chance(info, info.metrics.clone(), self.traffic(), metrics, draws);
            let gauges = &mut others[info.events.len()..];
            for repeated in info.kind.repeated() {
                gauges[repeated.gauge] = (f64::from(metrics[repeated.metric]) * repeated.by) as f32;
            }
            self.noise.blur((self.seed, self.time), (service, info), &mut cells);
            cells
        })
    }
}
