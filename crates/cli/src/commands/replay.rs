//! `replay`: the same task, seed and calls must give the same record, to the byte.

use std::path::PathBuf;

use anyhow::Context;
use clap::ValueHint;
use harness::replay::{self, Replay};
use harness::{Record, read_text, sha256};

use crate::exit::Outcome;
use crate::pick::Catalogue;
use crate::{say, timeline};

const EXAMPLES: &str = "\
Examples:
  sre-zero replay runs/RUN/records/runbook/TASK/0.jsonl
  sre-zero replay one.jsonl --task-dir my-tasks    a record of a task of your own

It prints what happened, then whether it happened again; it ends with 1 if it did not.";

/// Arguments of `replay`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The record of an episode
    #[arg(value_name = "RECORD", value_hint = ValueHint::FilePath)]
    record: PathBuf,
    /// Look for the task in this folder of your own first
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    task_dir: Option<PathBuf>,
}

/// Prints the timeline and compares.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let text = read_text(&args.record, "read the record", "run the episode again")?;
    let stored = Record::parse(&args.record, &text)?;
    let place = || args.record.display().to_string();
    let id = stored.header().map(|h| h.task.id.clone()).unwrap_or_default();
    let task = Catalogue::open(args.task_dir.as_deref())?.one(&id);
    let task =
        task.with_context(|| format!("{}: its task is not built in; say where it is with --task-dir", place()))?;
    // To the byte: the file counts, not what was understood of it.
    let replayed = Replay { stored: sha256(text.as_bytes()), ..replay::replay(&stored, &task).with_context(place)? };
    say::print(&(timeline::text(&stored) + &verdict(&replayed)))?;
    Ok(if replayed.is_same() { Outcome::Fine } else { Outcome::Failed })
}

fn verdict(replay: &Replay) -> String {
    match &replay.difference {
        _ if replay.is_same() => format!("replayed: the same digest, {}\n", replay.stored),
        Some(at) => format!(
            "replayed: it differs at {}, in `{}`\n  stored   {}\n  replayed {}\n",
            at.place, at.field, at.stored, at.again
        ),
        None => format!(
            "replayed: the same events, written otherwise\n  stored   {}\n  replayed {}\n",
            replay.stored, replay.again
        ),
    }
}
