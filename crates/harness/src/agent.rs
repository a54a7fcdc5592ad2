//! What an agent is to the harness: something that reads text and writes the text of its next action.

use std::sync::Arc;

use thiserror::Error;

use crate::brief::{AnswerKey, Brief};
use crate::memory::Memory;
use crate::model::{ModelCard, ModelTurn, ProviderFault};
use crate::player::{EarlyEnd, Player};
use crate::record::ExchangeLog;
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
    /// Whether it comes with clients of its own, such as kubectl, where there is something for them to reach.
    fn brings_clients(&self) -> bool {
        false
    }
    /// Whether it has lived through other incidents. The others are handed an empty memory.
    fn uses_memory(&self) -> bool {
        false
    }
}

/// What an agent is started with, beside its brief.
pub struct Start<'a> {
    /// Picks whatever it does at random.
    pub seed: u64,
    /// The answer, for kinds that play it; empty for all others.
    pub key: &'a AnswerKey,
    /// Incidents of other seeds, for kinds that remember some; empty for all others.
    pub memory: Arc<Memory>,
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
