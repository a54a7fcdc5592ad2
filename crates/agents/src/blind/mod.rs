//! The blind family: agents that may use everything but symptoms. Page, id, clock, configuration, change history and
//! the memory of a thousand other incidents are theirs; metrics, logs, traces, status and health are not. The best of
//! them on a suite is its blind ceiling: what takes no understanding.
//!
//! A new member is a file with a [`BlindPolicy`] and its line in [`ALL`].

pub mod author;
mod candidates;
mod deeds;
mod discriminant;
mod driver;
pub mod hedge;
pub mod id;
pub mod last_three;
pub mod likelihood;
pub mod linear;
mod logistic;
mod marks;
pub mod memory;
pub mod nearest;
mod norms;
pub mod odd_config;
pub mod page;
pub mod paged_first;
pub mod restart_paged;
pub mod seconds;
mod seen;
mod transfer;

use harness::{Agent, AgentKind, Brief, Memory, Start};

use crate::exploits::{restart_all, rollback_everything, rollback_last, undo_the_real_key};
use deeds::Decision;
use driver::BlindAgent;
use seen::Seen;

/// All of them, in the order in which tables show them. Exploit agents that look at no symptom belong to it.
pub const ALL: &[&dyn AgentKind] = &[
    &Blind(&id::ById),
    &Blind(&page::ByPage),
    &Blind(&memory::ByMemory),
    &Blind(&odd_config::OddConfig),
    &rollback_last::RollbackLast,
    &Blind(&last_three::LastThree),
    &rollback_everything::RollbackEverything,
    &undo_the_real_key::UndoTheRealKey,
    &Blind(&seconds::BySeconds),
    &Blind(&author::ByAuthor),
    &Blind(&paged_first::PagedFirst),
    &restart_all::RestartAll,
    &Blind(&restart_paged::RestartPaged),
    &Blind(&hedge::Hedge),
    &Blind(&nearest::Nearest),
    &Blind(&linear::Linear),
    &Blind(&likelihood::BY_ALL),
    &Blind(&likelihood::BY_SWITCHES),
    &Blind(&likelihood::BY_CHANGES),
    &Blind(&likelihood::SEVERAL),
];

/// Those that know an incident again when they meet it under another seed: what the generator tries its tasks with.
pub const WITH_MEMORY: &[&dyn AgentKind] = &[&Blind(&memory::ByMemory)];

/// The name that stands for the whole family where agents are chosen.
pub const FAMILY: &str = "blind";

/// A way to decide without a symptom.
pub trait BlindPolicy: Sync {
    /// Its name: it begins with `blind-`.
    fn name(&self) -> &'static str;
    /// What it does, in one line.
    fn about(&self) -> &'static str;
    /// What it reads before it decides.
    fn reads(&self) -> Reads;
    /// What it does about what it has read.
    fn decide(&self, seen: &Seen, memory: &Memory) -> Decision;
}

/// What a blind agent reads before it decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The brief alone.
    Brief,
    /// The change history.
    Changes,
    /// Change history and configurations, as far as the budget goes.
    All,
}

/// A blind policy as a kind of agent.
pub struct Blind(pub &'static dyn BlindPolicy);

impl AgentKind for Blind {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn about(&self) -> &str {
        self.0.about()
    }

    fn start(&self, brief: &Brief, start: Start<'_>) -> Box<dyn Agent> {
        Box::new(BlindAgent::new(self.0, brief, start.memory))
    }

    fn uses_memory(&self) -> bool {
        true
    }
}
