//! A cache: entries warm with traffic, expire, and are evicted when memory is short.

use super::{Kind, Level, Metric, Model, Role, Rule, Setup, Sight, Template, Tick, Unit};
use crate::blueprint::Blueprint;
use crate::config::{Key, KeyType, Value};
use crate::flow::{Mix, Reason};
use crate::latency::Latency;
use crate::store::Store;
use crate::time::Span;

/// The kind.
pub struct Cache;

const TTL_SECONDS: usize = 0;
const MAX_MEMORY_MB: usize = 1;
const COMPRESSION_ENABLED: usize = 2;
const AUTH_TOKEN_VALID: usize = 3;

/// How much larger entries are when they are not compressed.
const UNCOMPRESSED: f64 = 3.0;

impl Kind for Cache {
    fn name(&self) -> &'static str {
        "cache"
    }

    fn role(&self) -> Role {
        Role::Lookup
    }

    fn keys(&self) -> &'static [Key] {
        const fn key(name: &'static str, takes: KeyType, default: &'static str, about: &'static str) -> Key {
            Key { name, takes, default, rollout: Span::secs(15), restarts: false, about }
        }
        const KEYS: &[Key] = &[
            key(
                "TTL_SECONDS",
                KeyType::Int { min: 1, max: 86_400, unit: "seconds" },
                "300",
                "how long an entry lives; long lives serve stale data and fill memory",
            ),
            key(
                "MAX_MEMORY_MB",
                KeyType::Int { min: 64, max: 16_384, unit: "megabytes" },
                "1024",
                "memory for entries; the least used are evicted beyond it",
            ),
            key("COMPRESSION_ENABLED", KeyType::Bool, "true", "compress entries: less memory, a little more work"),
            key("AUTH_TOKEN_VALID", KeyType::Bool, "true", "whether the token that clients present is accepted"),
        ];
        KEYS
    }

    fn params(&self) -> &'static [(&'static str, f64)] {
        // Working set in MB when compressed; mean seconds between two uses of an entry; seconds to warm;
        // operations per second that it can take; how fast the hit rate falls with memory; seconds after which
        // the client that loads an entry gives up, so that nothing is stored.
        &[
            ("working_set_mb", 820.0),
            ("reuse_s", 8.0),
            ("warm_s", 70.0),
            ("ops_per_s", 9000.0),
            ("skew", 0.62),
            ("loader_patience_s", 3.0),
        ]
    }

    fn metrics(&self) -> &'static [Metric] {
        const METRICS: &[Metric] = &[
            Metric::new("hit_rate", Unit::Ratio, 0.05),
            Metric::new("p95_latency_ms", Unit::Millis, 3.0),
            Metric::new("memory_used_pct", Unit::Percent, 12.0),
            Metric::new("evictions_per_min", Unit::PerMinute, 60.0),
            Metric::new("auth_denied_rate", Unit::Ratio, 0.01),
            Metric::new("backend_fill_latency_ms", Unit::Millis, 60.0),
            Metric::new("request_rate", Unit::PerSecond, 60.0),
        ];
        METRICS
    }

    fn logs(&self) -> &'static [Template] {
        const LOGS: &[Template] = &[
            Template::new(
                "stats",
                Level::Info,
                true,
                "stats: {180..420} clients, {900..4000} keys touched in the last second",
            ),
            Template::new("snapshot", Level::Info, true, "background save finished in {300..900}ms"),
            Template::new("slow_client", Level::Warn, true, "client {ip} reads slowly, output buffer at {64..512}kB"),
            Template::new(
                "evict",
                Level::Warn,
                false,
                "evicted {200..900} live keys in the last second: maxmemory {MAX_MEMORY_MB}MB reached",
            ),
            Template::new(
                "oom",
                Level::Error,
                false,
                "memory limit reached, {40..220} writes had to evict first (maxmemory {MAX_MEMORY_MB}MB)",
            ),
            Template::new(
                "expire",
                Level::Warn,
                false,
                "{60..95}% of lookups found an entry that had just expired (ttl {TTL_SECONDS}s)",
            ),
            Template::new("denied", Level::Error, false, "NOAUTH client {ip}: token rejected, it has expired"),
            Template::new(
                "fatal",
                Level::Error,
                false,
                "supervisor: {instance} ended with signal 9, restart policy is never",
            ),
            Template::new(
                "refused",
                Level::Error,
                false,
                "supervisor: {instance} not running, connection from {ip} refused",
            ),
            Template::new("cold", Level::Warn, false, "dataset is {5..60}% of its usual size, warming"),
            Template::new(
                "large",
                Level::Warn,
                false,
                "stored value of {180..900}kB for product:{id} uncompressed, average entry {2..4}x its usual size",
            ),
            Template::new("idle", Level::Warn, false, "no commands for {20..90}s from application clients"),
            Template::new("fill", Level::Warn, false, "slow fill: loader for key product:{id} took {900..3900}ms"),
        ];
        LOGS
    }

    fn rules(&self) -> &'static [Rule] {
        const RULES: &[Rule] = &[
            Rule::new("down", "up", false, 0.99, 30, true),
            Rule::new("auth_denied", "auth_denied_rate", true, 0.05, 30, true),
            Rule::new("evictions", "evictions_per_min", true, 600.0, 45, true),
            Rule::new("hit_rate", "hit_rate", false, 0.7, 45, true),
            Rule::new("fill_latency", "backend_fill_latency_ms", true, 800.0, 60, true),
        ];
        RULES
    }

    fn model(&self, setup: &Setup<'_>) -> Box<dyn Model> {
        Box::new(State {
            working_set: setup.param("working_set_mb"),
            reuse: setup.param("reuse_s"),
            warm_secs: setup.param("warm_s"),
            ops: setup.param("ops_per_s"),
            skew: setup.param("skew"),
            patience: setup.param("loader_patience_s"),
            expired: false,
            settings: Settings::default(),
            reach: Reach::default(),
            held: f64::INFINITY,
            lookups: 1.0,
            seen: Seen { hit: 0.9, ..Seen::default() },
        })
    }

    fn restart_secs(&self) -> u64 {
        10
    }
}

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
    memory: f64,
    evictions: f64,
    denied: f64,
    fill: f64,
    rate: f64,
}

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

