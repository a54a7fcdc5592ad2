//! LogQL: from text to a tree, and from a tree and log streams to lines or values.

pub(crate) mod ast;
mod extract;
mod filters;
mod format;
mod functions;
mod lex;
mod metric;
mod parse;
mod pipeline;
mod print;

pub(crate) use extract::{logfmt_fields, sanitized};
pub(crate) use lex::bytes;
pub(crate) use metric::Moments;
pub(crate) use parse::parse;
pub(crate) use pipeline::Entry;
