//! The physics of an application server: held workers, retries, rate limits, memory.

mod calls;
mod notes;

use std::sync::Arc;

use super::tables::{Key, Metric};
use crate::blueprint::Blueprint;
use crate::fleet::{InstanceId, PerInstance, USUAL_FILES};
use crate::flow::{Flow, Mix, Reason};
use crate::latency::Latency;
use crate::release::Build;
use crate::services::{Model, Role, Samples, Setup, Sight, Tick, Values};
use crate::station::{Capacity, Station};
use calls::{Child, Page, Table};

/// How long a connection attempt to a host that does not answer takes.
const CONNECT_TIMEOUT: f64 = 0.25;
/// Memory of one instance, and of what it needs without workers, in MB.
const MEMORY: f64 = 4096.0;
const BASE_MEMORY: f64 = 900.0;

#[derive(Clone, Copy, Debug, Default)]
struct Settings {
    timeout: f64,
    workers: f64,
    use_cache: bool,
    /// The service that answers at the cache's host name, if any does.
    cache: Option<usize>,
    rate_limit: f64,
    publish_timeout: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    rate: f64,
    errors: f64,
    timeouts: f64,
    workers: f64,
    memory: f64,
    restarts: f64,
    utilisation: f64,
    queued: f64,
    limited: f64,
    bypass: f64,
    checkout: f64,
    aborts: f64,
    files: f64,
    hoarded: f64,
}

/// What happened on the calls to others, in events per second: the raw material of the log.
#[derive(Clone, Debug, Default)]
struct Tally {
    database: Mix,
    cache: Mix,
    queue: Mix,
    bypassed: f64,
    lookups: f64,
    slow_misses: f64,
    writes: f64,
    writes_failed: f64,
    aborted: f64,
    /// For each kind that lends lines about itself.
    borrowed: Vec<Mix>,
}

/// The state of one service of this kind.
#[derive(Clone)]
pub struct State {
    table: Arc<Table>,
    backlog: f64,
    retries: f64,
    bugs: f64,
    worker_memory: f64,
    settings: Settings,
    stations: PerInstance<Station>,
    /// Failed calls to each kind that lends lines about itself; kept so that no tick allocates.
    borrowed: Vec<Mix>,
    /// Mean time for which a request holds its worker.
    hold: f64,
    /// Share of arrivals under the rate limit, and the share of those that reach a worker.
    admitted: f64,
    pass: f64,
    seen: Seen,
}

impl State {
    /// A model with its parameters, before its first configuration.
    pub fn new(setup: &Setup<'_>) -> State {
        State {
            table: Arc::new(Table::of(setup)),
            backlog: setup.param("backlog"),
            retries: setup.param("retries"),
            bugs: setup.param("bug_rate"),
            worker_memory: setup.param("worker_mb"),
            settings: Settings::default(),
            stations: PerInstance::default(),
            borrowed: vec![Mix::NONE; setup.plan.services[setup.me].borrowed.len()],
            hold: 0.15,
            admitted: 1.0,
            pass: 1.0,
            seen: Seen::default(),
        }
    }
}

impl State {
    /// Whether a lookup is made at all, and reaches its service.
    fn is_open(&self, child: &Child) -> bool {
        // A blueprint may have several caches; only the configured host matters for those a key points at.
        self.settings.use_cache && self.settings.cache == Some(child.service)
    }

    /// Workers of an instance that are really there, and how much slower its memory makes it.
    fn condition(&self, instance: &crate::fleet::Instance) -> (f64, f64, f64) {
        let p = &instance.process;
        if !p.up() {
            return (0.0, 1.0, 0.0);
        }
        let used = BASE_MEMORY + self.settings.workers * self.worker_memory + p.leaked;
        let full = (used / MEMORY).min(1.0);
        // Collection pauses grow as the heap fills; near the top workers are killed.
        let drag = 1.0 + 2.5 * ((full - 0.8) / 0.2).max(0.0);
        let killed = 0.5 * ((full - 0.93) / 0.07).max(0.0);
        (self.settings.workers * (1.0 - p.lost) * (1.0 - killed), drag, full)
    }

