//! `mcp`: one incident for a client that starts its server itself, over standard input and output.

use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use clap::ValueHint;
use doors::session::{Limits, Sessions, StartRequest};
use harness::{Record, Referee};
use server::{fresh_id, signals, stdio};

use crate::exit::CommandOutcome;
use crate::say;
use crate::serve::keep::keep_all;
use crate::serve::offered::{Extras, Offered, settings};

const EXAMPLES: &str = "\
Examples:
  sre-zero mcp --task TASK                      one incident; the client starts this command
  sre-zero mcp --suite hard --seed 7            the seed picks the task as well
  sre-zero mcp --task TASK --out runs/mine      keep the record; several may share the folder

For a client that reads a JSON configuration:
  {\"mcpServers\": {\"incident\": {\"command\": \"sre-zero\", \"args\": [\"mcp\", \"--task\", \"TASK\"]}}}

The tools are those of the incident, the page comes as the instructions and as the prompt `page`,
and `resolve_incident` or `escalate` end it. Protocol revisions 2024-11-05 to 2026-07-28.";

/// A session for as long as the process lives.
const NEVER: Duration = Duration::from_secs(u32::MAX as u64);

/// Arguments of `mcp`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    offered: Offered,
    /// The longest line that is read
    #[arg(long, value_name = "BYTES", default_value_t = 256 * 1024, value_parser = clap::value_parser!(u32).range(1024..))]
    max_bytes: u32,
    /// Keep the record in this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
}

/// Answers until the client goes away, then seals the episode.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let offer = args.offered.offer(Extras { incidents: 1, ..Extras::default() }, args.out.as_deref())?;
    let settings = settings(&offer);
    if let Some(out) = &args.out {
        // Before the episode: a game must not be played for nothing.
        keep_all(out, &settings, Vec::new())?;
    }
    let (records, sealed) = mpsc::channel::<Record>();
    let limits = Limits { sessions: 1, idle: NEVER };
    let referee = Referee::new();
    let catalogue = offer.catalogue(&referee);
    let keep = Box::new(move |player| drop(records.send(referee.finish(player))));
    let sessions = Sessions::new(catalogue, limits, args.offered.pace, keep);
    let id = fresh_id();
    sessions.open_with(
        id,
        StartRequest { seed: args.offered.first_seed(), ..StartRequest::default() },
        Duration::ZERO,
    )?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        // Signals are heard within the runtime alone.
        let stop = signals::stop();
        stdio::serve(&sessions, id, args.max_bytes as usize, stop).await
    });
    // A read of the input may still wait for a client that has gone.
    runtime.shutdown_background();
    drop(sessions);
    if let Some(out) = &args.out {
        let kept = keep_all(out, &settings, sealed.iter().collect())?;
        say::note(&format!("{} kept in {}", say::count(kept.episodes, "episode"), out.display()));
    }
    ended?;
    Ok(CommandOutcome::Fine)
}
