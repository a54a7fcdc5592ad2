//! The world itself: a plain value. The engine moves it in ticks, and `past` gives it an hour behind it.

use std::sync::Arc;

use crate::alert_state::{AlertState, Unwatched};
use crate::band::Band;
use crate::blueprint::{Blueprint, SeriesInfo};
use crate::change::{Change, Due};
use crate::change_book::ChangeBook;
use crate::config::Value;
use crate::fleet::{Fleet, InstanceId};
use crate::flow::Flow;
use crate::history::History;
use crate::impact::{Impact, Objective, RouteImpact};
use crate::instruments::Series;
use crate::links::Link;
use crate::load::Load;
use crate::noise::Noise;
use crate::process::Process;
use crate::queued::Times;
use crate::release::Release;
use crate::rng::Seed;
use crate::services::{InUse, Model, model_of};
use crate::settings::ServiceSettings;
use crate::time::{SCRAPE, Span, Time};

/// A node slower than this gets no new processes.
pub(crate) const BUSY_NODE: f64 = 1.15;

/// The alert that paged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Page {
    /// When it fired.
    pub time: Time,
    /// Which alert.
    pub alert: usize,
    /// The value at that time.
    pub value: f64,
}

/// A deterministic world. `Clone` continues identically.
#[derive(Clone)]
pub struct World {
    pub(crate) plan: Arc<Blueprint>,
    pub(crate) seed: Seed,
    pub(crate) noise: Noise,
    pub(crate) now: Time,
    pub(crate) next_scrape: Time,
    pub(crate) models: Vec<Box<dyn Model>>,
    /// Shared between clones, service by service, until one of them changes it; so is all else that stands behind an `Arc`.
    pub(crate) settings: Arc<Vec<Arc<ServiceSettings>>>,
    pub(crate) releases: Arc<Vec<Release>>,
    pub(crate) fleet: Fleet,
    pub(crate) flows: Vec<Flow>,
    /// Lasting slowness of each node.
    pub(crate) slow_nodes: Arc<Vec<f64>>,
    /// Whether a setting or a build may still have to be rolled out.
    pub(crate) unsettled: bool,
    /// Whether something was ever done to processes, machines or links: until then there is nothing to look after.
    pub(crate) disturbed: bool,
    pub(crate) links: Vec<Link>,
    pub(crate) loads: Vec<Load>,
    pub(crate) impact: Impact,
    /// Series that the blueprint does not have.
    pub(crate) later_series: Arc<Vec<SeriesInfo>>,
    pub(crate) row: Vec<f32>,
    pub(crate) history: History,
    /// Columns whose series is not scraped as it is.
    pub(crate) instruments: Vec<(usize, Series)>,
    pub(crate) log_delays: Arc<Vec<Span>>,
    pub(crate) schedule: Arc<Vec<Due>>,
    pub(crate) changes: Arc<ChangeBook>,
    pub(crate) alerts: Vec<AlertState>,
    pub(crate) unwatched: Unwatched,
    pub(crate) page: Option<Page>,
    pub(crate) paging: bool,
    /// The digest of all rows but the latest `undigested`.
    pub(crate) chain: u64,
    pub(crate) undigested: usize,
    /// The latest rows that are no part of it: those of a sketch.
    pub(crate) sketched_rows: usize,
    /// Whether only what users feel and what pages is scraped.
    pub(crate) sketched: bool,
}

