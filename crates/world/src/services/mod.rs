//! Kinds of services: one file each. A kind is its configuration keys, metrics, log lines, alert
//! rules and physics. To add one, copy a file, change its middle, and list it in [`ALL`].

mod balancer;
mod cache;
mod database;
mod queue;
mod web;

use std::collections::BTreeMap;

use crate::blueprint::{Blueprint, CallInfo};
use crate::config::{Key, Value};
use crate::fleet::Instance;
use crate::flow::{Flow, Mix, Reason};
use crate::latency::Latency;
use crate::release::{Build, Release};
use crate::store::Store;
use crate::time::Time;

/// All kinds, in order.
pub const ALL: &[&dyn Kind] = &[&balancer::Balancer, &web::Web, &database::Database, &cache::Cache, &queue::Queue];

/// The kind of that name.
pub fn find(name: &str) -> Option<&'static dyn Kind> {
    ALL.iter().copied().find(|k| k.name() == name)
}

/// The log lines of all kinds, then those of the platform under them.
pub fn templates() -> impl Iterator<Item = &'static Template> {
    ALL.iter().flat_map(|kind| kind.logs()).chain(crate::telemetry::platform::LINES)
}

/// What all services of a kind have in common.
pub trait Kind: Sync {
    /// Its name in a spec.
    fn name(&self) -> &'static str;
    /// What its callers want of it.
    fn role(&self) -> Role {
        Role::Answer
    }
    /// Configuration keys, in the order in which they are shown.
    fn keys(&self) -> &'static [Key];
    /// Physical parameters with their usual values.
    fn params(&self) -> &'static [(&'static str, f64)];
    /// Metrics, in the order in which they are shown.
    fn metrics(&self) -> &'static [Metric];
    /// Log lines. A model counts one event per template.
    fn logs(&self) -> &'static [Template];
    /// Alert rules, the most telling first.
    fn rules(&self) -> &'static [Rule];
    /// A model with these parameters, before its first configuration.
    fn model(&self, setup: &Setup<'_>) -> Box<dyn Model>;
    /// How long one instance takes to restart, in seconds.
    fn restart_secs(&self) -> u64;
}

/// What callers want of a service, which decides how they take its failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An answer: without it the caller's own request fails.
    Answer,
    /// A look whether something is there: if not, the caller has another way.
    Lookup,
    /// To take something over: the caller waits only for the receipt.
    Handover,
}

/// What a model is built from.
pub struct Setup<'a> {
    /// Physical parameters, all of them present.
    pub params: BTreeMap<&'static str, f64>,
    /// The compiled world.
    pub plan: &'a Blueprint,
    /// Index of the service.
    pub me: usize,
}

impl Setup<'_> {
    /// A parameter of the kind.
    pub fn param(&self, name: &str) -> f64 {
        self.params[name]
    }

    /// How many instances the service has.
    pub fn instances(&self) -> usize {
        self.plan.services[self.me].instances.len()
    }
}

