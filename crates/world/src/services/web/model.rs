//! The physics of an application server: held workers, retries, rate limits, memory.

use crate::blueprint::Blueprint;
use crate::config::Value;
use crate::flow::{Mix, Reason};
use crate::latency::Latency;
use crate::services::{Edge, Model, Role, Setup, Sight, Tick};
use crate::station::{Capacity, Station};

const TIMEOUT_MS: usize = 0;
const MAX_WORKERS: usize = 1;
const CACHE_HOST: usize = 2;
const USE_CACHE: usize = 3;
const RATE_LIMIT_RPS: usize = 4;
const QUEUE_PUBLISH_TIMEOUT_MS: usize = 5;

/// How long a connection attempt to a host that does not answer takes.
const CONNECT_TIMEOUT: f64 = 0.25;
/// Memory of one instance, and of its workers, in MB.
const MEMORY: f64 = 4096.0;
const BASE_MEMORY: f64 = 900.0;
const WORKER_MEMORY: f64 = 28.0;

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
}

/// What happened on the calls to others, in events per second: the raw material of the log.
#[derive(Clone, Copy, Debug, Default)]
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
}

/// The state of one service of this kind.
#[derive(Clone)]
pub struct State {
    backlog: f64,
    retries: f64,
    bugs: f64,
    settings: Settings,
    stations: Vec<Station>,
    /// Mean time for which a request holds its worker.
    hold: f64,
    /// Share of arrivals under the rate limit, and the share of those that reach a worker.
    admitted: f64,
    pass: f64,
    seen: Seen,
}

/// How a child is called: with which deadline, how often, and whether a failure is one of the request.
enum Way {
    /// Not at all.
    Skip,
    /// A lookup whose failure leads to its miss branch.
    Lookup,
    /// A call that must succeed, within a deadline in seconds.
    Must(f64),
}

impl State {
    /// A model with its parameters, before its first configuration.
    pub fn new(setup: &Setup<'_>) -> State {
        State {
            backlog: setup.param("backlog"),
            retries: setup.param("retries"),
            bugs: setup.param("bug_rate"),
            settings: Settings::default(),
            stations: vec![Station::default(); setup.instances()],
            hold: 0.15,
            admitted: 1.0,
            pass: 1.0,
            seen: Seen::default(),
        }
    }
}

impl State {
    fn way(&self, tick: &Tick<'_>, child: usize) -> Way {
        match tick.info(child).role {
            Role::Lookup if !self.settings.use_cache => Way::Skip,
            Role::Lookup => Way::Lookup,
            Role::Handover => Way::Must(self.settings.publish_timeout),
            Role::Answer => Way::Must(self.settings.timeout),
        }
    }

    fn reachable(&self, tick: &Tick<'_>, child: usize) -> bool {
        // A blueprint may have several caches; only the configured host matters for those a key points at.
        self.settings.cache == Some(tick.info(child).service)
    }

    /// The share of a lookup's callers that go on to its miss branch.
    fn miss(&self, tick: &Tick<'_>, lookup: usize) -> f64 {
        match self.way(tick, lookup) {
            Way::Lookup if self.reachable(tick, lookup) => {
                let flow = &tick.flows[lookup];
                flow.failed + (1.0 - flow.failed) * flow.miss
            }
            _ => 1.0,
        }
    }

    /// Workers of an instance that are really there, and how much slower its memory makes it.
    fn condition(&self, instance: &crate::fleet::Instance) -> (f64, f64, f64) {
        let p = &instance.process;
        if !p.up() {
            return (0.0, 1.0, 0.0);
        }
        let used = BASE_MEMORY + self.settings.workers * WORKER_MEMORY + p.leaked;
        let full = (used / MEMORY).min(1.0);
        // Collection pauses grow as the heap fills; near the top workers are killed.
        let drag = 1.0 + 2.5 * ((full - 0.8) / 0.2).max(0.0);
        let killed = 0.5 * ((full - 0.93) / 0.07).max(0.0);
        (self.settings.workers * (1.0 - p.lost) * (1.0 - killed), drag, full)
    }

