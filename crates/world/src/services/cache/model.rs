//! The physics of a cache: what fits, what is still alive, how it warms.

mod keys;

use std::sync::Arc;

use super::tables::{Gauge, Key, Log, Metric};
use crate::blueprint::Blueprint;
use crate::fleet::InstanceId;
use crate::flow::{Mix, Reason};
use crate::latency::Latency;
use crate::math::pow;
use crate::service_state::ServiceState;
use crate::services::{Gauges, InUse, Model, ModelSetup, OwnTime, Samples, Sight, Tick};
use keys::KnownKeys;

#[derive(Clone, Copy, Debug, Default)]
struct Settings {
    ttl: f64,
    memory: f64,
    compressed: bool,
    auth: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    hit: f64,
    answer: Latency,
    /// The part of that which passes in line.
    line: f64,
    memory: f64,
    evictions: f64,
    denied: f64,
    fill: f64,
    rate: f64,
}

/// Fewer lookups per second are none.
const SOME: f64 = 0.1;

/// Entries that are renewed live for so many times the mean time between two uses.
const RENEWED: f64 = 37.5;

/// How far the cache can get with its settings, once it is warm.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    /// Memory that the working set wants, in MB.
    wanted: f64,
    /// The share of the working set that fits.
    fits: f64,
    /// The share of entries that are still alive when they are asked for again.
    alive: f64,
}

/// The calls of the service and what a miss leads to, laid out for the inner loop.
struct CallTable {
    lookups: Vec<Lookup>,
    loads: Vec<Load>,
}

/// One call that the cache answers, and the share of hits of a cache that holds everything.
struct Lookup {
    call: usize,
    best: f64,
}

/// One call that is made on a miss, and how often.
struct Load {
    call: usize,
    times: f64,
}

impl CallTable {
    fn of(setup: &ModelSetup<'_>) -> CallTable {
        let (plan, own) = (setup.plan, &setup.plan.services[setup.me].calls);
        let siblings = |call: usize| plan.calls[call].parent.map_or(&[][..], |parent| &plan.calls[parent].children);
        let on_miss = |&call: &usize| siblings(call).iter().filter(move |&&s| plan.calls[s].miss_of == Some(call));
        let load = |&call: &usize| Load { call, times: plan.calls[call].times.max(1.0) };
        let lookup = |&call: &usize| Lookup { call, best: plan.calls[call].op.hit };
        CallTable { lookups: own.iter().map(lookup).collect(), loads: own.iter().flat_map(on_miss).map(load).collect() }
    }
}

/// The state of one service of this kind.
#[derive(Clone)]
pub struct CacheModel {
    table: Arc<CallTable>,
    working_set: f64,
    reuse: f64,
    warm_secs: f64,
    ops: f64,
    skew: f64,
    patience: f64,
    /// How much larger entries are when they are not compressed.
    swelling: f64,
    /// Whether clients have to present a token.
    tokens: bool,
    /// Whether entries in use are renewed before they run out, however long they may live.
    renews: bool,
    /// Which keys are asked for how often, where that is known.
    keys: Option<KnownKeys>,
    /// Whether tokens look as if they had run out: they have, or the clock is wrong.
    expired: bool,
    settings: Settings,
    reach: Reach,
    /// Memory in use, in MB: nothing after a restart.
    held: f64,
    /// For how long it has denied all clients, in seconds; whether it holds more than before.
    unfed: f64,
    grows: bool,
    /// Whether it ran in the last tick: a process dies once.
    ran: bool,
    /// Lookups per second at which it was last busy; it fills with traffic.
    lookups: f64,
    seen: Seen,
}

