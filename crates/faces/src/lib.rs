//! The world as an operator sees it: text in, text out.
//!
//! An agent writes an action; [`parse`] turns it into a [`Call`] or says what would have been right;
//! [`Call::run`] gives a [`Reply`]: what to show, the facts that it showed, and what it changed. This
//! crate opens no sockets, reads no clock and is never handed a world, only a [`world::View`] or a
//! [`world::Operator`]: what an operator cannot see, no reply can contain.

mod args;
mod call;
mod parse;
mod reply;
mod schema;
mod sheet;
mod tool;
pub mod tools;
mod toolset;

pub use args::Args;
pub use call::Call;
pub use parse::{MAX_CHARS, parse};
pub use reply::{End, Fact, FactKind, Reply, Touch};
pub use schema::{action_text, input_schema};
pub use tool::{Param, Run, Takes, Tool};
pub use toolset::{ToolSet, UnknownToolSet};
