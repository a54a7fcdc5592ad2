//! What the tests share: one incident, in which the cache dies. Tests are referees, so they may see tasks.
#![allow(clippy::disallowed_types)]

use std::sync::{Arc, OnceLock};

use harness::Task;

const GONE: &str = include_str!("../../harness/fixtures/gone.toml");

pub const SOLUTION: &[&str] = &[
    "check_status(cache)",
    "inspect_metrics(cache)",
    "restart_service(cache)",
    "resolve_incident(root_cause=\"the cache crashed and was not running\", fix=\"restarted the cache\")",
];

pub fn task() -> Arc<Task> {
    static TASK: OnceLock<Arc<Task>> = OnceLock::new();
    TASK.get_or_init(|| Arc::new(Task::parse("gone.toml", GONE).expect("the test's task is valid"))).clone()
}
