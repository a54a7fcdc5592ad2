//! The compiled spec: names turned into indexes, trees into arrays, once. Shared by all clones of a world.

mod line;
mod series;

pub(crate) use line::{About, Answer, Ink, Line, Statement};
pub use series::SeriesInfo;
pub(crate) use series::{SampleSource, series_of};

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use thiserror::Error;

use crate::config::Value;
use crate::fleet::InstanceId;
use crate::flow::{Flow, Reason, Translation};
use crate::kind::{Hazard, Kind, PLATFORM_LINES, Params, Role, Rule, Template};
use crate::spec::Op;

/// Why a spec is no world.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SpecError {
    /// A kind that we do not have.
    #[error("service `{service}`: unknown kind `{kind}`; known are {known}")]
    Kind {
        /// The service.
        service: String,
        /// What it asked for.
        kind: String,
        /// What there is.
        known: String,
    },
    /// A call or a ticket names no service.
    #[error("{place}: there is no service `{service}` in this world")]
    Service {
        /// Where it is named.
        place: String,
        /// The name.
        service: String,
    },
    /// A configuration key that the kind does not have.
    #[error("service `{service}`: no configuration key `{key}`; known are {known}")]
    Key {
        /// The service.
        service: String,
        /// The key.
        key: String,
        /// What there is.
        known: String,
    },
    /// A configuration value that the key does not take.
    #[error("service `{service}`: {problem}")]
    Value {
        /// The service.
        service: String,
        /// What is wrong.
        problem: String,
    },
    /// A physical parameter that the kind does not have.
    #[error("service `{service}`: no parameter `{param}`; known are {known}")]
    Param {
        /// The service.
        service: String,
        /// The parameter.
        param: String,
        /// What there is.
        known: String,
    },
    /// Services that call each other in a circle.
    #[error("services call each other in a circle: {0}")]
    Circle(String),
    /// Something else that makes no sense.
    #[error("{0}")]
    Senseless(String),
}

/// A compiled world.
pub struct Blueprint {
    /// Services by index.
    pub services: Vec<ServiceInfo>,
    /// Routes by index.
    pub routes: Vec<RouteInfo>,
    /// Calls by index; a parent stands before its children.
    pub calls: Vec<CallInfo>,
    /// Services, callers before callees.
    pub order: Vec<usize>,
    /// All alert rules.
    pub alerts: Vec<AlertInfo>,
    /// Those of them that page.
    pub(crate) paging: Vec<usize>,
    /// The metrics that those look at, service by service.
    pub(crate) paging_metrics: Vec<PagingMetric>,
    /// Where a service counts what it writes, service by service: it is looked up with every tick.
    pub(crate) event_columns: Vec<Range<usize>>,
    /// Which service answers a call, and its position among the calls of that: it is looked up with every scrape.
    pub(crate) answered_by: Vec<(usize, Option<usize>)>,
    /// What a glance at each of them takes.
    pub(crate) glances: Vec<RuleGlance>,
    /// How the teams are called here, and what builds bring; see [`crate::Spec`].
    pub teams: Vec<String>,
    /// See `teams`.
    pub builds: Vec<String>,
    /// Number of nodes.
    pub nodes: usize,
    /// Service and node of each instance that there is at the beginning.
    pub placement: Vec<(usize, usize)>,
    /// Width of a row of history before other series appear.
    pub width: usize,
    /// The series that these columns hold, named when the first is asked for.
    pub(crate) series: OnceLock<Arc<[SeriesInfo]>>,
    /// Services by name and by host, routes by name.
    pub(crate) names: BTreeMap<Arc<str>, usize>,
    pub(crate) hosts: BTreeMap<Arc<str>, usize>,
    /// Services that still answer under host names of former days.
    pub(crate) formerly_elsewhere: Vec<usize>,
    pub(crate) route_names: BTreeMap<Arc<str>, usize>,
}

