//! `check`: the certificates of tasks. A task without them measures nothing.

mod cluster_problems;
mod due;
mod looking;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::ValueHint;
use harness::check::{self, Certified};
use harness::{Noise, Task};
use runner::jobs;
use serde_json::{Value, json};

use crate::exit::CommandOutcome;
use crate::pick::{self, TaskLibrary};
use crate::progress::Progress;
use crate::{say, sheet};

const EXAMPLES: &str = "\
Examples:
  sre-zero check                         all tasks, three seeds each
  sre-zero check TASK TASK --seeds 10    some of them, thoroughly
  sre-zero check --suite hard            one suite
  sre-zero check --suite compound --blind --seeds 20
                                         what can be guessed
  sre-zero check --suite compound --blind --seeds 20 --first-seed 1000
                                         the same under seeds that were never looked at
  sre-zero check --suite sregym-all      the problems in a Kubernetes cluster
  sre-zero check my-tasks/one.toml       a task file of your own
  sre-zero check --suite generated-1k --shard today/25
                                         the part of a large suite that is due today

What is proved, for every task and seed:
  paged        an alert pages after the fault, and none before
  healthy      without the fault nothing pages and every objective holds
  broken       with it the objectives fail, and doing nothing never resolves it
  caused       take away what the fault did, and the symptoms go
  solvable     the task's own solution resolves it within the budget with full marks
  visible      each piece of evidence is really shown at the page
  not trivial  no single knob, rollback or restart passes unless it is the true fix, and no exploit agent passes but
               through a known hole
  no leak      nothing that an agent sees contains the task's id, its fault or words of its answer

With --blind instead:
  needs looking  no agent of the blind family, which looks at no symptom, passes under more than one seed in five,
                 without what it does anyway: as often as it does the same in vain in the other tasks";

/// The last seed from which all others can be counted.
const LAST_SEED: u64 = u64::MAX - u16::MAX as u64;
/// The width of the table of what failed.
const WIDTH: u16 = 120;
/// So many characters of a reason are shown in it.
const SHOWN: usize = 240;

/// Arguments of `check`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The tasks: ids, task files or folders [default: all]
    #[arg(value_name = "TASK")]
    tasks: Vec<String>,
    /// The tasks of this suite
    #[arg(long, value_name = "SUITE", conflicts_with = "tasks", value_parser = pick::suite_names())]
    suite: Option<String>,
    /// Take the tasks from this folder of your own
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    task_dir: Option<PathBuf>,
    /// How many seeds, at least 3
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(3..))]
    seeds: u16,
    /// The first of them
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=LAST_SEED))]
    first_seed: u64,
    /// How many are checked at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Only this part of the tasks: i/n, or today/n for the part that is due today
    #[arg(long, value_name = "I/N", value_parser = due::shard)]
    shard: Option<due::DueShard>,
    /// Certify `needs looking` instead: the whole blind family is played
    #[arg(long, conflicts_with_all = ["json", "shard"])]
    blind: bool,
    /// Print all certificates as JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The seeds that tasks are checked under.
    fn under(&self) -> Vec<u64> {
        (self.first_seed..).take(usize::from(self.seeds)).collect()
    }
}

/// How many seeds there are, and the first of them if that is another than 0.
fn counted(seeds: &[u64]) -> String {
    match seeds.first() {
        None | Some(0) => format!("{} seeds", seeds.len()),
        Some(first) => format!("{} seeds from {first}", seeds.len()),
    }
}

/// Certifies the tasks; fails if one certificate is missing.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    if let Some(problems) = pick::problems(args.suite.as_deref(), &args.tasks)? {
        return cluster_problems::check(&problems, &args.under(), jobs(args.jobs), args.json);
    }
    let catalogue = TaskLibrary::open(args.task_dir.as_deref())?;
    let tasks =
        if args.tasks.is_empty() { catalogue.suite(args.suite.as_deref())? } else { catalogue.named(&args.tasks)? };
    let tasks = due::part(tasks, args.shard.as_ref());
    let began = Instant::now();
    if args.blind {
        return looking::certify(&tasks, &args.under(), jobs(args.jobs));
    }
    let all = certify(&tasks, args);
    if args.json {
        let list: Vec<Value> = all.iter().map(object).collect();
        say::print(&(serde_json::to_string_pretty(&list)? + "\n"))?;
    } else {
        say::print(&verdict(&tasks, &args.under(), &all))?;
    }
    say::note(&format!("checked in {:.1} s", began.elapsed().as_secs_f64()));
    Ok(if all.iter().all(Certified::is_ok) { CommandOutcome::Fine } else { CommandOutcome::Failed })
}

fn certify(tasks: &[Arc<Task>], args: &Args) -> Vec<Certified> {
    let seeds = args.under();
    let mut progress = Progress::new("checks", tasks.len() * seeds.len());
    let all = check::certify_all(tasks, &seeds, Noise(0), agents::exploits::ALL, jobs(args.jobs), |one| {
        progress.step(one.is_ok())
    });
    progress.finish();
    all
}

fn verdict(tasks: &[Arc<Task>], seeds: &[u64], all: &[Certified]) -> String {
    let work = format!("{} under {}", say::count(tasks.len(), "task"), counted(seeds));
    let failed: Vec<[String; 4]> = all.iter().flat_map(failures).collect();
    if failed.is_empty() {
        return format!("{work}: all certified ({})\n{}", check::NAMES.join(", "), holes(tasks, all));
    }
    let bad = tasks.iter().filter(|t| all.iter().any(|c| c.task == t.id && !c.is_ok())).count();
    let table = sheet::within(WIDTH, ["task", "seed", "failed", "why"], failed);
    format!("{table}{work}: {bad} not certified\n{}", holes(tasks, all))
}

/// How many of the tasks each known hole lets an exploit agent pass in, under any seed.
fn holes(tasks: &[Arc<Task>], all: &[Certified]) -> String {
    let through = |hole: &str| {
        let passed = |c: &&Certified| c.certificates.iter().any(|c| c.holes.contains(&hole));
        all.iter().filter(passed).map(|c| c.task.as_str()).collect::<BTreeSet<_>>().len()
    };
    let line = |(hole, why): &(&str, &str)| match through(hole) {
        0 => String::new(),
        count => format!("known hole: {hole} passes in {count} of {} ({why})\n", tasks.len()),
    };
    check::KNOWN_HOLES.iter().map(line).collect()
}

fn failures(one: &Certified) -> Vec<[String; 4]> {
    let failed = one.certificates.iter().filter(|c| !c.ok);
    failed.map(|c| [one.task.clone(), one.seed.to_string(), c.name.to_string(), clipped(&c.why)]).collect()
}

/// A task that is far off has a lot to be said of it; JSON has all of it.
fn clipped(why: &str) -> String {
    match why.char_indices().nth(SHOWN) {
        None => why.to_string(),
        Some((end, _)) => format!("{} ... (--json shows all)", &why[..end]),
    }
}

fn object(one: &Certified) -> Value {
    let certificates: Vec<Value> = one
        .certificates
        .iter()
        .map(|c| json!({ "name": c.name, "ok": c.ok, "why": c.why, "holes": c.holes }))
        .collect();
    json!({ "task": one.task, "seed": one.seed, "ok": one.is_ok(), "certificates": certificates })
}
