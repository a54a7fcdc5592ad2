//! PromQL: from text to a tree ([`parse`]), and from a tree and series to values ([`Engine`]).

mod annotations;
pub(crate) mod ast;
mod check;
mod engine;
pub(crate) mod functions;
mod lex;
mod parse;
pub(crate) mod pretty;
mod print;

pub use annotations::Annotations;
pub use ast::PromqlExpr;
pub use engine::{Engine, EvalError, InstantVector, Point, QueryResult, QueryValue, ResultSeries};
pub use parse::{Features, ParseError, parse, parse_selector};
