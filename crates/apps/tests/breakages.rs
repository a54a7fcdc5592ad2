//! What breaks and how it shows: command lines and changes as data, and what every affected service says, counts, traces and
//! recovers from.
//!
//! What a case names must be there. Besides, whatever fails in a case is held to the same: a service whose calls fail has
//! printed something since, its failures are counted, and traces have a span that tells the reason. Loops are held to more:
//! what they are made of holds before the trigger, and the same trigger passes where the loop is broken.

#![allow(clippy::disallowed_methods, reason = "a test reads its cases")]

use std::collections::BTreeMap;
use std::path::Path;

use apps::{Site, SiteChange, SiteOptions};
use cluster::api::User;
use exporters::{ObservabilityServer, Observatory};
use kubectl::Terminal;
use serde::Deserialize;
use telemetry::TelemetryRequest;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    app: String,
    /// Command lines that break it, typed in the application's namespace.
    #[serde(default, rename = "do")]
    lines: Vec<String>,
    /// Changes that break it.
    #[serde(default)]
    change: Vec<SiteChange>,
    /// Seconds until it is looked at.
    #[serde(default = "usual")]
    after: i64,
    /// Routes that miss their objective.
    #[serde(default)]
    fails: Vec<String>,
    /// Routes that hold theirs.
    #[serde(default)]
    holds: Vec<String>,
    /// `caller target reason`: calls that fail.
    #[serde(default)]
    edges: Vec<String>,
    /// `pod: words`: what a pod whose name begins so has printed.
    #[serde(default)]
    logs: Vec<String>,
    /// `pod: status`: how tables show a pod whose name begins so.
    #[serde(default)]
    pods: Vec<String>,
    /// Pods whose containers were started again, by the beginning of their names.
    #[serde(default)]
    restarts: Vec<String>,
    /// Events that tell it.
    #[serde(default)]
    events: Vec<String>,
    /// Alerts that page.
    #[serde(default)]
    alerts: Vec<String>,
    /// `command => words`: what a command line prints then.
    #[serde(default)]
    shows: Vec<String>,
    /// Changes that end the trigger without undoing the cause: what is said above must hold all the same.
    #[serde(default)]
    trigger_ends: Vec<SiteChange>,
    /// Command lines that undo it.
    #[serde(default)]
    undo: Vec<String>,
    /// Changes that undo it.
    #[serde(default)]
    unchange: Vec<SiteChange>,
    /// Seconds until all is well again.
    #[serde(default = "long")]
    recovers: i64,
}

impl Case {
    /// Whether it names anything that is seen of the breakage.
    fn says_something(&self) -> bool {
        let lists = [&self.fails, &self.edges, &self.logs, &self.pods, &self.restarts, &self.events, &self.alerts];
        lists.iter().any(|list| !list.is_empty()) || !self.shows.is_empty()
    }
}

fn usual() -> i64 {
    180
}

fn long() -> i64 {
    600
}

fn deployed<'a>(sites: &'a mut BTreeMap<String, Site>, app: &str) -> &'a Site {
    sites.entry(app.into()).or_insert_with(|| {
        let options = SiteOptions { applications: vec![app.into()], seed: 3, ..SiteOptions::default() };
        Site::deploy(&options).unwrap_or_else(|error| panic!("{app}: {error}"))
    })
}

/// Seconds that are watched before anything is looked at.
const WATCHED: i64 = 120;

/// An application while it is broken: who watches it, and where command lines are typed.
struct Scene {
    site: Site,
    watch: Observatory,
    terminal: Terminal,
    /// How many lines each pod had printed before anything was done.
    lines_before: BTreeMap<String, usize>,
}

impl Scene {
    fn of(site: &Site, app: &str) -> Self {
        let spec = site.fleet.catalogue().application(app);
        let namespace = spec.map_or(app.to_string(), |spec| spec.namespace.clone());
        Self {
            site: site.clone(),
            watch: Observatory::new(site.cluster.now()),
            terminal: Terminal::new(User::admin()).in_namespace(&namespace),
            lines_before: lines_by_pod(site),
        }
    }

