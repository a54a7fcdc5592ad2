//! What an agent is to the harness: something that reads text and writes the text of its next action.

use std::sync::Arc;

use faces::{ToolDoc, ToolSet};
use thiserror::Error;
use world::Seed;

use crate::episode::{Episode, EpisodeOptions};
use crate::model::{ModelCard, ModelTurn, ProviderFault};
use crate::player::{EarlyEnd, Player, Referee};
use crate::record::{ExchangeLog, Record};
use crate::scenario::Scenario;
use crate::stop::Stop;

/// An agent in the middle of an episode.
pub trait Agent {
    /// What it does next.
    fn act(&mut self, turn: &Turn<'_>) -> Move;
}

/// What an agent does when it is its turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// It writes its next action.
    Act(Saying),
    /// It gives up.
    GiveUp,
    /// Its provider failed: the episode is missing data.
    ProviderFailed(ProviderFault),
    /// The run is to stop here and go on later: the episode is not over.
    Hold,
    /// Something broke that is neither the agent's doing nor its provider's: a full disk, a recording
    /// that lacks an answer. The episode cannot be played.
    Broken(String),
}

/// The text of an action, and what was asked of a model for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saying {
    /// The text.
    pub text: String,
    /// What was asked of a model, if one was asked.
    pub model: Option<ModelTurn>,
}

impl From<String> for Move {
    fn from(text: String) -> Move {
        Move::Act(Saying { text, model: None })
    }
}

/// An agent that has nothing more to say gives up.
impl From<Option<String>> for Move {
    fn from(text: Option<String>) -> Move {
        text.map_or(Move::GiveUp, Move::from)
    }
}

/// A kind of agent: something that can start on an incident.
pub trait AgentKind: Sync {
    /// Its name on the command line and in records.
    fn name(&self) -> &str;
    /// What it does, in one line.
    fn about(&self) -> &str;
    /// An agent for one episode.
    fn start(&self, brief: &Brief, start: Start<'_>) -> Box<dyn Agent>;
    /// Plays an episode to its end and gives the player back. The usual way is to be asked for one
    /// action after the other; an agent that is a program of its own comes to the episode by its own way.
    fn play(&self, player: Player, start: Start<'_>, stop: &Stop) -> Result<Player, Unfinished> {
        let agent = self.start(&player.brief().clone(), start);
        ask(agent, player, stop)
    }
    /// The model behind it, if there is one.
    fn model(&self) -> Option<ModelCard> {
        None
    }
    /// How a command line asks for it, if its name is not enough.
    fn flags(&self) -> Option<String> {
        None
    }
    /// Whether it plays the task's own answer. The others are handed an empty key.
    fn uses_answer_key(&self) -> bool {
        false
    }
}

/// What an agent is started with, beside its brief.
pub struct Start<'a> {
    /// Picks whatever it does at random.
    pub seed: u64,
    /// The answer, for kinds that play it; empty for all others.
    pub key: &'a AnswerKey,
    /// Where its exchanges with a provider are written down.
    pub exchanges: ExchangeLog,
}

/// What an agent knows when it is its turn. What its last action was worth is not told:
///
/// ```compile_fail,E0609
/// fn peek(turn: &harness::Turn<'_>) -> f64 { turn.reward }
/// ```
pub struct Turn<'a> {
    /// What it was told at the start.
    pub brief: &'a Brief,
    /// The answer to its last action; at first the text of the brief.
    pub observation: &'a str,
    /// Whether its last action was invalid: nothing was done.
    pub invalid: bool,
    /// Which step this is, from 1.
    pub step: u32,
    /// How many steps are left, this one included.
    pub steps_left: u32,
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

/// The answer to a task, for agents that mark the bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerKey {
    /// Calls that solve it.
    pub solution: Vec<String>,
    /// Services whose remediation is a distraction.
    pub distractors: Vec<String>,
}

/// Why an episode was not played to its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unfinished {
    /// The run was asked to stop; so many steps were taken.
    #[error("stopped after {0} steps")]
    Held(u32),
    /// It cannot be played.
    #[error("{0}")]
    Broken(String),
}

/// Plays one episode to its end with an agent that needs nobody else.
pub fn run_episode(kind: &dyn AgentKind, scenario: &Arc<Scenario>, options: EpisodeOptions) -> Record {
    let played = play_episode(kind, scenario, options, ExchangeLog::in_memory(), &Stop::default());
    played.unwrap_or_else(|problem| panic!("{}: {problem}", kind.name()))
}

/// Plays one episode to its end, or until somebody asks to stop.
pub fn play_episode(
    kind: &dyn AgentKind,
    scenario: &Arc<Scenario>,
    options: EpisodeOptions,
    exchanges: ExchangeLog,
    stop: &Stop,
) -> Result<Record, Unfinished> {
    let key = if kind.uses_answer_key() { scenario.answer_key() } else { AnswerKey::default() };
    let episode = Episode::start(scenario, EpisodeOptions { model: kind.model(), ..options });
    // The id is opaque and differs between tasks, so that a random agent does not play all of them alike.
    let seed = Seed(scenario.seed()).derive(&episode.brief().incident);
    let referee = Referee::new();
    let played = kind.play(referee.seat(episode), Start { seed: seed.0, key: &key, exchanges }, stop)?;
    Ok(referee.finish(played))
}

/// Asks an agent for one action after the other.
fn ask(mut agent: Box<dyn Agent>, mut player: Player, stop: &Stop) -> Result<Player, Unfinished> {
    let brief = player.brief().clone();
    while !player.is_over() {
        if stop.is_asked() {
            return Err(Unfinished::Held(player.steps_taken()));
        }
        let turn = Turn {
            brief: &brief,
            observation: player.observation(),
            invalid: player.was_invalid(),
            step: player.steps_taken() + 1,
            steps_left: player.steps_left(),
        };
        match agent.act(&turn) {
            Move::Act(saying) => drop(player.step_of(&saying.text, saying.model)),
            Move::GiveUp => player.end(EarlyEnd::GaveUp),
            Move::ProviderFailed(fault) => player.end(EarlyEnd::ProviderFailed(fault)),
            Move::Hold => return Err(Unfinished::Held(player.steps_taken())),
            Move::Broken(problem) => return Err(Unfinished::Broken(problem)),
        }
    }
    Ok(player)
}
