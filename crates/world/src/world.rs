//! The world itself: a plain value that moves in ticks.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::blueprint::{Blueprint, ROUTE_COLUMNS, Watch};
use crate::config::Value;
use crate::fleet::{Instance, Phase, Process};
use crate::flow::Flow;
use crate::history::History;
use crate::mutation::Mutation;
use crate::rng::{Seed, Stream};
use crate::services::{Model, Setup, Sight, Tick};
use crate::telemetry::baseline::Baseline;
use crate::time::{Span, Time};

/// Length of a tick while something may happen.
pub const TICK: Span = Span::secs(5);
/// Length of a tick in the long healthy past.
const COARSE_TICK: Span = Span::secs(60);
/// How often metrics are scraped.
pub const SCRAPE: Span = Span::secs(15);
/// How much of the past is simulated coarsely, and how much finely, before a world is handed over.
const COARSE_PAST: Span = Span::mins(60);
const FINE_PAST: Span = Span::mins(5);
/// An objective burns when more than this multiple of what is allowed goes wrong...
const BURN: f64 = 4.0;
/// ... for so long.
const BURN_HOLD: Span = Span::secs(105);

/// How imperfect the telemetry is: 0 is clean, 3 is a bad day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Noise(pub u8);

impl Noise {
    /// The worst.
    pub const MAX: Noise = Noise(3);

    /// Relative jitter of samples.
    pub fn jitter(self) -> f64 {
        [0.0, 0.02, 0.04, 0.08][self.0.min(3) as usize]
    }

    /// The share of scrapes lost.
    pub fn dropped(self) -> f64 {
        [0.0, 0.0, 0.03, 0.08][self.0.min(3) as usize]
    }

    /// How far logs lag behind.
    pub fn log_delay(self) -> Span {
        Span::secs([0, 0, 15, 45][self.0.min(3) as usize])
    }

    /// The chance of a passing disturbance of a node in each window of four minutes.
    fn disturbance(self) -> f64 {
        [0.0, 0.0, 0.4, 0.8][self.0.min(3) as usize]
    }
}

/// A configuration key of a running service: what is wanted and what runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    pub wanted: Value,
    pub running: Value,
    pub since: Time,
    pub expires: Time,
}

/// Something that people or the operator changed, as the change history has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its number.
    pub id: u32,
    /// When.
    pub time: Time,
    /// Index of the service.
    pub service: usize,
    /// Who did it.
    pub author: Arc<str>,
    /// What was done, in one line.
    pub summary: Arc<str>,
    /// What takes it back, if anything does.
    pub undo: Option<Mutation>,
    /// Whether it was taken back.
    pub reverted: bool,
    /// Whether the operator of this episode did it.
    pub by_operator: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct AlertState {
    /// Since when its condition holds; `None` while it does not.
    pub pending: Option<Time>,
    /// Since when it fires.
    pub firing: Option<Time>,
    /// The value that was last compared.
    pub value: f64,
    pub silenced: bool,
}

/// The alert that called somebody.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Page {
    /// When it fired.
    pub time: Time,
    /// Which alert.
    pub alert: usize,
    /// The value at that time.
    pub value: f64,
}

/// What users felt on one route since the world began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RouteImpact {
    /// Requests.
    pub requests: f64,
    /// Of those, failed.
    pub failed: f64,
    /// Of those, answered but slow.
    pub slow: f64,
    /// Minutes in which more went wrong than the objective allows.
    pub minutes_out: f64,
}

/// What users felt since the world began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Impact {
    /// By route, in the order of the blueprint.
    pub routes: Vec<RouteImpact>,
}

/// How a route stands against its objective over a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    /// The route.
    pub route: Arc<str>,
    /// The share of requests that failed.
    pub failed: f64,
    /// The share that was slow.
    pub slow: f64,
    /// What is allowed.
    pub allowed: f64,
}

impl Objective {
    /// Whether it holds.
    pub fn holds(&self) -> bool {
        self.failed + self.slow <= self.allowed
    }
}