    /// One request's time and fate inside: own work and calls to others, one after another.
    fn inside(&self, tick: &Tick<'_>, page: &Page, drag: f64, rate: f64, tally: &mut Tally) -> (Latency, Mix) {
        let mut latency = Latency::new(page.work * drag, page.spread);
        let bugs = self.bugs + tick.build().errors;
        let mut fails = Mix::one(Reason::Internal, bugs);
        let (mut reach, mut missed) = (1.0 - bugs, 0.0);
        for child in &self.table.children[page.children.clone()] {
            let share = if child.on_miss { missed } else { 1.0 };
            let times = child.times * share;
            if child.role == Role::Lookup {
                missed = share * self.miss(tick, child);
                latency = latency.then(self.lookup(tick, child, rate * times, tally).times(times));
                continue;
            }
            if times <= 1e-6 {
                continue;
            }
            let handover = child.role == Role::Handover;
            let deadline = if handover { self.settings.publish_timeout } else { self.settings.timeout };
            let edge = tick.edge(child.call, deadline);
            if child.on_miss && edge.latency.mean > 1.2 {
                tally.slow_misses += rate * times;
            }
            if edge.failed <= 0.0 {
                latency = latency.then(edge.latency.times(times));
                continue;
            }
            // A failed read is sometimes tried once more.
            let again = if child.write { 0.0 } else { self.retries };
            latency = latency.then(edge.latency.scaled(1.0 + again * edge.failed).times(times));
            let failed = edge.failed * (1.0 - again * (1.0 - edge.failed));
            let lost = if times <= 1.0 { failed * times } else { 1.0 - libm::pow(1.0 - failed, times) };
            tick.blame(child.call, edge.lost, reach * lost / edge.failed, &mut fails);
            let seen = match child.lines {
                Some(at) => &mut tally.borrowed[at],
                None if handover => &mut tally.queue,
                None => &mut tally.database,
            };
            tick.blame(child.call, edge.lost, rate * times, seen);
            reach *= 1.0 - lost;
        }
        if page.writes {
            tally.writes += rate;
            tally.writes_failed += rate * fails.total();
        }
        (latency, fails)
    }

    /// How many calls leave for each read that is wanted: repeated ones, and those sent again because the answer
    /// was not quick, while the first is still being worked on.
    fn attempts(&self, flow: &Flow, build: &Build) -> f64 {
        let hedged = if build.hedges > 0.0 { build.hedges * flow.latency.tail(build.hedge_after) } else { 0.0 };
        1.0 + self.retries * flow.failed + hedged
    }

    /// The share of a lookup's callers that go on to its miss branch.
    fn miss(&self, tick: &Tick<'_>, child: &Child) -> f64 {
        let flow = &tick.flows[child.call];
        if self.is_open(child) { found_nothing(flow) } else { 1.0 }
    }

    fn lookup(&self, tick: &Tick<'_>, child: &Child, rate: f64, tally: &mut Tally) -> Latency {
        tally.lookups += rate;
        if !self.is_open(child) {
            tally.bypassed += rate;
            if !self.settings.use_cache {
                return Latency::ZERO;
            }
            tally.cache.add(Reason::Unreachable, rate);
            return Latency::new(CONNECT_TIMEOUT, 0.05);
        }
        let edge = tick.edge(child.call, self.settings.timeout.min(1.0));
        if edge.failed > 0.0 {
            tick.blame(child.call, edge.lost, rate, &mut tally.cache);
            tally.bypassed += rate * edge.failed;
        }
        edge.latency
    }
}

impl Model for State {
    fn configure(&mut self, values: &Values<'_>, plan: &Blueprint) {
        self.settings = Settings {
            timeout: values.get(Key::TimeoutMs).int() / 1000.0,
            workers: values.get(Key::MaxWorkers).int(),
            use_cache: values.get(Key::UseCache).bool(),
            cache: plan.resolve(values.get(Key::CacheHost).text()),
            rate_limit: values.get(Key::RateLimitRps).int(),
            publish_timeout: values.get(Key::QueuePublishTimeoutMs).int() / 1000.0,
        };
    }

