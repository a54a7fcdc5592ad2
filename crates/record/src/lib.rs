//! What is kept of an episode and of a run: the record and its grading, the exchanges with a provider, the run's
//! folder. Everything that is shown of a run is made from these files.
//!
//! A [`Record`] is an episode's event stream; [`grade`] turns it into a [`Score`](grade::Score) without a world; an
//! [`EpisodeLine`] is that score in the index of a run's [`folder`]. This crate knows no world, no tools and no
//! harness, reads no clock and opens no socket: it reads and writes files.

mod blind;
mod calendar;
mod cause;
mod check;
mod digest;
mod error;
mod events;
mod evidence;
pub mod exchanges;
mod facts;
pub mod folder;
pub mod grade;
mod key;
mod line;
pub mod model;
mod name;
mod problem;
mod question;
#[allow(clippy::module_inception, reason = "a record is what this crate is about")]
mod record;
mod shard;
mod split;
mod toolbox;
mod upgrade;

pub use blind::{BlindCeiling, OTHERS as OTHER_BLIND, PREFIX as BLIND, is_blind};
pub use calendar::civil;
pub use cause::{CauseAnswer, CauseCard, Direction, causes_text};
pub use check::Check;
pub use digest::sha256;
pub use error::RecordError;
pub use events::{
    AgentFault, EndReason, Event, Fix, Header, RECORD_VERSION, SIMULATOR, Seal, Step, TaskCard, ToolCard, UserImpact,
};
pub use evidence::Evidence;
pub use exchanges::ExchangeLog;
pub use facts::{Fact, FactKind, Touch};
pub use folder::{Doubt, RunFolder, RunSettings};
pub use key::{is_plain, key};
pub use line::{EpisodeLine, Failure, digest};
pub use model::{ModelCard, ModelTurn, OWN_PROMPT, ProviderFault, Usage};
pub use name::{Name, NamePool};
pub use problem::{LiveTimes, ProblemCard, StageScore, StageVerdict, SubmittedDiagnosis};
pub use question::{LifecycleVerdict, QuestionCard, QuestionVerdict, ReplyReading};
pub use record::{Record, read_text, write_whole};
pub use shard::Shard;
pub use split::Split;
