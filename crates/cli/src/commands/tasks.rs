//! `tasks`: what there is to be measured on.

use std::path::PathBuf;

use clap::ValueHint;
use harness::Task;
use serde_json::{Value, json};

use crate::exit::Outcome;
use crate::pick::{self, Catalogue};
use crate::{say, sheet};

const EXAMPLES: &str = "\
Examples:
  sre-zero tasks                          all of them
  sre-zero tasks --suite hard             one suite
  sre-zero tasks --task-dir my-tasks      those in a folder of your own
  sre-zero tasks --json | jq '.[].id'     for other programs";

/// Arguments of `tasks`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Only the tasks of this suite
    #[arg(long, value_name = "SUITE", value_parser = pick::suite_names())]
    suite: Option<String>,
    /// List the task files in this folder instead of the built-in ones
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    task_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lists tasks.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let tasks = Catalogue::open(args.task_dir.as_deref())?.suite(args.suite.as_deref())?;
    let text = if args.json {
        let list: Vec<Value> = tasks.iter().map(|t| object(t)).collect();
        serde_json::to_string_pretty(&list)? + "\n"
    } else {
        let rows = tasks.iter().map(|t| row(t));
        sheet::wide(["task", "difficulty", "split", "steps", "suites"], rows)
    };
    say::print(&text)?;
    Ok(Outcome::Fine)
}

fn row(task: &Task) -> [String; 5] {
    let (difficulty, split) = (task.difficulty.text(), task.split.text());
    [task.id.clone(), difficulty.into(), split.into(), task.steps.to_string(), task.suites.join(", ")]
}

fn object(task: &Task) -> Value {
    json!({
        "id": task.id,
        "difficulty": task.difficulty,
        "split": task.split,
        "steps": task.steps,
        "suites": task.suites,
        "digest": task.digest,
    })
}
