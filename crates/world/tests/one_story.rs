//! One story: what is printed twice agrees. For random faults, sites, severities and times of random worlds, everything that
//! an operator can read is parsed and compared.
//! `PROPTEST_CASES=1000 cargo test --release -p sre-zero-world --test one_story` looks at a thousand of them.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use world::faults::{self, FaultArgs};
use world::services::Level;
use world::telemetry::logs::{LogLine, LogQuery};
use world::{Blueprint, Noise, SCRAPE, Seed, Span, Spec, Time, World};

/// The shop, the shop twice, or the shop under another name for everything.
fn spec(which: u8) -> Spec {
    match which % 3 {
        0 => world::shop(),
        1 => world::shop().copies(2),
        _ => clinic(),
    }
}

/// A clinic: the same tree of calls with other routes, topics and services.
fn clinic() -> Spec {
    let mut spec = world::shop().copies(1);
    for route in spec.apps.iter_mut().flat_map(|app| &mut app.routes) {
        route.name = route.name.replace("browse", "wards").replace("checkout", "admission");
        route.entry.each(&mut |call| {
            call.op.name = call.op.name.replace("/browse", "/wards").replace("/checkout", "/admission");
            call.op.name = call.op.name.replace("order.placed", "patient.admitted");
        });
    }
    spec
}

/// A world in which something broke some time ago.
fn broken(which: u8, seed: u64, pick: u64, minutes: u64) -> World {
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

/// All lines of a service that can be read.
fn lines(world: &World, service: usize) -> Vec<LogLine> {
    let from = world.now().back(Span::mins(12));
    let query = LogQuery { level: Level::Info, text: "", from, to: world.now(), limit: 5000 };
    world.view().logs(service, &query)
}

/// The value of a metric at the scrape that a line was written before.
fn metric_at(world: &World, service: usize, metric: &str, line: &LogLine) -> Option<f64> {
    let samples = world.view().series(service, metric, line.time.back(Span(1)), world.now())?;
    samples.into_iter().find(|(time, _)| *time >= line.time && time.since(line.time) < SCRAPE)?.1
}

/// The number behind a word of a line.
fn number_after(text: &str, word: &str) -> Option<f64> {
    let rest = &text[text.find(word)? + word.len()..];
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    rest[..end].trim_end_matches('.').parse().ok()
}

/// Lines that print what is measured: the template, the words before the number, the metric, and what it is multiplied with.
const SAME: &[(&str, &str, &str, f64)] = &[
    ("saturated", "workers busy, ", "queued_requests", 1.0),
    ("not_returned", "pool: ", "held_db_connections", 1.0),
    ("conn_high", "connections at ", "connection_utilization_pct", 1.0),
    ("reload", "refreshed, ", "healthy_backends", 1.0),
    ("space_low", "usage at ", "disk_used_pct", 1.0),
    ("bloat", "orders: ", "table_bloat_pct", 1.0),
    ("pinned", "yet (", "table_bloat_pct", 1.0),
    ("replica_lag", "position is ", "replica_lag_s", 1.0),
    ("pool_full", "wait ", "connection_wait_ms", 1.0),
    ("stats", "stats: ", "request_rate", 1.0),
    ("evict", "evicting ", "evictions_per_min", 1.0 / 60.0),
    ("fill", "take ", "backend_fill_latency_ms", 1.0),
    ("backlog", "behind: ", "queue_depth", 1.0),
    ("backlog", "oldest ", "oldest_message_age_ms", 0.001),
];

/// Addresses, as four numbers with dots.
fn addresses(text: &str) -> Vec<[u8; 4]> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    let parsed = words.filter_map(|word| {
        let bytes: Vec<u8> = word.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        bytes.try_into().ok()
    });
    parsed.collect()
}

/// Whether an address is one of the company's network.
fn is_inside(address: [u8; 4]) -> bool {
    address[0] == 10
}

fn check_lines(world: &World) {
    let plan = world.plan();
    let instances: BTreeSet<[u8; 4]> = world.fleet().iter().map(|i| i.address()).collect();
    for (service, info) in plan.services.iter().enumerate() {
        let paths: BTreeSet<&str> = info.calls.iter().map(|&c| plan.calls[c].op.name.as_str()).collect();
        for line in lines(world, service) {
            let text = &line.text;
            assert!(!text.contains('{') && !text.contains("NaN"), "{text}");
            for address in addresses(text).into_iter().filter(|a| is_inside(*a)) {
                assert!(instances.contains(&address), "no instance has that address: {text}");
            }
            if let Some((_, rest)) = text.split_once('"')
                && let Some((path, _)) = rest.split_once(" HTTP/1.1\"")
            {
                assert!(paths.contains(path), "{}: no such route: {text}", info.name);
            }
            for (_, words, metric, by) in SAME.iter().filter(|same| same.0 == line.template) {
                let (Some(said), Some(measured)) =
                    (number_after(text, words), metric_at(world, service, metric, &line))
                else {
                    continue;
                };
                let measured = measured * by;
                let near = (said - measured).abs() <= 0.51 + 1e-4 * measured.abs();
                assert!(near, "{}: {metric} is {measured}, but: {text}", info.name);
            }
        }
    }
}

/// What a span may take as its caller has it set, in milliseconds.
fn deadline(world: &World, caller: usize, callee: &str) -> Option<f64> {
    let info = &world.plan().services[caller];
    let key = match (info.kind.name(), callee) {
        ("web", "queue") => "QUEUE_PUBLISH_TIMEOUT_MS",
        ("web", _) => "TIMEOUT_MS",
        _ => return None,
    };
    let running = world.running(world.fleet().of(caller).first()?.id)?.nth(info.key(key)?)?.int();
    Some(running)
}

