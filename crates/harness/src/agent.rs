//! What an agent is to the harness: something that reads text and writes the text of its next action.

use std::sync::Arc;

use faces::ToolSet;
use world::Seed;

use crate::episode::{Episode, EpisodeOptions};
use crate::record::EndReason;
use crate::record_io::Record;
use crate::scenario::Scenario;

/// An agent in the middle of an episode.
pub trait Agent {
    /// The text of its next action; `None` if it gives up.
    fn act(&mut self, turn: &Turn<'_>) -> Option<String>;
}

/// A kind of agent: something that can start on an incident.
pub trait AgentKind: Sync {
    /// Its name on the command line and in records.
    fn name(&self) -> &'static str;
    /// What it does, in one line.
    fn about(&self) -> &'static str;
    /// An agent for one episode. `seed` picks whatever it does at random.
    fn start(&self, brief: &Brief, seed: u64, key: &AnswerKey) -> Box<dyn Agent>;
    /// Whether it plays the task's own answer. The others are handed an empty key.
    fn uses_answer_key(&self) -> bool {
        false
    }
}

/// What an agent knows when it is its turn.
pub struct Turn<'a> {
    /// What it was told at the start.
    pub brief: &'a Brief,
    /// The answer to its last action; at first the text of the brief.
    pub observation: &'a str,
    /// Which step this is, from 1.
    pub step: u32,
    /// How many steps are left, this one included.
    pub steps_left: u32,
    /// The reward of its last action.
    pub reward: f64,
}

/// What an agent is told at the start. Nothing in it names the task or the cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// An opaque id.
    pub incident: String,
    /// All of it, as text.
    pub text: String,
    /// The page.
    pub page: String,
    /// The services that there are.
    pub services: Vec<String>,
    /// What can be done.
    pub tools: Vec<ToolDoc>,
    /// The step budget.
    pub steps: u32,
    /// Which set of tools it is.
    pub toolset: ToolSet,
}

/// One tool, as an agent reads of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDoc {
    /// Its name.
    pub name: &'static str,
    /// How it is called.
    pub signature: &'static str,
    /// What it is for.
    pub about: &'static str,
}

/// The answer to a task, for agents that mark the bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerKey {
    /// Calls that solve it.
    pub solution: Vec<String>,
    /// Services whose remediation is a distraction.
    pub distractors: Vec<String>,
}

/// Plays one episode to its end.
pub fn run_episode(kind: &dyn AgentKind, scenario: &Arc<Scenario>, options: EpisodeOptions) -> Record {
    let key = if kind.uses_answer_key() { scenario.answer_key() } else { AnswerKey::default() };
    let mut episode = Episode::start(scenario, options);
    let brief = episode.brief().clone();
    // The id is opaque and differs between tasks, so that a random agent does not play all of them alike.
    let seed = Seed(scenario.seed()).derive(&brief.incident);
    let mut agent = kind.start(&brief, seed.0, &key);
    let mut reward = 0.0;
    while !episode.is_over() {
        let step = episode.steps_taken() + 1;
        let turn = Turn {
            brief: &brief,
            observation: episode.observation(),
            step,
            steps_left: brief.steps + 1 - step,
            reward,
        };
        match agent.act(&turn) {
            Some(text) => reward = episode.step(&text).reward,
            None => episode.end(EndReason::GaveUp),
        }
    }
    episode.finish()
}