    fn send(&mut self, tick: &mut Tick<'_>) {
        let arrivals = tick.arrivals();
        self.admitted = if arrivals > self.settings.rate_limit { self.settings.rate_limit / arrivals } else { 1.0 };
        let (mut through, mut all) = (0.0, 0.0);
        for instance in tick.instances() {
            let (workers, ..) = self.condition(instance);
            all += workers;
            through += (arrivals * self.admitted * instance.share).min(workers / self.hold);
        }
        self.pass = if arrivals > 0.0 { through / arrivals } else { 0.0 };
        let build = tick.build();
        for page in &self.table.pages {
            let (rate, mut missed) = (tick.flows[page.call].offered * self.pass, 0.0);
            for child in &self.table.children[page.children.clone()] {
                let share = if child.on_miss { missed } else { 1.0 };
                let (open, flow) = (self.is_open(child), &mut tick.flows[child.call]);
                let wanted = match child.role {
                    Role::Lookup => {
                        missed = share * if open { found_nothing(flow) } else { 1.0 };
                        f64::from(u8::from(open))
                    }
                    Role::Handover => {
                        // The callee learns that its caller has gone only afterwards.
                        flow.cut = flow.latency.tail(self.settings.publish_timeout);
                        1.0
                    }
                    Role::Answer if child.write => 1.0,
                    Role::Answer => self.attempts(flow, build),
                };
                flow.offered = rate * child.times * share * wanted * (1.0 - flow.gone);
                flow.callers = all;
            }
        }
    }

    fn solve(&mut self, tick: &mut Tick<'_>) {
        let arrivals = tick.arrivals();
        let base = tick.drag();
        let mut tally = Tally { borrowed: std::mem::take(&mut self.borrowed), ..Tally::default() };
        tally.borrowed.fill(Mix::NONE);
        let mut fleet = Fleet { files: USUAL_FILES, ..Fleet::default() };
        let mut stations = std::mem::take(&mut self.stations);
        stations.follow(tick.instances());
        if tick.instances().is_empty() {
            fleet.refused = 1.0;
        }
        for (instance, station) in tick.instances().iter().zip(stations.iter_mut()) {
            let (workers, drag, full) = self.condition(instance);
            fleet.memory = fleet.memory.max(full);
            fleet.drag += drag * instance.share;
            fleet.workers += workers;
            let rate = arrivals * self.admitted * instance.share;
            if workers <= 0.0 {
                station.waiting = 0.0;
                fleet.refused += instance.share;
                continue;
            }
            let capacity = Capacity { servers: workers, hold: self.hold, room: self.backlog };
            let served = station.step(rate, capacity, tick.dt);
            fleet.take(&served, instance.share, rate);
            fleet.killed += instance.share * ((full - 0.93) / 0.07).max(0.0) * 0.25;
            fleet.lost += self.settings.workers * instance.process.lost;
            fleet.hoarded += instance.process.hoarded;
            if instance.process.opened > 0.0 {
                fleet.starved += instance.share * instance.process.starved();
                fleet.files = fleet.files.max(instance.process.files());
            }
        }
        self.stations = stations;
        let drag = base * if fleet.drag > 0.0 { fleet.drag } else { 1.0 };
        let mut at_the_door = Mix::one(Reason::RateLimited, 1.0 - self.admitted);
        at_the_door.add(Reason::Refused, self.admitted * fleet.refused);
        at_the_door.add(Reason::Overloaded, self.admitted * fleet.rejected);
        let inside = (1.0 - fleet.refused - fleet.rejected).max(0.0);
        at_the_door.add(Reason::OutOfMemory, self.admitted * inside * fleet.killed);
        if fleet.starved > 0.0 {
            at_the_door.add(Reason::OpenFiles, self.admitted * inside * (1.0 - fleet.killed) * fleet.starved);
        }
        let served = self.admitted * inside * (1.0 - fleet.killed) * (1.0 - fleet.starved);
        let (mut holding, mut by) = (0.0, Mix::NONE);
        for page in &self.table.pages {
            let Flow { offered, cut, .. } = tick.flows[page.call];
            let (inner, inner_fails) = self.inside(tick, page, drag, offered * self.pass, &mut tally);
            let mut fails = at_the_door;
            fails.add_scaled(&inner_fails, served);
            holding += offered * inner.mean;
            by.add_scaled(&fails, offered);
            tally.aborted += offered * cut;
            tick.flows[page.call].answer(inner.then(fleet.wait), fails);
        }
        let rate = arrivals.max(1e-9);
        // Workers notice a change only as their requests end, so the mean moves over a few ticks.
        self.hold += (holding / rate - self.hold) * tick.dt / (tick.dt + 12.0);
        self.hold = self.hold.max(0.005);
        let by = by.scaled(1.0 / rate);
        self.grow_leaks(tick);
        self.note(tick, &by, &tally, &fleet, arrivals);
        self.borrowed = tally.borrowed;
    }

