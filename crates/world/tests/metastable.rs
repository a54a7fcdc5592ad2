//! Failures that outlive their cause: the trigger is gone, an hour later it is still broken, and it
//! recovers when the loop is broken.

mod common;

use common::fragile::{Loop, fragile};
use common::{act, healthy, plant, wait, well};
use world::faults::{self, Cure, FaultArgs};
use world::{Seed, Span, Spec, World};

/// Sets a loop off and lets an hour pass after the trigger is over.
fn an_hour_after(spec: &Spec, trigger: Loop, seed: u64) -> World {
    let mut world = healthy(spec, seed);
    assert_eq!((world.page(), well(&world)), (None, true), "{trigger:?} is healthy before its trigger");
    let (kind, args) = trigger.trigger();
    let args: Vec<String> = args.iter().map(|(k, v)| format!("{k}={v}")).collect();
    plant(&mut world, &format!("{kind} {}", args.join(" ")));
    wait(&mut world, 4);
    assert!(!well(&world), "the trigger of {trigger:?} hurts");
    wait(&mut world, 63);
    world
}

fn metric(world: &World, service: &str, name: &str) -> f64 {
    let at = world.plan().service(service).expect("a service");
    world.view().metrics(at).find(|m| m.name == name).and_then(|m| m.value).expect("a sample")
}

/// Each way of breaking the loop heals within half an hour, for several seeds.
fn check(sustained: Loop, sustains: impl Fn(&World) -> bool, ways: &[&[&str]]) {
    for seed in [1, 2, 3] {
        let broken = an_hour_after(&fragile(sustained), sustained, seed);
        assert!(!well(&broken), "{sustained:?}, seed {seed}: still broken after an hour");
        assert!(sustains(&broken), "{sustained:?}, seed {seed}: the loop runs");
        for way in ways {
            let mut world = broken.clone();
            for action in *way {
                match action.strip_prefix("wait ") {
                    Some(minutes) => wait(&mut world, minutes.parse().expect("minutes")),
                    None => act(&mut world, action),
                }
            }
            wait(&mut world, 30);
            assert!(well(&world), "{sustained:?}, seed {seed}, {way:?}: {:?}", world.objectives(Span::mins(3)));
        }
    }
}

/// Called early, an operator needs one action: the first cure of the trigger's fault.
#[test]
fn the_first_cure_of_a_trigger_breaks_its_loop() {
    for sustained in Loop::ALL {
        let mut world = healthy(&fragile(sustained), 5);
        let (kind, args) = sustained.trigger();
        let fault = faults::find(kind).expect("a fault");
        let args = FaultArgs(args.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect());
        let acts = fault.plan(&args, world.plan(), Seed(1)).expect("it fits");
        let onset = world.now() + Span::mins(1);
        world.plant(&acts, onset);
        assert!(world.run_until_page(onset + Span::mins(10)).is_some(), "{sustained:?} pages");
        wait(&mut world, 6);
        let cures = fault.cures(&args, world.plan());
        let Some(Cure::Config { service, key, value, .. }) = cures.first() else { panic!("{sustained:?}: {cures:?}") };
        act(&mut world, &format!("{service} {key} {value}"));
        wait(&mut world, 12);
        assert!(well(&world), "{sustained:?} by {key} {value}: {:?}", world.objectives(Span::mins(3)));
    }
}

/// The same trigger in a world without what makes the loop possible.
fn check_harmless(sustained: Loop, spec: &Spec) {
    let mut world = healthy(spec, 1);
    let (kind, args) = sustained.trigger();
    let args: Vec<String> = args.iter().map(|(k, v)| format!("{k}={v}")).collect();
    plant(&mut world, &format!("{kind} {}", args.join(" ")));
    wait(&mut world, 60);
    assert!(well(&world), "{sustained:?} heals by itself: {:?}", world.objectives(Span::mins(3)));
}

#[test]
fn retries_outlive_the_burst_that_began_them() {
    let late = |w: &World| metric(w, "load_balancer", "edge_timeout_rate") > 0.5;
    let more_load = |w: &World| metric(w, "load_balancer", "request_rate") > 260.0;
    let ways: &[&[&str]] = &[
        &["web_server RATE_LIMIT_RPS 235"],
        &["web_server RATE_LIMIT_RPS 120", "wait 5", "web_server RATE_LIMIT_RPS 600"],
        &["web_server MAX_WORKERS 60"],
    ];
    check(Loop::Retries, |w| late(w) && more_load(w), ways);
    let mut patient = fragile(Loop::Retries);
    patient.apps[0].routes.iter_mut().for_each(|r| r.user_retry = 0.0);
    check_harmless(Loop::Retries, &patient);
}

#[test]
fn a_cold_cache_stays_cold_behind_a_crowd() {
    let cold = |w: &World| metric(w, "cache", "hit_rate") < 0.5;
    let late = |w: &World| metric(w, "cache", "backend_fill_latency_ms") > 2400.0;
    let ways: &[&[&str]] = &[&["web_server MAX_WORKERS 40"]];
    check(Loop::ColdCache, |w| cold(w) && late(w), ways);
    check_harmless(Loop::ColdCache, &world::shop());
}

#[test]
fn redeliveries_keep_a_backlog_alive() {
    let twice = |w: &World| metric(w, "message_queue", "duplicate_delivery_rate") > 0.5;
    let grows = |w: &World| metric(w, "message_queue", "queue_depth") > 4000.0;
    let ways: &[&[&str]] =
        &[&["message_queue VISIBILITY_TIMEOUT_MS 180000"], &["message_queue CONSUMER_CONCURRENCY 64"]];
    check(Loop::Redelivery, |w| twice(w) && grows(w), ways);
    let mut one_by_one = fragile(Loop::Redelivery);
    one_by_one.service_mut("message_queue").expect("a service").params.insert("prefetch".into(), 1.0);
    check_harmless(Loop::Redelivery, &one_by_one);
}

#[test]
fn reconnecting_clients_keep_the_database_busy_with_connections() {
    let storm = |w: &World| metric(w, "database", "new_connections_rate") > 100.0;
    let busy = |w: &World| metric(w, "database", "read_primary_utilization_pct") > 95.0;
    let ways: &[&[&str]] = &[&["web_server MAX_WORKERS 40"]];
    check(Loop::Connections, |w| storm(w) && busy(w), ways);
    let mut cheap = fragile(Loop::Connections);
    cheap.service_mut("database").expect("a service").params.insert("connect_ms".into(), 4.0);
    let mut world = healthy(&cheap, 1);
    plant(&mut world, "connection_storm service=database clients=20000");
    wait(&mut world, 12);
    assert!(well(&world), "cheap connections do no harm: {:?}", world.objectives(Span::mins(3)));
}
