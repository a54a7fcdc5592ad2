use std::sync::Arc;

use world::Noise;

use super::*;
use crate::rehearsal::{GONE, task};

/// Replaces a part of the test's task and expects these certificates to fail.
fn check(old: &str, new: &str, expect: &[&str]) {
    let text = GONE.replacen(old, new, 1);
    let task = Arc::new(Task::parse("gone.toml", &text).expect("it is valid"));
    let certified = certify(&task, 1, Noise(0));
    let failed: Vec<&str> = certified.certificates.iter().filter(|c| !c.ok).map(|c| c.name).collect();
    assert_eq!(failed, expect, "{:#?}", certified.certificates);
}

#[test]
fn the_tests_own_task_is_certified() {
    let all = certify_all(&[task()], &[1, 2], Noise(0), 2, |_| {});
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
    check("\"restart_service(cache)\",", "\"restart_service(web_server)\",", &["caused", "solvable"]);
    check("deploy build 2311", "gone", &["no leak"]);
}