/// The physics of one service. Each tick `send` runs for all services, callers first, then `solve`
/// for all, callees first.
pub trait Model: CloneModel + Send + Sync {
    /// Takes over the values that the service runs with, in the order of the kind's keys.
    fn configure(&mut self, values: &[&Value], plan: &Blueprint);
    /// Knows what arrives; decides what to send on.
    fn send(&mut self, tick: &mut Tick<'_>);
    /// Knows how its own calls fared; answers what arrived and moves its slow state.
    fn solve(&mut self, tick: &mut Tick<'_>);
    /// An instance came up again after a restart.
    fn restarted(&mut self, instance: usize);
    /// The current metrics, in the order of the kind's metrics.
    fn sample(&self, sight: &Sight<'_>, out: &mut [f32]);
    /// What a share of what arrives does to it: see [`crate::Mutation::Poison`]. Gives the old share.
    fn poison(&mut self, _share: f64) -> f64 {
        0.0
    }
    /// Puts one aspect of what it keeps into a state; gives the old one. Aspects that it does not have stay as they are.
    fn store(&mut self, store: Store) -> Store {
        store
    }
    /// The share of what arrives that it sends to a canary.
    fn canary(&self) -> f64 {
        0.0
    }
    /// Whether a restart would bring nothing.
    fn is_clean(&self) -> bool {
        true
    }
    /// Lines of a status page beyond the processes' own state; whether the service calls itself impaired.
    fn status(&self) -> (bool, Vec<String>) {
        (false, Vec::new())
    }
}

/// Lets boxed models be cloned; implemented for every model that is `Clone`.
pub trait CloneModel {
    /// A copy that continues identically.
    fn clone_model(&self) -> Box<dyn Model>;
}

impl<M: Model + Clone + 'static> CloneModel for M {
    fn clone_model(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Model> {
    fn clone(&self) -> Self {
        self.clone_model()
    }
}

/// One metric of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// Its unit, for people.
    pub unit: Unit,
    /// The least difference from the usual value that means something.
    pub slack: f64,
}

impl Metric {
    /// A metric in the order of its fields, for tables.
    pub(crate) const fn new(name: &'static str, unit: Unit, slack: f64) -> Metric {
        Metric { name, unit, slack }
    }
}

/// How a metric's value is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A share from 0 to 1.
    Ratio,
    /// From 0 to 100, or above.
    Percent,
    /// Milliseconds.
    Millis,
    /// Events per second.
    PerSecond,
    /// Events per minute.
    PerMinute,
    /// Things.
    Count,
}

impl Unit {
    /// As written behind a value.
    pub fn text(self) -> &'static str {
        match self {
            Unit::Ratio => "",
            Unit::Percent => "%",
            Unit::Millis => "ms",
            Unit::PerSecond => "/s",
            Unit::PerMinute => "/min",
            Unit::Count => "",
        }
    }
}

/// How loud a log line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Everyday chatter.
    Info,
    /// Something to look at.
    Warn,
    /// Something failed.
    Error,
}

impl Level {
    /// In capitals, as logs have it.
    pub fn text(self) -> &'static str {
        match self {
            Level::Info => "INFO",
            Level::Warn => "WARN",
            Level::Error => "ERROR",
        }
    }
}

/// One kind of log line. Braces are filled in when a line is read: `{id}`, `{user}`, `{ip}`,
/// `{10..90}` (a number), `{a|b}` (one of these), `{KEY}` (the running value of a key), `{instance}`,
/// `{dep:kind}` (the service's dependency of that kind).
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// Its name among the kind's templates.
    pub name: &'static str,
    /// How loud it is.
    pub level: Level,
    /// Whether it is chatter that a healthy service prints too.
    pub chatter: bool,
    /// The line.
    pub text: &'static str,
}

impl Template {
    /// A template in the order of its fields, for tables.
    pub(crate) const fn new(name: &'static str, level: Level, chatter: bool, text: &'static str) -> Template {
        Template { name, level, chatter, text }
    }
}

/// An alert rule over one metric of the service.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name among the kind's rules.
    pub name: &'static str,
    /// The metric it watches; `up` for the share of instances that run.
    pub metric: &'static str,
    /// Fires above (or below) the threshold.
    pub above: bool,
    /// The threshold.
    pub threshold: f64,
    /// For how long, in seconds, before it fires.
    pub hold: u64,
    /// Whether it pages somebody or only opens a ticket.
    pub pages: bool,
}

impl Rule {
    /// A rule in the order of its fields, for tables.
    pub(crate) const fn new(
        name: &'static str,
        metric: &'static str,
        above: bool,
        threshold: f64,
        hold: u64,
        pages: bool,
    ) -> Rule {
        Rule { name, metric, above, threshold, hold, pages }
    }
}

/// What a model sees and fills in during a tick.
pub struct Tick<'a> {
    /// The time at the end of the tick.
    pub now: Time,
    /// Its length in seconds.
    pub dt: f64,
    /// The compiled world.
    pub plan: &'a Blueprint,
    /// The service whose turn it is.
    pub me: usize,
    /// Traffic by call.
    pub flows: &'a mut [Flow],
    /// All instances of the world.
    pub fleet: &'a mut [Instance],
    /// What each service runs.
    pub(crate) releases: &'a [Release],
    /// Speed of each node; 1 is full speed, 2 is half.
    pub slowdown: &'a [f64],
    /// Events of the service since the last scrape, one per log template.
    pub events: &'a mut [f32],
}

/// What a model sees when it is scraped.
pub struct Sight<'a> {
    /// The compiled world.
    pub plan: &'a Blueprint,
    /// The service.
    pub me: usize,
    /// Traffic by call.
    pub flows: &'a [Flow],
}

