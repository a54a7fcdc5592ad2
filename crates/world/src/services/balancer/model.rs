//! The physics of a load balancer: connection slots, health checks, shares of the backends.

use std::ops::Range;
use std::sync::Arc;

use super::tables::{Gauge, Key, Log, Metric};
use crate::blueprint::Blueprint;
use crate::fleet::{InstanceId, PerInstance, USUAL_FILES};
use crate::flow::{Mix, Reason};
use crate::latency::Latency;
use crate::queued::Queued;
use crate::service_state::ServiceState;
use crate::services::{Gauges, InUse, Model, ModelSetup, OwnTime, Samples, Sight, Tick};

/// The path at which backends answer health checks.
const HEALTH_PATH: &str = "/healthz";
/// For so many seconds no connection is idle that bytes are sent over now and then.
const NEVER_IDLE: f64 = 86_400.0;
/// Listeners that are full rest for a while before they try again and say so again.
const LIMITED_OFTEN: f64 = 1.0;

/// How backends are checked.
#[derive(Clone, Copy)]
struct Checks {
    /// Seconds between two of them.
    every: f64,
    /// So many failures in a row take a backend out, so many successes put it back.
    fall: f64,
    rise: f64,
    /// Seconds that a backend has for one which waits for a worker as requests do; 0 where they look at the process alone.
    wait: f64,
}

/// Requests that were refused by a backend and will be sent to it once more.
#[derive(Clone, Copy)]
struct HeldBack {
    /// After how many seconds; 0 for not at all.
    after: f64,
    held: f64,
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
}

impl Default for Backend {
    fn default() -> Self {
        Backend { streak: 9.0, out: false }
    }
}

/// Servers that changed their state in the same way. A line is written once for each, so they are kept until they are counted.
#[derive(Clone, Copy, Debug, Default)]
struct Turned {
    times: u32,
    /// The first few, which lines tell of: their positions among all, from 1 on, a byte each.
    servers: u32,
}

impl Turned {
    /// So many fit.
    const KEPT: u32 = 3;

    fn add(&mut self, server: u32) {
        if self.times < Turned::KEPT {
            self.servers |= (server + 1).min(255) << (8 * self.times);
        }
        self.times += 1;
    }

    /// Counts those of a tick in a row; the first in a row forget those of the row before.
    fn count(&mut self, new: Turned, counted: &mut f32) {
        if new.times == 0 {
            return;
        }
        if *counted == 0.0 {
            *self = Turned::default();
        }
        for at in 0..new.times.min(Turned::KEPT) {
            self.add((new.servers >> (8 * at) & 255) - 1);
        }
        *counted += new.times as f32;
    }
}

/// How servers change their state: a check reads another status, a check is refused, checks pass again.
const WRONG_STATUS: usize = 0;
const REFUSED: usize = 1;
const PASSED: usize = 2;

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    rate: f64,
    errors: f64,
    healthy: f64,
    connections: f64,
    skew: f64,
    /// The server that takes most of what goes to its service, from 1 on, and how much of it, in percent.
    busiest: u32,
    largest: f64,
    resets: f64,
    timeouts: f64,
    tls: f64,
    refused: f64,
    files: f64,
}

/// The calls of the service and what each of them is forwarded as, laid out for the inner loop.
struct CallTable {
    calls: Vec<ForwardedCall>,
    /// Each call that it makes, and how often.
    children: Vec<(usize, f64)>,
}

struct ForwardedCall {
    call: usize,
    /// How long users wait, in seconds.
    patience: f64,
    children: Range<usize>,
}

impl CallTable {
    fn of(setup: &ModelSetup<'_>) -> CallTable {
        let plan = setup.plan;
        let mut table = CallTable { calls: Vec::new(), children: Vec::new() };
        for &call in &plan.services[setup.me].calls {
            let (info, first) = (&plan.calls[call], table.children.len());
            table.children.extend(info.children.iter().map(|&child| (child, plan.calls[child].times)));
            let (patience, children) = (plan.routes[info.route].patience, first..table.children.len());
            table.calls.push(ForwardedCall { call, patience, children });
        }
        table
    }
}