    fn run(&mut self, line: &str) -> Result<String, String> {
        let (cluster, fleet) = self.site.parts();
        let output = self.terminal.run(cluster, fleet, line);
        match output.code {
            0 => Ok(output.stdout),
            _ => Err(format!("{line}: {}{}", output.stdout, output.stderr)),
        }
    }

    fn act(&mut self, lines: &[String], changes: &[SiteChange]) -> Result<(), String> {
        for line in lines {
            self.run(line)?;
        }
        changes.iter().try_for_each(|change| self.site.change(change).map_err(|error| error.to_string()))
    }

    fn wait(&mut self, seconds: i64) {
        self.site.advance(self.site.cluster.now().after_secs(seconds));
    }

    /// Lets time pass; the last two minutes of it are watched.
    fn watch(&mut self, seconds: i64) {
        let to = self.site.cluster.now().after_secs(seconds);
        self.wait((seconds - WATCHED).max(0));
        self.watch = Observatory::new(self.site.cluster.now());
        let (cluster, fleet) = self.site.parts();
        self.watch.advance(cluster, fleet, to);
    }

    /// Whether all routes hold and nothing pages; else what does not.
    fn is_well(&self) -> Result<(), String> {
        let bad: Vec<_> = self.site.routes().into_iter().filter(|route| !route.held).collect();
        match bad.is_empty() && self.site.alerts().is_empty() {
            true => Ok(()),
            false => Err(format!("{bad:#?} {:#?} {:#?}", self.site.alerts(), failing(&self.site))),
        }
    }

    /// Failed calls of a service to another in the last minutes, as the collector counted them.
    fn counted(&mut self, caller: &str, operation: &str, minutes: u32) -> f64 {
        let labels = format!("service_name=\"{caller}\",span_name=\"{operation}\"");
        let kind = "span_kind=\"SPAN_KIND_CLIENT\",status_code=\"STATUS_CODE_ERROR\"";
        let query = format!("sum(increase(traces_span_metrics_calls_total{{{labels},{kind}}}[{minutes}m]))");
        self.watch.promql(&query).split_whitespace().last().and_then(|word| word.parse().ok()).unwrap_or(0.0)
    }

    /// Whether a trace of the last minutes has a span of this service and operation that failed for this reason.
    fn is_traced(&mut self, service: &str, operation: &str, reason: &str) -> bool {
        let start = (self.site.cluster.now().0 - 300_000_000).to_string();
        let params =
            [("service", service), ("operation", operation), ("tags", "{\"error\":\"true\"}"), ("start", &start)];
        let request = TelemetryRequest::get("/api/traces", &[params.as_slice(), &[("limit", "1000")]].concat());
        let answer = self.watch.answer(ObservabilityServer::Jaeger, &request);
        let found: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let mut spans = found["data"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|trace| trace["spans"].as_array().into_iter().flatten());
        spans.any(|span| {
            let mut fields = span["logs"]
                .as_array()
                .into_iter()
                .flatten()
                .flat_map(|log| log["fields"].as_array().into_iter().flatten());
            span["operationName"] == operation && fields.any(|field| field["value"] == reason)
        })
    }

    /// Everything that fails is told by the service that suffers it, counted, and traced.
    fn all_is_told(&mut self) -> Result<(), String> {
        let printed = lines_by_pod(&self.site);
        let suffers = |edge: &apps::EdgeFigures| edge.fails > 0.5 && edge.rate * edge.fails > 0.2;
        for edge in self.site.fleet.edges().into_iter().filter(suffers) {
            let (_, pod, service) = &edge.from;
            let what = format!("{service} {} {} {}", edge.to, edge.operation, edge.reason);
            let more = printed.get(pod).copied().unwrap_or(0) > self.lines_before.get(pod).copied().unwrap_or(0);
            more.then_some(()).ok_or_else(|| format!("{pod} prints nothing of it: {what}"))?;
            let target = edge.to.split([':', '.']).next().unwrap_or_default();
            let counted = self.counted(service, &edge.operation, 5);
            (counted > 0.0).then_some(()).ok_or_else(|| format!("not counted: {what}"))?;
            let is_traced = self.is_traced(target, &edge.operation, edge.reason);
            is_traced.then_some(()).ok_or_else(|| format!("no trace has it: {what}"))?;
        }
        Ok(())
    }
}

