//! `run`: the main job. Agents x tasks x episodes, a table, and everything it came from.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::bail;
use clap::ValueHint;
use harness::sweep::{self, Failure, How, MOST_EPISODES, Outcome as Swept, Plan};
use harness::{Noise, ToolSet, suites};
use report::{Run, Summary};

use crate::exit::Outcome;
use crate::folder::Folder;
use crate::pick::{self, Catalogue};
use crate::progress::Progress;
use crate::say;
use crate::settings::{SELECTION, Settings};

const EXAMPLES: &str = "\
Examples:
  sre-zero run                                         all forty tasks, three agents, five episodes
  sre-zero run --suite srezero-25 --agents scripted    another suite, one agent
  sre-zero run --tasks TASK,TASK --episodes 20         some tasks only, by id
  sre-zero run --tasks my-tasks/one.toml               a task file of your own
  sre-zero run --task-dir my-tasks                     a folder of them
  sre-zero run --tools full --noise 2 --seed 7         more tools, imperfect telemetry, other seeds
  sre-zero run --json | jq .digest                     the summary for other programs

A run can be interrupted at any time: every finished episode is on disk, and the same command
goes on where it stopped. With more agents or more episodes it adds what is missing.

Written to the folder:
  summary.json      what the table shows, and more
  episodes.jsonl    one line per episode, as it finishes
  records/          one record per episode; `sre-zero replay` plays it again
  run.json          the settings";

/// Arguments of `run`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The suite [default: srezero-40]
    #[arg(long, value_name = "SUITE", value_parser = pick::suite_names())]
    suite: Option<String>,
    /// Only these tasks: ids, task files or folders, with commas between them
    #[arg(long, value_name = "ID,..", value_delimiter = ',')]
    tasks: Vec<String>,
    /// Take the tasks from this folder of your own
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    task_dir: Option<PathBuf>,
    /// The agents, with commas between them
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_value = "random,runbook,scripted")]
    #[arg(value_parser = pick::agent_names())]
    agents: Vec<String>,
    /// Episodes for each agent and task
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    episodes: u32,
    /// The seed of the first episode; the next takes the next
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = pick::seed, allow_negative_numbers = true)]
    seed: u64,
    /// How many episodes are played at a time; changes no result [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// The tools at hand: classic (the eight published actions) or full
    #[arg(long, value_name = "SET", default_value_t = ToolSet::Classic)]
    tools: ToolSet,
    /// How imperfect the telemetry is, from 0 (clean) to 3
    #[arg(long, value_name = "0..3", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=3))]
    noise: u8,
    /// Where results are kept [default: a folder in runs/ that is named after the settings]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Start over: remove what an earlier run left in the folder
    #[arg(long)]
    fresh: bool,
    /// Print the summary as JSON instead of the table
    #[arg(long)]
    json: bool,
}

/// Plays all episodes, then prints the table and where things are.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut plan = plan(args)?;
    let settings = Settings::of(&plan);
    let path = args.out.clone().unwrap_or_else(|| Path::new("runs").join(settings.folder_name()));
    let folder = Folder::open(&path, &settings, args.fresh)?;
    plan.how.out = Some(path.clone());
    say::note(&format!("Results go to {}; interrupt at will, the same command goes on.", path.display()));
    let mut progress = Progress::new("episodes", 0);
    let swept = sweep::run(&plan, &mut [&mut progress]);
    progress.finish();
    let swept = swept?;
    let summary = summary(&plan, &swept);
    folder.write_summary(&summary.to_json())?;
    tell(args, &path, &swept, &summary)?;
    Ok(if swept.failures.is_empty() { Outcome::Fine } else { Outcome::Failed })
}

fn plan(args: &Args) -> anyhow::Result<Plan<'static>> {
    let catalogue = Catalogue::open(args.task_dir.as_deref())?;
    let default = args.task_dir.is_none().then_some(suites::DEFAULT);
    let suite = args.suite.as_deref().or(default);
    let tasks = if args.tasks.is_empty() { catalogue.suite(suite)? } else { catalogue.named(&args.tasks)? };
    // A part of a suite, or tasks of one's own, must not pass for the suite.
    let whole = args.tasks.is_empty() && args.task_dir.is_none();
    let label = suite.filter(|_| whole).unwrap_or(SELECTION);
    if let (Some(suite), false) = (&args.suite, args.tasks.is_empty()) {
        let members = catalogue.suite(Some(suite))?;
        if let Some(task) = tasks.iter().find(|task| members.iter().all(|member| member.id != task.id)) {
            bail!("the task `{}` is not in the suite `{suite}`; leave --suite out", task.id);
        }
    }
    let agents = pick::agents(&args.agents)?;
    limit(args, agents.len() as u64 * tasks.len() as u64)?;
    Ok(Plan {
        agents,
        suite: label.to_string(),
        seeds: (args.seed..=args.seed + u64::from(args.episodes - 1)).collect(),
        repeats: 1,
        noise: Noise(args.noise),
        tools: args.tools,
        how: How { jobs: jobs(args.jobs), ..How::default() },
        tasks,
    })
}

/// Refuses more episodes than a run can have; `each` are played per seed.
fn limit(args: &Args, each: u64) -> anyhow::Result<()> {
    let (episodes, all) = (args.episodes, each.saturating_mul(args.episodes.into()));
    if all > MOST_EPISODES {
        bail!("--episodes {episodes}: that makes {all} in all, a run has at most {MOST_EPISODES}; choose fewer");
    }
    if args.seed.checked_add(u64::from(episodes) - 1).is_none() {
        bail!("--seed {}: too large for {}; choose a smaller one", args.seed, say::count(episodes as usize, "episode"));
    }
    Ok(())
}

/// As many threads as asked for, or as the machine has.
pub fn jobs(asked: Option<u16>) -> usize {
    asked.map_or_else(|| thread::available_parallelism().map_or(1, NonZeroUsize::get), usize::from)
}

fn summary(plan: &Plan<'_>, swept: &Swept) -> Summary {
    Summary::of(Run::of(plan.seeds[0], &swept.lines), swept.lines.iter().map(|line| &line.score))
}

fn tell(args: &Args, path: &Path, swept: &Swept, summary: &Summary) -> anyhow::Result<()> {
    let played = swept.lines.len() - swept.skipped;
    let found = match swept.skipped {
        0 => String::new(),
        n => format!(" ({n} were there already, --fresh plays them again)"),
    };
    let places = format!(
        "{} played{found}. In {}: summary.json, episodes.jsonl, records/\n",
        say::count(played, "episode"),
        path.display()
    );
    if args.json {
        say::print(&summary.to_json())?;
        say::note(places.trim_end());
    } else {
        say::print(&(report::table(summary) + &places))?;
    }
    let own = own_folder(args).map_or(String::new(), |folder| format!(" --task-dir {}", folder.display()));
    for Failure { key, problem, replay } in &swept.failures {
        say::note(&format!("failed: {key}: {problem}\n  see it again: {replay}{own}"));
    }
    Ok(())
}

/// Where tasks of one's own came from.
fn own_folder(args: &Args) -> Option<&Path> {
    let named = args.tasks.iter().map(Path::new).filter(|path| path.components().count() > 1 || path.is_dir());
    let folders = named.map(|path| if path.is_dir() { path } else { path.parent().unwrap_or(path) });
    args.task_dir.as_deref().or(folders.into_iter().next())
}
