//! What a scrape takes of a world, from which its row of samples is worked out where somebody reads it: few rows are read, and
//! of those a service or two.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::blueprint::Blueprint;
use crate::digest::{with_numbers, with_row};
use crate::fleet::Fleet;
use crate::flow::Flow;
use crate::kind::PLATFORM_GAUGES;
use crate::noise::Noise;
use crate::rng::Seed;
use crate::sampling::{SampleDraws, percentile_by_chance, sample_by_chance};
use crate::services::{CallTraffic, Gauges, Model, Samples, SeenCall, Sight};
use crate::time::Time;

/// A world at the moment of a scrape, as far as its samples follow from it.
pub(crate) struct Moment {
    plan: Arc<Blueprint>,
    seed: Seed,
    noise: Noise,
    time: Time,
    /// What was counted since the scrape before: for routes, then for the log lines of each service.
    counted: Box<[f32]>,
    /// What the platform says of each service, where it says anything.
    platform: Box<[f32]>,
    calls: Box<[SeenCall]>,
    models: Vec<Box<dyn Model>>,
    /// The share of each service's instances that run, where not all do.
    up: Option<Box<[f64]>>,
    cells: OnceLock<Box<MomentCells>>,
}

/// The columns that were worked out.
struct MomentCells {
    routes: OnceLock<Box<[f32]>>,
    services: Box<[OnceLock<Box<[f32]>>]>,
    calls: OnceLock<Box<[f32]>>,
}

impl Moment {
    /// Takes what a row is made of; `row` holds what was counted.
    pub fn take(
        plan: &Arc<Blueprint>,
        (seed, noise, time): (Seed, Noise, Time),
        row: &[f32],
        (flows, models, fleet): (&[Flow], &[Box<dyn Model>], &Fleet),
        disturbed: bool,
    ) -> Moment {
        let mut counted = Vec::with_capacity(plan.counted);
        counted.extend_from_slice(&row[..plan.first_of_services()]);
        plan.services.iter().for_each(|info| counted.extend_from_slice(&row[info.events.clone()]));
        let mut platform = Vec::new();
        if disturbed {
            platform.reserve_exact(plan.services.len() * PLATFORM_GAUGES.len());
            let gauges = plan.services.iter().map(|info| info.gauges.end - PLATFORM_GAUGES.len()..info.gauges.end);
            gauges.for_each(|columns| platform.extend_from_slice(&row[columns]));
        }
        let runs = |service: usize| fleet.up(service);
        let all_run = (0..plan.services.len()).all(|service| runs(service) == 1.0);
        Moment {
            plan: plan.clone(),
            seed,
            noise,
            time,
            counted: counted.into(),
            platform: platform.into(),
            calls: flows.iter().map(SeenCall::of).collect(),
            models: models.to_vec(),
            up: (!all_run).then(|| (0..plan.services.len()).map(runs).collect()),
            cells: OnceLock::new(),
        }
    }

    /// How many columns it has.
    pub fn width(&self) -> usize {
        self.plan.width
    }

    /// The share of a service's instances that ran.
    pub fn up(&self, service: usize) -> f64 {
        self.up.as_ref().map_or(1.0, |up| up[service])
    }

    /// Columns that belong together: of one route, of one service, of one call.
    pub fn part(&self, columns: Range<usize>) -> &[f32] {
        let (plan, at) = (&*self.plan, columns.start);
        let within = |cells: &'_ [f32], first: usize| columns.start - first..(columns.end - first).min(cells.len());
        if at < plan.first_of_services() {
            return &self.routes()[columns];
        }
        if at >= plan.first_of_calls() {
            let cells = self.of_calls();
            return &cells[within(cells, plan.first_of_calls())];
        }
        let service = plan.services.partition_point(|info| info.metrics.start <= at) - 1;
        let cells = self.service(service);
        &cells[within(cells, plan.services[service].metrics.start)]
    }

    /// What users of a route asked, and what failed and was slow of that, without what has to be worked out.
    pub fn counted(&self, route: Range<usize>) -> &[f32] {
        &self.counted[route]
    }

    /// How often each line of a service was written.
    pub fn events(&self, service: usize) -> &[f32] {
        match self.noise {
            Noise(0) => self.counted_events(service),
            _ => self.part(self.plan.services[service].events.clone()),
        }
    }

    /// The same without the lines that noise adds.
    fn counted_events(&self, service: usize) -> &[f32] {
        let first = self.plan.services[service].counted;
        &self.counted[first..first + self.plan.services[service].events.len()]
    }

