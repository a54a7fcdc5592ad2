//! Two revisions of one service's settings at once: each instance answers by its own.

mod common;

use common::{shop, wait};
use world::services::{Level, Role};
use world::telemetry::logs::LogQuery;
use world::{InstanceId, Mutation, RevisionId, Span, Time, Value, World};

const CANARY: RevisionId = RevisionId(7);

fn service(world: &World, name: &str) -> usize {
    world.plan().service(name).expect("a service")
}

fn first(world: &World, name: &str) -> InstanceId {
    world.fleet().of(service(world, name))[0].id
}

fn key(world: &World, service: usize, name: &str) -> usize {
    world.plan().services[service].kind.keys().iter().position(|k| k.name == name).expect("a key")
}

/// A revision with what the first instance runs with, but for one key.
fn revision(world: &World, name: &str, changed: &str, to: &str) -> Mutation {
    let at = service(world, name);
    let mut values: Vec<Value> = world.running(first(world, name)).expect("it runs").cloned().collect();
    let place = key(world, at, changed);
    values[place] = world.plan().services[at].kind.keys()[place].parse(to).expect("a value");
    Mutation::Revision { service: at, revision: CANARY, values: Some(values) }
}

/// An instance joins that runs with another value of one key.
fn join(world: &mut World, name: &str, changed: &str, to: &str) -> InstanceId {
    let made = revision(world, name, changed, to);
    world.apply(&made);
    let mut instance = world.fleet().new_instance(service(world, name), 0);
    instance.revision = CANARY;
    world.apply(&Mutation::Join { instance });
    instance.id
}

fn running(world: &World, instance: InstanceId, name: &str) -> String {
    let at = world.fleet().get(instance).expect("it exists").service;
    let place = key(world, at, name);
    world.running(instance).expect("it runs").nth(place).expect("a value").to_string()
}

fn metric(world: &World, name: &str, metric: &str) -> f64 {
    let at = service(world, name);
    world.view().metrics(at).find(|m| m.name == metric).and_then(|m| m.value).expect("a sample")
}

#[test]
fn each_instance_of_an_application_server_answers_by_its_own_settings() {
    let check = |changed: &str, to: &str, figure: &str, expect: fn(f64, f64, f64) -> bool| {
        let (mut world, mut twin) = (shop(1), shop(1));
        let canary = join(&mut world, "web_server", changed, to);
        let plain = twin.fleet().new_instance(service(&twin, "web_server"), 0);
        twin.apply(&Mutation::Join { instance: plain });
        wait(&mut world, 6);
        wait(&mut twin, 6);
        let share = world.fleet().get(canary).expect("it exists").share;
        assert!(share > 0.1 && share < 0.5, "it gets a part of the traffic: {share}");
        let (with, without) = (metric(&world, "web_server", figure), metric(&twin, "web_server", figure));
        assert!(expect(with, without, share), "{changed}={to}: {figure} is {with}, else {without}, share {share}");
    };
    check("USE_CACHE", "false", "cache_bypass_rate", |with, without, share| {
        without < 0.01 && (with - share).abs() < 0.1 * share
    });
    check("MAX_WORKERS", "10", "healthy_workers", |with, without, _| (without - with - 30.0).abs() < 0.5);
    check("RATE_LIMIT_RPS", "10", "rate_limited_requests", |with, without, share| {
        // It takes its share of ten requests a second; the others take all of theirs.
        without == 0.0 && with > 0.8 * share * 100.0 && with < share * 1000.0
    });
    check("TIMEOUT_MS", "50", "upstream_timeout_rate", |with, without, _| without < 0.002 && with > 0.005);
}

/// Attempts to connect hold its workers, so that it serves no more than these allow: by Little's law as many requests per second
/// as it has workers for each second that a request holds one. A request holds one for its attempts at least, and at most for
/// these, its own work and as long as nineteen of twenty calls to the others take.
#[test]
fn an_instance_that_cannot_find_its_cache_serves_what_its_workers_allow() {
    const CONNECT_SECS: f64 = 0.25;
    let mut world = shop(1);
    let canary = join(&mut world, "web_server", "CACHE_HOST", "cache.old.internal");
    wait(&mut world, 6);
    let (web, plan) = (service(&world, "web_server"), world.plan().clone());
    let share = world.fleet().get(canary).expect("it exists").share;
    let workers: f64 = running(&world, canary, "MAX_WORKERS").parse().expect("a number");
    let slow = |to: usize| {
        let seen = world.view().dependencies(web);
        seen.iter().find(|d| d.to == to).expect("it is called").p95_ms / 1000.0
    };
    let rates = world.view().routes();
    let (mut arrivals, mut attempts, mut rest) = (0.0, 0.0, 0.0);
    for &call in &plan.services[web].calls {
        let (info, rate) = (&plan.calls[call], rates[plan.calls[call].route].rate);
        arrivals += rate;
        rest += rate * info.op.work_ms / 1000.0;
        for child in info.children.iter().map(|&c| &plan.calls[c]) {
            match child.role {
                Role::Lookup => attempts += rate * child.times,
                _ => rest += rate * child.times * slow(child.service),
            }
        }
    }
    let (least, most) = (CONNECT_SECS * attempts / arrivals, (CONNECT_SECS * attempts + rest) / arrivals);
    let others = (1.0 - share) * arrivals;
    let part = |hold: f64| {
        let served = (workers / hold).min(share * arrivals);
        served / (served + others)
    };
    let found = metric(&world, "web_server", "cache_bypass_rate");
    assert!(part(most) <= found && found <= part(least), "{found} is not between {} and {}", part(most), part(least));
    assert!(part(most) < share, "the bound says something: {} of {share}", part(most));
}

