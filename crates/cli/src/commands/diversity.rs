//! `diversity`: how different the incidents of a suite are, and what a seed makes of one task.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueHint;
use harness::diversity::{Diversity, Sighting, SituationOverview};
use harness::{Noise, Scenario, Task};

use crate::exit::CommandOutcome;
use crate::pick::{self, TaskLibrary};
use crate::{say, sheet};

const EXAMPLES: &str = "\
Examples:
  sre-zero diversity                            all tasks, three seeds each
  sre-zero diversity --suite generated-1k --seeds 1
  sre-zero diversity --task-dir my-tasks
  sre-zero diversity TASK --seeds 5
                                                what five seeds make of one task, side by side (a spoiler)";

/// Arguments of `diversity`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Show what seeds make of these tasks
    #[arg(value_name = "TASK")]
    tasks: Vec<String>,
    /// The tasks of this suite
    #[arg(long, value_name = "SUITE", conflicts_with = "tasks", value_parser = pick::suite_names())]
    suite: Option<String>,
    /// Take the tasks from this folder of your own
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    task_dir: Option<PathBuf>,
    /// How many seeds
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    seeds: u16,
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Measures a suite, or shows tasks under several seeds.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let library = TaskLibrary::open(args.task_dir.as_deref())?;
    let seeds = || args.seed..args.seed + u64::from(args.seeds);
    let prepare = |task: &Arc<Task>, seed: u64| Scenario::prepare(task, seed, Noise(0));
    if !args.tasks.is_empty() {
        for task in library.named(&args.tasks)? {
            let rows = seeds().map(|seed| Ok(SituationOverview::of(&prepare(&task, seed)?).cells()));
            let rows = rows.collect::<anyhow::Result<Vec<_>>>()?;
            say::print(&format!("{}\n{}\n", task.id, sheet::wide(SituationOverview::HEADING, rows)))?;
        }
        return Ok(CommandOutcome::Fine);
    }
    let mut all = Vec::new();
    for task in library.suite(args.suite.as_deref())? {
        for seed in seeds() {
            all.push(Sighting::of(&prepare(&task, seed)?));
        }
    }
    say::print(&sheet::wide(["what", "figure"], rows(&Diversity::of(&all))))?;
    Ok(CommandOutcome::Fine)
}

fn rows(found: &Diversity) -> Vec<[String; 2]> {
    let share = |name: &str, share: f64| [name.to_string(), format!("{share:.2}")];
    let mut rows = vec![
        ["incidents".to_string(), found.incidents.to_string()],
        ["different page rules".to_string(), found.page_rules.to_string()],
        ["different causes".to_string(), found.causes.to_string()],
        share("the paged service is the culprit", found.paged_is_culprit),
        share("near-duplicates of another task", found.near_duplicates),
        share("mean distance to the nearest other task", found.nearest),
        share("several causes", found.several_causes),
        share("an earlier responder made it worse", found.responders),
        share("outlives its trigger", found.loops),
    ];
    rows.extend(found.fixes.iter().map(|(kind, of)| share(&format!("fixed by a {kind}"), *of)));
    rows
}
