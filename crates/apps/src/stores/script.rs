//! The part of JavaScript that people type into a database shell: literals, calls, variables, conditions, functions.

mod eval;
mod lexer;
mod parser;
mod value;

pub(super) use eval::{Scope, ScriptHost, run};
pub(super) use parser::parse;
pub(super) use value::{JsValue, ScriptError};
