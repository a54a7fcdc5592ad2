//! `tasks`: what there is to be measured on.

use std::path::PathBuf;
use std::sync::Arc;

use agents::runbook::Runbook;
use anyhow::bail;
use clap::ValueHint;
use harness::difficulty::{self, Figures};
use harness::{OneStep, Task, skills};
use problems::ClusterProblem;
use serde_json::{Value, json};

use crate::exit::CommandOutcome;
use crate::pick::{self, TaskLibrary};
use crate::{say, sheet};

const EXAMPLES: &str = "\
Examples:
  sre-zero tasks                          all of them
  sre-zero tasks --suite hard             one suite
  sre-zero tasks --suite skills           questions and requests for Terraform
  sre-zero tasks --task-dir my-tasks      those in a folder of your own
  sre-zero tasks --suite hard --measure   with how hard each was measured to be
  sre-zero tasks --json | jq '.[].id'     for other programs";

/// Arguments of `tasks`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Only the tasks of this suite
    #[arg(long, value_name = "SUITE", value_parser = pick::playable_suites())]
    suite: Option<String>,
    /// List the task files in this folder instead of the built-in ones
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    task_dir: Option<PathBuf>,
    /// Measure how hard each is, under five seeds
    #[arg(long)]
    measure: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lists tasks.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    if let Some(asked) = args.suite.as_deref().and_then(skills::asked) {
        if args.task_dir.is_some() || args.measure {
            bail!("a suite of questions takes neither --task-dir nor --measure; leave them out");
        }
        say::print(&questions(&asked, args.json)?)?;
        return Ok(CommandOutcome::Fine);
    }
    if let Some(problems) = pick::problems(args.suite.as_deref(), &[])? {
        say::print(&cluster_problems(&problems, args.json)?)?;
        return Ok(CommandOutcome::Fine);
    }
    let tasks = TaskLibrary::open(args.task_dir.as_deref())?.suite(args.suite.as_deref())?;
    let text = if args.json {
        let list: Vec<Value> = tasks.iter().map(|t| object(t, figures(t, args))).collect();
        serde_json::to_string_pretty(&list)? + "\n"
    } else {
        let rows = tasks.iter().map(|t| row(t));
        if args.measure {
            let rows = tasks.iter().map(|t| measured_row(t, figures(t, args)));
            let heading = ["task", "difficulty", "score", "distance", "abnormal", "signal", "solution", "runbook"];
            say::print(&sheet::wide(heading, rows))?;
            return Ok(CommandOutcome::Fine);
        }
        sheet::wide(["task", "difficulty", "split", "steps", "suites"], rows)
    };
    say::print(&text)?;
    Ok(CommandOutcome::Fine)
}

/// Questions by id and family. What they ask is seen with `sre-zero show ID`.
fn questions(asked: &[Arc<dyn OneStep>], as_json: bool) -> anyhow::Result<String> {
    if as_json {
        let list: Vec<Value> = asked.iter().map(|one| json!({"id": one.id(), "family": one.family()})).collect();
        return Ok(serde_json::to_string_pretty(&list)? + "\n");
    }
    Ok(sheet::wide(["question", "family"], asked.iter().map(|one| [one.id().to_string(), one.family().to_string()])))
}

/// Problems by id, with where the defect is and how the failure comes about. The title would tell what it is.
fn cluster_problems(problems: &[Arc<ClusterProblem>], as_json: bool) -> anyhow::Result<String> {
    let fields = |one: &Arc<ClusterProblem>| {
        let file = &one.file;
        [one.id.clone(), file.applications.join("+"), file.layer.name().to_string(), file.mode.name().to_string()]
    };
    if as_json {
        let object = |[id, applications, layer, mode]: [String; 4]| json!({"id": id, "applications": applications, "layer": layer, "mode": mode});
        let list: Vec<Value> = problems.iter().map(fields).map(object).collect();
        return Ok(serde_json::to_string_pretty(&list)? + "\n");
    }
    Ok(sheet::wide(["problem", "applications", "layer", "mode"], problems.iter().map(fields)))
}

fn row(task: &Task) -> [String; 5] {
    let (difficulty, split) = (task.difficulty.text(), task.split.text());
    [task.id.clone(), difficulty.into(), split.into(), task.steps.to_string(), task.suites.join(", ")]
}

/// What is measured now, or what the file says.
fn figures(task: &Arc<Task>, args: &Args) -> Option<Figures> {
    if args.measure { difficulty::measure(task, &[0, 1, 2, 3, 4], &Runbook).ok() } else { task.figures }
}

fn measured_row(task: &Task, figures: Option<Figures>) -> [String; 8] {
    let f = figures.unwrap_or_default();
    [
        task.id.clone(),
        task.difficulty.text().to_string(),
        format!("{:.1}", f.score),
        f.distance.to_string(),
        f.abnormal.to_string(),
        format!("{:.2}", f.signal),
        f.solution.to_string(),
        format!("{:.2}", f.runbook),
    ]
}

fn object(task: &Task, figures: Option<Figures>) -> Value {
    json!({
        "id": task.id,
        "difficulty": task.difficulty,
        "split": task.split,
        "steps": task.steps,
        "suites": task.suites,
        "families": task.families(),
        "figures": figures,
        "digest": task.digest,
    })
}