/// The state of one service of this kind.
#[derive(Clone)]
pub struct BalancerModel {
    table: Arc<CallTable>,
    keepalive: f64,
    stickiness: f64,
    overhead: f64,
    /// Whether backends answer any probe.
    any_probe: bool,
    /// Whether traffic is shared by weight.
    weighted: bool,
    /// Whether TLS ends here.
    ends_tls: bool,
    /// Whether bytes are sent while nothing else is, so that no connection is ever idle.
    pings: bool,
    checks: Checks,
    refused_once: HeldBack,
    /// Each service behind it, and what checks say of its instances.
    backends: Vec<(usize, PerInstance<Backend>)>,
    /// What checks changed in this tick, and what lines tell of since the last scrape.
    turning: [Turned; 3],
    turned: [Turned; 3],
    /// Whether the last server has just left.
    emptied: bool,
    settings: Settings,
    /// The share of requests that goes to a canary which is not ready.
    canary: f64,
    /// Whether the clock is so wrong that the certificate looks as if it were not valid.
    clock_off: bool,
    /// The share of connections refused for want of descriptors.
    starved: f64,
    /// Time of its own work for a request.
    own: Latency,
    /// Mean time for which a request keeps its connection busy.
    response: f64,
    /// Share of connections let in, and refused for want of slots.
    pass: f64,
    refused: f64,
    seen: Seen,
}

impl BalancerModel {
    /// A model with its parameters, before its first configuration.
    pub fn new(setup: &ModelSetup<'_>) -> BalancerModel {
        // Backends are the instances of the services called; all of a balancer's calls go there.
        let info = &setup.plan.services[setup.me];
        BalancerModel {
            table: Arc::new(CallTable::of(setup)),
            keepalive: setup.param("keepalive_s"),
            stickiness: setup.param("stickiness"),
            overhead: setup.param("overhead_ms") / 1000.0,
            any_probe: setup.param("any_probe") > 0.0,
            weighted: setup.param("weighted") > 0.0,
            ends_tls: setup.param("ends_tls") > 0.0,
            pings: setup.param("pings") > 0.0,
            checks: Checks {
                every: setup.param("check_s"),
                fall: setup.param("fall"),
                rise: setup.param("rise"),
                wait: setup.param("check_wait_s"),
            },
            refused_once: HeldBack { after: setup.param("reconnect_s"), held: 0.0 },
            backends: info.depends_on.iter().map(|&service| (service, PerInstance::default())).collect(),
            turning: [Turned::default(); 3],
            turned: [Turned::default(); 3],
            emptied: false,
            settings: Settings::default(),
            canary: 0.0,
            clock_off: false,
            starved: 0.0,
            own: Latency::ZERO,
            response: 0.1,
            pass: 1.0,
            refused: 0.0,
            seen: Seen::default(),
        }
    }
}

impl BalancerModel {
    fn all_backends(&self) -> impl Iterator<Item = &Backend> {
        self.backends.iter().flat_map(|(_, group)| group.iter())
    }

    fn check_backends(&mut self, tick: &Tick<'_>) {
        let Checks { every, fall, rise, .. } = self.checks;
        let (path_right, checks) = (self.settings.path_right && !self.is_late(tick), tick.dt / every);
        self.backends.iter_mut().for_each(|(service, group)| group.follow(tick.fleet.of(*service)));
        self.turning = [Turned::default(); 3];
        let (mut before, mut after) = (0, 0);
        let groups = self.backends.iter_mut().map(|(service, group)| (tick.fleet.of(*service), group));
        let servers = groups.flat_map(|(instances, group)| instances.iter().zip(group.iter_mut()));
        for (server, (instance, backend)) in (0..).zip(servers) {
            let was_out = backend.out;
            let up = instance.process.up();
            let good = up && path_right;
            backend.streak = match (good, backend.streak > 0.0) {
                (true, true) => backend.streak + checks,
                (true, false) => checks,
                (false, false) => backend.streak - checks,
                (false, true) => -checks,
            };
            if backend.streak >= rise {
                backend.out = false;
            } else if backend.streak <= -fall {
                backend.out = true;
            }
            (before, after) = (before + u32::from(!was_out), after + u32::from(!backend.out));
            match (was_out, backend.out) {
                (true, false) => self.turning[PASSED].add(server),
                (false, true) => self.turning[if up { WRONG_STATUS } else { REFUSED }].add(server),
                _ => {}
            }
        }
        self.emptied = before > 0 && after == 0;
    }

