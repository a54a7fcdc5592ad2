//! The physics of an application server: held workers, retries, rate limits, memory.

mod calls;
mod chain;
mod groups;
mod notes;
mod round;

use std::sync::Arc;

use super::tables::{Gauge, Metric};
use crate::blueprint::Blueprint;
use crate::fleet::{Instance, InstanceId, PerInstance};
use crate::flow::{Flow, Mix, Reason};
use crate::latency::Latency;
use crate::math::pow;
use crate::release::Build;
use crate::services::{Gauges, InUse, Model, ModelSetup, OwnTime, Role, Samples, Sight, Tick};
use crate::station::Station;
use calls::{AnsweredCall, CallTable, Child};
use groups::{RevisionGroup, TrafficShare};
use round::Round;

/// How long a connection attempt to a host that does not answer takes.
const CONNECT_TIMEOUT: f64 = 0.25;
/// Memory of one instance, and of what it needs without workers, in MB.
const MEMORY: f64 = 4096.0;
const BASE_MEMORY: f64 = 900.0;

/// Workers that are so busy, in percent, send on what those that they call leave them the time for.
const SWAYED: f64 = 90.0;

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
    /// Instances that keep connections, and for how long they have kept the first of them, in seconds.
    hoarders: f64,
    hoarded_for: f64,
    /// Memory of the fullest instance in MB, and how long slow misses take, in milliseconds.
    memory_mb: f64,
    load: f64,
    /// How much longer than usual own work takes, and the wait for a worker.
    drag: f64,
    wait: Latency,
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
    /// Time that slow misses took in all, in seconds.
    slow_loads: f64,
    /// Requests, each as often as its page has bugs.
    buggy: f64,
    /// Requests that the build fails.
    broken: f64,
    writes: f64,
    writes_failed: f64,
    aborted: f64,
    /// Users who left before the answer.
    left: f64,
    /// For each kind that lends lines about itself.
    borrowed: Vec<Mix>,
}

/// Requests of one call that are let in.
#[derive(Clone, Copy)]
struct LetIn {
    /// How much longer than usual their work takes.
    drag: f64,
    /// How many reach a worker, per second.
    rate: f64,
    /// The share of what arrives that a worker takes and that is not killed.
    served: f64,
}

/// The state of one service of this kind.
#[derive(Clone)]
pub struct WebModel {
    table: Arc<CallTable>,
    backlog: f64,
    retries: f64,
    bugs: f64,
    worker_memory: f64,
    /// Workers that one request takes.
    threads: f64,
    /// Zones that each take as many requests as the limit says.
    zones: f64,
    /// Whether a library looks into the cache that does not know the switch.
    reads_through: bool,
    /// The instances that run with what the oldest runs with; usually all.
    group: RevisionGroup,
    others: Vec<RevisionGroup>,
    stations: PerInstance<Station>,
    /// Failed calls to each kind that lends lines about itself; kept so that no tick allocates.
    borrowed: Vec<Mix>,
    seen: Seen,
}

impl WebModel {
    /// A model with its parameters, before its first configuration.
    pub fn new(setup: &ModelSetup<'_>) -> WebModel {
        WebModel {
            table: Arc::new(CallTable::of(setup)),
            backlog: setup.param("backlog"),
            retries: setup.param("retries"),
            bugs: setup.param("bug_rate"),
            worker_memory: setup.param("worker_mb"),
            threads: setup.param("threads"),
            zones: setup.param("zones"),
            reads_through: setup.param("reads_through") > 0.0,
            group: RevisionGroup::new(),
            others: Vec::new(),
            stations: PerInstance::default(),
            borrowed: vec![Mix::NONE; setup.plan.services[setup.me].borrowed.len()],
            seen: Seen::default(),
        }
    }
}

impl WebModel {
    /// Workers of an instance that are really there, and how much slower its memory makes it.
    fn condition(&self, settings: &Settings, instance: &Instance) -> (f64, f64, f64) {
        let p = &instance.process;
        if !p.up() {
            return (0.0, 1.0, 0.0);
        }
        let used = BASE_MEMORY + settings.workers * self.worker_memory + p.leaked;
        let full = (used / MEMORY).min(1.0);
        // Collection pauses grow as the heap fills; near the top workers are killed.
        let drag = 1.0 + 2.5 * ((full - 0.8) / 0.2).max(0.0);
        let killed = 0.5 * ((full - 0.93) / 0.07).max(0.0);
        (settings.workers * (1.0 - p.lost) * (1.0 - killed), drag, full)
    }

