//! What each tool shows and changes, on a good day and on bad ones.
#![allow(clippy::disallowed_types, reason = "tests build the worlds that faces only look at")]

mod common;

use std::collections::BTreeSet;

use common::{broken, healthy, read, run};
use faces::{End, FactKind, Reply, Touch};
use world::{Noise, Span, World};

/// Every line of the list stands in the reply, and so many facts of that kind, of which so many tell something.
#[track_caller]
fn check(world: &mut World, action: &str, lines: &[&str], facts: (FactKind, usize, usize)) -> Reply {
    let reply = run(world, action);
    for line in lines {
        assert!(reply.text.contains(line), "{action} should show `{line}`:\n{}", reply.text);
    }
    let (kind, all, telling) = facts;
    let found: Vec<_> = reply.facts.iter().filter(|f| f.kind == kind).collect();
    let told = found.iter().filter(|f| f.telling).count();
    assert_eq!((found.len(), told), (all, telling), "{action}: {:?}\n{}", reply.facts, reply.text);
    assert!(reply.touched.is_empty() && reply.end.is_none(), "{action} only reads");
    reply
}

#[test]
fn metrics_stand_beside_their_past_and_their_usual_value() {
    let mut world = healthy();
    let count = world.view().metrics(world.plan().service("cache").unwrap()).count();
    let lines = ["cache metrics at ", "10 min ago", "usual", "\nhit_rate", "\np95_latency_ms"];
    let reply = check(&mut world, "inspect_metrics(cache)", &lines, (FactKind::Metrics, count, 0));
    assert_eq!(reply.text.lines().count(), count + 2);
    let column = |line: &str| line.rfind("  ").unwrap();
    let aligned: BTreeSet<usize> = reply.text.lines().skip(1).map(column).collect();
    assert_eq!(aligned.len(), 1, "the last column is aligned:\n{}", reply.text);
    let reply = run(&mut broken("crash", &[("service", "cache")], 6), "inspect_metrics(cache)");
    assert!(reply.facts.iter().any(|f| f.item == "hit_rate" && f.telling), "{}", reply.text);
}

#[test]
fn lost_samples_are_no_data_and_no_facts() {
    let mut world = common::noisy(Noise::MAX);
    let end = world.now() + Span::mins(60);
    let lost = loop {
        assert!(world.now() < end, "at this noise a scrape is lost within the hour");
        let next = world.now() + Span::secs(15);
        world.run_until(next);
        let reply = run(&mut world, "inspect_metrics(database)");
        if reply.facts.is_empty() {
            break reply;
        }
    };
    assert!(lost.text.contains("no data"), "{}", lost.text);
    let course = run(&mut world, "query_metrics(database, active_connections)");
    assert!(course.text.contains("now no data") && course.text.contains('·'), "{}", course.text);
}

#[test]
fn logs_are_a_sample_of_loud_and_quiet_lines() {
    let reply = run(&mut healthy(), "inspect_logs(web_server)");
    assert!(reply.text.contains("web_server logs at ") && reply.text.contains(" INFO  "), "{}", reply.text);
    let mut world = broken("crash", &[("service", "cache")], 6);
    let reply = run(&mut world, "inspect_logs(web_server)");
    let lines: Vec<&str> = reply.text.lines().skip(1).collect();
    assert!((8..=15).contains(&lines.len()), "{}", reply.text);
    assert!(lines.is_sorted_by_key(|l| &l[..8]), "oldest first:\n{}", reply.text);
    assert!(lines.iter().any(|l| l.contains(" ERROR ")) && lines.iter().any(|l| l.contains(" INFO ")));
    let templates: BTreeSet<&str> = reply.facts.iter().map(|f| &*f.item).collect();
    assert_eq!(templates.len(), reply.facts.len(), "one fact per template");
    assert!(reply.facts.iter().any(|f| f.telling && f.kind == FactKind::Logs && *f.service == *"web_server"));
}

#[test]
fn status_names_instances_and_firing_alerts() {
    let lines =
        ["web_server is healthy", "  web_server-1 on node-", "  web_server-2 on node-", "firing alerts\n  none"];
    check(&mut healthy(), "check_status(web_server)", &lines, (FactKind::Status, 1, 0));
    let mut world = broken("crash", &[("service", "cache")], 6);
    let lines = ["cache is down", "not running", "firing alerts\n  cache/down"];
    check(&mut world, "check_status(cache)", &lines, (FactKind::Status, 1, 1));
}

