//! What the tables of a kind hold: metrics, log lines and alert rules.

use crate::flow::Reason;

/// One metric of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// Its unit, for people.
    pub unit: Unit,
    /// The least difference from the usual value that means something.
    pub slack: f64,
    /// Whether a share of it is better when it is high, as few are.
    pub better_high: bool,
    /// Whether it grows with the place.
    pub sized: bool,
    /// How much of a sample is chance.
    pub sampled: Sampled,
    /// Whether it is known exactly, as what is counted and a size are: imperfect telemetry disturbs measurements alone.
    pub exact: bool,
}

/// What a sample is taken of, which says how far chance moves it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sampled {
    /// A state: it is what it is.
    Exactly,
    /// Events in so many seconds.
    Rate {
        /// In so many seconds.
        seconds: f64,
    },
    /// A share of the requests since the last scrape.
    Share,
    /// The 95th percentile of their times.
    Percentile,
}

/// A metric, for tables.
pub(crate) const fn metric(name: &'static str, unit: Unit, slack: f64) -> Metric {
    let sized = matches!(unit, Unit::PerSecond | Unit::PerMinute | Unit::Count);
    let sampled = match unit {
        Unit::Ratio => Sampled::Share,
        Unit::PerSecond => Sampled::Rate { seconds: 1.0 },
        Unit::PerMinute => Sampled::Rate { seconds: 60.0 },
        Unit::Percent | Unit::Millis | Unit::Count => Sampled::Exactly,
    };
    Metric { name, unit, slack, better_high: false, sized, sampled, exact: matches!(unit, Unit::Count) }
}

impl Metric {
    pub(crate) const fn better_high(self) -> Metric {
        Metric { better_high: true, ..self }
    }

    /// The 95th percentile of requests.
    pub(crate) const fn percentile(self) -> Metric {
        Metric { sampled: Sampled::Percentile, ..self }
    }

    /// A size that is known exactly.
    pub(crate) const fn exact(self) -> Metric {
        Metric { exact: true, ..self }
    }

    /// The same number in every place.
    pub(crate) const fn of_any_size(self) -> Metric {
        Metric { sized: false, ..self }
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
    /// The most that it can say, where it is a share.
    pub(crate) fn most(self) -> f32 {
        match self {
            Unit::Ratio => 1.0,
            Unit::Percent => 100.0,
            _ => f32::INFINITY,
        }
    }

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

/// One kind of log line. Braces are filled in when a line is read, with nothing but what was so in that world at that
/// time. Of the request that a line is about: `{id}`, `{user}`, `{path}`, `{status}`, `{flags}`, `{timers}`,
/// `{ms}`. Of the service: `{KEY}` (the
/// running value of a key), `{1..KEY}` (a number up to it), `{=gauge}` and `{=gauge*0.001}` (a gauge of the kind, as it was
/// scraped), `{instance}`, `{op}` (something that it is asked), `{sql}` and `{plan}` (the statement of that and how it is run), `{topic}` (what its messages are). Of others: `{ip}` (a
/// client at the edge, an instance that calls inside), `{holder}` (an instance that keeps its connections), `{dep:kind}` (the host of the dependency of that kind). `{pid}`,
/// `{file}` and `{xid}` name a process, a file and a transaction, `{part}` is the thousandths of a time that is no more than its whole;
/// `{backend}` is the server behind this one that was sent the request. `{server:gauge}` is the server behind this one that a gauge names, `{left:gauge}` how many
/// a gauge says are left when a line of several at once is written, and `{back:gauge}` how many are there again.
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
    /// The reason for which the request that it is about failed, where the line says one.
    pub reason: Option<Reason>,
    /// Whether the request that it is about has no other line: a proxy writes one for each.
    pub is_only: bool,
    /// Whether only those instances write it that have the most to do.
    pub is_of_busiest: bool,
    /// Whether the statement that it is about writes, where it is about one sort only.
    pub writes: Option<bool>,
    /// Whether the request that it is about was answered well.
    pub is_answered: bool,
    /// Whether it is written once for each change of state, and by nothing else.
    pub is_once: bool,
    /// What it says where the one that failed it is another server, which speaks HTTP and not a database's protocol.
    pub of_server: Option<&'static str>,
    /// What it says instead, and of another server, where the one where it began is in a state: that of a gauge above zero.
    pub of_state: Option<OfState>,
}

/// What a line says where a service is in a state.
#[derive(Clone, Copy, Debug)]
pub struct OfState {
    /// The gauge that says so.
    pub gauge: &'static str,
    /// What it says then.
    pub text: &'static str,
    /// The same of another server.
    pub of_server: &'static str,
}

impl Template {
    /// Whether only a troubled service prints it.
    pub(crate) fn is_loud(&self) -> bool {
        self.level >= Level::Warn && !self.chatter
    }

