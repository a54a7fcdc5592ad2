//! `run`: the main job. Agents x tasks x seeds, a table, and everything it came from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::ValueHint;
use conductor::ServedChallenge;
use harness::{Challenge, Incident, Noise, ToolSet, remember, skills, suites};
use problems::Stages;
use runner::{RunFlags, RunRequest, SamplingArgs, SweepPart, seeds};

use crate::exit::CommandOutcome;
use crate::pick::{self, TaskLibrary};
use crate::question_files;
use record::folder::SELECTION;

const EXAMPLES: &str = "\
Examples:
  sre-zero run                                         all forty tasks, three agents, five episodes
  sre-zero run --suite srezero-25 --agents scripted    another suite, one agent
  sre-zero run --suite skills --agents random          questions and Terraform, one step each
  sre-zero run --suite sregym --episodes 1             problems in a Kubernetes cluster; see docs/sregym.md
  sre-zero run --questions mine.jsonl --agents random  questions of your own, or published ones
  sre-zero run --agents react --models openai/MODEL    an agent with a model; see docs/models.md
  sre-zero run --prompt a.md,b.md --models openai/M    two prompts of your own; see docs/prompts.md
  sre-zero run --exec 'mine=python3 my_agent.py'       a program of your own; see docs/clients/exec.md
  sre-zero run --tasks TASK,TASK --episodes 20         some tasks only, by id
  sre-zero run --tasks my-tasks/one.toml               a task file of your own
  sre-zero run --task-dir my-tasks                     a folder of them
  sre-zero run --tools full --noise 2 --seed 7         more tools, imperfect telemetry, other seeds
  sre-zero run --json | jq .digest                     the summary for other programs
  sre-zero run ... --dry-run                           calls, tokens and cost, with no call
  sre-zero run ... --replay runs/RUN --out again       the same run from its recording

A run can be interrupted at any time: every finished episode is on disk, and the same command
goes on where it stopped and pays for nothing twice. With more agents or more episodes it adds
what is missing.

Written to the folder:
  summary.json      what the table shows, and more
  episodes.jsonl    one line per episode, as it finishes
  records/          one record per episode; `sre-zero replay` plays it again
  exchanges/        what was said to models and what they answered, without keys
  run.json          the settings
  partial.json      instead of a summary, if the run was stopped: how far it came
  run.log           what happened when, with models or programs";

/// Who plays if no agent is named: both bounds and an honest runbook.
const USUAL: [&str; 3] = ["random", "runbook", "scripted"];
/// The same for questions: a runbook has no answer to them.
const USUAL_FOR_QUESTIONS: [&str; 2] = ["random", "scripted"];
/// Who plays if models are named and no agent is.
const USUAL_WITH_MODELS: [&str; 1] = ["tools"];

/// Arguments of `run`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The suite [default: srezero-40]
    #[arg(long, value_name = "SUITE", value_parser = pick::playable_suites())]
    suite: Option<String>,
    /// Only these tasks: ids, task files or folders, with commas between them
    #[arg(long, value_name = "ID,..", value_delimiter = ',')]
    tasks: Vec<String>,
    /// Take the tasks from this folder of your own
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    task_dir: Option<PathBuf>,
    /// Ask the questions of these files: sets of yours, or published ones, whose names tell the family
    #[arg(long, value_name = "FILE,..", value_delimiter = ',', value_hint = ValueHint::FilePath,
        conflicts_with_all = ["suite", "task_dir"])]
    questions: Vec<PathBuf>,
    /// The agents, with commas between them; `sre-zero agents` lists them
    /// [default: random,runbook,scripted; without runbook for questions; tools with --models]; exec:CMD is a program of
    /// your own
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    agents: Vec<String>,
    /// The models of those agents that need one, as provider/model, with commas between them
    #[arg(long, value_name = "P/M,..", value_delimiter = ',')]
    models: Vec<String>,
    /// Episodes for each agent and task, each under a seed of its own
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    episodes: u32,
    /// The seed of the first episode; the next takes the next
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = pick::seed, allow_negative_numbers = true)]
    seed: u64,
    /// Repetitions of each episode under the same seed, to see how much a model varies
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// The tools at hand: classic (the eight published actions) or full
    #[arg(long, value_name = "SET", default_value_t = ToolSet::CLASSIC)]
    tools: ToolSet,
    /// How imperfect the telemetry is, from 0 (clean) to 3
    #[arg(long, value_name = "0..3", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=3))]
    noise: u8,
    /// The stages of problems in a cluster: both, diagnosis or mitigation
    #[arg(long, value_name = "STAGES", default_value = "both")]
    stages: Stages,
    /// How it goes about it.
    #[command(flatten)]
    flags: RunFlags,
    /// How models are asked.
    #[command(flatten)]
    sampling: SamplingArgs,
}