    /// One request's time inside: own work and calls to others, one after another. Adds to `fails` what goes wrong there.
    #[inline(always)]
    fn inside(
        &self,
        group: &RevisionGroup,
        tick: &Tick<'_>,
        page: &AnsweredCall,
        LetIn { drag, rate, served }: LetIn,
        tally: &mut Tally,
        fails: &mut Mix,
    ) -> Latency {
        let mut latency = Latency::new(page.work * drag, page.spread);
        let mut bugs = self.bugs * page.bugs;
        if tick.build().errors > 0.0 {
            let broken = self.table.broken(tick.build(), page);
            tally.broken += rate * broken;
            bugs += broken;
        }
        fails.add(Reason::Internal, served * bugs);
        let (mut reach, mut missed) = (served * (1.0 - bugs), 0.0);
        for child in &self.table.children[page.children.clone()] {
            let share = if child.on_miss { missed } else { 1.0 };
            let times = child.times * share;
            if child.role == Role::Lookup {
                missed = share * miss(group, tick, child);
                latency = latency.then(lookup(group, tick, child, rate * times, tally).times(times));
                continue;
            }
            if times <= 1e-6 {
                continue;
            }
            let handover = child.role == Role::Handover;
            let deadline = if handover { group.settings.publish_timeout } else { group.settings.timeout };
            let edge = tick.edge(child.call, deadline);
            if child.on_miss && edge.latency.mean > 1.2 {
                tally.slow_misses += rate * times;
                tally.slow_loads += rate * times * edge.latency.mean;
            }
            if edge.failed <= 0.0 {
                latency = latency.then(edge.latency.times(times));
                continue;
            }
            // A failed read is sometimes tried once more.
            let again = if child.write { 0.0 } else { self.retries };
            latency = latency.then(edge.latency.scaled(1.0 + again * edge.failed).times(times));
            let failed = edge.failed * (1.0 - again * (1.0 - edge.failed));
            let lost = if times <= 1.0 { failed * times } else { 1.0 - pow(1.0 - failed, times) };
            tick.blame(child.call, edge.lost, reach * lost / edge.failed, fails);
            let seen = match child.lines {
                Some(at) => &mut tally.borrowed[at],
                None if handover => &mut tally.queue,
                None => &mut tally.database,
            };
            tick.blame(child.call, edge.lost, rate * times, seen);
            reach *= 1.0 - lost;
        }
        latency
    }

    /// Calls per second that arrive.
    #[inline]
    fn arrivals(&self, tick: &Tick<'_>) -> f64 {
        tick.offered(self.table.pages.iter().map(|page| page.call))
    }

    /// How many calls leave for each read that is wanted: repeated ones, and those sent again because the answer
    /// was not quick, while the first is still being worked on.
    fn attempts(&self, flow: &Flow, build: &Build) -> f64 {
        let hedged = if build.hedges > 0.0 { build.hedges * flow.latency.tail(build.hedge_after) } else { 0.0 };
        1.0 + self.retries * flow.failed + hedged
    }
}

/// The share of a lookup's callers that go on to its miss branch.
fn miss(group: &RevisionGroup, tick: &Tick<'_>, child: &Child) -> f64 {
    let flow = &tick.flows[child.call];
    if group.is_open(child) { found_nothing(flow) } else { 1.0 }
}

fn lookup(group: &RevisionGroup, tick: &Tick<'_>, child: &Child, rate: f64, tally: &mut Tally) -> Latency {
    tally.lookups += rate;
    if !group.is_open(child) {
        tally.bypassed += rate;
        if !group.settings.use_cache {
            return Latency::ZERO;
        }
        tally.cache.add(Reason::Unreachable, rate);
        return Latency::new(CONNECT_TIMEOUT, 0.05);
    }
    let edge = tick.edge(child.call, group.settings.timeout.min(1.0));
    if edge.failed > 0.0 {
        tick.blame(child.call, edge.lost, rate, &mut tally.cache);
        tally.bypassed += rate * edge.failed;
    }
    edge.latency
}

impl Model for WebModel {
    fn configure(&mut self, in_use: &InUse<'_>, plan: &Blueprint) {
        self.regroup(in_use, plan);
    }

    fn send(&mut self, tick: &mut Tick<'_>) {
        let arrivals = self.arrivals(tick);
        let (admitted, pass, mut workers) = self.admit(&self.group, tick, arrivals);
        (self.group.admitted, self.group.pass) = (admitted, pass);
        if self.table.chained {
            self.group.pressed = self.pressed(arrivals, tick);
        }
        if !self.others.is_empty() {
            workers += self.admit_others(tick, arrivals);
        }
        self.pass_on(&self.group, 1.0, workers, tick);
        let mut all = pass;
        for group in &self.others {
            all += group.pass;
            self.pass_on(group, if all > 0.0 { group.pass / all } else { 1.0 }, workers, tick);
        }
    }

