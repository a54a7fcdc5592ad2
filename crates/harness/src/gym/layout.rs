//! What each number of a structured observation is called and where it stands.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use faces::ToolSet;
use world::services;

/// The features of one service and those of the incident, by name. The same for every task: what a
/// kind of service does not have stays 0.
pub struct Layout {
    service: Vec<String>,
    incident: Vec<String>,
    metrics: BTreeMap<&'static str, Series>,
    keys: BTreeMap<&'static str, Setting>,
    first_template: usize,
    templates: BTreeMap<&'static str, usize>,
}

/// Where a metric stands.
#[derive(Clone, Copy)]
pub(super) struct Series {
    /// Its first column.
    pub column: usize,
    /// Its position among all metrics, by name.
    pub rank: usize,
    /// The least difference of it that means something.
    pub slack: f64,
}

/// Where a configuration key stands.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    /// Its name, as everybody spells it.
    pub name: &'static str,
    /// Its column.
    pub column: usize,
    /// Its position among all keys, by name.
    pub rank: usize,
}

static LAYOUT: LazyLock<Layout> = LazyLock::new(Layout::new);

/// Features that every service has.
#[derive(Clone, Copy)]
pub(super) enum Own {
    Exists,
    Paged,
    Last,
    SeenLogs,
    SeenMetrics,
    SeenStatus,
    SeenConfig,
    SeenDependencies,
    Healthy,
    Degraded,
    Down,
    InstancesUp,
    Firing,
    Notes,
    ClockOff,
    BusyNode,
    BackOff,
    NoData,
    RollingOut,
    LinesInfo,
    LinesWarn,
    LinesError,
    CallsFail,
    CalledFails,
    TraceErrors,
    Changes,
    ChangedLast,
    Alerts,
    DidRestart,
    DidConfig,
    DidRollback,
}

/// Their names, in order.
const OWN: [&str; Own::DidRollback as usize + 1] = [
    "exists",
    "paged",
    "last_action_was_here",
    "seen:logs",
    "seen:metrics",
    "seen:status",
    "seen:config",
    "seen:dependencies",
    "status:healthy",
    "status:degraded",
    "status:down",
    "status:instances_up",
    "status:firing_alerts",
    "status:notes",
    "status:clock_off",
    "status:busy_node",
    "status:back_off",
    "metrics:no_data",
    "config:rolling_out",
    "logs:info_lines",
    "logs:warn_lines",
    "logs:error_lines",
    "dependencies:worst_error_share",
    "called:worst_error_share",
    "traces:errors",
    "changes:count",
    "changes:is_latest",
    "alerts:firing",
    "did:restart",
    "did:config",
    "did:rollback",
];

/// Features of the incident as a whole.
#[derive(Clone, Copy)]
pub(super) enum Whole {
    StepsLeft,
    Budget,
    Hours,
    LastValid,
    LastChanged,
    PageIsObjective,
    RoutesFailed,
    RoutesSlow,
    RoutesOut,
    AlertsFiring,
    AlertsPaging,
    ChangesShown,
}

/// Their names, in order; behind them stands one feature per tool, 1 for the last one used.
const WHOLE: [&str; Whole::ChangesShown as usize + 1] = [
    "steps_left",
    "budget",
    "hours_since_page",
    "last_action_valid",
    "last_action_changed_something",
    "page_is_about_an_objective",
    "routes:worst_failed_share",
    "routes:worst_slow_share",
    "routes:out_of_objective",
    "alerts:firing",
    "alerts:paging",
    "changes:shown",
];

impl Layout {
    /// The one layout.
    pub fn get() -> &'static Layout {
        &LAYOUT
    }

    fn new() -> Layout {
        let mut service: Vec<String> = OWN.iter().map(|name| name.to_string()).collect();
        let mut metrics = BTreeMap::new();
        for metric in services::ALL.iter().flat_map(|kind| kind.metrics()) {
            metrics.entry(metric.name).or_insert_with(|| {
                service.extend(["vs_usual", "vs_before"].map(|way| format!("metric:{}:{way}", metric.name)));
                Series { column: service.len() - 2, rank: 0, slack: metric.slack }
            });
        }
        metrics.values_mut().enumerate().for_each(|(rank, series)| series.rank = rank);
        let mut keys = BTreeMap::new();
        for key in services::ALL.iter().flat_map(|kind| kind.keys()) {
            keys.entry(key.name).or_insert_with(|| {
                service.push(format!("config:{}", key.name));
                Setting { name: key.name, column: service.len() - 1, rank: 0 }
            });
        }
        keys.values_mut().enumerate().for_each(|(rank, setting)| setting.rank = rank);
        let first_template = service.len();
        let mut templates = BTreeMap::new();
        for name in services::templates().map(|template| template.name) {
            templates.entry(name).or_insert_with(|| {
                service.push(format!("log:{name}"));
                service.len() - 1
            });
        }
        let mut incident: Vec<String> = WHOLE.iter().map(|name| name.to_string()).collect();
        incident.extend(ToolSet::Full.tools().iter().map(|tool| format!("last:{}", tool.name())));
        Layout { service, incident, metrics, keys, first_template, templates }
    }

    /// Names of the features of a service, in order.
    pub fn service(&self) -> &[String] {
        &self.service
    }

    /// Names of the features of the incident, in order.
    pub fn incident(&self) -> &[String] {
        &self.incident
    }

    /// Names of all metrics.
    pub(super) fn metrics(&self) -> impl ExactSizeIterator<Item = &'static str> + '_ {
        self.metrics.keys().copied()
    }

    /// Names of all configuration keys.
    pub(super) fn keys(&self) -> impl ExactSizeIterator<Item = &'static str> + '_ {
        self.keys.keys().copied()
    }

    /// Where a metric stands.
    pub(super) fn metric(&self, name: &str) -> Option<Series> {
        self.metrics.get(name).copied()
    }

    /// Where a configuration key stands.
    pub(super) fn key(&self, name: &str) -> Option<Setting> {
        self.keys.get(name).copied()
    }

    /// Where a sort of log line stands.
    pub(super) fn template(&self, name: &str) -> Option<usize> {
        self.templates.get(name).copied()
    }

    /// Where all sorts of log lines stand.
    pub(super) fn all_templates(&self) -> std::ops::Range<usize> {
        self.first_template..self.service.len()
    }

    /// Where the mark of a tool stands among the incident's features.
    pub(super) fn tool(&self, at: usize) -> usize {
        WHOLE.len() + at
    }
}
