//! `view`: runs, episodes and live sweeps in a browser, and incidents to play.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::bail;
use clap::ValueHint;

use crate::exit::CommandOutcome;
use crate::say;

/// Where runs are kept by default.
const RUNS: &str = "runs";

const EXAMPLES: &str = "\
Examples:
  sre-zero view --open               all runs in runs/, in your browser
  sre-zero view runs/RUN             one run
  sre-zero view --port 0             any port that is free

It shows runs while they are being written. Play an incident in it, and you stand in the reports as
`human:NAME`. Only this machine can reach it; Ctrl-C ends it.";

/// Arguments of `view`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folder of a run, or a folder of runs [default: runs]
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: Option<PathBuf>,
    /// The port to listen on; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = 7733)]
    port: u16,
    /// Open a browser
    #[arg(long)]
    open: bool,
}

/// Serves until Ctrl-C.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let folder = args.folder.as_deref().unwrap_or(Path::new(RUNS));
    // The default may come to be: one can play before there is any run.
    if args.folder.is_some() && !folder.is_dir() {
        bail!("{} is no folder; give the folder of a run, or a folder of runs", folder.display());
    }
    viewer::serve(folder, args.port, |address| {
        say::note(&format!("Showing {} at {address}\nCtrl-C ends it.", folder.display()));
        if args.open {
            open(address);
        }
    })?;
    Ok(CommandOutcome::Fine)
}

/// Asks the system for a browser. Without one, the address can be typed.
fn open(address: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet =
        Command::new(program).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if quiet.is_err() {
        say::note("No browser could be opened; type the address into one.");
    }
}
