//! One story: what is printed twice agrees. For random faults, sites, severities and times of random worlds, everything that
//! an operator can read is parsed and compared.
//! `PROPTEST_CASES=1000 cargo test --release -p sre-zero-world --test one_story` looks at a thousand of them.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use world::faults::{self, FaultArgs};
use world::latency::Latency;
use world::services::Level;
use world::spec::{CallSpec, Op, ServiceSpec};
use world::telemetry::logs::{LogLine, LogQuery};
use world::telemetry::traces::TraceSpan;
use world::{Blueprint, Noise, SCRAPE, Seed, Span, Spec, Time, World};

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
    for route in spec.apps.iter_mut().flat_map(|app| &mut app.routes).filter(|r| r.entry.to == "load_balancer") {
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
    ("conn_high", "scur at ", "connection_utilization_pct", 1.0),
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

/// Whether a step of a trace is a call, not a wait for one.
fn is_call(span: &TraceSpan) -> bool {
    &*span.op != "queued" && !span.op.starts_with("network to ")
}

/// Means and deviations of own work and of the wait in line and the delay of the link of a call, in milliseconds, as the last scrape has them.
fn own_times(world: &World, route: usize, span: &TraceSpan) -> Vec<[f64; 5]> {
    let plan = world.plan();
    let row = world.history().last().expect("a row");
    let is_it = |call: &&world::blueprint::CallInfo| {
        call.route == route && call.service == span.service && *call.op.name == *span.op
    };
    let cells = |call: &world::blueprint::CallInfo| {
        let end = call.columns.end;
        [5, 4, 3, 2, 1].map(|back| f64::from(row.cell(end - back)))
    };
    plan.calls.iter().filter(is_it).map(cells).collect()
}

/// What lies so many deviations above the median of a lognormal time.
fn far_out(mean: f64, deviation: f64, z: f64) -> f64 {
    Latency { mean, var: deviation * deviation }.at_z(z)
}

/// Waits, ways and work add up to the time of a request: a wait is one that the line of the service that answers really had, the way is the
/// link's delay, and what is left is about the work that the call is.
fn check_times(world: &World) -> usize {
    let mut checked = 0;
    for at in 0..world.plan().routes.len() {
        for trace in world.view().traces(at, 8) {
            let spans = &trace.spans;
            for (n, span) in spans.iter().enumerate().filter(|(_, span)| is_call(span) && span.error.is_none()) {
                if trace.spans[0].error.is_some() {
                    // What was ended from outside was not done.
                    continue;
                }
                let inner = spans[n + 1..].iter().take_while(|s| s.depth > span.depth);
                let own: Vec<&TraceSpan> = inner.filter(|s| s.depth == span.depth + 1).collect();
                let left = span.ms - own.iter().map(|s| s.ms).sum::<f64>();
                let wait = own.iter().find(|s| &*s.op == "queued" && s.service == span.service).map_or(0.0, |s| s.ms);
                let of_call = own_times(world, at, span);
                let is_work = |[work, uneven, mean, deviation, _]: &[f64; 5]| {
                    left <= far_out(*work, *uneven, 5.0) + 5.01 && wait <= far_out(*mean, *deviation, 5.0) + 0.01
                };
                let fits = of_call.is_empty() || of_call.iter().any(is_work);
                assert!(fits, "{left}ms of work and {wait}ms in line, but {of_call:?}: {span:?} of {trace:?}");
                checked += of_call.len();
            }
            for pair in spans.windows(2).filter(|pair| pair[0].op.starts_with("network to ")) {
                if pair[0].op.ends_with(" times)") {
                    continue;
                }
                let of_call = own_times(world, at, &pair[1]);
                let is_its = |[.., delay]: &[f64; 5]| pair[0].ms <= delay * 1.001 + 0.01;
                assert!(of_call.is_empty() || of_call.iter().any(is_its), "{of_call:?}: {trace:?}");
            }
        }
    }
    checked
}

/// The line before a server is as long in its traces as its metrics say: by Little's law, so many wait as come in the time that one waits.
/// Gives how long requests of traces waited in all, how long they would by the metrics, and how many there are.
fn check_lines_before_servers(world: &World) -> (f64, f64, usize) {
    let (plan, row) = (world.plan(), world.history().last().expect("a row"));
    let mut checked = (0.0, 0.0, 0);
    for (service, info) in plan.services.iter().enumerate().filter(|(_, info)| info.kind.name() == "web") {
        let metric = |name: &str| {
            let at = info.kind.metrics().iter().position(|metric| metric.name == name).expect("a metric");
            f64::from(row.cell(info.metrics.start + at))
        };
        let [wait, deviation] = info.calls.first().map_or([0.0; 2], |&call| {
            let end = plan.calls[call].columns.end;
            [3, 2].map(|back| f64::from(row.cell(end - back)))
        });
        // Where many give up before their turn, those who do not have waited for less.
        if wait + 3.0 * deviation > 1500.0 || metric("error_rate") > 0.05 || metric("request_rate") < 20.0 {
            continue;
        }
        let waits = (0..plan.routes.len()).flat_map(|route| world.view().traces(route, 10)).flat_map(|trace| {
            let is_one = |at: &usize| {
                let span = &trace.spans[*at];
                is_call(span) && span.service == service && span.error.is_none()
            };
            let wait = |at: usize| {
                let next = trace.spans.get(at + 1).filter(|next| &*next.op == "queued" && next.service == service);
                next.map_or(0.0, |next| next.ms)
            };
            (0..trace.spans.len()).filter(is_one).map(wait).collect::<Vec<f64>>()
        });
        let waits: Vec<f64> = waits.collect();
        let seen = waits.iter().sum::<f64>() / waits.len().max(1) as f64;
        let counted = 1000.0 * metric("queued_requests") / metric("request_rate");
        let is_near =
            waits.len() < 12 || deviation > wait || (seen <= 1.6 * counted + 30.0 && counted <= 1.6 * seen + 30.0);
        assert!(is_near, "{}: traces wait for {seen}ms, by the metrics it is {counted}ms", info.name);
        checked =
            (checked.0 + waits.iter().sum::<f64>(), checked.1 + counted * waits.len() as f64, checked.2 + waits.len());
    }
    checked
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
                for child in own.iter().filter(|c| is_call(c) && !c.op.ends_with(" times)")) {
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

/// A proxy writes one line for each request, and a server none beside the one that says that it turned it away: who counts
/// lines counts requests.
fn check_single_lines(world: &World) {
    for (service, info) in world.plan().services.iter().enumerate() {
        let only: BTreeSet<&str> = info.kind.logs().iter().filter(|t| t.is_only).map(|t| t.name).collect();
        let all = lines(world, service);
        let id = |line: &LogLine| {
            let (_, rest) = ["id=", "request ", "request="].iter().find_map(|word| line.text.split_once(word))?;
            rest.get(..16).map(str::to_string)
        };
        let own = all.iter().filter(|l| only.contains(l.template)).filter_map(|line| Some((id(line)?, &line.text)));
        let own: BTreeMap<String, &String> = own.collect();
        // A request fails once, for one reason.
        let failed = all.iter().filter(|l| l.level == Level::Error && l.text.contains(" failed: "));
        let mut reasons: BTreeMap<String, &LogLine> = BTreeMap::new();
        for line in failed {
            let Some(id) = id(line) else { continue };
            let before = reasons.entry(id).or_insert(line);
            assert!(before.template == line.template, "fails twice: {} and {}", before.text, line.text);
        }
        for line in all.iter().filter(|l| ["access", "request"].contains(&l.template)) {
            let again = id(line).and_then(|id| own.get(&id));
            assert!(again.is_none(), "{}: two lines of one request: {} and {again:?}", info.name, line.text);
        }
    }
}

/// Lines speak the language of the one that they are about: a server that asks a server knows nothing of files, rows and
/// statements but what that one answered.
fn check_peers(world: &World) {
    const OF_A_DATABASE: &[&str] =
        &["OperationalError", "could not extend file", "cannot execute", "couldn't get a connection"];
    let plan = world.plan();
    let servers: Vec<&str> = plan.services.iter().filter(|s| s.kind.name() == "web").map(|s| &*s.host).collect();
    for service in (0..plan.services.len()).filter(|s| plan.services[*s].kind.name() == "web") {
        for line in lines(world, service).iter().filter(|l| l.level == Level::Error) {
            let names_server = servers.iter().any(|host| line.text.contains(host));
            let speaks = OF_A_DATABASE.iter().find(|words| line.text.contains(**words));
            assert!(!names_server || speaks.is_none(), "a server is no database: {}", line.text);
        }
    }
}

/// What is said of a route over five minutes is of all of them: as many requests as were counted, and a percentile between those of the
/// scrapes.
fn check_routes(world: &World) {
    let rows: Vec<_> = world.history().newest_first(world.now().back(Span::mins(5)), world.now()).collect();
    for (view, info) in world.view().routes().iter().zip(&world.plan().routes) {
        let column = |at: usize| rows.iter().map(move |row| f64::from(row.cell(info.columns.start + at)));
        let rate = column(0).sum::<f64>() / (rows.len() as f64 * SCRAPE.as_secs());
        assert!((view.rate - rate).abs() <= 1e-6 * rate.max(1.0), "{}: {} a second, not {rate}", info.name, view.rate);
        let [least, most] = [column(3).fold(f64::INFINITY, f64::min), column(3).fold(0.0, f64::max)];
        let is_between = view.p95_ms >= 0.999 * least && view.p95_ms <= 1.001 * most;
        assert!(is_between, "{}: p95 {}ms, of scrapes {least} to {most}", info.name, view.p95_ms);
    }
}

/// A statement that is named is one of its sort: one that writes is no SELECT, and one whose index is not there goes through no index.
fn check_statements(world: &World) -> usize {
    let (plan, mut named) = (world.plan(), 0);
    for (service, info) in plan.services.iter().enumerate().filter(|(_, info)| info.kind.name() == "database") {
        let running = |key: usize| {
            let first = world.fleet().of(service).first()?;
            Some(world.running(first.id)?.nth(key)?.bool())
        };
        for line in lines(world, service) {
            let Some((_, rest)) = line.text.split_once("/* ") else { continue };
            let (op, statement) = rest.split_once(" */ ").expect("a comment ends");
            let asked: Vec<_> = info.calls.iter().map(|&call| &plan.calls[call]).filter(|c| c.op.name == op).collect();
            assert!(asked.iter().any(|call| statement.starts_with("INSERT") == call.op.write), "{}", line.text);
            let is_scan = |call: &&&world::blueprint::CallInfo| call.index.and_then(running) == Some(false);
            let scans = asked.iter().filter(is_scan).count();
            let settled = line.time > world.now().back(Span::mins(1)) && (scans == 0 || scans == asked.len());
            if settled && statement.contains(" scan)") {
                assert_eq!(statement.contains("seq scan"), scans > 0, "{}", line.text);
            }
            named += 1;
        }
    }
    named
}

/// A proxy says once that a server left, and once that it came back. After a restart of its own it begins anew.
fn check_turns(world: &World) -> usize {
    let mut turns = 0;
    for service in (0..world.plan().services.len()).filter(|&s| world.plan().services[s].kind.tier() == 0) {
        let mut last: BTreeMap<String, (bool, String)> = BTreeMap::new();
        for line in lines(world, service) {
            let Some((server, rest)) = line.text.strip_prefix("Server be/").and_then(|rest| rest.split_once(" is "))
            else {
                continue;
            };
            let name = |i: &world::fleet::Instance| format!("{}-{}", world.plan().services[i.service].name, i.ordinal);
            assert!(world.fleet().iter().any(|i| name(i) == server), "no such server: {}", line.text);
            let is_up = rest.starts_with("UP");
            let before = last.insert(server.to_string(), (is_up, line.text.clone()));
            assert!(before.as_ref().is_none_or(|before| before.0 != is_up), "said twice: {} and {before:?}", line.text);
            turns += 1;
        }
    }
    turns
}

/// A database says how long transactions take as those who call it do: what is slower than its statements is explained.
fn check_transactions(world: &World) -> usize {
    let (plan, mut said) = (world.plan(), 0);
    for (service, info) in plan.services.iter().enumerate().filter(|(_, info)| info.kind.name() == "database") {
        let callers: Vec<usize> =
            (0..plan.services.len()).filter(|&s| plan.services[s].depends_on.contains(&service)).collect();
        let seen = callers.iter().flat_map(|&caller| world.view().dependencies(caller));
        let seen: Vec<(f64, f64)> = seen.filter(|d| d.to == service).map(|d| (d.rate, d.p95_ms)).collect();
        let row = world.history().last().expect("a row");
        let is_slow = info.calls.iter().any(|&call| row.cell(plan.calls[call].columns.end - 1) > 0.0);
        let rate: f64 = seen.iter().map(|(rate, _)| rate).sum();
        let notes = world.view().status(service).notes;
        let Some(note) = notes.iter().find(|note| note.starts_with("transactions: ")) else { continue };
        let says = number_after(note, "p95 ").expect("a time");
        let felt = seen.iter().map(|(rate, p95)| rate * p95).sum::<f64>() / rate.max(1e-9);
        assert!(is_slow || (says - felt).abs() < 1.0 + 0.01 * felt, "{}: callers see {felt}ms: {note}", info.name);
        said += 1;
    }
    said
}

/// A proxy calls a server by one name, in checks and of requests, and it is the server that says that it answered that request.
fn check_backends(world: &World) -> usize {
    let (plan, mut sent) = (world.plan(), BTreeMap::new());
    for service in (0..plan.services.len()).filter(|&s| plan.services[s].kind.tier() == 0) {
        for line in lines(world, service).iter().filter(|line| line.text.contains(" fe be")) {
            let (_, rest) = line.text.split_once('/').expect("a server");
            let (name, _) = rest.split_once(' ').expect("a server");
            let is_there =
                |i: &world::fleet::Instance| name == format!("{}-{}", plan.services[i.service].name, i.ordinal);
            assert!(name == "<NOSRV>" || world.fleet().iter().any(is_there), "no such server: {}", line.text);
            let id = line.text.rsplit("id=").next().expect("an id").to_string();
            sent.insert(id, (name.to_string(), line.text.clone()));
        }
    }
    let mut both = 0;
    for service in (0..plan.services.len()).filter(|&s| plan.services[s].kind.name() == "web") {
        let is_first = plan.services[service].calls.iter().any(|&call| {
            let parent = plan.calls[call].parent.map(|parent| plan.calls[parent].service);
            parent.is_some_and(|parent| plan.services[parent].kind.tier() == 0)
        });
        for line in lines(world, service).iter().filter(|line| is_first && line.template == "request") {
            let id = line.text.rsplit("id=").next().expect("an id");
            let Some((name, said)) = sent.get(id) else { continue };
            assert!(line.text.starts_with(&format!("{name} ")), "{said}, but {}", line.text);
            both += 1;
        }
    }
    both
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
    fn everything_that_is_shown_tells_one_story(which in 0u8..4, seed in 0u64..1000, pick in any::<u64>(), minutes in 2u64..25) {
        let world = broken(which, seed, pick, minutes);
        check_lines(&world);
        let roots = check_traces(&world);
        check_times(&world);
        check_lines_before_servers(&world);
        check_ids(&world, &roots);
        check_single_lines(&world);
        check_peers(&world);
        check_statements(&world);
        check_routes(&world);
        check_backends(&world);
        check_transactions(&world);
        check_deaths(&world);
        check_turns(&world);
    }
}

#[test]
fn servers_leave_and_come_back_once() {
    let mut world = common::shop(5);
    common::plant(&mut world, "config_push service=load_balancer key=HEALTH_CHECK_PATH value=/status");
    common::wait(&mut world, 4);
    let service = world.plan().service("load_balancer").expect("a service");
    let said = |world: &World, words: &str| lines(world, service).iter().filter(|l| l.text.contains(words)).count();
    assert_eq!((check_turns(&world), said(&world, "has no server available!")), (2, 1));
    assert!(said(&world, "be/<NOSRV>") > 10, "users are told all the time");
    world.operator().set_config(service, "HEALTH_CHECK_PATH", "/healthz").expect("a path");
    common::wait(&mut world, 4);
    assert_eq!((check_turns(&world), said(&world, " is UP, ")), (4, 2));
}

/// Where one of two gets nearly everything, the other is not full.
#[test]
fn idle_instances_are_not_full() {
    let mut full = 0;
    for seed in 0..12 {
        let mut world = common::shop(seed);
        common::plant(&mut world, "config_push service=load_balancer key=STICKY_SESSIONS value=true");
        common::wait(&mut world, 8);
        let service = world.plan().service("web_server").expect("a service");
        let said =
            lines(&world, service).into_iter().filter(|line| ["saturated", "queue_full"].contains(&line.template));
        for line in said {
            assert!(line.text.starts_with("web_server-1 "), "{}", line.text);
            full += 1;
        }
    }
    assert!(full > 20, "only {full} lines");
}

/// A build that fails requests fails some routes more than others, and of all as many as it should.
#[test]
fn a_broken_build_breaks_some_routes_more() {
    let mut spread = 0.0;
    for seed in 0..8 {
        let mut world = common::shop(seed);
        let args = [("service", "web_server"), ("share", "0.3")].map(|(k, v)| (k.to_string(), v.to_string()));
        let fault = faults::find("bad_build_errors").expect("a fault");
        let acts = fault.plan(&FaultArgs(args.into()), world.plan(), Seed(seed)).expect("it fits");
        world.plant(&acts, world.now());
        common::wait(&mut world, 12);
        let rows: Vec<_> = world.history().newest_first(Time(0), world.now()).take(12).collect();
        let of = |at: usize, route: &world::blueprint::RouteInfo| {
            rows.iter().map(|row| f64::from(row.cell(route.columns.start + at))).sum::<f64>()
        };
        let routes: Vec<_> = world.plan().routes.iter().filter(|route| !route.asynchronous).collect();
        let sum = |at: usize| routes.iter().map(|route| of(at, route)).sum::<f64>();
        let all = sum(1) / sum(0);
        assert!((0.25..0.36).contains(&all), "{all} of all fail");
        let shares: Vec<f64> = routes.iter().map(|route| of(1, route) / of(0, route)).collect();
        let (least, most) = shares.iter().fold((1.0, 0.0), |(a, b): (f64, f64), s| (a.min(*s), b.max(*s)));
        spread += (most - least) / 8.0;
    }
    assert!(spread > 0.2, "routes differ by {spread} only");
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

/// Lines of a proxy come in the proportion of the counters, by level, and their times in that of the percentiles.
#[test]
fn access_lines_can_be_counted() {
    let (mut said, mut counted, mut all) = (0.0, 0.0, 0.0);
    let (mut slow, mut answered, mut unanswered) = (0.0, 0.0, 0.0);
    for seed in 0..40 {
        let mut world = common::shop(seed);
        common::plant(&mut world, "worker_deaths service=web_server share=0.8");
        common::wait(&mut world, 10);
        let plan = world.plan().clone();
        let edge = plan.service("load_balancer").expect("a service");
        let browse = plan.route("browse").expect("a route");
        let from = world.now().back(Span::mins(6));
        let rows: Vec<_> = world.history().newest_first(from, world.now()).collect();
        let info = &plan.services[edge];
        let metric = info.kind.metrics().iter().position(|metric| metric.name == "refused_connections_rate");
        let refused = info.metrics.start + metric.expect("a metric");
        for cells in rows.iter().map(|row| row.cells()) {
            let routes = plan.routes.iter().filter(|route| !route.asynchronous);
            let of = |at: usize| routes.clone().map(|r| f64::from(cells[r.columns.start + at])).sum::<f64>();
            // Whose connection was refused sent no request.
            let refused = of(0) * f64::from(cells[refused]);
            (all, counted) = (all + of(0) - refused, counted + of(1) - refused);
        }
        let [info, _, error] = world.view().log_counts(edge, from).map(|n| n as f64);
        said += error / (info + error) / 40.0;
        for line in lines(&world, edge).iter().filter(|l| l.template == "access" && l.text.contains("/browse")) {
            let Some(row) = rows.iter().find(|r| r.time >= line.time && r.time.since(line.time) < SCRAPE) else {
                continue;
            };
            if line.text.contains(" 200 ----") {
                let cells = row.part(plan.routes[browse].columns.clone());
                let ms = number_after(&line.text, " 0/0/0/");
                answered += 1.0;
                slow += f64::from(u8::from(ms.expect("a time") > f64::from(cells[3])));
            } else {
                unanswered += 1.0;
            }
        }
    }
    let counted = counted / all;
    assert!(counted > 0.1 && (said - counted).abs() < 0.02, "{said} of the lines say failed, {counted} were");
    assert!(unanswered < 0.02 * answered, "{unanswered} of {answered} failed, and have a line for that");
    assert!(slow / answered < 0.09, "{slow} of {answered} are slower than the 95th percentile");
}

/// Where a switch stands one way and the place works the other way, the status page says what decides instead, in every kind; and
/// nothing is wrong there.
#[test]
fn a_switch_that_decides_nothing_says_so() {
    let plain = world::shop();
    let mut found = 0;
    for (at, service) in plain.services.iter().enumerate() {
        let kind = world::services::of(service).expect("a kind");
        for quirk in kind.quirks() {
            let Some(overruled) = quirk.overruled else { continue };
            let mut spec = plain.clone();
            world::services::settle(&mut spec, &[(at, *quirk)]);
            let place = spec.service_mut(&service.name).expect("a service");
            place.config.insert(quirk.key.to_string(), quirk.values[0].to_string());
            let mut world = common::healthy(&spec, 7);
            common::wait(&mut world, 5);
            let status = world.view().status(world.plan().service(&service.name).expect("a service"));
            let says = |notes: &[String]| {
                notes.iter().any(|note| note.starts_with(overruled.cause) && note.contains(overruled.effect))
            };
            assert!(says(&status.notes), "{}: {:?}", quirk.key, status.notes);
            assert!(common::well(&world), "{}: it does harm", quirk.key);
            found += 1;
            // As it usually stands there is nothing to say.
            let world = common::healthy(&plain, 7);
            let status = world.view().status(world.plan().service(&service.name).expect("a service"));
            assert!(!says(&status.notes), "{}: {:?}", quirk.key, status.notes);
        }
    }
    assert!(found >= 8, "only {found} switches");
}

/// However many settings stand oddly, no service has more than two things to explain them.
#[test]
fn few_things_overrule_many_settings() {
    let mut spec = world::shop();
    let kinds = spec.services.iter().map(|service| world::services::of(service).expect("a kind")).enumerate();
    let all: Vec<_> = kinds.flat_map(|(at, kind)| kind.quirks().iter().map(move |quirk| (at, *quirk))).collect();
    for (at, quirk) in &all {
        spec.services[*at].config.insert(quirk.key.to_string(), quirk.values[0].to_string());
    }
    world::services::settle(&mut spec, &all);
    let plain = common::healthy(&world::shop(), 7);
    let odd = common::healthy(&spec, 7);
    for service in 0..odd.plan().services.len() {
        let notes = |world: &World| world.view().status(service).notes;
        let more = notes(&odd).len().saturating_sub(notes(&plain).len());
        assert!(more <= 2, "{:?}", notes(&odd));
    }
}

/// No two routes of a server fail equally often while all is well: code differs.
#[test]
fn routes_have_bugs_of_their_own() {
    let mut world = common::shop(3);
    common::wait(&mut world, 10);
    let mut shares: Vec<u64> = world.view().routes().iter().map(|r| (r.failed * 1e5) as u64).collect();
    shares.retain(|share| *share > 0);
    let all = shares.len();
    shares.sort_unstable();
    shares.dedup();
    assert!(all >= 4 && shares.len() == all, "{shares:?} of {all} routes");
}

/// The way to a service is no wait in its line, and not a part of its own time.
#[test]
fn a_slow_link_is_no_queue() {
    let mut world = common::shop(3);
    common::plant(&mut world, "slow_link service=web_server to=database ms=700");
    common::wait(&mut world, 4);
    let [web, database] = ["web_server", "database"].map(|name| world.plan().service(name).expect("a service"));
    let route = world.plan().route("browse").expect("a route");
    let (mut ways, mut asked) = (0, 0);
    for trace in world.view().traces(route, 10) {
        for pair in trace.spans.windows(2) {
            let is_way = &*pair[0].op == "network to database";
            assert!(!is_way || (pair[0].service == web && (pair[0].ms - 700.0).abs() < 1.0), "{trace:?}");
            let is_asked = pair[1].service == database && is_call(&pair[1]);
            assert!(!is_asked || (is_way && pair[1].ms < 500.0), "{trace:?}");
            (ways, asked) = (ways + u32::from(is_way), asked + u32::from(is_asked));
        }
        assert!(!trace.spans.iter().any(|span| span.service == database && &*span.op == "queued"), "{trace:?}");
    }
    assert!(ways > 0 && ways == asked, "{ways} of {asked}");
    assert!(check_times(&world) > 20);
}

/// A lookup at a host that does not answer was tried, and took as long as its line says.
#[test]
fn lookups_without_an_answer_are_in_traces() {
    let mut world = common::shop(3);
    common::plant(&mut world, "config_push service=web_server key=CACHE_HOST value=cache-old.internal");
    common::wait(&mut world, 4);
    let cache = world.plan().service("cache").expect("a service");
    let route = world.plan().route("browse").expect("a route");
    let of_cache = |spans: &[TraceSpan]| spans.iter().filter(|span| span.service == cache).cloned().collect::<Vec<_>>();
    let tried: Vec<TraceSpan> = world.view().traces(route, 6).iter().flat_map(|trace| of_cache(&trace.spans)).collect();
    assert!(!tried.is_empty());
    assert!(tried.iter().all(|span| span.ms == 250.0 && span.error == Some("host unreachable")), "{tried:?}");
    let server = world.plan().service("web_server").expect("a service");
    assert!(lines(&world, server).iter().any(|line| line.text.ends_with("did not answer within 250ms")));
}

/// Requests wait for a worker as long as the line before it is.
#[test]
fn traces_wait_as_long_as_the_line_is() {
    let (mut seen, mut counted, mut checked) = (0.0, 0.0, 0);
    for seed in 0..60 {
        let mut world = common::shop(seed);
        let share = 0.3 + 0.005 * seed as f64;
        common::plant(&mut world, &format!("worker_deaths service=web_server share={share}"));
        common::wait(&mut world, 6);
        let of_world = check_lines_before_servers(&world);
        (seen, counted, checked) = (seen + of_world.0, counted + of_world.1, checked + of_world.2);
    }
    assert!(checked > 400, "only {checked} requests");
    assert!((0.8..1.25).contains(&(seen / counted)), "{seen} in traces, {counted} by the metrics");
}

/// A proxy says 200 of those alone who were answered, and of none where none can be.
#[test]
fn clients_that_leave_were_answered() {
    let (mut left, mut quick) = (0, 0);
    for seed in 0..30 {
        let plan = Arc::new(Blueprint::compile(&world::shop()).expect("a valid spec"));
        let mut world = World::healthy(&plan, Seed(seed), Noise(3));
        common::plant(&mut world, "worker_deaths service=web_server share=0.85");
        common::wait(&mut world, 12);
        let edge = plan.service("load_balancer").expect("a service");
        let recent = lines(&world, edge).into_iter().filter(|line| line.time > world.now().back(Span::mins(8)));
        for line in recent.filter(|line| line.text.contains(" CD-- ")) {
            left += 1;
            quick += u32::from(number_after(&line.text, " 0/0/0/").expect("a time") < 10.0);
            assert!(line.text.contains(" 200 CD-- "), "{}", line.text);
        }
        let mut world = World::healthy(&plan, Seed(seed), Noise(3));
        common::plant(&mut world, "config_push service=load_balancer key=HEALTH_CHECK_PATH value=/status");
        common::wait(&mut world, 8);
        let from = world.now().back(Span::mins(3));
        let after = lines(&world, edge).into_iter().filter(|line| line.time > from);
        after.for_each(|line| assert!(!line.text.contains(" 200 "), "no server is there: {}", line.text));
    }
    assert!(left > 5 && quick == 0, "{quick} of {left} were answered within 10 ms by servers that are full");
}

/// No request has waited for longer than it has been going wrong, and a proxy waits for as long as its status page says.
#[test]
fn no_wait_is_longer_than_the_trouble() {
    let mut waited = 0;
    for seed in 0..8 {
        let mut world = common::shop(seed);
        let onset = world.now() + Span::mins(1);
        common::plant(&mut world, "slow_link service=load_balancer to=web_server ms=20000");
        common::wait(&mut world, 3);
        let edge = world.plan().service("load_balancer").expect("a service");
        let status = world.view().status(edge);
        let says = status.notes.iter().find(|note| note.starts_with("timeout server: ")).expect("a note");
        for line in lines(&world, edge).iter().filter(|line| line.text.contains(" 504 sH-- ")) {
            let ms = number_after(&line.text, " 0/0/0/-1/").expect("a time");
            assert!(line.time.back(Span(ms as u64)) + Span::secs(8) >= onset, "{:?}: {}", line.time, line.text);
            assert!(says.contains(&format!(" {ms}ms")), "{says}: {}", line.text);
            waited += 1;
        }
    }
    assert!(waited > 20, "only {waited} lines");
}

#[test]
fn slow_statements_say_what_they_are() {
    let mut named = 0;
    for seed in 0..6 {
        let mut world = common::shop(seed);
        common::plant(&mut world, "lost_index service=database key=INDEX_ORDERS_USER_ID");
        common::wait(&mut world, 8);
        named += check_statements(&world);
        let mut world = common::shop(seed);
        common::plant(&mut world, "config_push service=database key=READ_REPLICA_ENABLED value=false");
        common::wait(&mut world, 8);
        named += check_statements(&world);
    }
    assert!(named > 50, "only {named} lines");
}

/// What is refused is not written, and costs next to nothing; each server says what its database says.
#[test]
fn refused_writes_write_nothing() {
    for (fault, says) in [
        ("id_wraparound service=database", "ProgramLimitExceeded: database"),
        ("config_push service=database key=MAINTENANCE_MODE value=true", "ReadOnlySqlTransaction: database"),
    ] {
        let mut world = common::shop(3);
        let [database, server] = ["database", "web_server"].map(|name| world.plan().service(name).expect("a service"));
        let busy = |world: &World| {
            let from = world.now().back(Span::secs(20));
            let all =
                world.view().series(database, "read_primary_utilization_pct", from, world.now()).expect("a metric");
            all.last().and_then(|sample| sample.1).expect("a sample")
        };
        let before = busy(&world);
        common::plant(&mut world, fault);
        common::wait(&mut world, 8);
        assert!(busy(&world) < before, "{fault}: busy {} after {before}", busy(&world));
        let all = lines(&world, server);
        let failed: Vec<&LogLine> = all.iter().filter(|line| line.template == "db_readonly").collect();
        assert!(failed.len() > 5 && failed.iter().all(|line| line.text.contains(says)), "{fault}: {failed:?}");
        let from = world.now().back(Span::mins(5));
        for line in lines(&world, database).iter().filter(|line| line.template == "checkpoint" && line.time > from) {
            assert!(line.text.contains(" complete: 0 writes per second"), "{}", line.text);
        }
    }
}

/// A cache holds nothing that has run out, warms only while it grows, and says nothing of lookups where there are none.
#[test]
fn a_cache_holds_and_says_what_is_there() {
    let mut world = common::shop(3);
    let cache = world.plan().service("cache").expect("a service");
    common::plant(&mut world, "expiry service=cache key=AUTH_TOKEN_VALID");
    common::wait(&mut world, 9);
    let status = world.view().status(cache);
    assert!(status.notes.iter().any(|note| note.starts_with("0 MB held")), "{:?}", status.notes);
    let warming = lines(&world, cache).into_iter().filter(|line| line.text.contains("warming")).count();
    assert_eq!(warming, 0, "nothing comes in");
    let mut world = common::shop(3);
    common::plant(&mut world, "config_push service=web_server key=CACHE_HOST value=cache-old.internal");
    common::wait(&mut world, 8);
    let unasked = world.view().metrics(cache).filter(|m| ["hit_rate", "p95_latency_ms"].contains(&m.name));
    assert!(unasked.map(|reading| reading.value).all(|value| value.is_none()), "no client asks");
    assert!(world.view().status(cache).firing.iter().all(|alert| !alert.contains("hit_rate")));
    let from = world.now().back(Span::mins(5));
    let slow = lines(&world, cache).into_iter().filter(|line| line.time > from && line.text.contains("reads slowly"));
    assert_eq!(slow.count(), 0, "no client is there");
}

/// Connections that are kept are as many as there are at most, for as long as they are kept, by those who keep them; and each instance says its
/// own.
#[test]
fn connections_that_are_kept_are_counted_once() {
    let mut world = common::shop(3);
    common::plant(&mut world, "connection_leak service=web_server per_s=1.5");
    common::wait(&mut world, 4);
    let [server, database, queue] =
        ["web_server", "database", "message_queue"].map(|name| world.plan().service(name).expect("a service"));
    let own = world.fleet().of(server).len() as f64;
    let consumers: Vec<[u8; 4]> = world.fleet().of(queue).iter().map(|i| i.address()).collect();
    let mut said = 0;
    for line in lines(&world, server).iter().filter(|line| line.template == "not_returned") {
        let held = metric_at(&world, server, "held_db_connections", line).expect("a sample");
        let says = number_after(&line.text, "pool: ").expect("a number");
        assert!((says - held / own).abs() < 0.6, "{held} are held: {}", line.text);
        let oldest = number_after(&line.text, "checked out ").expect("a time");
        assert!(oldest <= 181.0, "it began three minutes ago: {}", line.text);
        said += 1;
    }
    for line in lines(&world, database).iter().filter(|line| line.template == "idle_sessions") {
        assert!(addresses(&line.text).iter().all(|address| !consumers.contains(address)), "{}", line.text);
        said += 1;
    }
    assert!(said > 10, "only {said} lines");
    common::wait(&mut world, 20);
    let now = |service: usize, name: &str| {
        let from = world.now().back(Span::secs(20));
        let samples = world.view().series(service, name, from, world.now()).expect("a metric");
        samples.last().and_then(|sample| sample.1).expect("a sample")
    };
    let all = now(database, "max_connections");
    assert!(now(database, "active_connections") <= all && now(server, "held_db_connections") <= all + 5.0);
    let status = world.view().status(database).notes;
    assert!(status[0].starts_with(&format!("{} of {all} ", now(database, "active_connections").round())), "{status:?}");
}

#[test]
fn lines_are_worded_as_programs_word_them() {
    let mut world = common::shop(3);
    common::plant(&mut world, "expiry service=cache key=AUTH_TOKEN_VALID");
    common::wait(&mut world, 9);
    assert!(check_backends(&world) > 3, "a proxy and a server tell of the same requests");
    let said = |name: &str, words: &str| {
        let service = world.plan().service(name).expect("a service");
        lines(&world, service).into_iter().filter(|line| line.text.contains(words)).count()
    };
    assert!(
        said(
            "web_server",
            "AuthenticationError: cache.internal:6379: invalid username-password pair or user is disabled."
        ) > 3
    );
    assert!(said("cache", "WRONGPASS invalid username-password pair or user is disabled.") > 3);
    assert_eq!(said("cache", "NOAUTH") + said("web_server", "NOAUTH"), 0);
    let database = world.plan().service("database").expect("a service");
    for line in lines(&world, database).iter().filter(|line| line.template == "deadlock") {
        let ms = number_after(&line.text, " after ").expect("a time");
        assert!(
            (1000.0..1000.5).contains(&ms) && number_after(&line.text, "on transaction ").is_some(),
            "{}",
            line.text
        );
    }
}

/// Messages that are consumed at one time have waited for about as long as the oldest.
#[test]
fn messages_wait_as_long_as_the_oldest() {
    let mut spec = world::shop();
    spec.service_mut("message_queue").expect("a service").config.insert("RETRY_LIMIT".into(), "50".into());
    let mut world = common::healthy(&spec, 3);
    common::plant(&mut world, "poison_messages service=message_queue share=0.3");
    common::wait(&mut world, 14);
    let queue = world.plan().service("message_queue").expect("a service");
    let from = world.now().back(Span::secs(20));
    let ages = world.view().series(queue, "oldest_message_age_ms", from, world.now()).expect("a metric");
    let age = ages.last().and_then(|sample| sample.1).expect("a sample");
    assert!(age > 10_000.0, "nothing waits: {age}");
    let route = world.plan().route("confirmations").expect("a route");
    for trace in world.view().traces(route, 10) {
        let waited = trace.spans.iter().find(|span| &*span.op == "queued" && span.service == queue).expect("a wait");
        assert!((0.6 * age..1.5 * age).contains(&waited.ms), "the oldest is {age}ms old: {trace:?}");
    }
}