#[test]
fn configuration_is_shown_whole_or_by_key() {
    let mut world = broken("config_push", &[("service", "cache"), ("key", "TTL_SECONDS"), ("value", "5")], 8);
    let keys = world.view().config(world.plan().service("cache").unwrap()).count();
    let lines = ["cache configuration at ", "TTL_SECONDS"];
    let reply = check(&mut world, "inspect_config(cache)", &lines, (FactKind::Config, keys, keys));
    assert_eq!(reply.text.lines().count(), keys + 1);
    let lines = ["TTL_SECONDS", "  5  ", "takes seconds, a whole number from 1 to 86400"];
    let reply = check(&mut world, "inspect_config(cache, ttl_seconds)", &lines, (FactKind::Config, 1, 1));
    assert_eq!((&*reply.facts[0].service, &*reply.facts[0].item), ("cache", "TTL_SECONDS"));
    run(&mut world, "update_config(cache, TTL_SECONDS, 600)");
    check(
        &mut world,
        "inspect_config(cache, TTL_SECONDS)",
        &["  600  ", "rollout in progress"],
        (FactKind::Config, 1, 1),
    );
}

#[test]
fn log_search_narrows_by_level_text_and_time() {
    let mut world = broken("crash", &[("service", "cache")], 6);
    let quiet = run(&mut world, "search_logs(web_server, text=user=)");
    assert!(quiet.text.contains("level INFO and up, last 15 min, with `user=`; the latest 30"), "{}", quiet.text);
    assert!(quiet.text.lines().skip(1).all(|l| l.contains("user=")), "{}", quiet.text);
    let loud = run(&mut world, "search_logs(web_server, error, minutes=2)");
    assert!(loud.text.lines().skip(1).all(|l| l.contains(" ERROR ")), "{}", loud.text);
    assert!(loud.facts.iter().any(|f| f.telling));
    check(&mut world, "search_logs(cache, text=\"no such words\")", &["no lines"], (FactKind::Logs, 0, 0));
}

#[test]
fn a_metric_has_a_course() {
    let lines = ["cache hit_rate at ", "last 30 min", "now ", "min ", "max ", "usual ", "course  "];
    check(&mut healthy(), "query_metrics(cache, hit_rate)", &lines, (FactKind::Metrics, 1, 0));
    let mut world = broken("crash", &[("service", "cache")], 6);
    check(&mut world, "query_metrics(cache, hit_rate, 10)", &["last 10 min", "min 0", "█"], (FactKind::Metrics, 1, 1));
}

#[test]
fn traces_walk_the_call_tree() {
    let reply = run(&mut healthy(), "list_traces(orders, 4)");
    assert_eq!(reply.text.matches("\ntrace ").count(), 4, "{}", reply.text);
    for line in ["\n  load_balancer ", "\n    web_server ", "\n      database ", "ms"] {
        assert!(reply.text.contains(line), "{line}\n{}", reply.text);
    }
    assert!(reply.facts.iter().any(|f| f.kind == FactKind::Trace && *f.service == *"database"));
    let mut world = broken("crash", &[("service", "cache")], 6);
    let reply = run(&mut world, "list_traces(checkout, 10)");
    assert!(reply.facts.iter().any(|f| f.telling), "{}", reply.text);
}

#[test]
fn dependencies_are_seen_through_the_caller() {
    let lines = ["web_server calls, at ", "\ncache ", "\ndatabase ", "\nmessage_queue ", "most frequent error"];
    check(&mut healthy(), "check_dependencies(web_server)", &lines, (FactKind::Dependency, 3, 0));
    let mut world = broken("crash", &[("service", "cache")], 6);
    check(&mut world, "check_dependencies(web_server)", &["100%", "refused"], (FactKind::Dependency, 3, 1));
    check(&mut world, "check_dependencies(database)", &["no other service"], (FactKind::Dependency, 0, 0));
}

#[test]
fn the_change_history_can_be_read_and_rolled_back() {
    check(&mut healthy(), "list_changes()", &["last 480 min", "no changes"], (FactKind::Change, 0, 0));
    let mut world = broken("config_push", &[("service", "cache"), ("key", "TTL_SECONDS"), ("value", "5")], 8);
    let lines = ["id ", "author", "cache", "set TTL_SECONDS from 300 to 5"];
    let reply = check(&mut world, "list_changes()", &lines, (FactKind::Change, 1, 1));
    check(&mut world, "list_changes(3)", &["no changes"], (FactKind::Change, 0, 0));
    let action = format!("rollback_change({})", reply.facts[0].item);
    let back = run(&mut world, &action);
    let (service, key) = ("cache".to_string(), "TTL_SECONDS".to_string());
    assert_eq!(back.touched, [Touch::Config { service, key, from: "5".into(), to: "300".into() }]);
    assert!(back.text.contains("rolled back"), "{}", back.text);
    let again = run(&mut world, &action);
    assert!(again.touched.is_empty() && again.text.contains("already"), "{}", again.text);
    check(&mut world, "list_changes()", &["(rolled back)", "on-call"], (FactKind::Change, 2, 1));
    assert!(read(&world, "rollback_change(1)").unwrap_err().contains("the latest are"));
}