    /// The whole row.
    pub fn all(&self) -> Cow<'_, [f32]> {
        let mut cells = Vec::with_capacity(self.plan.width);
        cells.extend_from_slice(self.routes());
        (0..self.plan.services.len()).for_each(|service| cells.extend_from_slice(self.service(service)));
        cells.extend_from_slice(self.of_calls());
        cells.into()
    }

    /// A digest with everything that its row is worked out from.
    pub fn digest(&self, chain: u64) -> u64 {
        let counted = with_row(chain, &self.counted);
        // What was never disturbed says nothing, as what is in order again.
        let says = self.platform.iter().any(|cell| *cell != 0.0);
        let counted = if says { with_row(counted, &self.platform) } else { counted };
        let up = self.up.as_ref().map_or(counted, |up| with_numbers(counted, up));
        let calls = self.calls.iter().fold(up, |chain, call| call.digest(chain));
        let mut cells = Vec::new();
        self.models.iter().zip(&self.plan.services).enumerate().fold(calls, |chain, (me, (model, info))| {
            cells.clear();
            cells.resize(info.metrics.len() + info.gauges.len(), 0.0);
            let (metrics, gauges) = cells.split_at_mut(info.metrics.len());
            let sight = Sight { plan: &self.plan, me, traffic: self.traffic() };
            model.sample(&sight, &mut Samples::new(metrics));
            model.gauge(&mut Gauges::new(gauges, metrics));
            with_row(chain, &cells)
        })
    }

    /// Bytes that it holds, what was worked out included.
    pub fn bytes(&self) -> usize {
        let models = self.models.iter().map(|model| size_of_val(&**model) + 64).sum::<usize>();
        let own = size_of::<Moment>() + size_of_val(&*self.counted) + size_of_val(&*self.calls) + models;
        let worked_out = self.cells.get().map_or(0, |cells| {
            let services = cells.services.iter().filter_map(OnceLock::get);
            let all = services.chain(cells.routes.get()).chain(cells.calls.get());
            size_of_val(&*cells.services) + all.map(|cells| size_of_val(&**cells)).sum::<usize>()
        });
        own + worked_out
    }

    fn traffic(&self) -> CallTraffic<'_> {
        CallTraffic::Then(&self.calls)
    }

    fn cells(&self) -> &MomentCells {
        self.cells.get_or_init(|| {
            let services = self.plan.services.iter().map(|_| OnceLock::new()).collect();
            Box::new(MomentCells { routes: OnceLock::new(), services, calls: OnceLock::new() })
        })
    }

    fn routes(&self) -> &[f32] {
        self.cells().routes.get_or_init(|| {
            let draws = SampleDraws::at(self.seed, self.time);
            let mut cells: Box<[f32]> = self.counted[..self.plan.first_of_services()].into();
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
        self.cells().services[service].get_or_init(|| {
            let (plan, model) = (&*self.plan, &self.models[service]);
            let info = &plan.services[service];
            let first = info.metrics.start;
            let part = |columns: &Range<usize>| columns.start - first..columns.end - first;
            let (metrics, events, gauges) = (part(&info.metrics), part(&info.events), part(&info.gauges));
            let mut cells = vec![0.0; gauges.end].into_boxed_slice();
            let sight = Sight { plan, me: service, traffic: self.traffic() };
            model.sample(&sight, &mut Samples::new(&mut cells[metrics.clone()]));
            cells[events.clone()].copy_from_slice(self.counted_events(service));
            let draws = SampleDraws::at(self.seed, self.time);
            sample_by_chance(info, info.metrics.clone(), sight.traffic, &mut cells[metrics.clone()], draws);
            let [samples, own] =
                cells.get_disjoint_mut([metrics.clone(), gauges.clone()]).expect("metrics and gauges lie side by side");
            model.gauge(&mut Gauges::new(own, samples));
            let often = PLATFORM_GAUGES.len();
            if !self.platform.is_empty() {
                let says = &self.platform[service * often..(service + 1) * often];
                cells[gauges.end - often..].copy_from_slice(says);
            }
            self.noise.blur((self.seed, self.time), (service, info), &mut cells);
            cells
        })
    }

    fn of_calls(&self) -> &[f32] {
        self.cells().calls.get_or_init(|| {
            let (plan, first) = (&*self.plan, self.plan.first_of_calls());
            let mut cells = vec![0.0; plan.width - first].into_boxed_slice();
            for (info, model) in plan.services.iter().zip(&self.models) {
                for (at, call) in info.all_calls() {
                    let columns = plan.calls[call].columns.clone();
                    let own = &mut cells[columns.start - first..columns.end - first];
                    self.calls[call].note(model.own_time(at), own);
                }
            }
            cells
        })
    }
}
