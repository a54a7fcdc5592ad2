//! Audits a set: one of ours, or a published file.
//!
//! `cargo run --release -p sre-zero-questions --example audit_set -- FILE`. It ends with 1 if a shortcut works.
#![allow(clippy::disallowed_methods, reason = "it reads files")]

use std::error::Error;
use std::process::ExitCode;

use questions::{audit, import};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: audit_set FILE")?;
    let set = import::read_any(&file, &std::fs::read_to_string(&file)?)?;
    let found = audit::audit(&set.questions);
    print!("{}", found.table(12));
    let flawed = set.questions.iter().filter(|question| question.flaw().is_some()).count();
    println!("{} questions, {flawed} with a flaw, {} not read", set.questions.len(), set.rejected.len());
    Ok(if found.passes() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