/// Positions of lines among a service's, and what they say.
pub(crate) type LoudLines<'p> = (&'p [(usize, &'static Template)], &'p [(usize, &'static Template)]);

/// One service, compiled.
pub struct ServiceInfo {
    /// Its name.
    pub name: Arc<str>,
    /// Its host name inside the company's network.
    pub host: Arc<str>,
    /// Its kind.
    pub kind: &'static dyn Kind,
    /// How many instances it has at the beginning.
    pub replicas: usize,
    /// The first of those; the others follow.
    pub first: InstanceId,
    /// The calls that it answers.
    pub calls: Vec<usize>,
    /// The calls that it makes on its own account (a queue's consumers).
    pub roots: Vec<usize>,
    /// The services that it calls, in order of first mention.
    pub depends_on: Vec<usize>,
    /// Values it starts with.
    pub config: Vec<Value>,
    /// Physical parameters.
    pub params: Params,
    /// How large it is, as a multiple of what its kind's thresholds were made for.
    pub size: f64,
    /// Its metrics in a row of history.
    pub metrics: Range<usize>,
    /// Its events in a row of history, one for each log line of its kind; the last says what the platform prints.
    pub events: Range<usize>,
    /// Its gauges in a row of history: those of its kind, then those of the platform.
    pub gauges: Range<usize>,
    /// Lines about those that it calls, behind those of its kind.
    pub(crate) borrowed: Vec<Borrowed>,
    /// The rules on its metrics among all.
    pub(crate) alerts: Range<usize>,
    /// Whether one of them pages.
    pub(crate) can_page: bool,
    /// Those of its metrics that rules which page look at, one bit for each.
    pub(crate) paged: u32,
    /// Its log templates, each compiled when its first line is read.
    pub(crate) lines: OnceLock<Box<[OnceLock<Line>]>>,
    /// Those of them that only a troubled service prints, by their positions.
    pub(crate) loud: OnceLock<Box<[(usize, &'static Template)]>>,
}

impl ServiceInfo {
    /// The index of the key of that name.
    pub fn key(&self, name: &str) -> Option<usize> {
        self.kind.keys().iter().position(|k| k.name == name)
    }

    /// The instances that it has at the beginning.
    pub fn founders(&self) -> impl Iterator<Item = InstanceId> + use<> {
        (self.first.0..self.first.0 + self.replicas as u32).map(InstanceId)
    }

    /// Whether it has something that a fault can get hold of.
    pub fn has(&self, hazard: Hazard) -> bool {
        self.kind.hazards().contains(&hazard)
    }

    /// The log lines that it counts: those of its kind, then those about others.
    pub fn own_templates(&self) -> impl Iterator<Item = &'static Template> {
        let about_others = self.borrowed.iter().flat_map(|b| b.kind.caller_logs()).map(|caller| &caller.line);
        self.kind.logs().iter().chain(about_others)
    }

    /// Its log lines: those that it counts, then those of the platform.
    pub fn templates(&self) -> impl Iterator<Item = &'static Template> {
        self.own_templates().chain(PLATFORM_LINES)
    }

    /// The lines that only a troubled service prints, by their positions: its own, then those of the platform.
    pub(crate) fn loud_lines(&self) -> LoudLines<'_> {
        let all = self.loud.get_or_init(|| self.templates().enumerate().filter(|(_, line)| line.is_loud()).collect());
        all.split_at(all.partition_point(|(at, _)| *at + 1 < self.events.len()))
    }

    /// All its columns in a row of history: metrics, events, gauges.
    pub(crate) fn columns(&self) -> Range<usize> {
        self.metrics.start..self.gauges.end
    }

    /// The healthy value of the key of that name.
    pub fn setting(&self, key: &str) -> Option<&Value> {
        self.key(key).map(|at| &self.config[at])
    }
}

/// One route, compiled.
pub struct RouteInfo {
    /// How what users ask moves with time.
    pub load: crate::spec::LoadShape,
    /// Its name.
    pub name: Arc<str>,
    /// The application it belongs to.
    pub app: Arc<str>,
    /// Requests per second at the usual load.
    pub rps: f64,
    /// Slow from here on, in seconds.
    pub slow: f64,
    /// Users give up after so many seconds.
    pub patience: f64,
    /// The share that may fail or be slow.
    pub allowed: f64,
    /// The share of failed requests that users send again.
    pub user_retry: f64,
    /// Its first call.
    pub entry: usize,
    /// Whether messages, not users, start it.
    pub asynchronous: bool,
    /// Its columns in a row of history: requests, failed, slow, p95 in ms.
    pub columns: Range<usize>,
}

/// One call, compiled.
#[derive(Debug)]
pub struct CallInfo {
    /// The service that answers.
    pub service: usize,
    /// What the caller wants of it.
    pub role: Role,
    /// The call that makes it.
    pub parent: Option<usize>,
    /// The route it belongs to.
    pub route: usize,
    /// What is asked.
    pub op: Op,
    /// How often for each run of the parent.
    pub times: f64,
    /// The sibling whose miss leads here.
    pub miss_of: Option<usize>,
    /// Calls made while answering, in order, those on a miss behind the one that missed.
    pub children: Vec<usize>,
    /// Position of the index key among the callee's keys.
    pub index: Option<usize>,
    /// Its columns in a row of history: [`CALL_COLUMNS`] of them.
    pub columns: Range<usize>,
    /// Its position among the calls that its service answers; none for one that it makes on its own account.
    pub(crate) place: Option<usize>,
    /// What its caller sees of the reasons for which it fails, where that differs.
    pub shows: Option<Translation>,
}

impl CallInfo {
    /// Its traffic before there is any.
    pub(crate) fn flow(&self) -> Flow {
        Flow { is_translated: self.shows.is_some(), ..Flow::default() }
    }

    /// What the caller sees of a reason.
    pub fn shown(&self, reason: Reason) -> Reason {
        self.shows.map_or(reason, |table| table.shown(reason))
    }
}

/// Lines that a service writes about those it calls, in the words of their kind.
pub(crate) struct Borrowed {
    pub kind: &'static dyn Kind,
    /// Position of the first among the service's lines.
    pub first: usize,
}

/// One alert rule of one service or route.
pub struct AlertInfo {
    /// The service, route or application that it is about.
    pub owner: Arc<str>,
    /// The name of its rule.
    pub rule: &'static str,
    /// What it watches.
    pub watches: Watch,
    /// Whether it pages.
    pub pages: bool,
}

impl AlertInfo {
    /// Its name: `service/rule`.
    pub fn name(&self) -> String {
        [&*self.owner, "/", self.rule].concat()
    }

    /// Whether that is its name.
    pub fn is_called(&self, name: &str) -> bool {
        name.strip_prefix(&*self.owner).and_then(|rest| rest.strip_prefix('/')) == Some(self.rule)
    }
}

/// A metric that rules which page look at.
#[derive(Clone, Copy)]
pub(crate) struct PagingMetric {
    pub service: usize,
    pub column: usize,
    /// Above this value one of them is bad, or below this one.
    pub most: f64,
    pub least: f64,
}

impl PagingMetric {
    /// Whether a value between two may be bad.
    #[inline]
    pub fn may_be_bad(&self, (low, high): (f64, f64)) -> bool {
        high > self.most || low < self.least
    }
}

/// What tells at a glance that a rule holds: all are looked at with every scrape, so it is little.
#[derive(Clone, Copy)]
pub(crate) struct RuleGlance {
    /// The column that it watches; none where a glance tells nothing.
    column: Option<u32>,
    above: bool,
    threshold: f64,
}

impl RuleGlance {
    pub fn of(watches: &Watch) -> RuleGlance {
        match watches {
            Watch::Metric(_, column, rule) => {
                RuleGlance { column: column.map(|c| c as u32), above: rule.above, threshold: rule.threshold }
            }
            Watch::Burn(_) | Watch::AppBurn(_) => RuleGlance { column: None, above: true, threshold: 0.0 },
        }
    }

    #[inline]
    pub fn may_be_bad(&self, row: &[f32]) -> bool {
        self.column.is_none_or(|column| {
            let value = f64::from(row[column as usize]);
            if self.above { value > self.threshold } else { value < self.threshold }
        })
    }
}

/// A rule of a kind with the threshold for a service of some size. All rules are looked at with every scrape, so what is the same
/// for every service of the kind is not copied.
#[derive(Clone, Copy)]
pub struct SizedRule {
    of: &'static Rule,
    /// The threshold.
    pub threshold: f64,
}

impl SizedRule {
    pub(crate) fn new(of: &'static Rule, threshold: f64) -> SizedRule {
        SizedRule { of, threshold }
    }
}

impl std::ops::Deref for SizedRule {
    type Target = Rule;

    fn deref(&self) -> &Rule {
        self.of
    }
}

/// What an alert watches.
pub enum Watch {
    /// A metric of a service, at a column; `None` for whether its instances run.
    Metric(usize, Option<usize>, SizedRule),
    /// A route's objective.
    Burn(usize),
    /// The objectives of all routes of an application: the one that burns fastest.
    AppBurn(Vec<usize>),
}

/// Whether a host name is one under which a service was found in former days: `cache-old.internal`, `cache-2.internal`.
fn is_former(host: &str, now: &str) -> bool {
    let name = |host: &str| host.strip_suffix(".internal").map(str::to_string);
    let (Some(host), Some(now)) = (name(host), name(now)) else { return false };
    host.strip_prefix(&*now).is_some_and(|rest| rest.starts_with('-'))
}

/// So many tiers are few.
const FEW_TIERS: usize = 3;

/// Columns of a route in a row of history.
pub const ROUTE_COLUMNS: usize = 4;

/// Columns of a call: calls per second, the share that fails, the number of the most frequent reason (0 for none), mean and deviation of the time
/// until an answer in milliseconds, the share that finds nothing; of the time in milliseconds mean and deviation of own work and of the wait
/// in line before that, and the delay of the link.
pub const CALL_COLUMNS: [&str; 11] = [
    "calls",
    "failed",
    "reason",
    "mean_ms",
    "deviation_ms",
    "miss",
    "work_ms",
    "work_deviation_ms",
    "wait_ms",
    "wait_deviation_ms",
    "delay_ms",
];

impl Blueprint {
    /// How many services the longest chain of calls goes through.
    pub fn tiers(&self) -> usize {
        let mut tiers: Vec<usize> = Vec::with_capacity(self.calls.len());
        for call in &self.calls {
            tiers.push(1 + call.parent.map_or(0, |parent| tiers[parent]));
        }
        tiers.into_iter().max().unwrap_or(1)
    }

    /// Whether calls go through so many tiers that long ticks tell little: behind them, those who call wait for those who wait.
    pub fn is_deep(&self) -> bool {
        self.tiers() > FEW_TIERS
    }

    /// The first column of a call in a row of history; those of routes and services stand before it.
    pub(crate) fn first_of_calls(&self) -> usize {
        self.calls.first().map_or(self.width, |call| call.columns.start)
    }

    /// The first column of a service in a row of history.
    pub(crate) fn first_of_services(&self) -> usize {
        self.routes.last().map_or(0, |route| route.columns.end)
    }

    /// The index of the service of that name.
    pub fn service(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// The index of the route of that name.
    pub fn route(&self, name: &str) -> Option<usize> {
        self.route_names.get(name).copied()
    }

    /// The service that answers at a host name.
    pub fn resolve(&self, host: &str) -> Option<usize> {
        let former = |at: &&usize| is_former(host, &self.services[**at].host);
        self.hosts.get(host).copied().or_else(|| self.formerly_elsewhere.iter().find(former).copied())
    }

    /// The series of a world of this plan, by column.
    pub(crate) fn series(&self) -> &Arc<[SeriesInfo]> {
        self.series.get_or_init(|| series_of(self))
    }

    /// A log template of a service, compiled.
    pub(crate) fn line(&self, service: usize, template: usize) -> &Line {
        let info = &self.services[service];
        let places = || info.templates().map(|_| OnceLock::new()).collect();
        info.lines.get_or_init(places)[template].get_or_init(|| {
            let template = info.templates().nth(template).expect("there is a place for each template");
            Line::compile(template, info, self)
        })
    }
}