    /// Whether most checks that wait for a worker get no answer in time.
    fn is_late(&self, tick: &Tick<'_>) -> bool {
        let wait = self.checks.wait;
        wait > 0.0 && self.table.children.iter().any(|&(child, _)| tick.flows[child].times().tail(wait) > 0.5)
    }

    /// Holds back what backends in rotation refuse; gives how many requests a second are sent once more, to those that are back.
    fn reconnect(&mut self, tick: &Tick<'_>, forwarded: f64) -> f64 {
        if self.refused_once.after <= 0.0 {
            return 0.0;
        }
        let (mut refused, mut taken) = (0.0, 0.0);
        for instance in self.backends.iter().flat_map(|(service, _)| tick.fleet.of(*service)) {
            if instance.process.up() { taken += instance.share } else { refused += instance.share }
        }
        let again = if taken > 0.0 { self.refused_once.held / tick.dt } else { 0.0 };
        self.refused_once.held = forwarded * refused * tick.dt.min(self.refused_once.after);
        again
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

    /// Divides the traffic over the backends in rotation; notes the skew in percent.
    fn share_out(&mut self, tick: &mut Tick<'_>) {
        let (mut skew, mut server): (f64, u32) = (0.0, 0);
        (self.seen.busiest, self.seen.largest) = (0, 0.0);
        for (service, group) in &self.backends {
            let even = 1.0 / group.len().max(1) as f64;
            let by_weight = if self.weighted { self.settings.primary } else { even };
            let first = if self.settings.sticky { self.stickiness } else { by_weight };
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
            let total: f64 = group.iter().enumerate().filter(|(_, b)| !b.out).map(|(i, _)| weight(i)).sum();
            let live = group.iter().filter(|b| !b.out).count().max(1) as f64;
            let mut all = 0.0;
            for (i, (instance, backend)) in tick.fleet.of_mut(*service).iter_mut().zip(group.iter()).enumerate() {
                let share = match (backend.out, total > 0.0) {
                    (true, _) => 0.0,
                    (false, true) => weight(i) / total,
                    (false, false) => 1.0 / live,
                };
                instance.share = share;
                all += share;
                server += 1;
                if group.len() > 1 {
                    skew = skew.max((share - 1.0 / live) * 100.0 * live / (live - 1.0).max(1.0));
                    if share * 100.0 > self.seen.largest {
                        (self.seen.busiest, self.seen.largest) = (server.min(255), share * 100.0);
                    }
                }
            }
            assert!(all == 0.0 || (all - 1.0f64).abs() < 1e-9, "shares sum to 1, not {all}");
        }
        self.seen.skew = skew;
    }
}

impl Model for BalancerModel {
    fn configure(&mut self, in_use: &InUse<'_>, _: &Blueprint) {
        let values = in_use.oldest();
        self.settings = Settings {
            path_right: values.get(Key::HealthCheckPath).text() == HEALTH_PATH || self.any_probe,
            max_connections: values.get(Key::MaxConnections).int(),
            sticky: values.get(Key::StickySessions).bool() && self.stickiness > 0.0,
            primary: values.get(Key::WebWeightPrimary).int() / 100.0,
            idle: if self.pings { NEVER_IDLE } else { values.get(Key::IdleTimeoutMs).int() / 1000.0 },
            tls: values.get(Key::TlsCertValid).bool() || !self.ends_tls,
        };
    }