/// Plays all episodes, then prints the table and where things are.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let models = args.sampling.model_settings()?;
    Ok(runner::run(&request(args)?, &args.flags, models)?.into())
}

fn request(args: &Args) -> anyhow::Result<RunRequest> {
    if !args.questions.is_empty() {
        let asked = skills::of_questions(question_files::sound(&args.questions)?);
        return questions(args, SELECTION, asked);
    }
    if let Some((suite, all)) = args.suite.as_deref().and_then(|name| Some((name, skills::suite(name)?))) {
        return questions(args, suite, all);
    }
    if let Some(problems) = pick::problems(args.suite.as_deref(), &args.tasks)? {
        let label = args.suite.as_deref().filter(|_| args.tasks.is_empty()).unwrap_or(SELECTION);
        let (suite, noise) = (label.to_string(), Noise(args.noise));
        let challenges = ServedChallenge::all(&problems, args.stages);
        return of_part(args, &USUAL, SweepPart { suite, challenges, remembered: Vec::new(), noise });
    }
    let catalogue = TaskLibrary::open(args.task_dir.as_deref())?;
    let default = args.task_dir.is_none().then_some(suites::DEFAULT);
    let suite = args.suite.as_deref().or(default);
    let tasks = if args.tasks.is_empty() { catalogue.suite(suite)? } else { catalogue.named(&args.tasks)? };
    // A part of a suite, or tasks of the user's, must not pass for the suite.
    let whole = args.tasks.is_empty() && args.task_dir.is_none();
    let label = suite.filter(|_| whole).unwrap_or(SELECTION);
    if let (Some(suite), false) = (&args.suite, args.tasks.is_empty()) {
        let members = catalogue.suite(Some(suite))?;
        if let Some(task) = tasks.iter().find(|task| members.iter().all(|member| member.id != task.id)) {
            bail!("the task `{}` is not in the suite `{suite}`; leave --suite out", task.id);
        }
    }
    let (challenges, remembered) = (Incident::on_simulator(&tasks), remember::remembered(&tasks)?);
    let part = SweepPart { suite: label.to_string(), challenges, remembered, noise: Noise(args.noise) };
    of_part(args, &USUAL, part)
}

/// These questions, or those of them that are named.
fn questions(args: &Args, suite: &str, mut all: Vec<Arc<dyn Challenge>>) -> anyhow::Result<RunRequest> {
    if args.task_dir.is_some() {
        bail!("--suite {suite} holds questions and takes no folder of tasks; leave --task-dir out");
    }
    if let Some(name) = args.tasks.iter().find(|name| all.iter().all(|one| one.id() != *name)) {
        let list = if args.questions.is_empty() { "`sre-zero tasks --suite SUITE` lists them" } else { "see the file" };
        bail!("there is no question `{name}` among these; {list}");
    }
    let label = if args.tasks.is_empty() { suite } else { SELECTION };
    all.retain(|one| args.tasks.is_empty() || args.tasks.iter().any(|name| name == one.id()));
    let (suite, noise) = (label.to_string(), Noise(args.noise));
    of_part(args, &USUAL_FOR_QUESTIONS, SweepPart { suite, challenges: all, remembered: Vec::new(), noise })
}

fn of_part(args: &Args, usual: &[&str], part: SweepPart) -> anyhow::Result<RunRequest> {
    Ok(RunRequest {
        agents: agents(args, usual),
        models: args.models.clone(),
        seeds: seeds(args.seed, args.episodes)?,
        repeats: args.repeats,
        tools: args.tools,
        parts: vec![part],
        own: own_folder(args).map(Path::to_path_buf),
    })
}

/// The agents that are named, or the usual ones; a program or a prompt alone is not joined by them.
fn agents(args: &Args, usual: &[&str]) -> Vec<String> {
    if args.agents.is_empty() && args.flags.exec.is_empty() && args.sampling.prompt.is_empty() {
        let usual = if args.models.is_empty() { usual } else { &USUAL_WITH_MODELS };
        return usual.iter().map(|name| name.to_string()).collect();
    }
    args.agents.clone()
}

/// Where the user's own tasks came from.
fn own_folder(args: &Args) -> Option<&Path> {
    let named = args.tasks.iter().map(Path::new).filter(|path| path.components().count() > 1 || path.is_dir());
    let folders = named.map(|path| if path.is_dir() { path } else { path.parent().unwrap_or(path) });
    args.task_dir.as_deref().or(folders.into_iter().next())
}