#[derive(Clone)]
struct State {
    working_set: f64,
    reuse: f64,
    warm_secs: f64,
    ops: f64,
    skew: f64,
    patience: f64,
    /// Whether tokens look as if they had run out: they have, or the clock is wrong.
    expired: bool,
    settings: Settings,
    reach: Reach,
    /// Memory in use, in MB: nothing after a restart.
    held: f64,
    /// Lookups per second at which it was last busy; it fills with traffic.
    lookups: f64,
    seen: Seen,
}

impl State {
    /// Memory that the working set wants, in MB. Entries that live long pile up beyond it.
    fn wanted(&self) -> f64 {
        let size = self.working_set * if self.settings.compressed { 1.0 } else { UNCOMPRESSED };
        size * (self.settings.ttl / (self.settings.ttl + 25.0)) * (1.0 + (self.settings.ttl / 20_000.0).min(2.0))
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
        for &call in tick.calls() {
            let Some(parent) = tick.info(call).parent else { continue };
            for &sibling in &tick.info(parent).children {
                if tick.info(sibling).miss_of == Some(call) {
                    let flow = &tick.flows[sibling];
                    rate += flow.offered;
                    sum += flow.offered * flow.latency.mean * tick.info(sibling).times.max(1.0);
                    // Far below their patience next to nobody gives up.
                    if flow.failed > 0.0 || 4.0 * flow.latency.mean > self.patience {
                        let late = flow.latency.tail(self.patience);
                        lost += flow.offered * (1.0 - (1.0 - flow.failed) * (1.0 - late));
                    }
                }
            }
        }
        if rate > 0.0 { (sum / rate, 1.0 - lost / rate) } else { (0.0, 1.0) }
    }
}

