//! `schema`: a JSON Schema for task files.

use harness::task::schema;

use crate::exit::CommandOutcome;
use crate::say;

const EXAMPLES: &str = "\
Examples:
  sre-zero schema > task.schema.json

An editor with a TOML language server completes and checks a task file that begins with
  #:schema ./task.schema.json";

/// Arguments of `schema`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

/// Prints the schema.
pub fn run(_: &Args) -> anyhow::Result<CommandOutcome> {
    say::print(&(serde_json::to_string_pretty(&schema::schema())? + "\n"))?;
    Ok(CommandOutcome::Fine)
}
