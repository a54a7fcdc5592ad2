//! `export-tasks`: incidents as tasks of other harnesses, to be played there.

mod harbor;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueHint;
use harness::{Noise, Scenario, ToolSet, suites};
use record::folder::SELECTION;

use crate::exit::CommandOutcome;
use crate::pick::{self, TaskLibrary};
use crate::say;

const EXAMPLES: &str = "\
Examples:
  sre-zero export-tasks --suite srezero-40 --out tasks         a Harbor task per incident
  sre-zero export-tasks --tasks TASK --episodes 5 --out tasks  one task under five seeds
  harbor run --path tasks --agent claude-code --model MODEL    then, where Docker is

The incident runs beside the agent's container, so that nothing of it can be read there. The agent
plays over MCP or with curl; the first episode that it finishes counts, with our reward. The image
of the program is that of the Dockerfile, or the one that --image names.

For Inspect, the Python package has a task: `inspect eval srezero/incidents -T suite=dev`.";

/// Arguments of `export-tasks`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The harness that plays them
    #[arg(long, value_name = "FORMAT", default_value = "harbor", value_parser = ["harbor"])]
    format: String,
    /// The suite [default: srezero-40]
    #[arg(long, value_name = "SUITE", value_parser = pick::suite_names(), conflicts_with = "tasks")]
    suite: Option<String>,
    /// Only these tasks, with commas between them
    #[arg(long, value_name = "ID,..", value_delimiter = ',')]
    tasks: Vec<String>,
    /// Seeds of each task, each of which is another incident
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    episodes: u32,
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = pick::seed, allow_negative_numbers = true)]
    seed: u64,
    /// The tools at hand: classic (the eight published actions) or full
    #[arg(long, value_name = "SET", default_value_t = ToolSet::CLASSIC)]
    tools: ToolSet,
    /// How imperfect the telemetry is, from 0 (clean) to 3
    #[arg(long, value_name = "0..3", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=3))]
    noise: u8,
    /// The image of the program
    #[arg(long, value_name = "IMAGE", default_value = "sre-zero")]
    image: String,
    /// A new folder, with a folder for each task
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
}

/// Writes the tasks.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    if args.out.exists() {
        bail!("{} is there already; choose another --out", args.out.display());
    }
    let library = TaskLibrary::open(None)?;
    let suite = args.suite.as_deref().unwrap_or(suites::DEFAULT);
    let tasks = if args.tasks.is_empty() { library.suite(Some(suite))? } else { library.named(&args.tasks)? };
    let group = if args.tasks.is_empty() { suite } else { SELECTION };
    let mut written = 0;
    for (number, task) in tasks.iter().enumerate() {
        for seed in (0..u64::from(args.episodes)).map(|at| args.seed.saturating_add(at)) {
            let scenario = Scenario::prepare(task, seed, Noise(args.noise))?;
            // Published ids name the cause, so a task is known by its number.
            let name = format!("{group}-{:03}-seed-{seed}", number + 1);
            let made = harbor::HarborTask { name: &name, scenario: &scenario, tools: args.tools, image: &args.image };
            for (path, text) in made.files() {
                write(&args.out.join(&name).join(path), &text)?;
            }
            written += 1;
        }
    }
    say::print(&format!("{} in {}\n", say::count(written, "task"), args.out.display()))?;
    Ok(CommandOutcome::Fine)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
