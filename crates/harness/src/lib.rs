//! Tasks, episodes, suites, sweeps.
//!
//! A [`Task`] is parsed once; [`Scenario::prepare`] breaks its world and runs it until the page; an
//! [`Episode`] is the one gate through which an agent acts; its [`Record`] is all that graders,
//! tables and replays read. This crate calls no model and opens no socket.

pub mod agent;
mod brief;
pub mod catalogue;
pub mod challenge;
pub mod check;
mod configuration;
pub mod difficulty;
pub mod diversity;
mod episode;
#[cfg(test)]
mod episode_tests;
mod error;
pub mod generate;
mod judgement;
mod lived;
pub mod manual;
mod memory;
pub mod needs_looking;
mod one_step;
mod player;
mod pool;
mod question;
pub mod remember;
pub mod replay;
#[cfg(test)]
mod replay_tests;
mod resting;
mod scenario;
mod situation;
pub mod skills;
mod stop;
mod suite_names;
pub mod suites;
pub mod sweep;
pub mod task;
pub mod tasks;
pub mod telemetry;
#[cfg(test)]
mod test_support;
mod toolbox;

pub use ::record;
pub use agent::{Agent, AgentKind, Move, Saying, Start, Turn, Unfinished};
pub use brief::{AnswerKey, Brief, Handout, Messages};
pub use challenge::{Backend, Challenge, Incident, Simulator, play_episode, run_episode, run_remembering};
pub use configuration::ConfigurationRequest;
pub use episode::{Episode, EpisodeOptions};
pub use error::{Error, TaskError};
pub use faces::{
    Effect, Param, ParamOptions, Tool, ToolDoc, ToolSet, UnknownToolSet, Writing, action_text, input_schema,
    unknown_name,
};
pub use judgement::JudgedReply;
pub use memory::{Example, Memory};
pub use one_step::{OneStep, OneStepChallenge};
pub use player::{EarlyEnd, OVER, Playable, Player, Referee, Shown, StepOutcome, Trainer};
pub use pool::Pool;
pub use record::{
    ExchangeLog, ModelCard, ModelTurn, ProviderFault, Record, RecordError, Usage, civil, exchanges, grade, model,
    read_text, sha256, write_whole,
};
pub use remember::MemorySource;
pub use scenario::{Scenario, ScenarioCache, WINDOW};
pub use situation::{AS_WRITTEN, proved};
pub use stop::{Stop, StopReason};
pub use task::{Difficulty, Split, Task};
pub use world::rng::mix;
pub use world::{Key, Noise, Seed, Span, Time, View, WORLD_VERSION};