impl Sight<'_> {
    /// The 95th percentile of what the service answers, averaged over its calls, in milliseconds.
    pub fn p95_ms(&self) -> f64 {
        let calls = self.plan.services[self.me].calls.iter();
        let (rate, sum) = calls.fold((0.0, 0.0), |(rate, sum), &call| {
            let flow = &self.flows[call];
            (rate + flow.offered, sum + flow.offered * flow.latency.p95())
        });
        if rate > 0.0 { sum / rate * 1000.0 } else { 0.0 }
    }
}

/// How long it takes to learn that nobody listens, in seconds.
const ASTRAY: f64 = 0.003;

/// What a caller sees of one call that it makes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edge {
    /// Time until an answer or until the deadline.
    pub latency: Latency,
    /// The share that got no answer in time, late or lost on the way, of those that were sent to the right place.
    pub lost: f64,
    /// The share that fails, those without an answer included.
    pub failed: f64,
}

impl Edge {
    /// The same where a share of the calls goes to an address where nobody listens.
    #[cold]
    fn astray(self, gone: f64) -> Edge {
        let latency = self.latency.or(Latency::new(ASTRAY, 0.5), gone);
        Edge { latency, lost: self.lost, failed: gone + self.failed * (1.0 - gone) }
    }
}

impl<'a> Tick<'a> {
    /// Indexes of the calls that this service answers.
    pub fn calls(&self) -> &'a [usize] {
        let plan: &'a Blueprint = self.plan;
        &plan.services[self.me].calls
    }

    /// The static side of a call.
    pub fn info(&self, call: usize) -> &'a CallInfo {
        let plan: &'a Blueprint = self.plan;
        &plan.calls[call]
    }

    /// Calls per second that arrive at this service.
    pub fn arrivals(&self) -> f64 {
        self.calls().iter().map(|&c| self.flows[c].offered).sum()
    }

    /// The instances of this service.
    pub fn instances(&self) -> &[Instance] {
        &self.fleet[self.plan.services[self.me].instances.clone()]
    }

    /// The share of this service's instances that run.
    pub fn up(&self) -> f64 {
        let all = self.instances();
        all.iter().filter(|i| i.process.up()).count() as f64 / all.len() as f64
    }

    /// How much longer than usual the service's own work takes: its machines, its share of them, its build.
    pub fn drag(&self) -> f64 {
        let all = self.instances();
        let nodes = all.iter().map(|i| self.slowdown[i.node]).sum::<f64>() / all.len() as f64;
        nodes * self.releases[self.me].burden
    }

    /// The build that this service runs.
    pub fn build(&self) -> &'a Build {
        let releases: &'a [Release] = self.releases;
        &releases[self.me].running
    }

    /// Adds `rate` events per second to a log template.
    pub fn count(&mut self, template: usize, rate: f64) {
        self.events[template] += (rate * self.dt) as f32;
    }

    /// Adds events per second to the first log templates, in order.
    pub fn count_all(&mut self, rates: &[f64]) {
        let dt = self.dt;
        self.events.iter_mut().zip(rates).for_each(|(events, rate)| *events += (rate * dt) as f32);
    }

    /// What the caller sees of a call with a deadline in seconds.
    #[inline]
    pub fn edge(&self, call: usize, deadline: f64) -> Edge {
        let flow = &self.flows[call];
        let latency = Latency { mean: flow.latency.mean + flow.delay, var: flow.latency.var };
        let (late, capped) = latency.split(deadline);
        if late <= 0.0 && flow.loss + flow.gone <= 0.0 {
            return Edge { latency, lost: 0.0, failed: flow.failed };
        }
        let lost = late + flow.loss * (1.0 - late);
        let latency = capped.or(Latency::new(deadline, 0.05), flow.loss);
        let edge = Edge { latency, lost, failed: lost + flow.failed * (1.0 - lost) };
        if flow.gone <= 0.0 { edge } else { edge.astray(flow.gone) }
    }

    /// Adds the reasons for which a call failed, scaled; `lost` is that of its edge.
    pub fn blame(&self, call: usize, lost: f64, by: f64, mix: &mut Mix) {
        let flow = &self.flows[call];
        if flow.gone > 0.0 {
            mix.add(Reason::Astray, flow.gone * by);
        }
        let by = by * (1.0 - flow.gone);
        if lost > 0.0 {
            mix.add(Reason::TimedOut, lost * by);
        }
        if flow.failed > 0.0 {
            mix.add_scaled(&flow.fails, (1.0 - lost) * by);
        }
    }
}