fn lines_by_pod(site: &Site) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in site.fleet.log_lines(None, cluster::Stamp(0)) {
        *counts.entry(line.pod).or_default() += 1;
    }
    counts
}

fn looks(scene: &mut Scene, case: &Case) -> Result<(), String> {
    for wanted in &case.shows {
        let (line, words) = wanted.split_once(" => ").ok_or("command => words")?;
        let shown = scene.run(line)?;
        shown.contains(words).then_some(()).ok_or_else(|| format!("{wanted}: {shown}"))?;
    }
    let site = &scene.site;
    let routes = site.routes();
    let held = |name: &String| routes.iter().find(|route| route.route == *name).map(|route| route.held);
    let told = || format!("{routes:#?}\n{:#?}", failing(site));
    for name in &case.fails {
        (held(name) == Some(false)).then_some(()).ok_or_else(|| format!("{name} does not fail: {}", told()))?;
    }
    for name in &case.holds {
        (held(name) == Some(true)).then_some(()).ok_or_else(|| format!("{name} does not hold: {}", told()))?;
    }
    for wanted in &case.edges {
        let words: Vec<&str> = wanted.split_whitespace().collect();
        let [caller, target, reason] = words[..] else { return Err(format!("{wanted}: three words")) };
        let is_it = |edge: &apps::EdgeFigures| {
            edge.from.2 == caller && edge.to.starts_with(target) && edge.reason == reason && edge.fails > 0.01
        };
        site.fleet.edges().iter().any(is_it).then_some(()).ok_or_else(|| format!("no edge {wanted}: {}", told()))?;
    }
    let lines = site.fleet.log_lines(None, cluster::Stamp(0));
    for wanted in &case.logs {
        let (pod, words) = wanted.split_once(": ").ok_or("pod: words")?;
        let own: Vec<&str> = lines.iter().filter(|line| line.pod.starts_with(pod)).map(|line| &*line.line).collect();
        let tail = own.len().saturating_sub(8);
        own.iter()
            .any(|line| line.contains(words))
            .then_some(())
            .ok_or_else(|| format!("{wanted}: {:#?}", &own[tail..]))?;
    }
    for wanted in &case.pods {
        let (pod, status) = wanted.split_once(": ").ok_or("pod: status")?;
        shows(site, pod, status).map_err(|all| format!("{wanted}: {all:?}"))?;
    }
    for wanted in &case.restarts {
        let mut pods = site.cluster.objects("pods", None);
        let is_it = pods.any(|own| {
            let mut statuses = cluster::json::list(own, "status.containerStatuses").iter();
            cluster::json::text(own, "metadata.name").starts_with(wanted)
                && statuses.any(|status| cluster::json::int(status, "restartCount").unwrap_or(0) > 0)
        });
        is_it.then_some(()).ok_or_else(|| format!("{wanted} was not started again"))?;
    }
    for wanted in &case.events {
        let mut events = site.cluster.objects("events", None);
        let is_told = events.any(|event| cluster::json::text(event, "message").contains(wanted));
        is_told.then_some(()).ok_or_else(|| format!("no event tells {wanted:?}"))?;
    }
    for wanted in &case.alerts {
        let alerts = site.alerts();
        alerts
            .iter()
            .any(|alert| alert.name == *wanted)
            .then_some(())
            .ok_or_else(|| format!("{wanted}: {alerts:#?}"))?;
    }
    Ok(())
}