#[test]
fn alerts_are_listed_and_silenced() {
    check(&mut healthy(), "list_alerts()", &["alerts at ", "none"], (FactKind::Alert, 0, 0));
    let mut world = broken("crash", &[("service", "cache")], 6);
    let reply = run(&mut world, "list_alerts()");
    assert!(reply.text.contains("cache/down") && reply.text.contains("firing since "), "{}", reply.text);
    assert!(reply.facts.iter().any(|f| *f.service == *"cache" && f.item == "cache/down" && f.telling));
    let silent = run(&mut world, "silence_alert(cache/down)");
    assert_eq!(silent.touched, [Touch::Silence { alert: "cache/down".into() }]);
    assert!(run(&mut world, "list_alerts()").text.contains("(silenced)"));
    assert!(!run(&mut world, "check_status(cache)").text.contains("cache/down"));
}

#[test]
fn routes_stand_against_their_objectives() {
    let mut world = healthy();
    let routes = world.plan().routes.len();
    let lines = ["routes at ", "allowed", "\nbrowse ", "\ncheckout ", "/s", "%", "ms"];
    check(&mut world, "check_routes()", &lines, (FactKind::Status, routes, 0));
    let mut world = broken("crash", &[("service", "cache")], 8);
    let reply = run(&mut world, "check_routes()");
    assert!(reply.facts.iter().any(|f| f.telling), "{}", reply.text);
}

#[test]
fn actions_say_what_they_touched() {
    let mut world = healthy();
    let reply = run(&mut world, "update_config(cache, ttl_seconds, 600)");
    let (service, key) = ("cache".to_string(), "TTL_SECONDS".to_string());
    assert_eq!(reply.touched, [Touch::Config { service, key, from: "300".into(), to: "600".into() }]);
    assert!(reply.text.contains("TTL_SECONDS changed from 300 to 600"), "{}", reply.text);
    let reply = run(&mut world, "update_config(cache, TTL_SECONDS, 600)");
    assert!(reply.touched.is_empty() && reply.text.contains("nothing changed"), "{}", reply.text);
    let reply = run(&mut world, "restart_service(Web Server)");
    assert_eq!(reply.touched, [Touch::Restart { service: "web_server".into() }]);
    assert!(reply.text.contains("restart of 2 instances"), "{}", reply.text);
}

#[test]
fn the_last_word_ends_the_episode() {
    let mut world = healthy();
    let reply = run(&mut world, "resolve_incident(disk was full, raised the quota)");
    let (root_cause, fix) = ("disk was full".to_string(), "raised the quota".to_string());
    assert_eq!(reply.end, Some(End::Resolve { root_cause, fix }));
    let reply = run(&mut world, "escalate(reason=\"out of ideas\")");
    assert_eq!(reply.end, Some(End::Escalate { reason: "out of ideas".into() }));
    assert!(!reply.text.is_empty() && reply.touched.is_empty());
}

#[test]
fn looking_changes_nothing_and_shows_the_same_twice() {
    let mut world = broken("crash", &[("service", "cache")], 6);
    let mut twin = world.clone();
    for action in looks(&world) {
        let call = read(&world, &action).unwrap();
        assert!(call.reads(), "{action}");
        let first = call.run(&mut world.operator());
        assert_eq!(first, call.run(&mut world.operator()), "{action}");
    }
    let end = world.now() + Span::mins(10);
    world.run_until(end);
    twin.run_until(end);
    assert_eq!(world.digest(), twin.digest());
}

/// A fault's name in an observation would be the answer.
#[test]
fn no_reply_names_a_fault() {
    let mut worlds = common::all_broken();
    worlds.push(healthy());
    for world in &mut worlds {
        let mut actions = looks(world);
        actions.extend(
            ["update_config(cache, TTL_SECONDS, 60)", "restart_service(cache)", "list_changes()"].map(String::from),
        );
        for action in actions {
            let text = run(world, &action).text.to_lowercase();
            for fault in world::faults::ALL {
                let spaced = fault.name().replace('_', " ");
                let says =
                    |words: &str| text.match_indices(words).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric));
                assert!(!says(fault.name()) && !says(&spaced), "{action} says {}:\n{text}", fault.name());
            }
        }
    }
}

/// Every way to look at a world.
fn looks(world: &World) -> Vec<String> {
    let mut all: Vec<String> = ["list_alerts()", "list_changes()", "check_routes()"].map(String::from).into();
    for service in &world.plan().services {
        let name = &service.name;
        for tool in
            ["inspect_logs", "inspect_metrics", "check_status", "inspect_config", "search_logs", "check_dependencies"]
        {
            all.push(format!("{tool}({name})"));
        }
        all.extend(service.kind.metrics().iter().map(|m| format!("query_metrics({name}, {})", m.name)));
        all.extend(service.kind.keys().iter().map(|k| format!("inspect_config({name}, {})", k.name)));
    }
    all.extend(world.plan().routes.iter().map(|r| format!("list_traces({}, 10)", r.name)));
    all
}
