//! Random worlds in which something broke, and how what they write is read: for all laws of one story.

use std::sync::Arc;

use world::faults::{self, FaultArgs};
use world::services::Level;
use world::spec::{CallSpec, Op, ServiceSpec};
use world::telemetry::logs::{LogLine, LogQuery};
use world::{Blueprint, Noise, SCRAPE, Seed, Span, Spec, World};

use crate::common;

/// A world in which something broke some time ago.
pub fn broken(which: u8, seed: u64, pick: u64, minutes: u64) -> World {
    let plan = Arc::new(Blueprint::compile(&spec(which)).expect("a valid spec"));
    let sites: Vec<(usize, FaultArgs)> = faults::ALL
        .iter()
        .enumerate()
        // Metrics that show what was, or nothing, are what these are about.
        .filter(|(_, fault)| !["stale_metrics", "missing_metrics"].contains(&fault.name()))
        .flat_map(|(at, fault)| fault.sites(&plan).into_iter().map(move |site| (at, site)))
        .collect();
    let (at, mut site) = sites[pick as usize % sites.len()].clone();
    let fault = faults::ALL[at];
    if let Some(severity) = fault.severity() {
        site.0.insert(severity.arg.to_string(), severity.at((pick % 97) as f64 / 96.0).to_string());
    }
    let mut world = World::healthy(&plan, Seed(seed), Noise(0));
    let acts = fault.plan(&site, &plan, Seed(seed)).expect("a site fits");
    let onset = world.now() + Span::mins(1);
    world.plant(&acts, onset);
    common::wait(&mut world, minutes);
    world
}

/// The shop, the shop twice, the shop under another name for everything, or with a server before its server.
fn spec(which: u8) -> Spec {
    match which % 4 {
        0 => world::shop(),
        1 => world::shop().copies(2),
        2 => clinic(),
        _ => fronted(),
    }
}

/// The shop with a server before its server.
fn fronted() -> Spec {
    let mut spec = world::shop();
    let behind = spec.service_mut("web_server").expect("a service").clone();
    let mut front = ServiceSpec { name: "storefront".into(), ..behind };
    front.config.extend([("USE_CACHE".into(), "false".into()), ("TIMEOUT_MS".into(), "9000".into())]);
    spec.services.push(front);
    for route in spec.apps.iter_mut().flat_map(|app| &mut app.routes).filter(|r| &*r.entry.to == "load_balancer") {
        let calls = std::mem::take(&mut route.entry.calls);
        let op = Op { work_ms: 12.0, ..route.entry.op.clone() };
        route.entry.calls = vec![CallSpec { to: "storefront".into(), op, times: 1.0, calls, on_miss: vec![] }];
    }
    spec
}

/// A clinic: the same tree of calls with other routes, topics and services.
fn clinic() -> Spec {
    let mut spec = world::shop().copies(1);
    for route in spec.apps.iter_mut().flat_map(|app| &mut app.routes) {
        route.name = route.name.replace("browse", "wards").replace("checkout", "admission");
        route.entry.each(&mut |call| {
            call.op.name = call.op.name.replace("/browse", "/wards").replace("/checkout", "/admission").into();
            call.op.name = call.op.name.replace("order.placed", "patient.admitted").into();
        });
    }
    spec
}

/// All lines of a service that can be read.
pub fn lines(world: &World, service: usize) -> Vec<LogLine> {
    let from = world.now().back(Span::mins(12));
    let query = LogQuery { level: Level::Info, text: "", from, to: world.now(), limit: 5000 };
    world.view().logs(service, &query)
}

/// The value of a metric at the scrape that a line was written before.
pub fn metric_at(world: &World, service: usize, metric: &str, line: &LogLine) -> Option<f64> {
    let samples = world.view().series(service, metric, line.time.back(Span(1)), world.now())?;
    samples.into_iter().find(|(time, _)| *time >= line.time && time.since(line.time) < SCRAPE)?.1
}

/// The number behind a word of a line.
pub fn number_after(text: &str, word: &str) -> Option<f64> {
    let rest = &text[text.find(word)? + word.len()..];
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    rest[..end].trim_end_matches('.').parse().ok()
}

/// Addresses, as four numbers with dots.
pub fn addresses(text: &str) -> Vec<[u8; 4]> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    let parsed = words.filter_map(|word| {
        let bytes: Vec<u8> = word.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        bytes.try_into().ok()
    });
    parsed.collect()
}
