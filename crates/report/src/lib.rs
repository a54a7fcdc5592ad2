//! Scores become summaries and tables. Everything shown can be recomputed from records, so this
//! crate sees no world and no agent, does no IO and has no state.

pub mod analysis;
pub mod compare;
pub mod page;
pub mod plots;
mod rounding;
pub mod stats;
mod summary;
mod table;
pub mod tables;

#[cfg(test)]
mod stage;

pub use rounding::rounded;
pub use summary::{AgentSummary, Run, Summary};
pub use table::table;