    fn restarted(&mut self, instance: InstanceId) {
        self.stations.reset(instance);
    }

    fn sample(&self, sight: &Sight<'_>, out: &mut Samples<'_>) {
        let s = &self.seen;
        out.set(Metric::RequestRate, s.rate);
        out.set(Metric::ErrorRate, s.errors);
        out.set(Metric::P95LatencyMs, sight.p95_ms());
        out.set(Metric::UpstreamTimeoutRate, s.timeouts);
        out.set(Metric::HealthyWorkers, s.workers);
        out.set(Metric::MemoryUsedPct, s.memory);
        out.set(Metric::WorkerRestarts, s.restarts);
        out.set(Metric::WorkerUtilizationPct, s.utilisation);
        out.set(Metric::QueuedRequests, s.queued);
        out.set(Metric::RateLimitedRequests, s.limited);
        out.set(Metric::CacheBypassRate, s.bypass);
        out.set(Metric::CheckoutErrorRate, s.checkout);
        out.set(Metric::ClientAbortRate, s.aborts);
        out.set(Metric::OpenFilesPct, s.files);
        out.set(Metric::HeldDbConnections, s.hoarded);
    }

    fn status(&self) -> (bool, Vec<String>) {
        let expected = self.settings.workers * self.stations.len() as f64;
        let mut notes = vec![format!("{} of {expected} workers answer their heartbeat", self.seen.workers.round())];
        if self.seen.memory > 85.0 {
            notes.push(format!("memory at {:.0}% of the limit", self.seen.memory));
        }
        if self.seen.files > 60.0 {
            notes.push(format!("open files at {:.0}% of the limit", self.seen.files));
        }
        if self.seen.hoarded > 8.0 {
            notes.push(format!("{:.0} database connections checked out and not returned", self.seen.hoarded));
        }
        let short = self.seen.memory > 85.0 || self.seen.files > 85.0 || self.seen.hoarded > 30.0;
        (self.seen.workers < 0.9 * expected || short, notes)
    }
}

/// What the instances did together in one tick.
#[derive(Clone, Copy, Debug, Default)]
struct Fleet {
    wait: Latency,
    weight: f64,
    refused: f64,
    rejected: f64,
    killed: f64,
    lost: f64,
    starved: f64,
    files: f64,
    hoarded: f64,
    workers: f64,
    drag: f64,
    memory: f64,
    queued: f64,
    busiest: f64,
}

impl Fleet {
    fn take(&mut self, served: &crate::station::Served, share: f64, rate: f64) {
        self.weight += share;
        if share > 0.0 {
            self.wait = self.wait.or(served.wait, share / self.weight);
        }
        if rate > 0.0 {
            self.rejected += share * served.rejected / rate;
        }
        self.busiest = self.busiest.max(served.utilisation);
        self.queued += served.wait.mean * served.throughput;
    }
}

/// The share of a lookup's callers that found nothing, whatever the reason.
fn found_nothing(flow: &Flow) -> f64 {
    let found = (1.0 - flow.failed) * (1.0 - flow.miss);
    if flow.loss + flow.gone > 0.0 { 1.0 - found * (1.0 - flow.lost()) } else { 1.0 - found }
}

impl State {
    fn grow_leaks(&self, tick: &mut Tick<'_>) {
        let room = MEMORY - BASE_MEMORY - self.settings.workers * self.worker_memory;
        let leak = tick.build().leak;
        for instance in tick.fleet.of_mut(tick.me) {
            let p = &mut instance.process;
            p.leaked = (p.leaked + (p.leak + leak) * tick.dt).min(room.max(0.0) * 0.995);
        }
    }
}