fn check_traces(world: &World) -> BTreeMap<String, (f64, bool)> {
    let plan = world.plan();
    let mut roots = BTreeMap::new();
    for (at, route) in plan.routes.iter().enumerate() {
        for trace in world.view().traces(at, 6) {
            let spans = &trace.spans;
            for (n, span) in spans.iter().enumerate() {
                let inner = spans[n + 1..].iter().take_while(|s| s.depth > span.depth);
                let own: Vec<_> = inner.filter(|s| s.depth == span.depth + 1).collect();
                let sum: f64 = own.iter().map(|s| s.ms).sum();
                assert!(sum <= span.ms * 1.001 + 0.01, "children outlast their caller: {trace:?}");
                assert!(span.ms.is_finite() && span.ms >= 0.0, "{trace:?}");
                let turned_away = matches!(
                    span.error,
                    Some("connection refused" | "queue full" | "429 too many requests" | "no healthy backend")
                );
                if turned_away && own.iter().all(|child| child.error.is_none()) {
                    assert!(own.is_empty() && span.ms < 10.0, "turned away, and yet it worked: {trace:?}");
                }
                for child in own.iter().filter(|c| &*c.op != "queued" && !c.op.ends_with(" times)")) {
                    let kind = plan.services[child.service].kind.name();
                    if child.service != span.service
                        && let Some(most) = deadline(world, span.service, kind)
                    {
                        assert!(child.ms <= most * 1.001, "beyond its deadline of {most}: {trace:?}");
                    }
                }
            }
            if !route.asynchronous {
                assert!(spans[0].ms <= route.patience * 1000.0 * 1.001, "users left earlier: {trace:?}");
            }
            roots.insert(trace.id.clone(), (spans[0].ms, spans[0].error.is_some()));
        }
    }
    roots
}

/// The same request has the same time and outcome in the log of the edge as in its trace.
fn check_ids(world: &World, roots: &BTreeMap<String, (f64, bool)>) -> usize {
    let edge = (0..world.plan().services.len()).filter(|&s| world.plan().services[s].kind.tier() == 0);
    let mut shared = 0;
    for line in edge.flat_map(|s| lines(world, s)).filter(|l| l.template == "access") {
        let id = line.text.rsplit("id=").next().expect("an id");
        let Some((ms, failed)) = roots.get(id) else { continue };
        shared += 1;
        let times = line.text.split_whitespace().nth(3).and_then(|t| t.rsplit('/').next()).expect("times");
        let said: f64 = times.parse().expect("a number");
        assert!((said - ms.max(1.0)).abs() <= 0.51, "the trace took {ms}ms: {}", line.text);
        let status = line.text.split_whitespace().nth(4).expect("a status");
        assert_eq!(status != "200", *failed, "{}", line.text);
    }
    shared
}

/// A process that nothing starts again dies once.
fn check_deaths(world: &World) {
    for info in &world.plan().services {
        for name in ["fatal", "stopped"] {
            let Some(at) = info.kind.logs().iter().position(|t| t.name == name) else { continue };
            let column = info.events.start + at;
            let rows = world.history().newest_first(Time(0), world.now());
            let deaths: f64 = rows.filter_map(|row| row.sample(column)).sum();
            assert!(deaths < 1.01 * info.replicas as f64, "{} died {deaths} times", info.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn everything_that_is_shown_tells_one_story(which in 0u8..3, seed in 0u64..1000, pick in any::<u64>(), minutes in 2u64..25) {
        let world = broken(which, seed, pick, minutes);
        check_lines(&world);
        let roots = check_traces(&world);
        check_ids(&world, &roots);
        check_deaths(&world);
    }
}

#[test]
fn logs_and_traces_share_requests() {
    let mut shared = 0;
    for seed in 0..6 {
        let mut world = common::shop(seed);
        common::plant(&mut world, "config_push service=cache key=TTL_SECONDS value=5");
        common::wait(&mut world, 8);
        shared += check_ids(&world, &check_traces(&world));
    }
    assert!(shared >= 6, "only {shared} requests are in both");
}

/// Statuses of access lines come in the proportion of the counters, and their times in that of the percentiles.
#[test]
fn access_lines_can_be_counted() {
    let (mut said, mut counted, mut all) = (0.0, 0.0, 0.0);
    let (mut slow, mut answered) = (0.0, 0.0);
    for seed in 0..40 {
        let mut world = common::shop(seed);
        common::plant(&mut world, "worker_deaths service=web_server share=0.8");
        common::wait(&mut world, 10);
        let plan = world.plan().clone();
        let edge = plan.service("load_balancer").expect("a service");
        let browse = plan.route("browse").expect("a route");
        let rows: Vec<_> = world.history().newest_first(world.now().back(Span::mins(6)), world.now()).collect();
        for line in lines(&world, edge).iter().filter(|l| l.template == "access" && l.text.contains("/browse")) {
            let Some(row) = rows.iter().find(|r| r.time >= line.time && r.time.since(line.time) < SCRAPE) else {
                continue;
            };
            let cells = &row.cells[plan.routes[browse].columns.clone()];
            all += 1.0;
            counted += f64::from(cells[1] / cells[0]);
            if line.text.contains(" 200 ----") {
                let ms = number_after(&line.text, "/-1/").or_else(|| number_after(&line.text, " 0/0/0/"));
                answered += 1.0;
                slow += f64::from(u8::from(ms.expect("a time") > f64::from(cells[3])));
            } else {
                said += 1.0;
            }
        }
    }
    let noise = 4.0 * f64::sqrt(all * 0.25);
    assert!(all > 500.0 && (said - counted).abs() < noise, "{said} of {all} lines say failed, {counted} were");
    assert!(slow / answered < 0.09, "{slow} of {answered} are slower than the 95th percentile");
}
