//! The part of SQL that people type when a database is in trouble, for more than one dialect.

mod eval;
mod expression;
mod lexer;
mod select;

pub(super) use eval::{SqlFunctions, SqlValue, evaluate};
pub(super) use expression::SqlParser;
pub(super) use lexer::{SqlToken, split, tokens};
pub(super) use select::{SqlTable, parse_select, project};
