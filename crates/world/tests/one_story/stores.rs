//! Stores: what databases and caches say of their statements, entries and connections is what they do, and those who use
//! them say the same.

use world::telemetry::logs::LogLine;
use world::{Span, World};

use crate::common;
use crate::worlds::{addresses, lines, metric_at, number_after};

/// A statement that is named is one of its sort: one that writes is no SELECT, and one whose index is not there goes through no index.
pub fn check_statements(world: &World) -> usize {
    let (plan, mut named) = (world.plan(), 0);
    for (service, info) in plan.services.iter().enumerate().filter(|(_, info)| info.kind.name() == "database") {
        let running = |key: usize| {
            let first = world.fleet().of(service).first()?;
            Some(world.running(first.id)?.nth(key)?.bool())
        };
        for line in lines(world, service) {
            let Some((_, rest)) = line.text.split_once("/* ") else { continue };
            let (op, statement) = rest.split_once(" */ ").expect("a comment ends");
            let asked: Vec<_> =
                info.calls.iter().map(|&call| &plan.calls[call]).filter(|c| *c.op.name == *op).collect();
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
