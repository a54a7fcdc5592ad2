//! Status pages, dependency health and the state of routes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::blueprint::{AlertInfo, Blueprint, CallInfo, RouteInfo};
use crate::change::Change;
use crate::config::{Key, Value};
use crate::fleet::{Exit, Phase};
use crate::flow::{Flow, Reason};
use crate::history::Row;
use crate::impact::Objective;
use crate::kind::{Overruled, Role};
use crate::latency::Latency;
use crate::mutation::Mutation;
use crate::operator::View;
use crate::services::Hazard;
use crate::time::{SCRAPE, Span, Time};
use crate::world::{BUSY_NODE, World};

/// How a service calls itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// All is well.
    Healthy,
    /// It serves, with something wrong.
    Degraded,
    /// It does not serve.
    Down,
}

impl Health {
    /// In one word.
    pub fn text(self) -> &'static str {
        match self {
            Health::Healthy => "healthy",
            Health::Degraded => "degraded",
            Health::Down => "down",
        }
    }
}

/// A status page.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusView {
    /// The verdict.
    pub health: Health,
    /// One line per instance: name, node, state, since when.
    pub instances: Vec<String>,
    /// What else the service says of itself.
    pub notes: Vec<String>,
    /// Names of its alerts that fire.
    pub firing: Vec<Arc<str>>,
}

/// One configuration key of a service.
#[derive(Clone, Copy, Debug)]
pub struct ConfigView<'w> {
    /// The key.
    pub key: &'static Key,
    /// What it is set to.
    pub value: &'w Value,
    /// Whether the running service has not got it yet.
    pub rolling_out: bool,
}

/// How one service sees another.
#[derive(Clone, Debug, PartialEq)]
pub struct DependencyView {
    /// The service called.
    pub to: usize,
    /// Calls per second.
    pub rate: f64,
    /// The share that fails.
    pub error_rate: f64,
    /// 95th percentile, in milliseconds.
    pub p95_ms: f64,
    /// The most frequent reason of failure.
    pub worst: Option<&'static str>,
}

/// How a route stands over the last five minutes.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteView {
    /// Its name.
    pub name: Arc<str>,
    /// Its application.
    pub app: Arc<str>,
    /// Requests per second.
    pub rate: f64,
    /// The share that failed.
    pub failed: f64,
    /// The share that was slow.
    pub slow: f64,
    /// What is allowed.
    pub allowed: f64,
    /// 95th percentile, in milliseconds.
    pub p95_ms: f64,
}

impl<'w> View<'w> {
    /// The status page of a service.
    pub fn status(self, service: usize) -> StatusView {
        let world = self.world;
        let info = &world.plan.services[service];
        let fleet = world.fleet.of(service);
        let mut notes = world.model(service).notes();
        if world.releases[service].quota < 1.0 {
            notes.push(format!("CPU quota at {:.0}% of the usual", world.releases[service].quota * 100.0));
        }
        notes.extend(self.overruled(service));
        notes.extend(self.server_timeouts(service));
        notes.extend(self.transactions(service));
        let firing: Vec<Arc<str>> = self.firing_of(service).map(|info| info.name().into()).collect();
        let health = self.health(service);
        let instance = |i: &crate::fleet::Instance| {
            let backing_off = world.releases[service].running.dies_after > 0.0;
            let state = match i.process.phase {
                Phase::Running => format!("running, up {}", self.up_since(service, i.process.started)),
                // A process of a build that dies is in back-off, also where it was started by hand.
                Phase::Starting(_) if backing_off => {
                    format!("back-off after exit code {}, will be started again", Exit::ERROR.code)
                }
                Phase::Starting(_) => "starting".to_string(),
                Phase::BackOff { exit, .. } => format!("back-off after exit code {}, will be started again", exit.code),
                Phase::Crashed(exit) => format!("not running (exit code {})", exit.code),
            };
            let skew =
                if i.process.skew == 0.0 { String::new() } else { format!(", clock off by {:.0} s", i.process.skew) };
            let busy = if world.slow_nodes[i.node] > BUSY_NODE { ", node is busy" } else { "" };
            let [a, b, c, d] = i.address();
            let address = format_args!("{a}.{b}.{c}.{d}");
            format!("{}-{} on node-{} ({address}): {state}{skew}{busy}", info.name, i.ordinal, i.node + 1)
        };
        StatusView { health, instances: fleet.iter().map(instance).collect(), notes, firing }
    }

    /// The verdict of a service's status page.
    pub fn health(self, service: usize) -> Health {
        let fleet = self.world.fleet.of(service);
        let is_lost = || fleet.iter().any(|i| i.process.lost > 0.0 || i.process.skew != 0.0);
        let is_impaired = || self.world.model(service).is_impaired();
        match fleet.iter().filter(|i| i.process.up()).count() {
            0 => Health::Down,
            n if n < fleet.len() || is_lost() || is_impaired() || self.firing_of(service).next().is_some() => {
                Health::Degraded
            }
            _ => Health::Healthy,
        }
    }

