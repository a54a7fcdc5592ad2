//! What the tests share: tests are referees, so they may see tasks and truth.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, dead_code)]

use std::sync::Arc;

use harness::grade::Score;
use harness::{EpisodeOptions, Noise, Record, Scenario, Task, ToolSet, run_episode, tasks};

/// Every task that the program carries.
pub fn tasks() -> Vec<Arc<Task>> {
    tasks::embedded().iter().map(|source| source.task().unwrap_or_else(|problem| panic!("{problem}"))).collect()
}

/// The scenario of a task.
pub fn scenario(task: &Arc<Task>, seed: u64) -> Arc<Scenario> {
    Arc::new(Scenario::prepare(task, seed, Noise(0)).unwrap_or_else(|problem| panic!("{problem}")))
}

/// Plays one episode.
pub fn play(agent: &str, scenario: &Arc<Scenario>, tools: ToolSet) -> Record {
    let kind = agents::find(agent).unwrap_or_else(|problem| panic!("{problem}"));
    run_episode(kind, scenario, EpisodeOptions { tools, agent: agent.to_string(), ..EpisodeOptions::default() })
}

/// Plays one episode and grades it.
pub fn score(agent: &str, scenario: &Arc<Scenario>, tools: ToolSet) -> Score {
    play(agent, scenario, tools).score().unwrap_or_else(|problem| panic!("{problem}"))
}