impl CacheModel {
    /// A model with its parameters, before its first configuration.
    pub fn new(setup: &ModelSetup<'_>) -> CacheModel {
        CacheModel {
            table: Arc::new(CallTable::of(setup)),
            working_set: setup.param("working_set_mb"),
            reuse: setup.param("reuse_s"),
            warm_secs: setup.param("warm_s"),
            ops: setup.param("ops_per_s"),
            skew: setup.param("skew"),
            patience: setup.param("loader_patience_s"),
            swelling: setup.param("swelling"),
            tokens: setup.param("tokens") > 0.0,
            renews: setup.param("renews") > 0.0,
            keys: KnownKeys::new(setup.param("keys"), setup.param("zipf")),
            expired: false,
            settings: Settings::default(),
            reach: Reach::default(),
            held: f64::INFINITY,
            unfed: 0.0,
            grows: false,
            ran: true,
            lookups: 1.0,
            seen: Seen { hit: 0.9, ..Seen::default() },
        }
    }
}

impl CacheModel {
    /// Memory that the working set wants, in MB. Entries that live long pile up beyond it.
    fn wanted(&self) -> f64 {
        let size = self.working_set * if self.settings.compressed { 1.0 } else { self.swelling };
        // Most entries are used again within a few times the mean, and next to none after very many times that.
        let (soon, late) = (3.125 * self.reuse, 2500.0 * self.reuse);
        size * (self.settings.ttl / (self.settings.ttl + soon)) * (1.0 + (self.settings.ttl / late).min(2.0))
    }

    /// What the settings allow.
    fn reach(&self) -> Reach {
        let wanted = self.wanted();
        let fits = (self.settings.memory * 0.97 / wanted).min(1.0);
        Reach { wanted, fits, alive: self.settings.ttl / (self.settings.ttl + self.reuse) }
    }

    /// How long a miss takes its caller, and the share of misses whose loader stores something in the end.
    fn filling(&self, tick: &Tick<'_>) -> (f64, f64) {
        let (mut rate, mut sum, mut lost) = (0.0, 0.0, 0.0);
        for load in self.table.loads.iter() {
            let flow = &tick.flows[load.call];
            rate += flow.offered;
            sum += flow.offered * flow.latency.mean * load.times;
            // Far below their patience next to none gives up.
            if flow.failed > 0.0 || 4.0 * flow.latency.mean > self.patience {
                let late = flow.latency.tail(self.patience);
                lost += flow.offered * (1.0 - (1.0 - flow.failed) * (1.0 - late));
            }
        }
        if rate > 0.0 { (sum / rate, 1.0 - lost / rate) } else { (0.0, 1.0) }
    }
}

impl Model for CacheModel {
    fn configure(&mut self, in_use: &InUse<'_>, _: &Blueprint) {
        let values = in_use.oldest();
        self.settings = Settings {
            ttl: if self.renews { RENEWED * self.reuse } else { values.get(Key::TtlSeconds).int() },
            memory: values.get(Key::MaxMemoryMb).int(),
            compressed: values.get(Key::CompressionEnabled).bool(),
            auth: values.get(Key::AuthTokenValid).bool() || !self.tokens,
        };
        self.reach = self.reach();
    }