    /// The alerts of a service that fire.
    fn firing_of(self, service: usize) -> impl Iterator<Item = &'w AlertInfo> {
        let own = self.world.plan.services[service].alerts.clone();
        let fires = move |at: &usize| {
            let state = self.world.alert(*at);
            state.firing.is_some() && !state.silenced
        };
        own.filter(fires).map(|at| &self.world.plan.alerts[at])
    }

    /// The configuration of a service, in the order of its keys.
    pub fn config(self, service: usize) -> impl Iterator<Item = ConfigView<'w>> + 'w {
        let settings = &self.world.settings[service];
        let keys = self.world.plan.services[service].kind.keys();
        keys.iter().zip(&settings.template).enumerate().map(|(at, (key, s))| ConfigView {
            key,
            value: &s.wanted,
            rolling_out: settings.moves(at),
        })
    }

    /// For how long a process has run: since it was started, since what was last deployed before the incident had its window, or for
    /// days.
    fn up_since(self, service: usize, started: Time) -> String {
        let world = self.world;
        let restarted =
            |change: &&Arc<Change>| change.service == service && change.innocent && restarts(change, &world.plan);
        let last = world.changes().iter().filter(restarted).map(|change| rolled_out(change, world)).max();
        match last.filter(|last| *last > started && *last < world.now) {
            None if started == Time(0) => {
                let days = world.seed.stream("uptime").at(service as u64).below(OLDEST_DAYS);
                format!("{} days", 2 + days)
            }
            last => world.now.since(last.unwrap_or(started)).to_string(),
        }
    }

    /// How long clients are about a call here, where they keep it open beyond what they ask: their view of it is no percentile of statements.
    fn transactions(self, service: usize) -> Option<String> {
        let calls = || self.world.plan.services[service].calls.iter().map(|&call| &self.world.plan.calls[call]);
        if calls().all(|call| call.op.hold_ms <= 0.0) {
            return None;
        }
        let flows = self.world.plan.services[service].calls.iter().map(|&call| &self.world.flows[call]);
        let (rate, sum) = flows.fold((0.0, 0.0), |(rate, sum), flow| {
            (rate + flow.offered, sum + flow.offered * flow.times().p95() * 1000.0)
        });
        // Of nothing there is no percentile.
        let p95 = sum / rate.max(1e-9);
        (rate > 0.1).then(|| {
            format!("transactions: p95 {p95:.0}ms, with the time for which clients keep them open between statements")
        })
    }

    /// For how long a proxy waits for a server to begin to answer: what holds for most paths, then the others.
    fn server_timeouts(self, service: usize) -> Option<String> {
        let plan = &self.world.plan;
        let info = &plan.services[service];
        if info.kind.tier() > 0 || info.calls.is_empty() {
            return None;
        }
        let mut paths: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for call in info.calls.iter().map(|&call| &plan.calls[call]) {
            let limit = (plan.routes[call.route].patience * 1000.0).round() as u64;
            paths.entry(limit).or_default().push(&call.op.name);
        }
        let usual = paths.iter().map(|(limit, all)| (all.len(), *limit)).max()?.1;
        let others = paths.iter().filter(|(limit, _)| **limit != usual);
        let others: Vec<String> = others.map(|(limit, all)| format!("{limit}ms for {}", all.join(", "))).collect();
        let others = if others.is_empty() { String::new() } else { format!("; {}", others.join("; ")) };
        Some(format!("timeout server: {usual}ms{others}"))
    }

    /// What decides in this place instead of settings that are not what is usual: a line for each thing that does, because one
    /// often explains several settings that are left from before.
    fn overruled(self, service: usize) -> Vec<String> {
        let info = &self.world.plan.services[service];
        let odd = self.config(service).filter(|setting| *setting.value != setting.key.default_value());
        let deciders = odd.filter_map(|setting| {
            let quirk = info.kind.quirks().iter().find(|quirk| quirk.key == setting.key.name)?;
            let calls: Vec<Role> = info.depends_on.iter().map(|&to| self.world.plan.services[to].kind.role()).collect();
            quirk.decider(&info.params, &calls)
        });
        let mut notes: Vec<(&str, String)> = Vec::new();
        for Overruled { cause, effect, .. } in deciders {
            match notes.iter_mut().find(|note| note.0 == cause) {
                Some((_, note)) => *note += &format!("; {effect}"),
                None => notes.push((cause, format!("{cause}: {effect}"))),
            }
        }
        notes.into_iter().map(|(_, note)| note).collect()
    }

    /// How a service sees those that it calls.
    pub fn dependencies(self, service: usize) -> Vec<DependencyView> {
        let world = self.world;
        let view = |&to: &usize| {
            let calls = world.plan.services[to]
                .calls
                .iter()
                .copied()
                .filter(|&c| world.plan.calls[c].parent.is_some_and(|p| world.plan.calls[p].service == service));
            let mut view = DependencyView { to, rate: 0.0, error_rate: 0.0, p95_ms: 0.0, worst: None };
            let mut most = 0.0;
            for call in calls {
                let flow = &world.flows[call];
                view.rate += flow.offered;
                let (failed, worst) = felt(flow, &world.plan.calls[call]);
                view.error_rate += flow.offered * failed;
                view.p95_ms += flow.offered * (flow.times().p95() + flow.delay) * 1000.0;
                if let Some(reason) = worst
                    && flow.offered * failed >= most
                {
                    most = flow.offered * failed;
                    view.worst = Some(reason.text());
                }
            }
            if view.rate > 0.0 {
                view.error_rate /= view.rate;
                view.p95_ms /= view.rate;
            }
            view
        };
        world.plan.services[service].depends_on.iter().map(view).collect()
    }

    /// How every route stands.
    pub fn routes(self) -> Vec<RouteView> {
        let world = self.world;
        let window = Span::mins(5);
        let objectives = world.objectives(window);
        let rows: Vec<Row<'_>> = world.history.newest_first(world.now.back(window), world.now).collect();
        let seconds = (rows.len() as f64 * SCRAPE.as_secs()).max(1e-9);
        let view = |(info, o): (&RouteInfo, Objective)| {
            let requests: f64 = rows.iter().map(|row| f64::from(row.counted(info.columns.clone())[0])).sum();
            RouteView {
                name: info.name.clone(),
                app: info.app.clone(),
                rate: requests / seconds,
                failed: o.failed,
                slow: o.slow,
                allowed: o.allowed,
                p95_ms: p95_ms(&world.plan, info, &rows),
            }
        };
        world.plan.routes.iter().zip(objectives).map(view).collect()
    }
}

