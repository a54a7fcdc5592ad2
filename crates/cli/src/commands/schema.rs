//! `schema`: a JSON Schema for task files.

use harness::task::schema;

use crate::exit::CommandOutcome;
use crate::say;

const EXAMPLES: &str = "\
Examples:
  sre-zero schema > task.schema.json
  sre-zero schema --world kubernetes > problem.schema.json

An editor with a TOML language server completes and checks a task file that begins with
  #:schema ./task.schema.json";

/// Arguments of `schema`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What breaks: `services`, or `kubernetes` for problems in a cluster
    #[arg(long, value_name = "WORLD", default_value = "services", value_parser = ["services", "kubernetes"])]
    world: String,
}

/// Prints the schema.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let schema = if args.world == "kubernetes" { problems::problem_schema() } else { schema::schema() };
    say::print(&(serde_json::to_string_pretty(&schema)? + "\n"))?;
    Ok(CommandOutcome::Fine)
}