    fn send(&mut self, _: &mut Tick<'_>) {}

    fn solve(&mut self, tick: &mut Tick<'_>) {
        let (up, rate) = (tick.up(), tick.arrivals());
        let Reach { wanted, fits, alive } = self.reach;
        // A dead process holds nothing.
        self.held = if up > 0.0 { self.held.min(wanted * fits) } else { 0.0 };
        // Popular entries come first and stay, so the hit rate falls more slowly than memory.
        let found = match &self.keys {
            Some(keys) => keys.found(self.held / wanted),
            None => pow(self.held / wanted, self.skew),
        };
        let hit_share = alive * found;
        let warm = self.held / (wanted * fits);
        self.expired = !self.settings.auth || tick.instances().iter().any(|i| i.process.clock_is_off());
        let works = !self.expired && up > 0.0;
        let load = rate / (self.ops * up.max(0.01)) * if self.settings.compressed { 1.0 } else { 0.8 };
        let (fill, stored) = self.filling(tick);
        // Evictions: what comes in beyond what fits pushes something out.
        let misses = rate * (1.0 - hit_share);
        let evictions = if works && fits < 1.0 { misses * (1.0 - fits) * warm } else { 0.0 };
        let thrash = 1.0 + 2.0 * (1.0 - fits);
        let size = if self.settings.compressed { 1.0 } else { 1.8 };
        let queue = 1.0 / (1.0 - load.min(0.97));
        let answer = Latency::new(0.0018 * thrash * size * queue * tick.drag(), 0.9);
        let (mut hits, mut asked) = (0.0, 0.0);
        for &Lookup { call, best } in self.table.lookups.iter() {
            let (latency, fails, hit) = match (up > 0.0, !self.expired) {
                (false, _) => (Latency::new(0.001, 0.5), Mix::one(Reason::Refused, 1.0), 0.0),
                (true, false) => (Latency::new(0.001, 0.5), Mix::one(Reason::Unauthorised, 1.0), 0.0),
                (true, true) => (answer, Mix::one(Reason::Refused, 1.0 - up), best * hit_share),
            };
            let flow = &mut tick.flows[call];
            flow.miss = 1.0 - hit;
            asked += flow.offered * best;
            hits += flow.offered * hit;
            if works && up >= 1.0 {
                flow.answer_all(latency);
            } else {
                flow.answer(latency, fails);
            }
        }
        let before = self.held;
        self.warm_up(rate, asked, works, [fill, stored], tick.dt);
        self.run_out(up > 0.0 && !works, tick.dt);
        self.grows = self.held > before;
        let quiet = rate < 0.2 * self.lookups;
        self.seen = Seen {
            hit: if rate > SOME { hits / rate } else { f64::NAN },
            answer: if up > 0.0 { answer } else { Latency::ZERO },
            line: 1.0 - 1.0 / queue,
            memory: if up > 0.0 { (self.held / self.settings.memory / 0.97).min(0.99) * 100.0 } else { 0.0 },
            evictions: evictions * 60.0,
            denied: if !self.expired || up == 0.0 || rate < SOME { 0.0 } else { 1.0 },
            fill: fill * 1000.0,
            rate: if up > 0.0 { rate } else { 0.0 },
        };
        self.note(tick, up, rate, [evictions, warm], works, quiet);
        self.ran = !tick.all_dead();
    }

    fn restarted(&mut self, _: InstanceId) {
        self.held = 0.0;
    }

    fn set_state(&mut self, state: ServiceState) -> ServiceState {
        match state {
            ServiceState::Entries { held } => ServiceState::Entries { held: std::mem::replace(&mut self.held, held) },
            other => other,
        }
    }

    fn sample(&self, _: &Sight<'_>, out: &mut Samples<'_>) {
        let s = &self.seen;
        out.set(Metric::HitRate, s.hit);
        // Of nothing there is no share and no percentile.
        out.set(Metric::P95LatencyMs, if s.rate > SOME { s.answer.p95() * 1000.0 } else { f64::NAN });
        out.set(Metric::MemoryUsedPct, s.memory);
        out.set(Metric::EvictionsPerMin, s.evictions);
        out.set(Metric::AuthDeniedRate, s.denied);
        out.set(Metric::BackendFillLatencyMs, s.fill);
        out.set(Metric::RequestRate, s.rate);
    }

    fn own_time(&self, _: Option<usize>) -> OwnTime {
        let Seen { answer, line, .. } = self.seen;
        OwnTime { work: answer.scaled(1.0 - line), wait: answer.scaled(line) }
    }

    fn gauge(&self, out: &mut Gauges<'_>) {
        let warm = self.held / (self.reach.wanted * self.reach.fits);
        out.set(Gauge::HeldMb, self.held);
        out.set(Gauge::ExpiredPct, 100.0 * (1.0 - self.reach.alive));
        out.set(Gauge::WarmPct, 100.0 * warm);
        out.set(Gauge::Swelling, if self.settings.compressed { 1.0 } else { self.swelling });
        out.set(Gauge::FillMs, self.seen.fill);
    }

    fn is_impaired(&self) -> bool {
        self.expired || self.warmth() < 0.6
    }

    fn notes(&self) -> Vec<String> {
        let warm = self.warmth();
        let mut notes = vec![format!("{:.0} MB held, {:.0}% of what it would hold when warm", self.held, warm * 100.0)];
        if self.seen.denied > 0.0 {
            notes.push("every client was denied in the last minute".to_string());
        }
        notes
    }
}

impl CacheModel {
    /// How much it holds of what it would hold when warm.
    fn warmth(&self) -> f64 {
        self.held / (self.reach.wanted * self.reach.fits)
    }

