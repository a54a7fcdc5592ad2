//! The world as an operator sees it: text in, text out.
//!
//! An agent writes an action; [`parse`] turns it into a [`Call`] or says what would have been right;
//! [`Call::run`] gives a [`Reply`]: what to show, the facts that it showed, and what it changed. This
//! crate opens no sockets, reads no clock and is never handed a world, only a [`world::View`] or a
//! [`world::Operator`]: what an operator cannot see, no reply can contain.
//!
//! A tool says all of itself ([`Tool`]); [`ToolDoc`] is the same as data, and everything else that speaks of tools
//! (protocols, prompts, forms, completion, learners, documents) is made from these two.

mod args;
mod call;
mod doc;
pub mod learn;
mod nearest;
mod param;
pub mod params;
mod parse;
mod reply;
mod sheet;
mod tool;
pub mod tools;
mod toolset;

pub use args::ToolArgs;
pub use call::Call;
pub use doc::{ToolDoc, action_text, every_call, input_schema};
pub use nearest::{near_hint, nearest, unknown_name};
pub use param::{Given, Param, ParamKind, ParamOptions, Writing};
pub use parse::{MAX_CHARS, parse};
pub use reply::{End, Fact, FactKind, Reply, Touch};
pub use tool::{Effect, Glance, Run, Tool};
pub use toolset::{ToolList, ToolSet, UnknownToolSet};
