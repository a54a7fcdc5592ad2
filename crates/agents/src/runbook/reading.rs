//! Reads observations as a person would: rows, lines and notes, in whatever service they are about.

/// One row of a metrics table.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricRow {
    /// Its name.
    pub name: String,
    /// The value now; `None` if the sample was lost.
    pub now: Option<f64>,
    /// What it usually is.
    pub usual: Option<f64>,
}

/// How loud a log line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Business as usual.
    Info,
    /// Something to keep an eye on.
    Warn,
    /// Something failed.
    Error,
}

/// One log line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// How loud it is.
    pub level: LogLevel,
    /// What it says, in lower case.
    pub text: String,
    /// When, in seconds of the day.
    pub at: Option<u32>,
}

/// One configuration row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingRow {
    /// The key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// What it does, in lower case.
    pub about: String,
}

/// A status page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// `healthy`, `degraded` or `down`.
    pub state: String,
    /// Whether an instance is not running.
    pub dead: bool,
    /// Notes, in lower case.
    pub notes: Vec<String>,
}

/// An entry of the change history that can be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeRow {
    /// Its id.
    pub id: String,
    /// The service.
    pub service: String,
    /// The key that was set.
    pub key: String,
    /// The value before.
    pub from: String,
    /// The value after.
    pub to: String,
    /// When, in seconds of the day.
    pub at: Option<u32>,
}

/// The columns of a row: they are two spaces or more apart.
fn columns(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").map(str::trim).filter(|column| !column.is_empty())
}

/// The number at the beginning of `4751ms`, `77.4%` or `257/s`; `no data` is none.
pub fn number(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The rows of a metrics table.
pub fn metrics(text: &str) -> Vec<MetricRow> {
    let row = |line: &str| {
        let mut columns = columns(line);
        let (name, now, _, usual) = (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
        (now != "now").then(|| MetricRow { name: name.to_string(), now: number(now), usual: number(usual) })
    };
    text.lines().skip(1).filter_map(row).collect()
}

/// The lines of a log.
pub fn logs(text: &str) -> Vec<LogRow> {
    let line = |line: &str| {
        let (time, rest) = line.split_once(' ')?;
        let (level, text) = rest.trim_start().split_once(' ')?;
        let level = match level {
            "INFO" => LogLevel::Info,
            "WARN" => LogLevel::Warn,
            "ERROR" => LogLevel::Error,
            _ => return None,
        };
        Some(LogRow { level, text: text.trim().to_ascii_lowercase(), at: clock(time) })
    };
    text.lines().skip(1).filter_map(line).collect()
}

/// The rows of a configuration.
pub fn settings(text: &str) -> Vec<SettingRow> {
    let is_key = |word: &str| word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let row = |line: &str| {
        let mut columns = columns(line);
        let (key, value) = (columns.next().filter(|key| is_key(key))?, columns.next()?);
        let about = columns.next().unwrap_or_default().to_ascii_lowercase();
        Some(SettingRow { key: key.to_string(), value: value.to_string(), about })
    };
    text.lines().skip(1).filter_map(row).collect()
}

/// A status page.
pub fn status(text: &str) -> Status {
    let state = text.lines().next().and_then(|line| line.split_once(" is ")).map_or("", |(_, rest)| rest);
    let section = |name: &'static str| {
        let inside = text.lines().skip_while(move |line| *line != name).skip(1);
        inside.take_while(|line| line.starts_with(' ')).map(|line| line.trim().to_ascii_lowercase())
    };
    Status {
        state: state.split(' ').next().unwrap_or_default().to_string(),
        dead: section("instances").any(|line| line.contains("not running")),
        notes: section("notes").collect(),
    }
}

/// The configuration pushes in a change history, the latest first.
pub fn changes(text: &str) -> Vec<ChangeRow> {
    let row = |line: &str| {
        let columns: Vec<&str> = columns(line).collect();
        let [id, time, service, _, summary] = columns[..] else { return None };
        let (key, values) = summary.strip_prefix("set ")?.split_once(" from ")?;
        let (from, to) = values.split_once(" to ")?;
        let own = |text: &str| text.to_string();
        // What was rolled back, or cannot be, says so behind the value.
        let open = !to.contains(' ');
        open.then(|| ChangeRow {
            id: own(id),
            service: own(service),
            key: own(key),
            from: own(from),
            to: own(to),
            at: clock(time),
        })
    };
    let mut all: Vec<ChangeRow> = text.lines().skip(2).filter_map(row).collect();
    all.reverse();
    all
}

/// Another entry of a change history: a deployment, other machines, a share of traffic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseRow {
    /// Its id.
    pub id: String,
    /// The service.
    pub service: String,
    /// What was done.
    pub what: String,
    /// When, in seconds of the day.
    pub at: Option<u32>,
}

