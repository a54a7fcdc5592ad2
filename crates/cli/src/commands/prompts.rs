//! `prompts`: what model agents tell their models.

use std::path::Path;

use agents::model_agents::OwnProfile;
use agents::prompts::{ALL, Prompt, find};
use runner::own_profile;

use crate::exit::CommandOutcome;
use crate::{say, sheet};

const EXAMPLES: &str = "\
Examples:
  sre-zero prompts                  list them
  sre-zero prompts react            show one, with its version and digest
  sre-zero prompts react --text     the text alone, as the model gets it
  sre-zero prompts mine.md          check a prompt of your own, for `run --prompt mine.md`

A change of a prompt changes results: records name the prompt and its version.";

/// Arguments of `prompts`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Show this one, or a file of your own
    pub name: Option<String>,
    /// Print the text alone
    #[arg(long, requires = "name")]
    pub text: bool,
}

/// Lists the prompts, or shows one.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let shown = match &args.name {
        None => list(),
        Some(name) if name.contains(['.', '/']) => show_own(&own_profile(Path::new(name))?, args.text),
        Some(name) => show(find(name).map_err(anyhow::Error::msg)?, args.text),
    };
    say::print(&shown)?;
    Ok(CommandOutcome::Fine)
}

fn list() -> String {
    let row =
        |prompt: &Prompt| [prompt.name(), prompt.version(), &prompt.digest()[..12], prompt.about()].map(str::to_string);
    sheet::wide(["prompt", "version", "digest", "what it is for"], ALL.iter().map(row))
}

fn show(prompt: &Prompt, text_alone: bool) -> String {
    let text = prompt.text();
    if text_alone {
        return format!("{text}\n");
    }
    let (name, version, about, digest) = (prompt.name(), prompt.version(), prompt.about(), prompt.digest());
    format!("prompt   {name}\nversion  {version}\ndigest   {digest}\nfor      {about}\n\n{text}\n")
}

fn show_own(own: &OwnProfile, text_alone: bool) -> String {
    if text_alone {
        return format!("{}\n", own.text);
    }
    let (name, asks, about, label, digest) = (&own.name, own.asks_as(), &own.about, own.label(), own.digest());
    let text = &own.text;
    format!("prompt   {name}\nasks as  {asks}\nlabel    {label}\ndigest   {digest}\nfor      {about}\n\n{text}\n")
}