    /// The one line that its request has.
    pub(crate) const fn only(self) -> Template {
        Template { is_only: true, ..self }
    }

    /// A line that only the instances write that have the most to do.
    pub(crate) const fn of_busiest(self) -> Template {
        Template { is_of_busiest: true, ..self }
    }

    /// A line about statements that read.
    pub(crate) const fn reads(self) -> Template {
        Template { writes: Some(false), ..self }
    }

    /// A line about statements that write.
    pub(crate) const fn writes(self) -> Template {
        Template { writes: Some(true), ..self }
    }

    /// A line about a request that was answered well.
    pub(crate) const fn answered(self) -> Template {
        Template { is_answered: true, ..self }
    }

    /// A line that is written once for each change of state.
    pub(crate) const fn once(self) -> Template {
        Template { is_once: true, ..self }
    }

    /// What it says of another server.
    pub(crate) const fn of_server(self, text: &'static str) -> Template {
        Template { of_server: Some(text), ..self }
    }

    /// What it says where the service where it began is in a state.
    pub(crate) const fn of_state(self, state: OfState) -> Template {
        Template { of_state: Some(state), ..self }
    }

    /// A line about requests that fail for this reason.
    pub(crate) const fn of(self, reason: Reason) -> Template {
        Template { reason: Some(reason), ..self }
    }
}

/// State that a kind's log lines tell of, beside its metrics: noted with every scrape, shown nowhere else.
#[derive(Clone, Copy, Debug)]
pub struct Gauge(pub &'static str);

/// A gauge that tells what a metric shows, times a factor: what is printed twice agrees, also where chance is in it.
#[derive(Clone, Copy, Debug)]
pub struct Repeated {
    /// The position of the gauge, and of the metric.
    pub gauge: usize,
    /// See `gauge`.
    pub metric: usize,
    /// The factor.
    pub by: f64,
}

/// A line that a healthy service prints too, for tables.
pub(crate) const fn usual(level: Level, name: &'static str, text: &'static str) -> Template {
    plain(name, level, true, text)
}

/// A warning that means something, for tables.
pub(crate) const fn warn(name: &'static str, text: &'static str) -> Template {
    plain(name, Level::Warn, false, text)
}

/// An error that means something, for tables.
pub(crate) const fn error(name: &'static str, text: &'static str) -> Template {
    plain(name, Level::Error, false, text)
}

pub(crate) const fn plain(name: &'static str, level: Level, chatter: bool, text: &'static str) -> Template {
    Template {
        name,
        level,
        chatter,
        text,
        reason: None,
        is_only: false,
        is_of_busiest: false,
        writes: None,
        is_answered: false,
        is_once: false,
        of_server: None,
        of_state: None,
    }
}

/// What callers of a service write for each call that fails for a reason.
#[derive(Clone, Copy, Debug)]
pub struct CallerLine {
    /// The reason, as the edge shows it.
    pub reason: Reason,
    /// The line.
    pub line: Template,
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
    /// Whether it pages or only opens a ticket.
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