/// What a change history has beside configuration pushes and can be taken back, the latest first.
pub fn releases(text: &str) -> Vec<ReleaseRow> {
    let row = |line: &str| {
        let columns: Vec<&str> = columns(line).collect();
        let [id, time, service, _, what] = columns[..] else { return None };
        let is_open = !what.starts_with("set ") && !what.contains("rolled back");
        let own = |text: &str| text.to_string();
        is_open.then(|| ReleaseRow { id: own(id), service: own(service), what: own(what), at: clock(time) })
    };
    let mut all: Vec<ReleaseRow> = text.lines().skip(2).filter_map(row).collect();
    all.reverse();
    all
}

/// `15:07:25` in seconds of the day.
fn clock(text: &str) -> Option<u32> {
    let mut parts = text.split(':').map(|part| part.parse::<u32>().ok());
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    (hours < 24 && minutes < 60 && seconds < 60).then_some(hours * 3600 + minutes * 60 + seconds)
}

/// An alert that fires or soon will.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertRow {
    /// The service or the route.
    pub owner: String,
    /// The rule.
    pub rule: String,
    /// Whether it fires already.
    pub firing: bool,
    /// Whether it pages.
    pub pages: bool,
    /// When what it watches went bad, in seconds of the day, if it fires.
    pub since: Option<u32>,
}

/// All alerts.
pub fn alerts(text: &str) -> Vec<AlertRow> {
    let row = |line: &str| {
        let mut columns = columns(line);
        let (state, kind, name) = (columns.next()?, columns.next()?, columns.next()?);
        let (owner, rule) = name.split_once('/')?;
        let (firing, pages) = (state.starts_with("firing"), kind == "page");
        // A rule waits for some time before it fires.
        let waited = line.rsplit_once(" for ").and_then(|(_, rest)| number(rest)).unwrap_or_default() as u32;
        let since = state.strip_prefix("firing since ").and_then(clock).map(|at| at.saturating_sub(waited));
        Some(AlertRow { owner: owner.to_string(), rule: rule.to_string(), firing, pages, since })
    };
    text.lines().skip(1).filter_map(row).collect()
}

/// What a page says: the service, the metric, its value and the bound that it crossed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageReading {
    /// The service, if one is named.
    pub service: Option<String>,
    /// The metric, if it is about one.
    pub metric: Option<String>,
    /// Its value.
    pub value: Option<f64>,
    /// Whether it is too high; else it is too low.
    pub above: bool,
}

/// A page.
pub fn page(text: &str, services: &[String]) -> PageReading {
    let (alert, says) = text.split_once(": ").unwrap_or((text, ""));
    let named = |name: &&String| alert.split('/').next() == Some(name.as_str());
    let service = services.iter().find(named).or_else(|| services.iter().find(|name| says.contains(name.as_str())));
    let metric = says.split_once(" of ").map(|(metric, _)| metric).filter(|metric| !metric.contains(' '));
    let value = says.split_once(" is ").and_then(|(_, rest)| number(rest));
    PageReading {
        service: service.cloned(),
        metric: metric.map(str::to_string),
        value: value.filter(|_| metric.is_some()),
        above: says.contains(" above "),
    }
}