    fn solve(&mut self, tick: &mut Tick<'_>) {
        let mut stations = std::mem::take(&mut self.stations);
        stations.follow(tick.instances());
        let mut tally = Tally { borrowed: std::mem::take(&mut self.borrowed), ..Tally::default() };
        tally.borrowed.fill(Mix::NONE);
        let drag = tick.drag();
        let is_behind = !self.table.callers.is_empty();
        let standing = if is_behind { self.hold_back(&stations, drag, tick) } else { None };
        let arrivals = self.arrivals(tick);
        let mut by = Mix::NONE;
        let mut round = Round { arrivals, drag, standing, stations: &mut stations, tally: &mut tally, by: &mut by };
        let fleet = if self.others.is_empty() {
            let (fleet, held) = self.answer(&self.group, TrafficShare::WHOLE, &mut round, tick);
            self.group.notice(&held, drag, tick.dt);
            fleet
        } else {
            self.answer_in_groups(&mut round, tick)
        };
        self.stations = stations;
        let by = by.scaled(1.0 / arrivals.max(1e-9));
        self.grow_leaks(tick);
        self.note(tick, &by, &tally, &fleet, arrivals);
        (self.seen.drag, self.seen.wait) = (drag * if fleet.drag > 0.0 { fleet.drag } else { 1.0 }, fleet.wait);
        self.borrowed = tally.borrowed;
    }

    fn is_swayed(&self) -> bool {
        self.seen.utilisation > SWAYED
    }

    fn restarted(&mut self, instance: InstanceId) {
        self.stations.reset(instance);
    }

    fn own_time(&self, at: Option<usize>) -> OwnTime {
        let work = |page: &AnsweredCall| Latency::new(page.work * self.seen.drag, page.spread);
        OwnTime { work: at.map_or(Latency::ZERO, |at| work(&self.table.pages[at])), wait: self.seen.wait }
    }

    fn gauge(&self, out: &mut Gauges<'_>) {
        out.set(Gauge::Queued, self.seen.queued);
        out.set(Gauge::MemoryMb, self.seen.memory_mb);
        out.set(Gauge::LoadMs, self.seen.load);
        out.set(Gauge::HeldConnections, self.seen.hoarded / self.seen.hoarders.max(1.0));
        out.set(Gauge::HeldS, self.seen.hoarded_for);
    }

    fn sample(&self, sight: &Sight<'_>, out: &mut Samples<'_>) {
        let s = &self.seen;
        out.set(Metric::RequestRate, s.rate);
        out.set(Metric::ErrorRate, s.errors);
        out.set_if_wanted(Metric::P95LatencyMs, || sight.p95_ms());
        out.set(Metric::UpstreamTimeoutRate, s.timeouts);
        out.set(Metric::HealthyWorkers, s.workers * self.threads);
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

    fn is_impaired(&self) -> bool {
        let short = self.seen.memory > 85.0 || self.seen.files > 85.0 || self.seen.hoarded > 30.0;
        self.seen.workers < 0.9 * self.expected() || short
    }

    fn notes(&self) -> Vec<String> {
        let expected = self.expected();
        let (answer, all) = ((self.seen.workers * self.threads).round(), (expected * self.threads).round());
        let mut notes = vec![format!("{answer} of {all} workers answer their heartbeat")];
        if self.seen.memory > 85.0 {
            notes.push(format!("memory at {:.0}% of the limit", self.seen.memory));
        }
        if self.seen.files > 60.0 {
            notes.push(format!("open files at {:.0}% of the limit", self.seen.files));
        }
        if self.seen.hoarded > 8.0 {
            notes.push(format!("{:.0} database connections checked out and not returned", self.seen.hoarded));
        }
        notes
    }
}

/// The share of a lookup's callers that found nothing, whatever the reason.
#[inline]
fn found_nothing(flow: &Flow) -> f64 {
    let found = (1.0 - flow.failed) * (1.0 - flow.miss);
    if flow.loss + flow.gone > 0.0 { 1.0 - found * (1.0 - flow.lost()) } else { 1.0 - found }
}

impl WebModel {
    fn grow_leaks(&self, tick: &mut Tick<'_>) {
        let leak = tick.build().leak;
        for instance in tick.fleet.of_mut(tick.me) {
            let room = MEMORY - BASE_MEMORY - self.settings_of(instance).workers * self.worker_memory;
            let p = &mut instance.process;
            p.leaked = (p.leaked + (p.leak + leak) * tick.dt).min(room.max(0.0) * 0.995);
        }
    }
}
