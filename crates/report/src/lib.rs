//! Scores become summaries and tables. Everything shown can be recomputed from records, so this
//! crate sees no world and no agent, opens no file and has no state. Exports write to what they are
//! handed.

pub mod analysis;
pub mod clusters;
pub mod compare;
pub mod export;
pub mod facts;
pub mod labels;
pub mod page;
pub mod plots;
mod rounding;
mod stage_table;
pub mod stats;
mod summary;
mod table;
pub mod tables;
mod viewer;

#[cfg(test)]
mod stage;

pub use rounding::rounded;
pub use stage_table::stage_table;
pub use summary::{AgentSummary, RunFacts, Summary};
pub use table::table;
