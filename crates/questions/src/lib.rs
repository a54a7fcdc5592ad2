//! Questions about changes and infrastructure code: an episode of one step.
//!
//! The one entry is [`Question`]: [`Question::prompt`] asks it with its options permuted by a seed,
//! [`Question::grade`] reads a reply and says what it is worth, by the published scoring and by ours.
//! A set of questions is read with [`store`] or [`import`]; made with [`make`] from a history, with [`written`] from a
//! model of changes and with [`resources`] from a model of infrastructure; and held against rules that never understand a
//! question with [`audit`].
//!
//! Invariant: no clock, no network, no files. Text goes in, text comes out; [`git`] alone starts a process.

pub mod account;
pub mod ask;
pub mod audit;
pub mod consistency;
pub mod diff;
pub mod git;
pub mod grade;
pub mod import;
pub mod judge;
pub mod localise;
pub mod make;
pub mod masked;
pub mod question;
pub mod reading;
pub mod reply;
pub mod resources;
pub mod shipped;
pub mod skill;
pub mod store;
pub mod words;
pub mod written;

pub use ask::QuestionPrompt;
pub use grade::{PublishedScore, QuestionOutcome};
pub use question::{ChoiceSet, Expected, Origin, Provenance, Question};
pub use reply::{AnswerReading, ModelReply};
pub use skill::Skill;

/// The version of asking and grading: a change that moves grades raises it.
pub const QUESTIONS_VERSION: u32 = 1;
