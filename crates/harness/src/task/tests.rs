use expect_test::{Expect, expect};

use super::Task;
use crate::rehearsal::GONE;

/// Replaces a part of the test's task and expects the error that this gives.
fn check(old: &str, new: &str, expect: Expect) {
    assert!(GONE.contains(old), "{old}");
    let error = Task::parse("tasks/gone.toml", &GONE.replacen(old, new, 1)).err();
    expect.assert_eq(&error.map_or("no error".to_string(), |e| e.to_string()));
}

#[test]
fn a_whole_file_is_a_task() {
    let task = Task::parse("gone.toml", GONE).expect("it is valid");
    let card = task.card();
    assert_eq!(card.evidence, ["check_status:cache", "inspect_metrics:cache"]);
    assert_eq!((card.difficulty.as_str(), card.split.as_str(), card.steps), ("easy", "train", 8));
    assert_eq!(card.digest.len(), 64);
    assert_eq!(task.fault_text(), "crash(service=cache)");
    assert_eq!(task.evidence[0].call(), "check_status(cache)");
}

#[test]
fn names_are_checked() {
    check("id = \"gone\"", "id = \"Gone\"", expect![[""]]);
    check("id = \"gone\"", "id = \"gone_too\"", expect![[""]]);
    check("steps = 8", "steps = 0", expect![[""]]);
    check("[\"srezero-40\"]", "[\"srezero-4\"]", expect![[""]]);
    check("kind = \"crash\"", "kind = \"crsh\"", expect![[""]]);
    check("kind = \"crash\"", "kind = \"leak\"", expect![[""]]);
    check("kind = \"crash\"\n", "", expect![[""]]);
    check("service = \"cache\"", "service = \"cahce\"", expect![[""]]);
    check("service = \"cache\"", "service = \"cache\"\nserver = 1", expect![[""]]);
    check("service = \"cache\"", "service = \"cache\"\nafter_s = \"soon\"", expect![[""]]);
    check("service = \"web_server\"", "service = \"web\"", expect![[""]]);
    check("component = \"cache\"", "component = \"cash\"", expect![[""]]);
    check("[\"crash\"]", "[\"crush\"]", expect![[""]]);
    check("[\"crash\"]", "[]", expect![[""]]);
    check("[\"web_server\"]", "[\"webserver\"]", expect![[""]]);
}

#[test]
fn evidence_and_fixes_are_checked() {
    check("inspect_metrics:cache", "inspect_metric:cache", expect![[""]]);
    check("inspect_metrics:cache", "restart_service:cache", expect![[""]]);
    check("inspect_metrics:cache", "inspect_metrics", expect![[""]]);
    check("inspect_metrics:cache", "inspect_metrics:cache:TTL_SECONDS", expect![[""]]);
    check("inspect_metrics:cache", "inspect_config:cache:TTL", expect![[""]]);
    check("{ restart = \"cache\" }", "{ restart = \"cash\" }", expect![[""]]);
    check("{ restart = \"cache\" }", "{ config = \"cache.TTL_SECONDS\", is = \"> 3\" }", expect![[""]]);
    check("{ restart = \"cache\" }", "{ config = \"cache.TTL_SECONDS\", is = \">= ten\" }", expect![[""]]);
    check("{ restart = \"cache\" }", "{ config = \"web_server.USE_CACHE\", is = \">= 1\" }", expect![[""]]);
    check("{ restart = \"cache\" }", "{ config = \"TTL_SECONDS\", is = \">= 1\" }", expect![[""]]);
    check("{ restart = \"cache\" }", "{ reboot = \"cache\" }", expect![[""]]);
}

#[test]
fn the_world_and_the_solution_are_checked() {
    check("[[decoy]]", "[world]\nbase = \"bank\"\n[[decoy]]", expect![[""]]);
    check("[[decoy]]", "[world]\nload = { chekout = 2.0 }\n[[decoy]]", expect![[""]]);
    check("[[decoy]]", "[world]\nconfig = { \"cache.TTL\" = 3 }\n[[decoy]]", expect![[""]]);
    check("[[decoy]]", "[world]\nconfig = { \"cache.TTL_SECONDS\" = \"ten\" }\n[[decoy]]", expect![[""]]);
    check("[[decoy]]", "[world]\nparams = { \"cache.colour\" = 3 }\n[[decoy]]", expect![[""]]);
    check("[[decoy]]", "[world]\ntickets = [\"cash/down\"]\n[[decoy]]", expect![[""]]);
    check("\"check_status(cache)\",", "\"check_status(cash)\",", expect![[""]]);
    check("\"check_status(cache)\",", "\"check_status(cache)\",".repeat(6).as_str(), expect![[""]]);
    check("    \"resolve_incident", "    # \"resolve_incident", expect![[""]]);
}

#[test]
fn what_is_no_task_file_says_where() {
    check("difficulty = \"easy\"", "difficulty = \"trivial\"", expect![[""]]);
    check("difficulty", "dificulty", expect![[""]]);
    check("steps = 8", "steps = many", expect![[""]]);
}
