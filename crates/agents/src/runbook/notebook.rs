//! What has been read so far, service by service.

use super::reading::{
    self, AlertRow, ChangeRow, LogLevel, LogRow, MetricRow, PageReading, ReleaseRow, SettingRow, Status,
};
use super::signs::HandbookSign;
use super::steady;
use super::words::telling;

/// One of the four ways to look at a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookKind {
    /// Log lines.
    Logs,
    /// The configuration.
    Config,
    /// Metrics.
    Metrics,
    /// The status page.
    Status,
}

/// What is known of one service.
#[derive(Clone, Debug, Default)]
pub struct ServiceNotes {
    /// Its name.
    pub name: String,
    /// All of its loud log lines, if they were read.
    pub heard: Option<Vec<LogRow>>,
    /// Signs that were given once and looked for again.
    pub doubted: Vec<&'static str>,
    /// Those lines that are believed.
    pub logs: Option<Vec<LogRow>>,
    /// Its settings, if they were read.
    pub config: Option<Vec<SettingRow>>,
    /// Its metrics, if they were read.
    pub metrics: Option<Vec<MetricRow>>,
    /// Its status, if it was read.
    pub status: Option<Status>,
}

/// Everything that is known.
#[derive(Clone, Debug, Default)]
pub struct Notebook {
    /// What the page says.
    pub page: PageReading,
    /// One sheet for each service.
    pub sheets: Vec<ServiceNotes>,
    /// Configuration pushes, the latest first, if the history was read.
    pub changes: Option<Vec<ChangeRow>>,
    /// Other entries of the history, the latest first, if it was read.
    pub releases: Option<Vec<ReleaseRow>>,
    /// Alerts, if they were listed: the latest list.
    pub alerts: Option<Vec<AlertRow>>,
}

impl Notebook {
    /// An empty notebook with the page on its cover.
    pub fn new(page: &str, services: &[String]) -> Notebook {
        let sheet = |name: &String| ServiceNotes { name: name.clone(), ..ServiceNotes::default() };
        Notebook {
            page: reading::page(page, services),
            sheets: services.iter().map(sheet).collect(),
            ..Notebook::default()
        }
    }

    /// Puts an answer down.
    pub fn note(&mut self, service: usize, look: LookKind, text: &str) {
        let Some(sheet) = self.sheets.get_mut(service) else { return };
        match look {
            LookKind::Logs => sheet.heard = Some(loud(reading::logs(text))),
            LookKind::Config => sheet.config = Some(reading::settings(text)),
            LookKind::Metrics => sheet.metrics = Some(reading::metrics(text)),
            LookKind::Status => sheet.status = Some(reading::status(text)),
        }
        self.weigh_lines();
    }

    /// Only what a service goes on saying is believed.
    fn weigh_lines(&mut self) {
        for sheet in &mut self.sheets {
            let lines = sheet.heard.as_deref().map(steady::lines);
            sheet.logs = lines.or(sheet.logs.take());
        }
    }

    /// A sign that a service gave once, surer than this, and that was not looked for again: the surest.
    pub fn doubtful(&self, than: f64) -> Option<(usize, &'static HandbookSign)> {
        let of = |at: usize| steady::strays(self.sheets[at].heard.as_deref().unwrap_or_default()).map(move |s| (at, s));
        let is_open = |(at, sign): &(usize, &'static HandbookSign)| {
            sign.sure > than && !self.sheets[*at].doubted.contains(&sign.cause)
        };
        let all = (0..self.sheets.len()).flat_map(of).filter(is_open);
        all.max_by(|a, b| a.1.sure.total_cmp(&b.1.sure))
    }

    /// Puts down what was found of a doubtful sign: lines that were said again are believed.
    pub fn note_again(&mut self, service: usize, cause: &'static str, text: &str) {
        let Some(sheet) = self.sheets.get_mut(service) else { return };
        let known = sheet.heard.get_or_insert_default();
        let new: Vec<LogRow> = loud(reading::logs(text)).into_iter().filter(|line| !known.contains(line)).collect();
        known.extend(new);
        sheet.doubted.push(cause);
        self.weigh_lines();
    }

    /// The service that paged; where the page names none, the one that users meet first.
    pub fn paged(&self) -> usize {
        let named = |sheet: &ServiceNotes| Some(&sheet.name) == self.page.service.as_ref();
        let edge = || (0..self.sheets.len()).min_by_key(|at| tier(&self.sheets[*at].name));
        self.sheets.iter().position(named).or_else(edge).unwrap_or_default()
    }

    /// The value of a key, if its service's configuration was read.
    pub fn value(&self, service: usize, key: &str) -> Option<String> {
        let read = self.sheets[service].config.iter().flatten().find(|setting| setting.key == key);
        read.map(|setting| setting.value.clone())
    }

    /// Notes what a key was set to.
    pub fn set(&mut self, service: &str, key: &str, to: &str) {
        let own = self.sheets.iter_mut().filter(|sheet| sheet.name == service);
        let settings = own.flat_map(|sheet| sheet.config.iter_mut().flatten());
        settings.filter(|setting| setting.key == key).for_each(|setting| setting.value = to.to_string());
    }

    /// Forgets all lines: what was written before says nothing of what is wrong now.
    pub fn forget_lines(&mut self) {
        for sheet in &mut self.sheets {
            (sheet.heard, sheet.logs) = (None, None);
        }
    }