/// The 95th percentile of the requests of a route over some scrapes, in milliseconds: more of them count in a scrape with more of them.
fn p95_ms(plan: &Blueprint, route: &RouteInfo, rows: &[Row<'_>]) -> f64 {
    let entry = plan.calls[route.entry].columns.start;
    let of_row = |row: &Row<'_>| {
        let [mean, deviation] = [3, 4].map(|at| f64::from(row.cell(entry + at)));
        let (requests, p95) = (row.cell(route.columns.start), row.cell(route.columns.start + 3));
        (f64::from(requests), Latency { mean, var: deviation * deviation }, f64::from(p95))
    };
    let scrapes: Vec<(f64, Latency, f64)> = rows.iter().map(of_row).filter(|scrape| scrape.2 > 0.0).collect();
    let all: f64 = scrapes.iter().map(|scrape| scrape.0).sum();
    let (least, most) = scrapes.iter().fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), s| (a.min(s.2), b.max(s.2)));
    if all <= 0.0 || most < ALIKE * least {
        return scrapes.iter().map(|scrape| scrape.2).sum::<f64>() / (scrapes.len() as f64).max(1.0);
    }
    let over = |limit: f64| {
        // Each scrape saw its own percentile, which those of its moments are moved to.
        let tail = |(requests, time, p95): &(f64, Latency, f64)| requests * time.tail(limit * time.p95() / p95);
        scrapes.iter().map(tail).sum::<f64>() / all
    };
    let (mut low, mut high) = (least, most);
    for _ in 0..16 {
        let middle = 0.5 * (low + high);
        if over(middle) > 0.05 { low = middle } else { high = middle }
    }
    high
}

/// Scrapes whose percentiles differ by less than this factor are as one.
const ALIKE: f64 = 1.15;

/// The share of calls that fail as their caller sees it, and the most frequent reason.
fn felt(flow: &Flow, call: &CallInfo) -> (f64, Option<Reason>) {
    let inside = flow.failed * (1.0 - flow.lost());
    let reasons = [(flow.gone, Reason::Astray), (flow.lost() - flow.gone, Reason::TimedOut)];
    let path = reasons.into_iter().filter(|r| r.0 > inside).max_by(|a, b| a.0.total_cmp(&b.0));
    let inner = || flow.fails.worst().map(|reason| call.shown(reason));
    (flow.felt(), path.map_or_else(inner, |r| Some(r.1)))
}

/// Processes that nothing has restarted lately have run for up to so many days.
const OLDEST_DAYS: u64 = 40;

/// When a deployment of the past had its window: at any time between its filing and the end of the healthy past, as that of what
/// breaks a place comes long after its filing.
fn rolled_out(change: &Change, world: &World) -> Time {
    let ahead = world.history().past().and_then(|past| past.end()).map_or(Span::ZERO, |end| end.since(change.time));
    let waited = world.seed.stream("window").at(u64::from(change.id)).unit() * ahead.as_secs();
    change.time + Span::secs(waited as u64)
}

/// Whether a change restarted the processes of its service. A migration restarts no store.
fn restarts(change: &Change, plan: &Blueprint) -> bool {
    match &change.undo {
        Some(Mutation::Build { .. }) => plan.services[change.service].has(Hazard::Code),
        Some(Mutation::Config { service, key, .. }) => plan.services[*service].kind.keys()[*key].restarts,
        _ => false,
    }
}
