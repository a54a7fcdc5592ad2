//! Traces: callers outlast those they call, times add up, waits are those of the metrics, and the log of the edge tells of the
//! same requests.

use std::collections::BTreeMap;

use world::latency::Latency;
use world::telemetry::traces::TraceSpan;
use world::{Span, World};

use crate::common;
use crate::worlds::lines;

/// Callers outlast those they call, calls end by their deadlines, and requests that are turned away are not worked on.
/// Gives the milliseconds of each request and whether it failed, by its id.
pub fn check_traces(world: &World) -> BTreeMap<String, (f64, bool)> {
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

/// Waits, ways and work add up to the time of a request: a wait is one that the line of the service that answers really had, the way is the
/// link's delay, and what is left is about the work that the call is.
pub fn check_times(world: &World) -> usize {
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
pub fn check_lines_before_servers(world: &World) -> (f64, f64, usize) {
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

/// The same request has the same time and outcome in the log of the edge as in its trace.
pub fn check_ids(world: &World, roots: &BTreeMap<String, (f64, bool)>) -> usize {
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