/// Whether a pod shows a status within half a minute: a container that crashes shows in turn that it runs, how it ended, and
/// that it waits. The error is what was shown at first.
fn shows(site: &Site, pod: &str, status: &str) -> Result<(), Vec<String>> {
    let statuses = |site: &Site| -> Vec<String> {
        let pods = site.cluster.objects("pods", None);
        let own = pods.filter(|own| cluster::json::text(own, "metadata.name").starts_with(pod));
        own.map(|own| cluster::api::pod_status(own)).collect()
    };
    let is_it = |all: &[String]| all.iter().any(|own| own.contains(status));
    let first = statuses(site);
    if is_it(&first) {
        return Ok(());
    }
    let mut later = site.clone();
    for _ in 0..6 {
        later.advance(later.cluster.now().after_secs(5));
        if is_it(&statuses(&later)) {
            return Ok(());
        }
    }
    Err(first)
}

fn failing(site: &Site) -> Vec<String> {
    let edges = site.fleet.edges();
    let bad = edges.iter().filter(|edge| edge.fails > 0.01);
    bad.map(|edge| format!("{} {} {} {:.2}", edge.from.2, edge.to, edge.reason, edge.fails)).collect()
}

fn check(sites: &mut BTreeMap<String, Site>, case: &Case) -> Result<(), String> {
    let mut scene = Scene::of(deployed(sites, &case.app), &case.app);
    scene.act(&case.lines, &[])?;
    if !case.trigger_ends.is_empty() {
        scene.wait(120);
        scene.is_well().map_err(|what| format!("not well before the trigger: {what}"))?;
    }
    scene.act(&[], &case.change)?;
    if case.trigger_ends.is_empty() {
        scene.watch(case.after);
    } else {
        scene.wait(case.after);
        scene.act(&[], &case.trigger_ends)?;
        scene.watch(900);
    }
    looks(&mut scene, case)?;
    scene.all_is_told()?;
    scene.act(&case.undo, &case.unchange)?;
    scene.wait(case.recovers);
    scene.is_well().map_err(|what| format!("not well again: {what}"))?;
    for wanted in &case.edges {
        let caller = wanted.split_whitespace().next().unwrap_or_default();
        let left = failing(&scene.site).into_iter().filter(|edge| edge.split(' ').next() == Some(caller));
        let left: Vec<String> = left.collect();
        left.is_empty().then_some(()).ok_or_else(|| format!("calls still fail: {left:?}"))?;
    }
    match case.trigger_ends.is_empty() {
        true => Ok(()),
        false => passes_without_loop(sites, case),
    }
}

/// The same trigger, once the loop is broken: all is well again by itself.
fn passes_without_loop(sites: &mut BTreeMap<String, Site>, case: &Case) -> Result<(), String> {
    let mut scene = Scene::of(deployed(sites, &case.app), &case.app);
    scene.act(&case.lines, &[])?;
    scene.act(&case.undo, &case.unchange)?;
    scene.wait(180);
    scene.act(&[], &case.change)?;
    scene.wait(case.after);
    scene.act(&[], &case.trigger_ends)?;
    scene.wait(900);
    scene.is_well().map_err(|what| format!("without the loop the trigger does not pass: {what}"))
}

#[test]
fn every_breakage_shows_and_heals() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/breakages");
    let only = std::env::var("BREAKAGE").unwrap_or_default();
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|file| file.expect("a file").path()).collect();
    files.sort();
    let (mut sites, mut count, mut wrong) = (BTreeMap::new(), 0, Vec::new());
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let file: File = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for case in file.case.iter().filter(|case| case.name.contains(&only)) {
            count += 1;
            let seen = case.says_something().then_some(()).ok_or("it does not say what is seen".to_string());
            if let Err(why) = seen.and_then(|()| check(&mut sites, case)) {
                wrong.push(format!("=== {}: {why}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} cases:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 85 || !only.is_empty(), "{count} breakages");
}
