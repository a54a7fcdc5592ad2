//! The physics of each kind against what can be worked out by hand: one service of the kind, alone or behind a
//! balancer, under a load that is known.

use std::sync::Arc;

use crate::blueprint::Blueprint;
use crate::flow::Reason;
use crate::services::{CallTraffic, Samples, Sight};
use crate::spec::{AppSpec, CallSpec, Op, RouteSpec, ServiceSpec, Spec};
use crate::{Mutation, Noise, Seed, Span, World};

/// One service and what is asked of it.
struct Case {
    kind: &'static str,
    config: &'static [(&'static str, &'static str)],
    op: Op,
    rps: f64,
}

fn route(rps: f64, entry: CallSpec) -> RouteSpec {
    let name = if rps > 0.0 { "ask" } else { "work off" };
    RouteSpec { name: name.into(), rps, slow_ms: 9000.0, patience_ms: 20_000.0, allowed: 0.05, user_retry: 0.0, entry }
}

fn service(name: &str, kind: &str, config: &[(&str, &str)]) -> ServiceSpec {
    let config = config.iter().map(|(k, v)| (k.to_string().into(), v.to_string().into())).collect();
    ServiceSpec { name: name.into(), kind: kind.into(), instances: 1, config, ..ServiceSpec::default() }
}

fn compiled(services: Vec<ServiceSpec>, routes: Vec<RouteSpec>) -> World {
    let spec = Spec {
        nodes: 1,
        services,
        apps: vec![AppSpec { name: "app".into(), routes, ..AppSpec::default() }],
        tickets: Vec::new(),
        whole_apps_page: false,
        teams: Vec::new(),
        builds: Vec::new(),
    };
    World::healthy(&Arc::new(Blueprint::compile(&spec).expect("a world")), Seed(3), Noise(0))
}

fn world(case: Case) -> World {
    let ask = CallSpec { to: "it".into(), op: case.op, times: 1.0, ..CallSpec::default() };
    let consume = CallSpec { to: "it".into(), times: 1.0, ..CallSpec::default() };
    let mut routes = vec![route(case.rps, ask)];
    if case.kind == "queue" {
        routes.push(route(0.0, consume));
    }
    compiled(vec![service("it", case.kind, case.config)], routes)
}

fn op(work_ms: f64) -> Op {
    Op { name: "ask".into(), work_ms, spread: 0.5, ..Op::default() }
}

/// A metric as it would be sampled without chance.
fn metric(world: &World, name: &str) -> f64 {
    let metrics = world.plan.services[0].kind.metrics();
    let mut cells = vec![0.0; metrics.len()];
    let sight = Sight { plan: &world.plan, me: 0, traffic: CallTraffic::Now(&world.flows) };
    world.models[0].sample(&sight, &mut Samples::new(&mut cells));
    f64::from(cells[metrics.iter().position(|m| m.name == name).expect("a metric of the kind")])
}

/// Requests per second that arrive now.
fn arrivals(world: &World) -> f64 {
    world.flows[world.plan.routes[0].entry].offered
}

fn fails(world: &World, reason: Reason) -> f64 {
    world.flows[world.plan.routes[0].entry].fails.get(reason)
}

fn set(world: &mut World, key: &str, value: &str) {
    world.operator().set_config(0, key, value).expect("a value that fits");
    wait(world, 6);
}

fn wait(world: &mut World, minutes: u64) {
    let end = world.now + Span::mins(minutes);
    world.run_until(end);
}

#[track_caller]
fn near(found: f64, expect: f64) {
    assert!((found - expect).abs() <= 0.02 * expect.abs().max(0.01), "{found} instead of {expect}");
}

#[test]
fn a_server_is_as_busy_as_littles_law_says() {
    let world = world(Case { kind: "web", config: &[], op: op(100.0), rps: 50.0 });
    near(metric(&world, "worker_utilization_pct"), arrivals(&world) * 0.1 / 40.0 * 100.0);
    near(metric(&world, "healthy_workers"), 40.0);
}

#[test]
fn a_server_takes_no_more_than_its_limit() {
    let world = world(Case { kind: "web", config: &[("RATE_LIMIT_RPS", "20")], op: op(10.0), rps: 50.0 });
    near(metric(&world, "rate_limited_requests"), arrivals(&world) - 20.0);
    near(fails(&world, Reason::RateLimited), 1.0 - 20.0 / arrivals(&world));
}

#[test]
fn a_server_with_too_few_workers_turns_away_what_it_cannot_do() {
    let world = world(Case { kind: "web", config: &[("MAX_WORKERS", "4")], op: op(200.0), rps: 50.0 });
    near(metric(&world, "worker_utilization_pct"), 100.0);
    near(fails(&world, Reason::Overloaded), 1.0 - 20.0 / arrivals(&world));
}