/// A deterministic world. `Clone` continues identically.
#[derive(Clone)]
pub struct World {
    pub(crate) plan: Arc<Blueprint>,
    pub(crate) seed: Seed,
    pub(crate) noise: Noise,
    pub(crate) now: Time,
    /// Length of the next tick.
    pace: Span,
    next_scrape: Time,
    models: Vec<Box<dyn Model>>,
    pub(crate) settings: Vec<Vec<Setting>>,
    pub(crate) fleet: Vec<Instance>,
    pub(crate) flows: Vec<Flow>,
    /// Lasting slowness of each node, and the one that holds in this tick.
    slow_nodes: Vec<f64>,
    slowdown: Vec<f64>,
    loads: Vec<Load>,
    impact: Impact,
    row: Vec<f32>,
    pub(crate) history: History,
    pub(crate) baseline: Arc<Baseline>,
    schedule: Vec<Due>,
    pub(crate) changes: Vec<Change>,
    pub(crate) alerts: Vec<AlertState>,
    page: Option<Page>,
    paging: bool,
    chain: u64,
}

/// A change that is due at some time, and what the change history will say of it.
#[derive(Clone)]
struct Due {
    at: Time,
    mutation: Mutation,
    change: Option<Arc<(String, usize, String)>>,
}

/// How much users ask of a route.
#[derive(Clone, Copy, Debug)]
struct Load {
    stream: Stream,
    factor: f64,
    again: f64,
}

impl World {
    /// A healthy world with an hour of past, at a time of day that the seed picks.
    pub fn healthy(plan: &Arc<Blueprint>, seed: Seed, noise: Noise) -> World {
        let mut world = World::new(plan, seed, noise);
        world.pace = COARSE_TICK;
        world.run_until(world.now + COARSE_PAST);
        world.baseline = Arc::new(Baseline::learn(&world.plan, &world.history));
        world.pace = TICK;
        world.run_until(world.now + FINE_PAST);
        world.paging = true;
        world
    }

    /// A world without a past: enough to check names against. [`World::healthy`] is the one to run.
    pub fn new(plan: &Arc<Blueprint>, seed: Seed, noise: Noise) -> World {
        let start = Span::hours(7).0 + seed.stream("time of day").at(0).below(10 * 60) * 60_000;
        let now = Time(start);
        let settings = plan.services.iter().map(|s| {
            let setting =
                |v: &Value| Setting { wanted: v.clone(), running: v.clone(), since: Time(0), expires: Time::NEVER };
            s.config.iter().map(setting).collect()
        });
        let fleet = plan.placement.iter().map(|&(service, node)| {
            let share = 1.0 / plan.services[service].instances.len() as f64;
            Instance { service, node, process: Process::fresh(Time(0)), share }
        });
        let models = (0..plan.services.len())
            .map(|me| {
                let info = &plan.services[me];
                let setup = Setup { params: info.params.clone(), plan, me };
                let mut model = info.kind.model(&setup);
                model.configure(&info.config.iter().collect::<Vec<_>>(), plan);
                model
            })
            .collect();
        let loads = plan.routes.iter().map(|r| Load {
            stream: seed.stream(&format!("load/{}", r.name)),
            factor: 1.0,
            again: 0.0,
        });
        World {
            seed,
            noise,
            now,
            pace: TICK,
            next_scrape: now,
            models,
            settings: settings.collect(),
            fleet: fleet.collect(),
            flows: vec![Flow::default(); plan.calls.len()],
            slow_nodes: vec![1.0; plan.nodes],
            slowdown: vec![1.0; plan.nodes],
            loads: loads.collect(),
            impact: Impact { routes: vec![RouteImpact::default(); plan.routes.len()] },
            row: vec![0.0; plan.width],
            history: History::new(plan.width),
            baseline: Arc::new(Baseline::default()),
            schedule: Vec::new(),
            changes: Vec::new(),
            alerts: vec![AlertState::default(); plan.alerts.len()],
            page: None,
            paging: false,
            chain: seed.stream("digest").at(0).bits(),
            plan: plan.clone(),
        }
    }