    fn send(&mut self, tick: &mut Tick<'_>) {
        self.check_backends(tick);
        self.share_out(tick);
        let arrivals = tick.offered(self.table.calls.iter().map(|call| call.call));
        self.look_at_processes(tick);
        let handshakes = if self.settings.tls && !self.clock_off { 1.0 } else { 0.03 };
        // Idle clients keep their connection until they leave or are cut off.
        let patience = if self.pings { 1.0 } else { (self.settings.idle / 120.0).min(4.0) };
        let idle = self.keepalive * (0.85 + 0.15 * patience);
        let wanted = arrivals * handshakes * (self.response + idle);
        let slots = self.settings.max_connections * tick.up();
        let fits = (1.0 - self.starved) * if wanted > slots { slots / wanted } else { 1.0 };
        self.seen.connections = (wanted.min(slots) / slots.max(1.0)) * 100.0;
        self.refused = handshakes * (1.0 - fits);
        self.pass = handshakes * fits;
        let healthy = self.all_backends().filter(|b| !b.out).count();
        self.seen.healthy = healthy as f64;
        let forward = if healthy == 0 { 0.0 } else { self.pass * (1.0 - self.canary) };
        let more = 1.0 + self.reconnect(tick, arrivals * forward) / (arrivals * forward).max(1e-9);
        for call in &self.table.calls {
            let offered = tick.flows[call.call].offered * more;
            for &(child, times) in &self.table.children[call.children.clone()] {
                let flow = &mut tick.flows[child];
                flow.offered = offered * forward * times * (1.0 - flow.gone);
                flow.callers = f64::INFINITY;
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
        self.own = own;
        let mut by = Mix::NONE;
        let (mut all, mut times) = (0.0, 0.0);
        for call in &self.table.calls {
            let offered = tick.flows[call.call].offered;
            let (mut fails, mut latency, mut line) = (at_the_door, own, Queued::default());
            let children = if none { &[] } else { &self.table.children[call.children.clone()] };
            for &(child, _) in children {
                let edge = tick.edge(child, call.patience);
                let (cut, until_cut) = edge.latency.split(self.settings.idle);
                let refused = tick.flows[child].fails.get(Reason::Refused);
                let until_cut = if refused > 0.0 && self.refused_once.after > 0.0 {
                    until_cut.or(Latency::new(self.refused_once.after, 0.05), refused)
                } else {
                    until_cut
                };
                tick.flows[child].cut = cut;
                latency = latency.then(until_cut);
                // What is cut off has no long tail.
                line = if cut > 0.0 { line } else { tick.flows[child].queued };
                fails.add(Reason::IdleReset, cut * inside);
                tick.blame(child, edge.lost, inside * (1.0 - cut), &mut fails);
            }
            all += offered;
            times += offered * latency.mean * inside;
            by.add_scaled(&fails, offered);
            tick.flows[call.call].answer(latency, fails);
            tick.flows[call.call].queued = line;
        }
        let rate = all.max(1e-9);
        self.response += (times / rate - self.response) * (tick.dt / 10.0).min(1.0);
        let by = by.scaled(1.0 / rate);
        self.note(tick, &by, all);
    }

    fn restarted(&mut self, _: InstanceId) {
        self.backends.iter_mut().for_each(|(_, group)| group.reset_all());
    }

    fn set_state(&mut self, state: ServiceState) -> ServiceState {
        match state {
            ServiceState::Canary { share } => {
                ServiceState::Canary { share: std::mem::replace(&mut self.canary, share) }
            }
            other => other,
        }
    }

    fn sample(&self, sight: &Sight<'_>, out: &mut Samples<'_>) {
        let s = &self.seen;
        out.set(Metric::RequestRate, s.rate);
        out.set(Metric::Backend5xxRate, s.errors);
        out.set(Metric::HealthyBackends, s.healthy);
        out.set(Metric::ConnectionUtilizationPct, s.connections);
        out.set_if_wanted(Metric::P95LatencyMs, || sight.p95_ms());
        out.set(Metric::BackendSkewPct, s.skew);
        out.set(Metric::EdgeResetRate, s.resets);
        out.set(Metric::EdgeTimeoutRate, s.timeouts);
        out.set(Metric::TlsHandshakeErrorRate, s.tls);
        out.set(Metric::RefusedConnectionsRate, s.refused);
        out.set(Metric::OpenFilesPct, s.files);
    }

    fn own_time(&self, _: Option<usize>) -> OwnTime {
        OwnTime { work: self.own, wait: Latency::ZERO }
    }

    fn gauge(&self, out: &mut Gauges<'_>) {
        out.set(Gauge::Healthy, self.seen.healthy);
        for (gauge, turned) in [Gauge::WrongStatus, Gauge::Refused, Gauge::Passed].into_iter().zip(&self.turned) {
            out.set(gauge, f64::from(turned.servers));
        }
        out.set(Gauge::ConnectionsPct, self.seen.connections);
        out.set(Gauge::BusiestPct, self.seen.largest);
        out.set(Gauge::Busiest, f64::from(self.seen.busiest));
    }

    fn is_impaired(&self) -> bool {
        let refuses = !self.settings.tls || self.clock_off || self.seen.files > 85.0;
        refuses || self.all_backends().any(|b| b.out)
    }

    fn notes(&self) -> Vec<String> {
        let all = self.all_backends().count();
        let out = self.all_backends().filter(|b| b.out).count();
        let mut notes = vec![format!("{} of {all} backends in rotation", all - out)];
        if !self.settings.tls || self.clock_off {
            notes.push("listener :443 serves a certificate that clients reject".to_string());
        }
        if self.seen.files > 60.0 {
            notes.push(format!("open files at {:.0}% of the limit", self.seen.files));
        }
        notes
    }
}

impl BalancerModel {
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
        if !tick.logged {
            return;
        }
        for (sort, line) in [Log::HealthFail, Log::HealthRefused, Log::HealthPassed].into_iter().enumerate() {
            self.turned[sort].count(self.turning[sort], tick.counted(line));
        }
        *tick.counted(Log::NoServer) += f32::from(u8::from(self.emptied));
        let good = 1.0 - by.total();
        let told = by.get(Reason::NoBackend) + by.get(Reason::Overloaded) + self.canary.min(by.get(Reason::Internal));
        // A balancer that does not run writes nothing.
        let told = told + 1.0 - tick.up();
        let bad_gateway = errors - timeouts - told;
        let background = 0.004 * rate;
        let full = self.seen.connections > 85.0;
        // A few failures are noted as everything else is.
        let quiet = (rate * bad_gateway).clamp(0.0, background) + (rate * timeouts).min(background * 0.5);
        tick.count(Log::Access, rate * good + quiet);
        tick.count(Log::BadRequest, 0.02);
        tick.count(Log::ClientGone, 0.0008 * rate * good);
        tick.count(Log::NoBackend, rate * by.get(Reason::NoBackend));
        tick.count(Log::BadGateway, (rate * bad_gateway - background).max(0.0));
        tick.count(Log::Unavailable, rate * by.get(Reason::Overloaded));
        tick.count(Log::GatewayTimeout, (rate * timeouts - background * 0.5).max(0.0));
        tick.count(Log::ConnLimit, (rate * by.get(Reason::ConnectionLimit)).min(LIMITED_OFTEN));
        tick.count(Log::ConnHigh, if full { 0.1 } else { 0.0 });
        tick.count(Log::IdleReset, rate * by.get(Reason::IdleReset));
        tick.count(Log::Tls, rate * by.get(Reason::Tls));
        tick.count(Log::SkewSticky, if self.seen.skew > 40.0 && self.settings.sticky { 0.1 } else { 0.0 });
        tick.count(Log::SkewWeight, if self.seen.skew > 40.0 && !self.settings.sticky { 0.1 } else { 0.0 });
        tick.count(Log::TooMany, rate * by.get(Reason::RateLimited));
        if self.canary > 0.0 {
            tick.count(Log::Canary, rate * self.canary);
        }
    }
}
