//! The network faces from outside: the same record through each, nothing that leaks, and no client that can
//! break them.

mod faces;
mod fuzz;
mod hostile;
mod killed;
mod leaks;
mod limits;
#[allow(dead_code, reason = "the measurements need the rest")]
mod wire;

use serde_json::Value;

/// JSON of an answer.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}
