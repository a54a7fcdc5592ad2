//! What breaks and how it shows: command lines and changes as data, and what every affected service says, counts and
//! recovers from.

#![allow(clippy::disallowed_methods, reason = "a test reads its cases")]

use std::collections::BTreeMap;
use std::path::Path;

use apps::{Site, SiteChange, SiteOptions};
use cluster::api::User;
use kubectl::Terminal;
use serde::Deserialize;

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

fn act(site: &mut Site, terminal: &mut Terminal, lines: &[String], changes: &[SiteChange]) -> Result<(), String> {
    for line in lines {
        let (cluster, fleet) = site.parts();
        let output = terminal.run(cluster, fleet, line);
        if output.code != 0 {
            return Err(format!("{line}: {}{}", output.stdout, output.stderr));
        }
    }
    for change in changes {
        site.change(change).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn looks(site: &Site, case: &Case) -> Result<(), String> {
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
    let mut site = deployed(sites, &case.app).clone();
    let spec = site.fleet.catalogue().application(&case.app);
    let namespace = spec.map_or(case.app.clone(), |spec| spec.namespace.clone());
    let mut terminal = Terminal::new(User::admin()).in_namespace(&namespace);
    act(&mut site, &mut terminal, &case.lines, &case.change)?;
    site.advance(site.cluster.now().after_secs(case.after));
    if !case.trigger_ends.is_empty() {
        act(&mut site, &mut terminal, &[], &case.trigger_ends)?;
        site.advance(site.cluster.now().after_secs(300));
    }
    looks(&site, case)?;
    act(&mut site, &mut terminal, &case.undo, &case.unchange)?;
    site.advance(site.cluster.now().after_secs(case.recovers));
    let bad: Vec<_> = site.routes().into_iter().filter(|route| !route.held).collect();
    if !bad.is_empty() || !site.alerts().is_empty() {
        return Err(format!("not well again: {bad:#?} {:#?} {:#?}", site.alerts(), failing(&site)));
    }
    Ok(())
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
            if let Err(why) = check(&mut sites, case) {
                wrong.push(format!("=== {}: {why}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} cases:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 40 || !only.is_empty(), "{count} breakages");
}