    /// Entries come with traffic whose loaders answer in time, and go where none is asked for.
    fn warm_up(&mut self, rate: f64, asked: f64, works: bool, [fill, stored]: [f64; 2], dt: f64) {
        self.lookups = self.lookups.max(rate);
        if works {
            let traffic = (rate / self.lookups).min(1.0);
            let loading = 1.0 / (1.0 + fill / 2.0);
            let room = self.reach.wanted * self.reach.fits - self.held;
            self.held = match &self.keys {
                // Each lookup of a key that is not there brings it.
                Some(keys) => {
                    let most = self.reach.wanted * self.reach.fits;
                    (self.reach.wanted * keys.after(self.held / self.reach.wanted, asked * stored * dt)).min(most)
                }
                None => self.held + room * (traffic * loading * stored * dt / self.warm_secs).min(1.0),
            };
            // An entry that runs out is gone unless its loader answers.
            self.held *= 1.0 - ((1.0 - stored) * traffic * dt / self.settings.ttl).min(1.0);
        }
        if rate < 0.05 * self.lookups {
            self.held *= 1.0 - (dt / self.settings.ttl.max(60.0)).min(1.0);
        }
    }

    /// Where clients are denied none stores or renews anything: what is held is of all ages, and the last of it is gone when an entry's time
    /// has passed.
    fn run_out(&mut self, is_denied: bool, dt: f64) {
        if !is_denied {
            self.unfed = 0.0;
            return;
        }
        let left = self.settings.ttl - self.unfed;
        self.held *= if left > dt { 1.0 - dt / left } else { 0.0 };
        self.unfed += dt;
    }

    fn note(&self, tick: &mut Tick<'_>, up: f64, rate: f64, [evictions, warm]: [f64; 2], works: bool, quiet: bool) {
        if !tick.logged {
            return;
        }
        let expired = if works && self.settings.ttl < 7.5 * self.reuse { 0.2 } else { 0.0 };
        let cold = if works && warm < 0.6 && self.grows { 0.1 } else { 0.0 };
        tick.count(Log::Stats, 0.1 * up);
        tick.count(Log::Snapshot, 0.01 * up);
        tick.count(Log::SlowClient, if rate > SOME { 0.004 * up } else { 0.0 });
        tick.count(Log::Evict, if evictions > 0.5 { 0.2 } else { 0.0 });
        tick.count(Log::Oom, if self.reach.fits < 0.7 && works { 0.2 } else { 0.0 });
        tick.count(Log::Expire, expired);
        tick.count(Log::Denied, if up > 0.0 && self.expired { rate } else { 0.0 });
        tick.count(Log::Fatal, if tick.all_dead() && self.ran { 1.0 / tick.dt } else { 0.0 });
        tick.count(Log::Refused, if up == 0.0 { rate } else { 0.0 });
        tick.count(Log::Cold, cold);
        tick.count(Log::Large, if works && !self.settings.compressed && self.swelling > 1.5 { 0.2 } else { 0.0 });
        tick.count(Log::Idle, if up > 0.0 && quiet { 0.1 } else { 0.0 });
        tick.count(Log::Fill, if works && self.seen.fill > 600.0 { 0.3 } else { 0.0 });
    }
}
