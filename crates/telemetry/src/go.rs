//! What the real servers take from Go's standard library, so that numbers, quotes and errors read alike.

pub(crate) mod duration;
mod json_error;
pub(crate) mod number;
pub(crate) mod quote;
pub(crate) mod regexp;
pub(crate) mod template;
pub(crate) mod time;
pub(crate) mod xxhash;

pub(crate) use json_error::json_error;
pub(crate) use number::{format_float, parse_float};
pub(crate) use quote::{quote, unquote};
pub use regexp::{Anchoring, Regexp};