    /// The compiled spec.
    pub fn plan(&self) -> &Arc<Blueprint> {
        &self.plan
    }

    /// The time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The page that called somebody, if one has.
    pub fn page(&self) -> Option<Page> {
        self.page
    }

    /// What users felt since the world began.
    pub fn impact(&self) -> &Impact {
        &self.impact
    }

    /// A number that differs when anything that was ever scraped differs.
    pub fn digest(&self) -> u64 {
        self.chain
    }

    /// What a configuration key is set to, by names.
    pub fn setting(&self, service: &str, key: &str) -> Option<&Value> {
        let service = self.plan.service(service)?;
        let key = self.plan.services[service].kind.keys().iter().position(|k| k.name == key)?;
        Some(&self.settings[service][key].wanted)
    }

    /// Processes of a service.
    pub fn processes(&self, service: usize) -> impl Iterator<Item = &Process> {
        self.fleet[self.plan.services[service].instances.clone()].iter().map(|i| &i.process)
    }

    /// The change history, oldest first.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Whether an alert is silenced.
    pub fn any_silenced(&self) -> bool {
        self.alerts.iter().any(|a| a.silenced)
    }

    /// The scraped series.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// What was usual before anything happened.
    pub fn baseline(&self) -> &Baseline {
        &self.baseline
    }

