//! Failure analysis: how episodes went, where they went wrong, and what agents use their steps for.
//!
//! - [`Category`] and [`conditionals`] need scores alone;
//! - [`Autopsy`] examines one record, [`Analysis`] sums them up as they come.

mod autopsy;
mod category;
mod conditional;
mod reasons;
mod tally;
pub mod text;
mod tool_use;
mod wrong_turn;

#[cfg(test)]
mod tests;

pub use autopsy::{Autopsy, Moment};
pub use category::Category;
pub use conditional::{Conditional, conditionals};
pub use reasons::reasons;
pub use tally::{AgentAnalysis, Analysis, GroupAnalysis};
pub use tool_use::ToolUse;
pub use wrong_turn::{Why, WrongTurn};