impl World {
    /// A world without a past: enough to check names against. [`World::healthy`] is the one to run.
    pub fn new(plan: &Arc<Blueprint>, seed: Seed, noise: Noise) -> World {
        let now = morning(seed);
        let settings: Vec<_> = plan.services.iter().map(|s| Arc::new(ServiceSettings::new(&s.config))).collect();
        let fleet = Fleet::place(&plan.placement, plan.services.len());
        let models = (0..plan.services.len())
            .map(|me| {
                let mut model = model_of(plan, me);
                model.configure(&InUse::of(&settings[me], fleet.of(me)), plan);
                model
            })
            .collect();
        let loads = plan.routes.iter().map(|r| Load::new(seed.stream(&format!("load/{}", r.name))));
        World {
            seed,
            noise,
            now,
            next_scrape: now,
            models,
            settings: Arc::new(settings),
            releases: Arc::new(vec![Release::CLEAN; plan.services.len()]),
            fleet,
            flows: plan.calls.iter().map(|call| call.flow()).collect(),
            slow_nodes: Arc::new(vec![1.0; plan.nodes]),
            unsettled: true,
            disturbed: false,
            links: Vec::new(),
            loads: loads.collect(),
            impact: Impact { routes: vec![RouteImpact::default(); plan.routes.len()] },
            later_series: Arc::default(),
            row: vec![0.0; plan.width],
            history: History::default(),
            instruments: Vec::new(),
            log_delays: Arc::new(vec![Span::ZERO; plan.services.len()]),
            schedule: Arc::default(),
            changes: Arc::new(ChangeBook::new(4100 + seed.stream("change ids").at(0).below(4000))),
            alerts: vec![AlertState::default(); plan.alerts.len()],
            unwatched: Unwatched::default(),
            page: None,
            paging: false,
            chain: seed.stream("digest").at(0).bits(),
            undigested: 0,
            sketched_rows: 0,
            sketched: false,
            plan: plan.clone(),
        }
    }

    /// A copy that goes on in the same way and scrapes only what users feel and what pages: for those who ask of the
    /// future no more than whether objectives hold and alerts page. Its other series stand still, and so does its digest.
    pub fn sketch(&self) -> World {
        let mut sketch = World { sketched: true, ..self.clone() };
        // Its rows have nothing for the others to look at.
        sketch.catch_up_with_alerts(false);
        sketch.unwatched.others = 0;
        if sketch.may_repeat() {
            sketch.take_over_samples();
        }
        sketch
    }

    /// The same world for those who ask of the future only whether objectives hold. Its series and alerts stand still, and so does
    /// its digest.
    pub fn felt_alone(self) -> World {
        World { sketched: true, paging: false, unwatched: Unwatched::default(), ..self }
    }

    /// The same world whose alert rules look at nothing more: for those who ask of the future only what is measured and felt.
    pub fn without_alerts(self) -> World {
        World { paging: false, ..self }
    }

    /// Lets users ask for a share of what they ask for: to try out what a certificate wants to know.
    pub fn ask_for(&mut self, share: f64) {
        self.loads.iter_mut().for_each(|load| load.factor *= share);
    }

    /// The same world without scrapes: for those who ask of the future only what users feel. Its series and alerts stand still.
    pub fn unscraped(self) -> World {
        World { next_scrape: Time::NEVER, ..self }
    }

    /// Lets time pass without scrapes up to a time from which on it is scraped as before: for those who look only at what comes
    /// after it.
    pub fn pass_unscraped(&mut self, end: Time, tick: Span) {
        self.next_scrape = Time::NEVER;
        self.run_in_ticks(end, tick);
        self.next_scrape = end + SCRAPE;
        self.begin_row();
    }

    /// The compiled spec.
    pub fn plan(&self) -> &Arc<Blueprint> {
        &self.plan
    }

    /// How imperfect its telemetry is.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// The time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The page, if an alert has paged.
    pub fn page(&self) -> Option<Page> {
        self.page
    }

    /// What users felt since the world began.
    pub fn impact(&self) -> &Impact {
        &self.impact
    }

    /// How long a call took in the last tick.
    pub fn times(&self, call: usize) -> Times {
        self.flows[call].times()
    }

    /// What a configuration key is set to, by names.
    pub fn setting(&self, service: &str, key: &str) -> Option<&Value> {
        let service = self.plan.service(service)?;
        let key = self.plan.services[service].kind.keys().iter().position(|k| k.name == key)?;
        Some(&self.settings[service].template[key].wanted)
    }

    /// What an instance runs with, in the order of its kind's keys.
    pub fn running(&self, instance: InstanceId) -> Option<impl Iterator<Item = &Value>> {
        self.fleet.get(instance).map(|i| self.settings[i.service].running(i.revision))
    }

