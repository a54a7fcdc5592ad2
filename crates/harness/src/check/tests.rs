use std::sync::Arc;

use world::Noise;

use super::*;
use crate::scenario::{WINDOW, harm, verdict};
use crate::test_support::{GONE, ListedActions, SOLUTION, task};

/// Replaces a part of the test's task and expects these certificates to fail.
fn check(old: &str, new: &str, expect: &[&str]) {
    let text = GONE.replacen(old, new, 1);
    let task = Arc::new(Task::parse("gone.toml", &text).expect("it is valid"));
    let certified = certify(&task, 1, Noise(0), &[]);
    let failed: Vec<&str> = certified.certificates.iter().filter(|c| !c.ok).map(|c| c.name).collect();
    assert_eq!(failed, expect, "{:#?}", certified.certificates);
}

#[test]
fn the_tests_own_task_is_certified() {
    let all = certify_all(&[task()], &[1, 2], Noise(0), &[], 2, |_| {});
    assert_eq!(all.iter().map(|c| c.seed).collect::<Vec<_>>(), [1, 2]);
    for certified in all {
        assert!(certified.is_ok(), "{certified:#?}");
        assert_eq!(certified.certificates.iter().map(|c| c.name).collect::<Vec<_>>(), NAMES);
    }
}

#[test]
fn what_is_wrong_with_a_task_is_found() {
    check("the cache crashed and was not running", "no idea", &["solvable"]);
    check("\"metrics:cache\"]", "\"status:message_queue\"]", &["solvable", "visible"]);
    check("\"restart_service(cache)\",", "\"restart_service(web_server)\",", &["solvable"]);
    check("deploy build 2311", "gone", &["no leak"]);
}

/// A listed fix that holds before any action would let any change pass.
#[test]
fn a_fix_that_asks_for_nothing_is_found() {
    check(
        "fix = [{ restart = \"cache\" }]",
        "fix = [{ config = \"cache.TTL_SECONDS\", is = \">= 1\" }]",
        &["not trivial"],
    );
}

/// A fault whose symptoms stay when it is taken away is not their cause: here a second one is not listed as an act.
#[test]
fn symptoms_that_stay_without_the_fault_are_found() {
    let scenario = Scenario::prepare(&task(), 1, Noise(0)).expect("it pages");
    assert!(caused::caused(&Arc::new(scenario)).is_ok());
    let forgotten = Scenario::prepare(&task(), 1, Noise(0)).expect("it pages").without_acts();
    let problem = caused::caused(&Arc::new(forgotten)).expect_err("nothing is taken away");
    assert!(problem.starts_with("30 min after the fault was taken away"), "{problem}");
}

/// An exploit agent that passes spoils the certificate, unless its hole is known: then it is counted.
#[test]
fn exploit_agents_are_really_played() {
    let not_trivial = |name: &'static str| {
        let certified = certify(&task(), 1, Noise(0), &[&ListedActions(name, SOLUTION)]);
        certified.certificates.into_iter().find(|c| c.name == "not trivial").expect("it is one of them")
    };
    let unknown = not_trivial("cheat");
    assert_eq!((unknown.ok, unknown.why.as_str()), (false, "the exploit agent cheat passes"));
    let known = not_trivial("rollback-last");
    assert_eq!((known.ok, known.holes.as_slice()), (true, &["rollback-last"][..]));
}

/// What is kept for testing occurs in no task to learn from, over all suites together; and what is to be tested on has a
/// cause that is kept for it. What was published stands.
#[test]
fn the_splits_hold_over_all_suites() {
    const PUBLISHED: &[&str] =
        &["cascading_db_latency", "misleading_queue_backlog_db_rootcause", "load_balancer_idle_timeout_low"];
    let all = crate::tasks::embedded().iter().map(|source| source.task().expect("shipped tasks are valid"));
    for task in all.filter(|task| !PUBLISHED.contains(&task.id.as_str())) {
        assert_eq!(task.is_held_out(), task.split == crate::task::Split::Test, "{}: {}", task.id, task.fault_text());
    }
}

/// What is judged is what was played: a loop that lasts in the ticks of play must not die in longer ones while a verdict or a
/// twin is waited for.
#[test]
fn the_window_of_a_loop_passes_as_play_does() {
    let mut shipped = crate::tasks::embedded().iter().map(|source| source.task().expect("shipped tasks are valid"));
    let task = shipped.find(|task| task.is_loop()).expect("loops are shipped");
    let scenario = Scenario::prepare(&task, 1, Noise(0)).expect("it pages");
    let mut played = scenario.at_page().sketch();
    played.run_until(scenario.last_end() + WINDOW);
    let felt = harm(&played).less(scenario.felt_before());
    assert_eq!(scenario.twins_felt(scenario.last_end()).0, felt, "the untouched twin");

    let mut judged = scenario.at_page().sketch();
    judged.run_until(scenario.last_end());
    let after = verdict::after_window(&scenario, judged);
    assert_eq!((after.now(), harm(&after)), (played.now(), harm(&played)), "the verification window");
}

/// A kind of change that only breaks things would give away what it breaks: profiles, canaries and certificates come in
/// places that something else broke, too.
#[test]
fn every_kind_of_change_may_be_innocent() {
    let mut innocent = String::new();
    for seed in 0..30 {
        let scenario = Scenario::prepare(&task(), seed, Noise(0)).expect("it pages");
        let changes = scenario.at_page().changes().iter().filter(|change| change.innocent && change.undo.is_some());
        changes.for_each(|change| innocent += &format!("{}\n", change.summary));
    }
    for kind in ["set ", "deploy build ", "resize: ", "apply profile ", "canary pool: ", "install certificate "] {
        assert!(innocent.lines().any(|summary| summary.starts_with(kind)), "no innocent change begins with {kind}");
    }
    // Teams deploy as often as they tune.
    let all = innocent.lines().count() as f64;
    let share = |kind: &str| innocent.lines().filter(|summary| summary.starts_with(kind)).count() as f64 / all;
    assert!(share("set ") < 0.6 && share("deploy ") > 0.25, "{} settings, {} builds", share("set "), share("deploy "));
    assert!(innocent.contains("deploy schema revision "), "stores get migrations, not features");
}

/// No page is answered before it came, and two changes of one thing agree on what was between them.
#[test]
fn histories_agree_with_the_page_and_with_themselves() {
    let sources = crate::tasks::embedded();
    let tasks = crate::suites::select(sources, "recovery").expect("it is carried");
    let (mut answers, mut resizes) = (0, 0);
    for (seed, task) in tasks.iter().enumerate() {
        let scenario = Scenario::prepare(task, 1 << 30 | seed as u64, Noise(0)).expect("it pages");
        let paged = scenario.page().time;
        for change in scenario.at_page().changes().iter().filter(|change| &*change.author == "on-call") {
            assert!(change.time >= paged, "{}: {} at {}, page at {paged}", task.id, change.summary, change.time);
            answers += 1;
        }
        let resized = |service| {
            let all = scenario.at_page().changes().iter().filter(move |change| change.service == service);
            all.filter(|change| change.summary.starts_with("resize: ")).count()
        };
        for times in (0..task.plan.services.len()).map(resized) {
            assert!(times <= 1, "{}: the machines of a service changed {times} times", task.id);
            resizes += times;
        }
    }
    assert!(answers > 100 && resizes > 10, "{answers} answers, {resizes} resizes");
}