    /// One request's time and fate inside: own work and calls to others, one after another.
    fn inside(&self, tick: &Tick<'_>, call: usize, drag: f64, rate: f64, tally: &mut Tally) -> (Latency, Mix) {
        let info = tick.info(call);
        let mut latency = Latency::new(info.op.work_ms / 1000.0 * drag, info.op.spread);
        let mut fails = Mix::one(Reason::Internal, self.bugs);
        let mut reach = 1.0 - self.bugs;
        for &child in &info.children {
            let child_info = tick.info(child);
            let share = child_info.miss_of.map_or(1.0, |lookup| self.miss(tick, lookup));
            let times = child_info.times * share;
            if times <= 1e-6 {
                continue;
            }
            match self.way(tick, child) {
                Way::Skip => {
                    tally.bypassed += rate * times;
                    tally.lookups += rate * times;
                }
                Way::Lookup => latency = latency.then(self.lookup(tick, child, rate * times, tally).times(times)),
                Way::Must(deadline) => {
                    let edge = tick.edge(child, deadline);
                    let (edge_latency, failed) = self.retried(&edge, child_info.op.write);
                    latency = latency.then(edge_latency.times(times));
                    if child_info.miss_of.is_some() && edge.latency.mean > 1.2 {
                        tally.slow_misses += rate * times;
                    }
                    if edge.failed <= 0.0 {
                        continue;
                    }
                    let lost = if times <= 1.0 { failed * times } else { 1.0 - libm::pow(1.0 - failed, times) };
                    fails.add_scaled(&edge.fails, reach * lost / edge.failed);
                    let seen = if child_info.role == Role::Handover { &mut tally.queue } else { &mut tally.database };
                    seen.add_scaled(&edge.fails, rate * times);
                    reach *= 1.0 - lost;
                }
            }
        }
        if info.children.iter().any(|&c| tick.info(c).op.write) {
            tally.writes += rate;
            tally.writes_failed += rate * fails.total();
        }
        (latency, fails)
    }

    fn lookup(&self, tick: &Tick<'_>, child: usize, rate: f64, tally: &mut Tally) -> Latency {
        tally.lookups += rate;
        if !self.reachable(tick, child) {
            tally.cache.add(Reason::Unreachable, rate);
            tally.bypassed += rate;
            return Latency::new(CONNECT_TIMEOUT, 0.05);
        }
        let edge = tick.edge(child, self.settings.timeout.min(1.0));
        if edge.failed > 0.0 {
            tally.cache.add_scaled(&edge.fails, rate);
            tally.bypassed += rate * edge.failed;
        }
        edge.latency
    }

    /// A failed read is sometimes tried once more.
    fn retried(&self, edge: &Edge, write: bool) -> (Latency, f64) {
        let again = if write { 0.0 } else { self.retries };
        let latency = if edge.failed > 1e-4 { edge.latency.scaled(1.0 + again * edge.failed) } else { edge.latency };
        (latency, edge.failed * (1.0 - again * (1.0 - edge.failed)))
    }
}