#[test]
fn two_revisions_with_the_same_values_are_as_one() {
    let (mut world, mut twin) = (shop(2), shop(2));
    let same = running(&world, first(&world, "web_server"), "TIMEOUT_MS");
    let made = revision(&world, "web_server", "TIMEOUT_MS", &same);
    world.apply(&made);
    let instance = first(&world, "web_server");
    world.apply(&Mutation::Adopt { instance, revision: CANARY });
    for faulty in [&mut world, &mut twin] {
        let to = service(faulty, "database");
        faulty.apply(&Mutation::Slowdown { node: faulty.fleet().of(to)[0].node, factor: 2.5 });
        faulty.apply(&Mutation::Load { route: 0, factor: 2.0 });
        wait(faulty, 8);
    }
    let cells = |w: &World| w.history().last().expect("rows").cells().to_vec();
    for (at, (a, b)) in cells(&world).into_iter().zip(cells(&twin)).enumerate() {
        assert!((a - b).abs() <= 0.02 * b.abs() + 1e-3, "column {at}: {a} in two groups, {b} in one");
    }
}

#[test]
fn a_rollout_reaches_those_that_follow_the_template() {
    let mut world = shop(3);
    let (old, canary) = (first(&world, "web_server"), join(&mut world, "web_server", "MAX_WORKERS", "25"));
    wait(&mut world, 2);
    assert_eq!(running(&world, canary, "MAX_WORKERS"), "25", "nothing is rolled out to it");
    let at = service(&world, "web_server");
    world.operator().set_config(at, "MAX_WORKERS", "50").expect("a value");
    wait(&mut world, 8);
    assert_eq!(
        (running(&world, old, "MAX_WORKERS"), running(&world, canary, "MAX_WORKERS")),
        ("50".into(), "25".into())
    );
    assert!((metric(&world, "web_server", "healthy_workers") - 125.0).abs() < 0.5);
    world.apply(&Mutation::Adopt { instance: canary, revision: RevisionId::TEMPLATE });
    world.apply(&Mutation::Revision { service: at, revision: CANARY, values: None });
    wait(&mut world, 2);
    assert_eq!(running(&world, canary, "MAX_WORKERS"), "50");
    assert!((metric(&world, "web_server", "healthy_workers") - 150.0).abs() < 0.5);
}

#[test]
fn a_log_line_has_the_values_of_its_instance() {
    let mut world = shop(4);
    let canary = join(&mut world, "web_server", "RATE_LIMIT_RPS", "20");
    wait(&mut world, 4);
    let at = service(&world, "web_server");
    let from = world.now().back(Span::mins(1));
    let query = LogQuery { level: Level::Warn, text: "requests per second", from, to: world.now(), limit: 100 };
    let lines = world.view().logs(at, &query);
    assert!(lines.iter().any(|l| l.instance == Some(canary)), "{lines:?}");
    for line in lines.iter().filter(|l| l.instance == Some(canary)) {
        assert!(line.text.contains("over 20 requests"), "{line:?}");
    }
}

/// The physics of these kinds knows the service as a whole, so it reads what the oldest instance runs with.
#[test]
fn a_service_that_is_a_single_thing_runs_with_what_its_oldest_instance_runs_with() {
    let check = |name: &str, changed: &str, to: &str, hurts: fn(&World) -> bool| {
        let mut world = shop(5);
        let joined = join(&mut world, name, changed, to);
        wait(&mut world, 6);
        assert!(!hurts(&world), "{name}: a younger instance does not decide");
        let instance = first(&world, name);
        world.apply(&Mutation::Leave { instance });
        wait(&mut world, 6);
        assert!(first(&world, name) == joined && hurts(&world), "{name}: the only one does");
    };
    check("database", "DB_POOL_SIZE", "7", |w| metric(w, "database", "max_connections") == 7.0);
    check("cache", "AUTH_TOKEN_VALID", "false", |w| metric(w, "cache", "auth_denied_rate") == 1.0);
    check("message_queue", "CONSUMER_CONCURRENCY", "1", |w| {
        metric(w, "message_queue", "consumer_utilization_pct") > 95.0
    });
    check("load_balancer", "TLS_CERT_VALID", "false", |w| metric(w, "load_balancer", "tls_handshake_error_rate") > 0.9);
}

#[test]
#[should_panic(expected = "no revision ends while an instance runs with it")]
fn no_revision_ends_under_an_instance() {
    let mut world = shop(6);
    join(&mut world, "web_server", "MAX_WORKERS", "25");
    let service = service(&world, "web_server");
    world.apply(&Mutation::Revision { service, revision: CANARY, values: None });
}

#[test]
fn what_joins_with_a_revision_comes_up_as_any_other() {
    let mut world = shop(7);
    let canary = join(&mut world, "web_server", "MAX_WORKERS", "25");
    let at = service(&world, "web_server");
    world.operator().restart(at);
    wait(&mut world, 20);
    let instance = world.fleet().get(canary).expect("it exists");
    assert!(instance.process.up() && instance.process.started > Time(0));
    assert_eq!(running(&world, canary, "MAX_WORKERS"), "25", "a restart changes no settings");
}