    /// Processes of a service.
    pub fn processes(&self, service: usize) -> impl Iterator<Item = &Process> {
        self.fleet.of(service).iter().map(|i| &i.process)
    }

    /// The instances that exist now.
    pub fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    /// The change history, oldest first.
    pub fn changes(&self) -> &[Arc<Change>] {
        self.changes.all()
    }

    /// Whether an alert that pages fires now.
    pub fn is_paging(&self) -> bool {
        self.plan.paging.iter().any(|at| self.alert(*at).firing.is_some())
    }

    /// Whether an alert is silenced.
    pub fn any_silenced(&self) -> bool {
        self.alerts.iter().any(|a| a.silenced)
    }

    /// The scraped series.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// What was usual for the metrics of a service before anything happened, in the order of its kind.
    pub fn usual(&self, service: usize) -> impl Iterator<Item = Band> + '_ {
        let known = self.history.past().map_or(&[][..], |past| past.usual(service));
        // Nothing is known of a world without a past.
        known.iter().copied().chain(std::iter::repeat(Band::default()))
    }

    /// How each route stands against its objective over the last `window`.
    pub fn objectives(&self, window: Span) -> Vec<Objective> {
        let mut sums = vec![[0.0f64; 3]; self.plan.routes.len()];
        for row in self.history.newest_first(self.now.back(window), self.now) {
            for (sum, route) in sums.iter_mut().zip(&self.plan.routes) {
                let cells = row.counted(route.columns.clone());
                sum.iter_mut().zip(cells).for_each(|(s, &c)| *s += f64::from(c));
            }
        }
        let objective = |(sum, route): (&[f64; 3], &crate::blueprint::RouteInfo)| {
            let requests = sum[0].max(1e-9);
            Objective {
                route: route.name.clone(),
                failed: sum[1] / requests,
                slow: sum[2] / requests,
                allowed: route.allowed,
            }
        };
        sums.iter().zip(&self.plan.routes).map(objective).collect()
    }

    /// Bytes that this world holds, shared parts left out.
    pub fn bytes(&self) -> usize {
        use std::mem::size_of_val;
        let settings: usize = self.settings.iter().map(|s| s.bytes()).sum();
        let models: usize = self.models.iter().map(|m| size_of_val(m.as_ref()) + 128).sum();
        size_of_val(self)
            + settings
            + models
            + size_of_val(self.flows.as_slice())
            + self.fleet.iter().map(size_of_val).sum::<usize>()
            + size_of_val(self.alerts.as_slice())
            + size_of_val(self.changes())
            + size_of_val(self.row.as_slice()) * 9
    }

    /// The running model of a service, for its status page.
    pub(crate) fn model(&self, service: usize) -> &dyn Model {
        &*self.models[service]
    }
}

/// When the past of a world begins: a time of day that the seed picks.
pub(crate) fn morning(seed: Seed) -> Time {
    Time(Span::hours(7).0 + seed.stream("time of day").at(0).below(10 * 3600) * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mutation, shop};

    #[test]
    fn what_comes_after_a_stretch_without_scrapes_is_the_same() {
        let plan = Arc::new(Blueprint::compile(&shop()).expect("the shop compiles"));
        let mut world = World::healthy(&plan, Seed(7), Noise(0));
        let service = plan.service("database").expect("the shop has one");
        world.apply(&Mutation::Quota { service, share: 0.3 });
        let (tick, until) = (Span::mins(1), world.now() + Span::mins(4));
        let (mut scraped, mut unscraped) = (world.sketch(), world.sketch());
        scraped.run_in_ticks(until, tick);
        unscraped.pass_unscraped(until, tick);
        assert!(unscraped.history().len() < scraped.history().len());
        for world in [&mut scraped, &mut unscraped] {
            world.run_in_ticks(until + tick, tick);
        }
        assert_eq!(unscraped.impact(), scraped.impact());
        assert_eq!(unscraped.objectives(tick), scraped.objectives(tick));
        assert!(!scraped.objectives(tick).iter().all(|o| o.holds()), "something goes wrong");
    }
}