#[test]
fn reads_load_the_replica_or_the_primary() {
    let mut world = world(Case { kind: "database", config: &[], op: op(20.0), rps: 100.0 });
    near(metric(&world, "read_iops_pct"), arrivals(&world) * 0.02 / 22.0 * 100.0);
    near(metric(&world, "read_primary_utilization_pct"), 0.0);
    set(&mut world, "READ_REPLICA_ENABLED", "false");
    near(metric(&world, "read_primary_utilization_pct"), arrivals(&world) * 0.02 / 12.0 * 100.0);
}

#[test]
fn a_scan_costs_as_much_more_as_the_scan_factor_says() {
    let indexed = Op { index: Some("INDEX_PRODUCTS_SKU".into()), ..op(2.0) };
    let mut world = world(Case { kind: "database", config: &[], op: indexed, rps: 100.0 });
    let before = metric(&world, "read_iops_pct") / arrivals(&world);
    set(&mut world, "INDEX_PRODUCTS_SKU", "false");
    near(metric(&world, "read_iops_pct") / arrivals(&world), 14.0 * before);
}

#[test]
fn writes_fail_for_the_reason_that_holds() {
    let write = || Op { write: true, ..op(5.0) };
    let mut world = world(Case { kind: "database", config: &[], op: write(), rps: 20.0 });
    assert_eq!(world.flows[world.plan.routes[0].entry].failed, 0.0);
    set(&mut world, "DISK_QUOTA_GB", "60");
    near(fails(&world, Reason::DiskFull), 1.0);
    set(&mut world, "MAINTENANCE_MODE", "true");
    near(fails(&world, Reason::ReadOnly), 1.0);
}

#[test]
fn a_pool_that_is_too_small_makes_its_clients_wait() {
    let slow = || Op { hold_ms: 400.0, ..op(5.0) };
    let of = |size| world(Case { kind: "database", config: size, op: slow(), rps: 50.0 });
    // 50 statements a second hold a connection for about half a second each.
    assert!(metric(&of(&[("DB_POOL_SIZE", "60")]), "connection_wait_ms") < 1.0);
    let starved = of(&[("DB_POOL_SIZE", "12")]);
    near(metric(&starved, "active_connections"), 12.0);
}

/// The share of the working set that a cache holds, and its hit rate for a lookup that hits at best with `hit`.
fn hit_rate(ttl: f64, memory: f64, hit: f64) -> f64 {
    let wanted = 820.0 * ttl / (ttl + 25.0) * (1.0 + ttl / 20_000.0);
    let fits = (memory * 0.97 / wanted).min(1.0);
    hit * ttl / (ttl + 8.0) * libm::pow(fits, 0.62)
}

#[test]
fn a_warm_cache_hits_as_often_as_memory_and_lifetimes_allow() {
    let lookup = Op { hit: 0.95, ..op(0.0) };
    let mut world = world(Case { kind: "cache", config: &[], op: lookup, rps: 300.0 });
    near(metric(&world, "hit_rate"), hit_rate(300.0, 1024.0, 0.95));
    set(&mut world, "MAX_MEMORY_MB", "256");
    near(metric(&world, "hit_rate"), hit_rate(300.0, 256.0, 0.95));
    assert!(metric(&world, "evictions_per_min") > 600.0);
    set(&mut world, "TTL_SECONDS", "5");
    near(metric(&world, "hit_rate"), hit_rate(5.0, 256.0, 0.95));
}

#[test]
fn a_cache_that_was_restarted_is_empty_and_warms() {
    let lookup = Op { hit: 0.95, ..op(0.0) };
    let mut world = world(Case { kind: "cache", config: &[], op: lookup, rps: 300.0 });
    let warm = metric(&world, "hit_rate");
    world.operator().restart(0);
    wait(&mut world, 1);
    assert!(metric(&world, "hit_rate") < 0.8 * warm);
    wait(&mut world, 15);
    near(metric(&world, "hit_rate"), warm);
}

#[test]
fn a_backlog_grows_by_what_the_consumers_cannot_do() {
    let mut world = world(Case { kind: "queue", config: &[], op: op(0.0), rps: 20.0 });
    assert!(metric(&world, "queue_depth") < 60.0);
    set(&mut world, "CONSUMER_CONCURRENCY", "1");
    let (before, start) = (metric(&world, "queue_depth"), world.now);
    wait(&mut world, 5);
    let grown = (metric(&world, "queue_depth") - before) / world.now.since(start).as_secs();
    // One consumer works off one message in 120 ms; seven in a hundred attempts come back.
    let done = 1.0 / 0.12 * (1.0 - 0.07);
    assert!((grown - (20.0 - done)).abs() < 0.1 * grown, "{grown} instead of {}", 20.0 - done);
    near(metric(&world, "consumer_utilization_pct"), 100.0);
}

