//! `agents`: the responders that need no model.

use crate::exit::Outcome;
use crate::{say, sheet};

const EXAMPLES: &str = "\
Examples:
  sre-zero agents
  sre-zero run --agents noop,runbook";

/// `agents` takes no arguments.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

/// Lists the agents.
pub fn run(_args: &Args) -> anyhow::Result<Outcome> {
    let rows = agents::ALL.iter().map(|kind| [kind.name().to_string(), kind.about().to_string()]);
    say::print(&sheet::wide(["agent", "what it does"], rows))?;
    Ok(Outcome::Fine)
}
