//! `view`: runs, episodes and live sweeps in a browser, and incidents to play.

use std::net::{IpAddr, SocketAddr};
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
  sre-zero view --host 0.0.0.0       for colleagues: give them the address with the token

It shows runs while they are being written. Play an incident in it, and you stand in the reports as
`human:NAME`. The address that it prints has a token in it, without which nothing is shown: agents
on the same machine must not read the truth. Only this machine can reach it, unless --host says
otherwise. Ctrl-C ends it.";

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
    /// Where to listen: 0.0.0.0 lets other machines in, with the token and without encryption
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// The token that a browser must show, at least 16 letters and digits; better given in the environment
    /// [default: a new one at each start]
    #[arg(long, value_name = "TOKEN", env = "SRE_ZERO_VIEW_TOKEN", hide_env_values = true)]
    token: Option<String>,
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
    let at = SocketAddr::new(args.host, args.port);
    viewer::serve(folder, at, args.token.as_deref(), |address| {
        let others = if args.host.is_unspecified() {
            "For other machines put this one's name or address in place of 127.0.0.1.\n"
        } else {
            ""
        };
        say::note(&format!("Showing {} at {address}\n{others}Ctrl-C ends it.", folder.display()));
        if args.open {
            open(address);
        }
    })?;
    Ok(CommandOutcome::Fine)
}

/// Asks the system for a browser. Where there is none, the address can be typed.
fn open(address: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet =
        Command::new(program).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if quiet.is_err() {
        say::note("No browser could be opened; type the address into one.");
    }
}
