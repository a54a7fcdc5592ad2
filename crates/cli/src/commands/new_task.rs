//! `new-task`: a commented task file to start from.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::ValueHint;
use harness::task::skeleton;
use harness::{Task, write_whole};
use problems::{ClusterProblem, problem_skeleton};

use crate::exit::CommandOutcome;
use crate::say;

const EXAMPLES: &str = "\
Examples:
  sre-zero new-task my_incident.toml            a file that is a valid task; change its middle
  sre-zero check my_incident.toml               is it a fair incident? Says what fails, and why
  sre-zero show my_incident.toml --spoilers     how it develops
  sre-zero play my_incident.toml                try it yourself

  sre-zero new-task --world kubernetes my_problem.toml
                                                a problem in a Kubernetes cluster

The tutorials docs/your-own-incident.md and docs/your-own-problem.md go from a postmortem to a
certified task.";

/// Arguments of `new-task`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file to write; its name is the task's id
    #[arg(value_name = "FILE.toml", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// What breaks: `services`, or `kubernetes` for a problem in a cluster
    #[arg(long, value_name = "WORLD", default_value = "services", value_parser = ["services", "kubernetes"])]
    world: String,
}

/// Writes the file.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let file = &args.file;
    if file.extension().is_none_or(|e| e != "toml") {
        bail!("{}: a task file is called ID.toml", file.display());
    }
    if file.exists() {
        bail!("{} is there already; choose another name", file.display());
    }
    let id = file.file_stem().unwrap_or_default().to_string_lossy();
    // A name that is no id is told before the file is there.
    let text = if args.world == "kubernetes" {
        ClusterProblem::parse(&id, problem_skeleton())?;
        problem_skeleton().to_string()
    } else {
        let text = skeleton::skeleton(&id);
        Task::parse(&file.to_string_lossy(), &text)?;
        text
    };
    if let Some(folder) = file.parent().filter(|f| *f != Path::new("")) {
        std::fs::create_dir_all(folder)?;
    }
    write_whole(file, text.as_bytes())?;
    say::print(&format!("{} is a task; change its middle, then: sre-zero check {0}\n", file.display()))?;
    Ok(CommandOutcome::Fine)
}
