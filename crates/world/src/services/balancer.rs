//! A load balancer: connection slots in front of the instances of the services behind it.

use super::{Kind, Level, Metric, Model, Rule, Setup, Sight, Template, Tick, Unit};
use crate::blueprint::Blueprint;
use crate::config::{Key, KeyType, Value};
use crate::fleet::USUAL_FILES;
use crate::flow::{Mix, Reason};
use crate::latency::Latency;
use crate::time::Span;

/// The kind.
pub struct Balancer;

const HEALTH_CHECK_PATH: usize = 0;
const MAX_CONNECTIONS: usize = 1;
const STICKY_SESSIONS: usize = 2;
const WEB_WEIGHT_PRIMARY: usize = 3;
const IDLE_TIMEOUT_MS: usize = 4;
const TLS_CERT_VALID: usize = 5;

/// The path at which backends answer health checks.
const HEALTH_PATH: &str = "/healthz";
/// Checks come every five seconds; so many failures in a row take a backend out, so many successes put it back.
const FAILS_TO_LEAVE: f64 = 3.0;
const PASSES_TO_RETURN: f64 = 2.0;
const CHECK_EVERY: f64 = 5.0;

impl Kind for Balancer {
    fn name(&self) -> &'static str {
        "balancer"
    }

    fn keys(&self) -> &'static [Key] {
        const fn key(name: &'static str, takes: KeyType, default: &'static str, about: &'static str) -> Key {
            Key { name, takes, default, rollout: Span::secs(15), restarts: false, about }
        }
        const KEYS: &[Key] = &[
            key("HEALTH_CHECK_PATH", KeyType::Path, "/healthz", "path that is asked to see whether a backend is well"),
            key(
                "MAX_CONNECTIONS",
                KeyType::Int { min: 50, max: 20_000, unit: "connections" },
                "2000",
                "client connections held open at once; more are refused",
            ),
            key("STICKY_SESSIONS", KeyType::Bool, "false", "send a client to the same backend every time"),
            key(
                "WEB_WEIGHT_PRIMARY",
                KeyType::Int { min: 0, max: 100, unit: "percent of the traffic" },
                "50",
                "share of the first backend; the others divide the rest",
            ),
            key(
                "IDLE_TIMEOUT_MS",
                KeyType::Int { min: 1000, max: 600_000, unit: "milliseconds" },
                "120000",
                "close a connection on which nothing moved for so long",
            ),
            key("TLS_CERT_VALID", KeyType::Bool, "true", "whether the certificate in use is valid"),
        ];
        KEYS
    }

    fn params(&self) -> &'static [(&'static str, f64)] {
        &[("keepalive_s", 2.9), ("stickiness", 0.9), ("overhead_ms", 3.0)]
    }

    fn metrics(&self) -> &'static [Metric] {
        const METRICS: &[Metric] = &[
            Metric::new("request_rate", Unit::PerSecond, 10.0),
            Metric::new("backend_5xx_rate", Unit::Ratio, 0.01),
            Metric::new("healthy_backends", Unit::Count, 0.5),
            Metric::new("connection_utilization_pct", Unit::Percent, 8.0),
            Metric::new("p95_latency_ms", Unit::Millis, 60.0),
            Metric::new("backend_skew_pct", Unit::Percent, 10.0),
            Metric::new("edge_reset_rate", Unit::Ratio, 0.0003),
            Metric::new("edge_timeout_rate", Unit::Ratio, 0.005),
            Metric::new("tls_handshake_error_rate", Unit::Ratio, 0.01),
            Metric::new("refused_connections_rate", Unit::Ratio, 0.01),
            Metric::new("open_files_pct", Unit::Percent, 10.0),
        ];
        METRICS
    }

    fn logs(&self) -> &'static [Template] {
        const LOGS: &[Template] = &[
            Template::new(
                "access",
                Level::Info,
                true,
                "{ip} \"{GET|GET|POST} /{browse|search|orders|cart}\" 200 {20..280}ms backend={dep:web}",
            ),
            Template::new("reload", Level::Info, true, "upstream resolver refreshed, {2..4} records, ttl {30..60}s"),
            Template::new(
                "client_gone",
                Level::Warn,
                true,
                "{ip} client closed the connection before the response was complete",
            ),
            Template::new(
                "health_fail",
                Level::Error,
                false,
                "health check GET {HEALTH_CHECK_PATH} on {dep:web} answered 404, expected 200; {3..9} failures in a row",
            ),
            Template::new(
                "health_refused",
                Level::Error,
                false,
                "health check on {dep:web} failed: connection refused",
            ),
            Template::new("no_backend", Level::Error, false, "503 no healthy upstream for {ip} request={id}"),
            Template::new(
                "bad_gateway",
                Level::Error,
                false,
                "502 from {dep:web} after {90..3100}ms request={id}: upstream returned an error",
            ),
            Template::new(
                "unavailable",
                Level::Error,
                false,
                "503 from {dep:web} request={id}: upstream is overloaded, its accept queue is full",
            ),
            Template::new(
                "gateway_timeout",
                Level::Error,
                false,
                "504 request={id}: no answer from {dep:web} within the client's patience",
            ),
            Template::new(
                "conn_limit",
                Level::Error,
                false,
                "connection from {ip} refused: {MAX_CONNECTIONS} of {MAX_CONNECTIONS} connections in use",
            ),
            Template::new(
                "conn_high",
                Level::Warn,
                false,
                "open connections at {86..99}% of the limit of {MAX_CONNECTIONS}",
            ),
            Template::new(
                "idle_reset",
                Level::Error,
                false,
                "closed {ip} request={id} /export: no bytes for {IDLE_TIMEOUT_MS}ms while upstream was still working",
            ),
            Template::new("tls", Level::Error, false, "TLS handshake with {ip} failed: certificate has expired"),
            Template::new(
                "skew_sticky",
                Level::Warn,
                false,
                "backend {dep:web}#1 takes most of the requests: sessions are pinned to it",
            ),
            Template::new(
                "skew_weight",
                Level::Warn,
                false,
                "backend {dep:web}#1 takes far more requests than the others, which stand idle",
            ),
            Template::new("too_many", Level::Warn, false, "429 from {dep:web} passed on to {ip} request={id}"),
            Template::new(
                "canary",
                Level::Error,
                false,
                "502 from canary pool of {dep:web} request={id}: build is not ready, warm-up incomplete",
            ),
        ];
        LOGS
    }

    fn rules(&self) -> &'static [Rule] {
        const RULES: &[Rule] = &[
            Rule::new("down", "up", false, 0.99, 30, true),
            Rule::new("no_healthy_backends", "healthy_backends", false, 1.0, 30, true),
            Rule::new("tls_errors", "tls_handshake_error_rate", true, 0.05, 30, true),
            Rule::new("connections_refused", "refused_connections_rate", true, 0.03, 60, true),
            Rule::new("edge_resets", "edge_reset_rate", true, 0.0004, 45, true),
            Rule::new("backend_5xx", "backend_5xx_rate", true, 0.03, 90, true),
            Rule::new("backend_skew", "backend_skew_pct", true, 60.0, 45, true),
            Rule::new("latency", "p95_latency_ms", true, 2500.0, 90, true),
            Rule::new("connections_high", "connection_utilization_pct", true, 85.0, 120, false),
        ];
        RULES
    }

    fn model(&self, setup: &Setup<'_>) -> Box<dyn Model> {
        // Backends are the instances of the services called; all of a balancer's calls go there.
        let info = &setup.plan.services[setup.me];
        let backends = info.depends_on.iter().map(|&s| setup.plan.services[s].instances.clone());
        Box::new(State {
            keepalive: setup.param("keepalive_s"),
            stickiness: setup.param("stickiness"),
            overhead: setup.param("overhead_ms") / 1000.0,
            backends: backends.map(|range| range.map(|at| (at, Backend::default())).collect()).collect(),
            settings: Settings::default(),
            canary: 0.0,
            clock_off: false,
            starved: 0.0,
            response: 0.1,
            pass: 1.0,
            refused: 0.0,
            seen: Seen::default(),
        })
    }

    fn restart_secs(&self) -> u64 {
        10
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Settings {
    path_right: bool,
    max_connections: f64,
    sticky: bool,
    primary: f64,
    idle: f64,
    tls: bool,
}

/// A backend as the health checks see it.
#[derive(Clone, Copy, Debug)]
struct Backend {
    /// Above 0: successes in a row; below: failures.
    streak: f64,
    out: bool,
    refusing: bool,
}

impl Default for Backend {
    fn default() -> Self {
        Backend { streak: 9.0, out: false, refusing: false }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    rate: f64,
    errors: f64,
    healthy: f64,
    connections: f64,
    skew: f64,
    resets: f64,
    timeouts: f64,
    tls: f64,
    refused: f64,
    files: f64,
}

#[derive(Clone)]
struct State {
    keepalive: f64,
    stickiness: f64,
    overhead: f64,
    /// By service behind it: instances in the fleet and what checks say of them.
    backends: Vec<Vec<(usize, Backend)>>,
    settings: Settings,
    /// The share of requests that goes to a canary which is not ready.
    canary: f64,
    /// Whether the clock is so wrong that the certificate looks as if it were not valid.
    clock_off: bool,
    /// The share of connections refused for want of descriptors.
    starved: f64,
    /// Mean time for which a request keeps its connection busy.
    response: f64,
    /// Share of connections let in, and refused for want of slots.
    pass: f64,
    refused: f64,
    seen: Seen,
}

impl State {
    fn check_backends(&mut self, tick: &Tick<'_>) {
        for (at, backend) in self.backends.iter_mut().flatten() {
            let up = tick.fleet[*at].process.up();
            let good = up && self.settings.path_right;
            let checks = tick.dt / CHECK_EVERY;
            backend.refusing = !up;
            backend.streak = match (good, backend.streak > 0.0) {
                (true, true) => backend.streak + checks,
                (true, false) => checks,
                (false, false) => backend.streak - checks,
                (false, true) => -checks,
            };
            if backend.streak >= PASSES_TO_RETURN {
                backend.out = false;
            } else if backend.streak <= -FAILS_TO_LEAVE {
                backend.out = true;
            }
        }
    }

    fn look_at_processes(&mut self, tick: &Tick<'_>) {
        let all = tick.instances();
        self.clock_off = all.iter().any(|i| i.process.clock_is_off());
        (self.starved, self.seen.files) = (0.0, USUAL_FILES * 100.0);
        for process in all.iter().map(|i| &i.process).filter(|p| p.opened > 0.0) {
            self.starved += process.starved() / all.len() as f64;
            self.seen.files = self.seen.files.max(process.files() * 100.0);
        }
    }

    /// Divides the traffic over the backends in rotation; gives the skew in percent.
    fn share_out(&self, tick: &mut Tick<'_>) -> f64 {
        let mut skew: f64 = 0.0;
        for group in &self.backends {
            let first = if self.settings.sticky { self.stickiness } else { self.settings.primary };
            let others = (group.len().max(2) - 1) as f64;
            let weight = |i: usize| {
                if group.len() == 1 {
                    1.0
                } else if i == 0 {
                    first
                } else {
                    (1.0 - first) / others
                }
            };
            let total: f64 = group.iter().enumerate().filter(|(_, b)| !b.1.out).map(|(i, _)| weight(i)).sum();
            let live = group.iter().filter(|b| !b.1.out).count().max(1) as f64;
            for (i, (at, backend)) in group.iter().enumerate() {
                let share = match (backend.out, total > 0.0) {
                    (true, _) => 0.0,
                    (false, true) => weight(i) / total,
                    (false, false) => 1.0 / live,
                };
                tick.fleet[*at].share = share;
                if group.len() > 1 {
                    skew = skew.max((share - 1.0 / live) * 100.0 * live / (live - 1.0).max(1.0));
                }
            }
        }
        skew
    }
}

impl Model for State {
    fn configure(&mut self, values: &[&Value], _: &Blueprint) {
        self.settings = Settings {
            path_right: values[HEALTH_CHECK_PATH].text() == HEALTH_PATH,
            max_connections: values[MAX_CONNECTIONS].int(),
            sticky: values[STICKY_SESSIONS].bool(),
            primary: values[WEB_WEIGHT_PRIMARY].int() / 100.0,
            idle: values[IDLE_TIMEOUT_MS].int() / 1000.0,
            tls: values[TLS_CERT_VALID].bool(),
        };
    }

    fn send(&mut self, tick: &mut Tick<'_>) {
        self.check_backends(tick);
        self.seen.skew = self.share_out(tick);
        let arrivals = tick.arrivals();
        self.look_at_processes(tick);
        let handshakes = if self.settings.tls && !self.clock_off { 1.0 } else { 0.03 };
        // Idle clients keep their connection until they leave or are cut off.
        let idle = self.keepalive * (0.85 + 0.15 * (self.settings.idle / 120.0).min(4.0));
        let wanted = arrivals * handshakes * (self.response + idle);
        let slots = self.settings.max_connections * tick.up();
        let fits = (1.0 - self.starved) * if wanted > slots { slots / wanted } else { 1.0 };
        self.seen.connections = (wanted.min(slots) / slots.max(1.0)) * 100.0;
        self.refused = handshakes * (1.0 - fits);
        self.pass = handshakes * fits;
        let healthy = self.backends.iter().flatten().filter(|b| !b.1.out).count();
        self.seen.healthy = healthy as f64;
        let forward = if healthy == 0 { 0.0 } else { self.pass * (1.0 - self.canary) };
        for &call in tick.calls() {
            let offered = tick.flows[call].offered;
            for &child in &tick.info(call).children {
                tick.flows[child].offered = offered * forward * tick.info(child).times * (1.0 - tick.flows[child].gone);
                tick.flows[child].callers = f64::INFINITY;
            }
        }
    }

    fn solve(&mut self, tick: &mut Tick<'_>) {
        let (up, none) = (tick.up(), self.seen.healthy == 0.0);
        let handshakes = if self.settings.tls && !self.clock_off { 1.0 } else { 0.03 };
        let mut at_the_door = Mix::one(Reason::Tls, (1.0 - handshakes) * up);
        let starved = handshakes * self.starved;
        at_the_door.add(Reason::ConnectionLimit, (self.refused - starved).max(0.0) * up);
        if self.starved + self.canary > 0.0 {
            at_the_door.add(Reason::OpenFiles, starved * up);
            at_the_door.add(Reason::Internal, self.pass * up * self.canary);
        }
        at_the_door.add(Reason::Refused, 1.0 - up);
        let inside = self.pass * up * (1.0 - self.canary);
        if none {
            at_the_door.add(Reason::NoBackend, inside);
        }
        let own = Latency::new(self.overhead * tick.drag(), 0.6);
        let mut by = Mix::NONE;
        let (mut all, mut times) = (0.0, 0.0);
        for &call in tick.calls() {
            let (offered, info) = (tick.flows[call].offered, tick.info(call));
            let (mut fails, mut latency) = (at_the_door, own);
            for &child in info.children.iter().filter(|_| !none) {
                let edge = tick.edge(child, tick.plan.routes[info.route].patience);
                let (cut, until_cut) = edge.latency.split(self.settings.idle);
                tick.flows[child].cut = cut;
                latency = latency.then(until_cut);
                fails.add(Reason::IdleReset, cut * inside);
                tick.blame(child, edge.lost, inside * (1.0 - cut), &mut fails);
            }
            all += offered;
            times += offered * latency.mean * inside;
            by.add_scaled(&fails, offered);
            tick.flows[call].answer(latency, fails);
        }
        let rate = all.max(1e-9);
        self.response += (times / rate - self.response) * (tick.dt / 10.0).min(1.0);
        let by = by.scaled(1.0 / rate);
        self.note(tick, &by, all);
    }

    fn restarted(&mut self, _: usize) {
        self.backends.iter_mut().flatten().for_each(|b| b.1 = Backend::default());
    }

    fn poison(&mut self, share: f64) -> f64 {
        std::mem::replace(&mut self.canary, share)
    }

    fn canary(&self) -> f64 {
        self.canary
    }

    fn sample(&self, sight: &Sight<'_>, out: &mut [f32]) {
        let s = &self.seen;
        let values = [
            s.rate,
            s.errors,
            s.healthy,
            s.connections,
            sight.p95_ms(),
            s.skew,
            s.resets,
            s.timeouts,
            s.tls,
            s.refused,
            s.files,
        ];
        out.iter_mut().zip(values).for_each(|(cell, v)| *cell = v as f32);
    }

    fn status(&self) -> (bool, Vec<String>) {
        let all = self.backends.iter().flatten().count();
        let out = self.backends.iter().flatten().filter(|b| b.1.out).count();
        let mut notes = vec![format!("{} of {all} backends in rotation", all - out)];
        if !self.settings.tls || self.clock_off {
            notes.push("listener :443 serves a certificate that clients reject".to_string());
        }
        if self.seen.files > 60.0 {
            notes.push(format!("open files at {:.0}% of the limit", self.seen.files));
        }
        let refuses = !self.settings.tls || self.clock_off || self.seen.files > 85.0;
        (out > 0 || refuses, notes)
    }
}

impl State {
    fn note(&mut self, tick: &mut Tick<'_>, by: &Mix, rate: f64) {
        let upstream = [
            Reason::Refused,
            Reason::Unreachable,
            Reason::TimedOut,
            Reason::PoolExhausted,
            Reason::Overloaded,
            Reason::NoBackend,
            Reason::DiskFull,
            Reason::ReadOnly,
            Reason::StatementTimeout,
            Reason::OutOfMemory,
            Reason::Internal,
            Reason::Stale,
            Reason::Astray,
        ];
        let errors: f64 = upstream.iter().map(|&r| by.get(r)).sum();
        let timeouts = by.get(Reason::TimedOut);
        self.seen = Seen {
            rate,
            errors,
            resets: by.get(Reason::IdleReset),
            timeouts,
            tls: by.get(Reason::Tls),
            refused: by.get(Reason::ConnectionLimit) + by.get(Reason::OpenFiles),
            ..self.seen
        };
        let out = self.backends.iter().flatten().filter(|b| b.1.streak < 0.0);
        let (refusing, failing) =
            out.fold((0.0, 0.0), |(r, f), b| if b.1.refusing { (r + 1.0, f) } else { (r, f + 1.0) });
        let good = 1.0 - by.total();
        let bad_gateway = errors - timeouts - by.get(Reason::NoBackend) - by.get(Reason::Overloaded);
        let background = 0.004 * rate;
        let full = self.seen.connections > 85.0;
        let counts = [
            rate * good,
            0.02,
            0.0008 * rate,
            failing / CHECK_EVERY,
            refusing / CHECK_EVERY,
            rate * by.get(Reason::NoBackend),
            (rate * bad_gateway - background).max(0.0),
            rate * by.get(Reason::Overloaded),
            (rate * timeouts - background * 0.5).max(0.0),
            rate * by.get(Reason::ConnectionLimit),
            if full { 0.1 } else { 0.0 },
            rate * by.get(Reason::IdleReset),
            rate * by.get(Reason::Tls),
            if self.seen.skew > 40.0 && self.settings.sticky { 0.1 } else { 0.0 },
            if self.seen.skew > 40.0 && !self.settings.sticky { 0.1 } else { 0.0 },
            rate * by.get(Reason::RateLimited),
        ];
        tick.count_all(&counts);
        if self.canary > 0.0 {
            tick.count(counts.len(), rate * self.canary);
        }
    }
}
