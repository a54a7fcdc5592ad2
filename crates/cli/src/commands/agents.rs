//! `agents`: who can respond to an incident.

use agents::{model_agents, providers};

use crate::exit::CommandOutcome;
use crate::{say, sheet};

const EXAMPLES: &str = "\
Examples:
  sre-zero agents
  sre-zero run --agents noop,runbook
  sre-zero run --agents react --models openai/MODEL
  sre-zero run --agents 'exec:python3 my_agent.py'      a program of your own; see docs/clients/exec.md";

/// `agents` takes no arguments.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

/// Lists the agents.
pub fn run(_args: &Args) -> anyhow::Result<CommandOutcome> {
    let rows = agents::ALL.iter().map(|kind| [kind.name().to_string(), kind.about().to_string()]);
    say::print(&sheet::wide(["agent", "what it does"], rows))?;
    let rows = model_agents::ALL.iter().map(|profile| [profile.name.to_string(), profile.about.to_string()]);
    say::print(&format!("\n{}", sheet::wide(["with a model", "what it does"], rows)))?;
    let rows = providers::ALL.iter().map(|provider| [provider.name.to_string(), provider.about.to_string()]);
    say::print(&format!("\n{}", sheet::wide(["provider", "what it is; models are written provider/model"], rows)))?;
    Ok(CommandOutcome::Fine)
}
