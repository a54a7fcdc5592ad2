//! `completions`: a script for the shell's own completion.

use clap_complete::Shell;

use crate::exit::CommandOutcome;
use crate::say;

const EXAMPLES: &str = "\
Examples:
  sre-zero completions bash > ~/.local/share/bash-completion/completions/sre-zero
  sre-zero completions fish > ~/.config/fish/completions/sre-zero.fish
  source <(sre-zero completions zsh)";

/// Arguments of `completions`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Writes the script for the whole command line to standard output.
pub fn run(args: &Args, mut program: clap::Command) -> anyhow::Result<CommandOutcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "sre-zero", &mut script);
    say::print(&String::from_utf8_lossy(&script))?;
    Ok(CommandOutcome::Fine)
}