    /// How each route stands against its objective over the last `window`.
    pub fn objectives(&self, window: Span) -> Vec<Objective> {
        let mut sums = vec![[0.0f64; 3]; self.plan.routes.len()];
        for row in self.history.newest_first(self.now.back(window), self.now) {
            for (sum, route) in sums.iter_mut().zip(&self.plan.routes) {
                let cells = &row.cells[route.columns.clone()];
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
        let settings: usize = self.settings.iter().map(|s| size_of_val(s.as_slice())).sum();
        let models: usize = self.models.iter().map(|m| size_of_val(m.as_ref()) + 128).sum();
        size_of_val(self)
            + settings
            + models
            + size_of_val(self.flows.as_slice())
            + size_of_val(self.fleet.as_slice())
            + size_of_val(self.alerts.as_slice())
            + size_of_val(self.changes.as_slice())
            + size_of_val(self.row.as_slice()) * 9
    }

    /// Applies a change at once and gives its inverse.
    pub fn apply(&mut self, mutation: &Mutation) -> Mutation {
        match mutation {
            Mutation::Config { service, key, value, since } => {
                let setting = &mut self.settings[*service][*key];
                let value = std::mem::replace(&mut setting.wanted, value.clone());
                let since = std::mem::replace(&mut setting.since, *since);
                Mutation::Config { service: *service, key: *key, value, since }
            }
            Mutation::Expiry { service, key, at } => {
                let at = std::mem::replace(&mut self.settings[*service][*key].expires, *at);
                Mutation::Expiry { service: *service, key: *key, at }
            }
            Mutation::Process { instance, process } => {
                let process = std::mem::replace(&mut self.fleet[*instance].process, *process);
                Mutation::Process { instance: *instance, process }
            }
            Mutation::Poison { service, share } => {
                Mutation::Poison { service: *service, share: self.models[*service].poison(*share) }
            }
            Mutation::Load { route, factor } => {
                Mutation::Load { route: *route, factor: std::mem::replace(&mut self.loads[*route].factor, *factor) }
            }
            Mutation::Link { from, to, delay, loss } => self.set_link(*from, *to, *delay, *loss),
            Mutation::Slowdown { node, factor } => {
                Mutation::Slowdown { node: *node, factor: std::mem::replace(&mut self.slow_nodes[*node], *factor) }
            }
            Mutation::Silence { alert, on } => {
                Mutation::Silence { alert: *alert, on: std::mem::replace(&mut self.alerts[*alert].silenced, *on) }
            }
            Mutation::All(all) => {
                let mut undo: Vec<Mutation> = all.iter().map(|m| self.apply(m)).collect();
                undo.reverse();
                Mutation::All(undo)
            }
        }
    }

    fn set_link(&mut self, from: usize, to: usize, delay: f64, loss: f64) -> Mutation {
        let mut old = (0.0, 0.0);
        for (call, flow) in self.plan.calls.iter().zip(&mut self.flows) {
            let caller = call.parent.map(|p| self.plan.calls[p].service);
            if call.service == to && caller == Some(from) {
                old = (flow.delay, flow.loss);
                (flow.delay, flow.loss) = (delay, loss);
            }
        }
        Mutation::Link { from, to, delay: old.0, loss: old.1 }
    }

    /// Applies a change when its time comes; changes of one time apply in the order of scheduling.
    pub fn schedule(&mut self, at: Time, mutation: Mutation) {
        self.enqueue(Due { at, mutation, change: None });
    }

    /// Applies a change when its time comes, and writes it into the change history then.
    pub fn schedule_change(&mut self, at: Time, author: &str, service: usize, summary: &str, mutation: Mutation) {
        let change = Some(Arc::new((author.to_string(), service, summary.to_string())));
        self.enqueue(Due { at, mutation, change });
    }

    fn enqueue(&mut self, due: Due) {
        let place = self.schedule.partition_point(|d| d.at <= due.at);
        self.schedule.insert(place, due);
    }

    /// Applies a change now and writes it into the change history.
    pub fn change(
        &mut self,
        author: &str,
        service: usize,
        summary: &str,
        mutation: &Mutation,
        by_operator: bool,
    ) -> u32 {
        let undo = self.apply(mutation);
        self.note_change(author, service, summary, Some(undo), by_operator, self.now)
    }

    /// Writes something into the change history without changing the world.
    pub fn note_change(
        &mut self,
        author: &str,
        service: usize,
        summary: &str,
        undo: Option<Mutation>,
        by_operator: bool,
        time: Time,
    ) -> u32 {
        let id = 4100 + (self.seed.stream("change ids").at(0).below(400) as u32) + 3 * self.changes.len() as u32;
        let (author, summary) = (author.into(), summary.into());
        let change = Change { id, time, service, author, summary, undo, reverted: false, by_operator };
        self.changes.push(change);
        id
    }

    /// Lets time pass until `end`.
    pub fn run_until(&mut self, end: Time) {
        while self.now < end {
            let dt = Span(self.pace.0.min(end.0 - self.now.0));
            self.step(dt);
        }
    }

    /// Lets time pass until somebody is paged, or until `end`.
    pub fn run_until_page(&mut self, end: Time) -> Option<Page> {
        while self.page.is_none() && self.now < end {
            self.step(TICK);
        }
        self.page
    }

    /// One tick.
    fn step(&mut self, length: Span) {
        let dt = length.as_secs();
        while self.schedule.first().is_some_and(|d| d.at <= self.now) {
            let due = self.schedule.remove(0);
            match &due.change {
                Some(c) => drop(self.change(&c.0, c.1, &c.2, &due.mutation, false)),
                None => drop(self.apply(&due.mutation)),
            }
        }
        self.control();
        self.disturb();
        self.now += length;
        self.offer();
        self.flow(dt);
        self.feel(dt);
        if self.now >= self.next_scrape {
            self.scrape();
        }
    }

    /// The control plane: rollouts, expiries, planned restarts, processes that come up.
    fn control(&mut self) {
        let now = self.now;
        for service in 0..self.settings.len() {
            let keys = self.plan.services[service].kind.keys();
            let mut moved = false;
            for (setting, key) in self.settings[service].iter_mut().zip(keys) {
                if setting.expires <= now {
                    setting.expires = Time::NEVER;
                    setting.wanted = Value::Bool(false);
                    setting.running = Value::Bool(false);
                    moved = true;
                }
                if setting.wanted != setting.running && setting.since + key.rollout <= now {
                    setting.running = setting.wanted.clone();
                    moved = true;
                    if key.restarts {
                        plan_restarts(
                            &mut self.fleet[self.plan.services[service].instances.clone()],
                            now,
                            &*self.plan.services[service].kind,
                        );
                    }
                }
            }
            if moved {
                self.configure(service);
            }
        }
        for at in 0..self.fleet.len() {
            let instance = &mut self.fleet[at];
            if instance.process.restart_at <= now {
                let secs = self.plan.services[instance.service].kind.restart_secs();
                instance.process = Process::starting(now + Span::secs(secs));
            }
            if let Phase::Starting(ready) = instance.process.phase
                && ready <= now
            {
                instance.process = Process::fresh(now);
                let service = instance.service;
                self.models[service].restarted(at - self.plan.services[service].instances.start);
            }
        }
    }

    fn configure(&mut self, service: usize) {
        let running: Vec<&Value> = self.settings[service].iter().map(|s| &s.running).collect();
        self.models[service].configure(&running, &self.plan);
    }

    /// Passing disturbances of nodes, on a schedule of the seed's own.
    fn disturb(&mut self) {
        const WINDOW: u64 = 240_000;
        self.slowdown.copy_from_slice(&self.slow_nodes);
        let chance = self.noise.disturbance();
        if chance == 0.0 {
            return;
        }
        let (window, into) = (self.now.0 / WINDOW, self.now.0 % WINDOW);
        let stream = self.seed.stream("disturbance").sub(window);
        let (begin, length) = (stream.at(1).below(120_000), 30_000 + stream.at(2).below(45_000));
        if stream.at(0).chance(chance) && (begin..begin + length).contains(&into) {
            let node = stream.at(3).below(self.slowdown.len() as u64) as usize;
            self.slowdown[node] *= stream.at(4).between(1.2, 1.6);
        }
    }

    /// What users ask of each route: the day's shape, a slow wander, a little jitter, and retries.
    fn offer(&mut self) {
        let t = self.now.0 as f64 / 1000.0;
        let day = 1.0 + 0.04 * libm::sin(t / 13_750.0);
        for (route, load) in self.plan.routes.iter().zip(&mut self.loads) {
            if route.asynchronous {
                continue;
            }
            let knot = self.now.0 / 120_000;
            let into = (self.now.0 % 120_000) as f64 / 120_000.0;
            let wander = load.stream.at(knot).signed() * (1.0 - into) + load.stream.at(knot + 1).signed() * into;
            let jitter = load.stream.at(self.now.0 ^ (1 << 60)).normal();
            let shape = day * (1.0 + 0.03 * wander + 0.01 * jitter);
            self.flows[route.entry].offered = route.rps * load.factor * shape + load.again;
        }
    }

    fn flow(&mut self, dt: f64) {
        let plan = &*self.plan;
        let mut tick = Tick {
            now: self.now,
            dt,
            plan,
            me: 0,
            flows: &mut self.flows,
            fleet: &mut self.fleet,
            slowdown: &self.slowdown,
            events: &mut [],
        };
        for &service in &plan.order {
            tick.me = service;
            self.models[service].send(&mut tick);
        }
        for &service in plan.order.iter().rev() {
            let mut tick = Tick {
                me: service,
                events: &mut self.row[plan.services[service].events.clone()],
                flows: &mut *tick.flows,
                fleet: &mut *tick.fleet,
                ..tick
            };
            self.models[service].solve(&mut tick);
        }
    }

    /// What users felt in this tick.
    fn feel(&mut self, dt: f64) {
        for (at, route) in self.plan.routes.iter().enumerate() {
            let flow = &self.flows[route.entry];
            let late = if route.asynchronous { 0.0 } else { flow.latency.tail(route.patience) };
            let failed = (flow.failed + late * (1.0 - flow.failed)).min(1.0);
            let slow = (flow.latency.tail(route.slow) - late).max(0.0) * (1.0 - failed);
            let requests = flow.offered * dt;
            let felt = &mut self.impact.routes[at];
            felt.requests += requests;
            felt.failed += requests * failed;
            felt.slow += requests * slow;
            if failed + slow > route.allowed {
                felt.minutes_out += dt / 60.0;
            }
            let cells = &mut self.row[route.columns.clone()];
            cells[0] += requests as f32;
            cells[1] += (requests * failed) as f32;
            cells[2] += (requests * slow) as f32;
            let load = &mut self.loads[at];
            // People press reload after a moment, so their retries arrive over the next ticks.
            let retries = route.user_retry * flow.offered * failed;
            load.again += (retries - load.again) * (dt / 20.0).min(1.0);
        }
    }

    /// Takes a row of samples, evaluates the alert rules, and starts the next row.
    fn scrape(&mut self) {
        self.next_scrape = self.now + if self.pace > SCRAPE { self.pace } else { SCRAPE };
        for (me, (model, info)) in self.models.iter().zip(&self.plan.services).enumerate() {
            let sight = Sight { plan: &self.plan, me, flows: &self.flows };
            model.sample(&sight, &mut self.row[info.metrics.clone()]);
        }
        for route in &self.plan.routes {
            self.row[route.columns.start + 3] = (self.flows[route.entry].latency.p95() * 1000.0) as f32;
        }
        self.blur();
        for cell in &self.row {
            self.chain = (self.chain ^ u64::from(cell.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        }
        if self.paging {
            self.watch();
        }
        self.history.push(self.now, &self.row);
        for route in &self.plan.routes {
            self.row[route.columns.start..route.columns.start + ROUTE_COLUMNS - 1].fill(0.0);
        }
        for info in &self.plan.services {
            self.row[info.events.clone()].fill(0.0);
        }
    }

    /// The noise dial: jitter and lost scrapes.
    fn blur(&mut self) {
        if self.noise == Noise(0) {
            return;
        }
        let (jitter, dropped) = (self.noise.jitter(), self.noise.dropped());
        let stream = self.seed.stream("telemetry noise").sub(self.now.0);
        for (at, info) in self.plan.services.iter().enumerate() {
            let lost = stream.at(at as u64 | 1 << 40).chance(dropped);
            for column in info.metrics.clone() {
                let factor = 1.0 + jitter * stream.at(column as u64).normal();
                let cell = &mut self.row[column];
                *cell = if lost { f32::NAN } else { *cell * factor as f32 };
            }
        }
    }

    fn watch(&mut self) {
        for (at, (info, state)) in self.plan.alerts.iter().zip(&mut self.alerts).enumerate() {
            let (value, bad, hold) = match &info.watches {
                Watch::Metric(service, column, rule) => {
                    let instances = &self.fleet[self.plan.services[*service].instances.clone()];
                    let up = || instances.iter().filter(|i| i.process.up()).count() as f64 / instances.len() as f64;
                    let value = column.map_or_else(up, |c| f64::from(self.row[c]));
                    let bad = if rule.above { value > rule.threshold } else { value < rule.threshold };
                    (value, bad, Span::secs(rule.hold))
                }
                Watch::Burn(route) => {
                    let route = &self.plan.routes[*route];
                    let cells = &self.row[route.columns.clone()];
                    let wrong = f64::from(cells[1] + cells[2]) / f64::from(cells[0]).max(1e-9);
                    (wrong, wrong > BURN * route.allowed, BURN_HOLD)
                }
            };
            if value.is_nan() {
                continue;
            }
            state.value = value;
            if !bad {
                (state.pending, state.firing) = (None, None);
                continue;
            }
            let since = *state.pending.get_or_insert(self.now);
            if state.firing.is_none() && self.now.since(since) >= hold {
                state.firing = Some(self.now);
                if info.pages && self.page.is_none() && !state.silenced {
                    self.page = Some(Page { time: self.now, alert: at, value });
                }
            }
        }
    }

    /// The running model of a service, for its status page.
    pub(crate) fn model(&self, service: usize) -> &dyn Model {
        &*self.models[service]
    }
}

/// Restarts instances one after another, so that the others carry the load meanwhile.
pub(crate) fn plan_restarts(instances: &mut [Instance], now: Time, kind: &dyn crate::services::Kind) {
    for (i, instance) in instances.iter_mut().enumerate() {
        instance.process.restart_at = now + Span::secs(i as u64 * (kind.restart_secs() + 5));
    }
}