#[test]
fn messages_die_after_their_last_attempt() {
    let of = |limit| world(Case { kind: "queue", config: limit, op: op(0.0), rps: 20.0 });
    near(metric(&of(&[("RETRY_LIMIT", "1")]), "dead_letter_rate"), 0.07);
    near(metric(&of(&[("RETRY_LIMIT", "2")]), "dead_letter_rate"), 0.07 * 0.07);
}

/// A balancer in front of two servers, or of one.
fn balanced(config: &[(&str, &str)], servers: usize) -> World {
    let mut behind = service("server", "web", &[]);
    behind.instances = servers;
    let inner = CallSpec { to: "server".into(), op: op(20.0), times: 1.0, ..CallSpec::default() };
    let outer = CallSpec { to: "it".into(), op: op(0.0), times: 1.0, calls: vec![inner], on_miss: Vec::new() };
    compiled(vec![service("it", "balancer", config), behind], vec![route(60.0, outer)])
}

#[test]
fn a_balancer_gives_backends_their_weights() {
    for (config, first) in [
        (&[][..], 0.5),
        (&[("WEB_WEIGHT_PRIMARY", "80")], 0.8),
        (&[("STICKY_SESSIONS", "true")], 0.9),
        (&[("WEB_WEIGHT_PRIMARY", "100")], 1.0),
    ] {
        let world = balanced(config, 2);
        let shares: Vec<f64> = world.fleet.of(1).iter().map(|i| i.share).collect();
        near(shares[0], first);
        near(shares[0] + shares[1], 1.0);
    }
}

#[test]
fn a_backend_that_fails_its_checks_leaves_the_rotation_and_returns() {
    let mut world = balanced(&[], 2);
    let id = world.fleet.of(1)[0].id;
    let back = world
        .apply(&Mutation::Process { instance: id, process: crate::fleet::Process::dead(crate::fleet::Exit::KILLED) });
    wait(&mut world, 1);
    assert_eq!((metric(&world, "healthy_backends"), world.fleet.of(1)[0].share), (1.0, 0.0));
    world.apply(&back);
    wait(&mut world, 1);
    assert_eq!(metric(&world, "healthy_backends"), 2.0);
    set(&mut world, "HEALTH_CHECK_PATH", "/status");
    assert_eq!(metric(&world, "healthy_backends"), 0.0);
    near(fails(&world, Reason::NoBackend), 1.0);
}

#[test]
fn connections_beyond_the_limit_are_refused() {
    let world = balanced(&[("MAX_CONNECTIONS", "100")], 1);
    let refused = fails(&world, Reason::ConnectionLimit);
    // Each request keeps its connection for its own time and 2.9 s more.
    let held = arrivals(&world) * 2.9;
    assert!((refused - (1.0 - 100.0 / held)).abs() < 0.03, "{refused}");
    near(metric(&world, "connection_utilization_pct"), 100.0);
}

#[test]
fn an_edge_shows_what_its_protocol_has_a_word_for() {
    let slow = CallSpec { to: "server".into(), op: op(20.0), times: 1.0, ..CallSpec::default() };
    let outer = CallSpec { to: "it".into(), op: op(0.0), times: 1.0, calls: vec![slow], on_miss: Vec::new() };
    let services = vec![service("it", "balancer", &[]), service("server", "web", &[("RATE_LIMIT_RPS", "20")])];
    let apps = vec![AppSpec { name: "app".into(), routes: vec![route(60.0, outer)], ..AppSpec::default() }];
    let spec = Spec { nodes: 1, services, apps, ..Spec::default() };
    let mut plan = Blueprint::compile(&spec).expect("a world");
    let inner = plan.services[1].calls[0];
    assert_eq!(plan.calls[inner].shows, None, "today every edge shows the reason as it is");
    plan.calls[inner].shows = crate::flow::Translation::of(|reason| match reason {
        Reason::RateLimited => Reason::Internal,
        other => other,
    });
    let world = World::healthy(&Arc::new(plan), Seed(3), Noise(0));
    assert_eq!(fails(&world, Reason::RateLimited), 0.0, "the edge has no word for it");
    assert!(fails(&world, Reason::Internal) > 0.5);
    assert_eq!(world.view().dependencies(0)[0].worst, Some(Reason::Internal.text()));
}