    /// Reads the change history.
    pub fn note_history(&mut self, text: &str) {
        self.changes = Some(reading::changes(text));
        self.releases = Some(reading::releases(text));
    }

    /// Loud lines of other services that name this one's host, with their level.
    pub fn blames(&self, service: usize) -> impl Iterator<Item = &LogRow> {
        let host = host(&self.sheets[service].name);
        let others = self.sheets.iter().enumerate().filter(move |(at, _)| *at != service);
        let lines = others.flat_map(|(_, sheet)| sheet.logs.iter().flatten());
        lines.filter(move |line| line.text.contains(&host))
    }

    /// Loud lines of a service that blame no other service.
    pub fn own_lines(&self, service: usize) -> impl Iterator<Item = &LogRow> {
        let others: Vec<String> = self
            .sheets
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != service)
            .map(|(_, other)| host(&other.name))
            .collect();
        let lines = self.sheets[service].logs.iter().flatten();
        lines.filter(move |line| !others.iter().any(|other| line.text.contains(other)))
    }

    /// Names of the metrics of a service that are far from what they usually are.
    pub fn unusual(&self, service: usize) -> Vec<&str> {
        let read = self.sheets[service].metrics.iter().flatten().filter(|metric| is_unusual(metric));
        let mut names: Vec<&str> = read.map(|metric| metric.name.as_str()).collect();
        if service == self.paged() {
            names.extend(
                self.page.metric.as_deref().filter(|name| !names.contains(name)).into_iter().collect::<Vec<_>>(),
            );
        }
        names
    }
}

/// Where a service is found in the network: `web_server` is `web-server.` and some domain.
pub fn host(service: &str) -> String {
    format!("{}.", service.to_ascii_lowercase().replace('_', "-"))
}

/// How far from the users a service stands, by what services of that name do everywhere.
pub fn tier(name: &str) -> u32 {
    const TIERS: &[(&[&str], u32)] = &[
        (&["balancer", "proxy", "gateway", "ingress", "edge"], 0),
        (&["database", "db", "postgres", "pg", "mysql", "store"], 3),
        (&["cache", "redis", "queue", "broker", "kafka"], 2),
    ];
    let of = |part: &str| TIERS.iter().find(|(words, _)| words.contains(&part)).map(|(_, tier)| *tier);
    // The last word says what it is, the others whose it is.
    name.split(['_', '-']).rev().find_map(of).unwrap_or(1)
}

/// Lines that are not business as usual.
fn loud(lines: Vec<LogRow>) -> Vec<LogRow> {
    lines.into_iter().filter(|line| line.level > LogLevel::Info).collect()
}

/// The wording of a line without its numbers and ids, to tell one message from the same again.
pub fn wording(line: &str) -> String {
    telling(line).join(" ")
}

/// Far from usual: by half and more, and not a trifle.
fn is_unusual(metric: &MetricRow) -> bool {
    let (Some(now), Some(usual)) = (metric.now, metric.usual) else { return false };
    let trifle = if metric.name.ends_with("_ms") { 50.0 } else { 0.004 };
    (now - usual).abs() > trifle && (now > 1.5 * usual || now < 0.66 * usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words by which places of all domains call their services.
    #[test]
    fn what_a_service_is_called_says_where_it_stands() {
        assert_eq!((tier("payments_ledger"), tier("cdn_edge"), tier("ledger_db"), tier("cache_3")), (1, 0, 3, 2));
        let generator = harness::generate::Generator::new(11, harness::generate::GeneratorOptions::default());
        for number in 0..16 {
            let task = generator.task(number).expect("there are fair incidents");
            for service in task.plan.services.iter() {
                let expect = match service.kind.name() {
                    "balancer" => 0,
                    "database" => 3,
                    "cache" | "queue" => 2,
                    _ => 1,
                };
                assert_eq!(tier(&service.name), expect, "{}", service.name);
            }
        }
    }

    #[test]
    fn the_edge_is_met_first_and_the_database_last() {
        for (name, expect) in [
            ("load_balancer", 0),
            ("web_server", 1),
            ("cache", 2),
            ("message_queue", 2),
            ("database", 3),
            ("ledger_service", 1),
            ("gateway_db", 3),
        ] {
            assert_eq!(tier(name), expect, "{name}");
        }
    }

    #[test]
    fn what_is_far_from_usual_is_unusual() {
        for (name, now, usual, expect) in [
            ("hit_rate", 0.2, 0.9, true),
            ("hit_rate", 0.8, 0.9, false),
            ("p95_ms", 30.0, 5.0, false),
            ("p95_ms", 900.0, 450.0, true),
            ("errors", 0.002, 0.0, false),
            ("errors", 0.5, 0.0, true),
        ] {
            let metric = MetricRow { name: name.into(), now: Some(now), usual: Some(usual) };
            assert_eq!(is_unusual(&metric), expect, "{name} {now} {usual}");
        }
    }

    #[test]
    fn a_line_blames_the_host_that_it_names() {
        let services = ["web_server".to_string(), "database".to_string()];
        let mut notebook = Notebook::new("", &services);
        let lines = "12:00:00 ERROR database.internal gave no answer\n12:00:00 WARN  all workers busy";
        notebook.note(0, LookKind::Logs, &format!("web_server logs\n{lines}\n{lines}"));
        assert_eq!(notebook.blames(1).count(), 2);
        assert_eq!(notebook.blames(0).count(), 0);
        assert_eq!(notebook.own_lines(0).count(), 2);
    }
}