impl Model for State {
    fn configure(&mut self, values: &[&Value], _: &Blueprint) {
        self.settings = Settings {
            ttl: values[TTL_SECONDS].int(),
            memory: values[MAX_MEMORY_MB].int(),
            compressed: values[COMPRESSION_ENABLED].bool(),
            auth: values[AUTH_TOKEN_VALID].bool(),
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
        let hit_share = alive * libm::pow(self.held / wanted, self.skew);
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
        let mut hits = 0.0;
        for &call in tick.calls() {
            let best = tick.info(call).op.hit;
            let (latency, fails, hit) = match (up > 0.0, !self.expired) {
                (false, _) => (Latency::new(0.001, 0.5), Mix::one(Reason::Refused, 1.0), 0.0),
                (true, false) => (Latency::new(0.001, 0.5), Mix::one(Reason::Unauthorised, 1.0), 0.0),
                (true, true) => (answer, Mix::one(Reason::Refused, 1.0 - up), best * hit_share),
            };
            let flow = &mut tick.flows[call];
            flow.miss = 1.0 - hit;
            hits += flow.offered * hit;
            flow.answer(latency, fails);
        }
        self.warm_up(rate, works, fill, stored, tick.dt);
        let quiet = rate < 0.2 * self.lookups;
        self.seen = Seen {
            hit: if rate > 0.1 { hits / rate } else { 0.0 },
            answer: if up > 0.0 { answer } else { Latency::ZERO },
            memory: if up > 0.0 { (self.held / self.settings.memory / 0.97).min(0.99) * 100.0 } else { 0.0 },
            evictions: evictions * 60.0,
            denied: if !self.expired || up == 0.0 { 0.0 } else { 1.0 },
            fill: fill * 1000.0,
            rate: if up > 0.0 { rate } else { 0.0 },
        };
        self.note(tick, rate, evictions, warm, works, quiet);
    }

    fn restarted(&mut self, _: usize) {
        self.held = 0.0;
    }

    fn store(&mut self, store: Store) -> Store {
        match store {
            Store::Entries { held } => Store::Entries { held: std::mem::replace(&mut self.held, held) },
            other => other,
        }
    }

    fn sample(&self, _: &Sight<'_>, out: &mut [f32]) {
        let s = &self.seen;
        let values = [s.hit, s.answer.p95() * 1000.0, s.memory, s.evictions, s.denied, s.fill, s.rate];
        out.iter_mut().zip(values).for_each(|(cell, v)| *cell = v as f32);
    }

    fn status(&self) -> (bool, Vec<String>) {
        let warm = self.held / (self.reach.wanted * self.reach.fits);
        let mut notes = vec![format!("{:.0} MB held, {:.0}% of what it would hold when warm", self.held, warm * 100.0)];
        if self.expired {
            notes.push("every client was denied in the last minute".to_string());
        }
        (self.expired || warm < 0.6, notes)
    }
}

impl State {
    /// Entries come with traffic whose loaders answer in time, and go with nobody asking.
    fn warm_up(&mut self, rate: f64, works: bool, fill: f64, stored: f64, dt: f64) {
        self.lookups = self.lookups.max(rate);
        if works {
            let traffic = (rate / self.lookups).min(1.0);
            let loading = 1.0 / (1.0 + fill / 2.0);
            let room = self.reach.wanted * self.reach.fits - self.held;
            self.held += room * (traffic * loading * stored * dt / self.warm_secs).min(1.0);
            // An entry that runs out is gone unless its loader answers.
            self.held *= 1.0 - ((1.0 - stored) * traffic * dt / self.settings.ttl).min(1.0);
        }
        if rate < 0.05 * self.lookups {
            self.held *= 1.0 - (dt / self.settings.ttl.max(60.0)).min(1.0);
        }
    }

    fn note(&self, tick: &mut Tick<'_>, rate: f64, evictions: f64, warm: f64, works: bool, quiet: bool) {
        let up = tick.up();
        let expired = if works && self.settings.ttl < 60.0 { 0.2 } else { 0.0 };
        let cold = if works && warm < 0.6 { 0.1 } else { 0.0 };
        let counts = [
            0.1 * up,
            0.01 * up,
            0.004 * up,
            if evictions > 0.5 { 0.2 } else { 0.0 },
            if self.reach.fits < 0.7 && works { 0.2 } else { 0.0 },
            expired,
            if up > 0.0 && self.expired { rate } else { 0.0 },
            if up == 0.0 { 0.05 } else { 0.0 },
            if up == 0.0 { rate } else { 0.0 },
            cold,
            if works && !self.settings.compressed { 0.2 } else { 0.0 },
            if up > 0.0 && quiet { 0.1 } else { 0.0 },
            if works && self.seen.fill > 600.0 { 0.3 } else { 0.0 },
        ];
        tick.count_all(&counts);
    }
}
