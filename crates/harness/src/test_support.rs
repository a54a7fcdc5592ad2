//! One incident for the tests: the cache dies. And agents that play from a list.

use std::sync::{Arc, OnceLock};

use world::Noise;

use crate::agent::{Agent, AgentKind, Move, Start, Turn};
use crate::brief::Brief;
use crate::episode::{Episode, EpisodeOptions};
use crate::record::Record;
use crate::scenario::Scenario;
use crate::task::Task;

/// The task file, named `gone.toml`.
pub const GONE: &str = include_str!("../fixtures/gone.toml");

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

/// The incident under a seed; seed 1 is prepared once for all tests.
pub fn scenario(seed: u64) -> Arc<Scenario> {
    static FIRST: OnceLock<Arc<Scenario>> = OnceLock::new();
    let prepare = || Arc::new(Scenario::prepare(&task(), seed, Noise(1)).expect("the test's task pages"));
    if seed == 1 { FIRST.get_or_init(prepare).clone() } else { prepare() }
}

pub fn start(seed: u64) -> Episode {
    Episode::start(&scenario(seed), EpisodeOptions { agent: "test".into(), ..EpisodeOptions::default() })
}

pub fn play(seed: u64, calls: &[&str]) -> Record {
    let mut episode = start(seed);
    for call in calls {
        episode.step(call);
    }
    episode.finish()
}

/// An agent that plays from a list, panics at `panic` and gives up at its end.
pub struct ListedActions(pub &'static str, pub &'static [&'static str]);

impl AgentKind for ListedActions {
    fn name(&self) -> &'static str {
        self.0
    }

    fn about(&self) -> &'static str {
        "plays from a list"
    }

    fn start(&self, _: &Brief, _: Start<'_>) -> Box<dyn Agent> {
        Box::new(Playing(self.1.iter()))
    }
}

struct Playing(std::slice::Iter<'static, &'static str>);

impl Agent for Playing {
    fn act(&mut self, _: &Turn<'_>) -> Move {
        let next = self.0.next();
        assert_ne!(next, Some(&"panic"), "told to");
        next.map(|text| text.to_string()).into()
    }
}