impl Model for State {
    fn configure(&mut self, values: &[&Value], plan: &Blueprint) {
        self.settings = Settings {
            timeout: values[TIMEOUT_MS].int() / 1000.0,
            workers: values[MAX_WORKERS].int(),
            use_cache: values[USE_CACHE].bool(),
            cache: plan.resolve(values[CACHE_HOST].text()),
            rate_limit: values[RATE_LIMIT_RPS].int(),
            publish_timeout: values[QUEUE_PUBLISH_TIMEOUT_MS].int() / 1000.0,
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
        for &call in tick.calls() {
            let rate = tick.flows[call].offered * self.pass;
            for &child in &tick.info(call).children {
                let info = tick.info(child);
                let share = info.miss_of.map_or(1.0, |lookup| self.miss(tick, lookup));
                let wanted = match self.way(tick, child) {
                    Way::Skip => 0.0,
                    Way::Lookup if !self.reachable(tick, child) => 0.0,
                    Way::Lookup => 1.0,
                    Way::Must(_) if info.op.write => 1.0,
                    Way::Must(_) => 1.0 + self.retries * tick.flows[child].failed,
                };
                if info.role == Role::Handover {
                    // The callee learns that its caller has gone only afterwards.
                    tick.flows[child].cut = tick.flows[child].latency.tail(self.settings.publish_timeout);
                }
                tick.flows[child].offered = rate * info.times * share * wanted;
                tick.flows[child].callers = all;
            }
        }
    }

    fn solve(&mut self, tick: &mut Tick<'_>) {
        let arrivals = tick.arrivals();
        let base = tick.drag();
        let mut tally = Tally::default();
        let mut fleet = Fleet::default();
        for (at, instance) in tick.instances().iter().enumerate() {
            let (workers, drag, full) = self.condition(instance);
            fleet.memory = fleet.memory.max(full);
            fleet.drag += drag * instance.share;
            fleet.workers += workers;
            let rate = arrivals * self.admitted * instance.share;
            if workers <= 0.0 {
                self.stations[at].waiting = 0.0;
                fleet.refused += instance.share;
                continue;
            }
            let capacity = Capacity { servers: workers, hold: self.hold, room: self.backlog };
            let served = self.stations[at].step(rate, capacity, tick.dt);
            fleet.take(&served, instance.share, rate);
            fleet.killed += instance.share * ((full - 0.93) / 0.07).max(0.0) * 0.25;
            fleet.lost += self.settings.workers * instance.process.lost;
        }
        let drag = base * if fleet.drag > 0.0 { fleet.drag } else { 1.0 };
        let (mut holding, mut by) = (0.0, Mix::NONE);
        for &call in tick.calls() {
            let offered = tick.flows[call].offered;
            let (inner, inner_fails) = self.inside(tick, call, drag, offered * self.pass, &mut tally);
            let mut fails = Mix::one(Reason::RateLimited, 1.0 - self.admitted);
            fails.add(Reason::Refused, self.admitted * fleet.refused);
            fails.add(Reason::Overloaded, self.admitted * fleet.rejected);
            fails.add(Reason::OutOfMemory, self.admitted * fleet.killed);
            let served = (self.admitted * (1.0 - fleet.refused - fleet.rejected - fleet.killed)).max(0.0);
            fails.add_scaled(&inner_fails, served);
            let latency = inner.then(fleet.wait);
            holding += offered * inner.mean;
            by.add_scaled(&fails, offered);
            tally.aborted += offered * tick.flows[call].cut;
            tick.flows[call].answer(latency, fails);
        }
        let rate = arrivals.max(1e-9);
        // Workers notice a change only as their requests end, so the mean moves over a few ticks.
        self.hold += (holding / rate - self.hold) * tick.dt / (tick.dt + 12.0);
        self.hold = self.hold.max(0.005);
        let by = by.scaled(1.0 / rate);
        self.grow_leaks(tick);
        self.note(tick, &by, &tally, &fleet, arrivals);
    }

    fn restarted(&mut self, instance: usize) {
        self.stations[instance] = Station::default();
    }

    fn sample(&self, sight: &Sight<'_>, out: &mut [f32]) {
        let s = &self.seen;
        let values = [
            s.rate,
            s.errors,
            sight.p95_ms(),
            s.timeouts,
            s.workers,
            s.memory,
            s.restarts,
            s.utilisation,
            s.queued,
            s.limited,
            s.bypass,
            s.checkout,
            s.aborts,
        ];
        out.iter_mut().zip(values).for_each(|(cell, v)| *cell = v as f32);
    }

    fn status(&self) -> (bool, Vec<String>) {
        let expected = self.settings.workers * self.stations.len() as f64;
        let mut notes = vec![format!("{} of {expected} workers answer their heartbeat", self.seen.workers.round())];
        if self.seen.memory > 85.0 {
            notes.push(format!("memory at {:.0}% of the limit", self.seen.memory));
        }
        (self.seen.workers < 0.9 * expected || self.seen.memory > 85.0, notes)
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

impl State {
    fn grow_leaks(&self, tick: &mut Tick<'_>) {
        let range = tick.plan.services[tick.me].instances.clone();
        let room = MEMORY - BASE_MEMORY - self.settings.workers * WORKER_MEMORY;
        for instance in &mut tick.fleet[range] {
            let p = &mut instance.process;
            p.leaked = (p.leaked + p.leak * tick.dt).min(room.max(0.0) * 0.995);
        }
    }

    fn note(&mut self, tick: &mut Tick<'_>, by: &Mix, tally: &Tally, fleet: &Fleet, rate: f64) {
        let limited = by.get(Reason::RateLimited);
        let aborts = tally.aborted / rate.max(1e-9);
        let kills = fleet.killed * 60.0;
        self.seen = Seen {
            rate,
            errors: by.total() - limited + aborts,
            timeouts: (tally.database.get(Reason::TimedOut) + tally.queue.get(Reason::TimedOut)) / rate.max(1e-9),
            workers: fleet.workers,
            memory: fleet.memory * 100.0,
            restarts: kills,
            utilisation: fleet.busiest * 100.0,
            queued: fleet.queued,
            limited: limited * rate,
            bypass: if tally.lookups > 0.0 { tally.bypassed / tally.lookups } else { 0.0 },
            checkout: if tally.writes > 0.0 { tally.writes_failed / tally.writes } else { 0.0 },
            aborts,
        };
        let db = |r: Reason| tally.database.get(r);
        // A few late answers are nothing to log.
        let usual = |events: f64| (events - 0.002 * rate).max(0.0);
        let queue_down = tally.queue.get(Reason::Refused) + tally.queue.get(Reason::Unreachable);
        let off = tally.bypassed - tally.cache.total();
        let counts = [
            rate * (1.0 - by.total()),
            rate * 0.02,
            rate * 0.0006,
            rate * self.bugs,
            usual(db(Reason::TimedOut)),
            db(Reason::PoolExhausted),
            db(Reason::Refused),
            db(Reason::ReadOnly),
            db(Reason::DiskFull),
            db(Reason::StatementTimeout),
            tally.cache.get(Reason::Refused),
            tally.cache.get(Reason::Unreachable),
            tally.cache.get(Reason::Unauthorised),
            if self.settings.use_cache { 0.0 } else { off.max(0.0) },
            usual(tally.queue.get(Reason::TimedOut)),
            queue_down,
            rate * by.get(Reason::Overloaded),
            if fleet.busiest > 0.97 { 0.2 } else { 0.0 },
            rate * limited,
            if fleet.lost > 1.0 { 0.1 } else { 0.0 },
            kills / 60.0,
            if fleet.memory > 0.85 { 0.2 } else { 0.0 },
            tally.aborted,
            tally.slow_misses,
        ];
        counts.iter().enumerate().for_each(|(at, &n)| tick.count(at, n));
    }
}
