//! `show`: a task as an agent gets it and, on request, what is behind it.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use agents::runbook::Runbook;
use clap::ValueHint;
use harness::difficulty::{self, Figures};
use harness::record::{Fix, Seal};
use harness::{Challenge, Episode, EpisodeOptions, Noise, OneStep, Scenario, Span, Task, ToolSet, WINDOW, skills};
use problems::{ClusterProblem, ProblemChallenge, Stages};

use crate::chart::{self, Window};
use crate::exit::CommandOutcome;
use crate::pick::{self, TaskLibrary};
use crate::say;

/// The chart begins so long before the onset.
const BEFORE: Span = Span::mins(5);

/// Seeds under which difficulty is measured.
const MEASURED: [u64; 5] = [0, 1, 2, 3, 4];

const EXAMPLES: &str = "\
Examples:
  sre-zero show TASK                 what an agent is told; TASK as in `sre-zero tasks`
  sre-zero show TASK --seed 7        the same incident on another day
  sre-zero show TASK --spoilers      the cause, the fix, and how the incident goes
  sre-zero show QUESTION --spoilers  a question as a model is asked it, and a right answer
  sre-zero show PROBLEM --spoilers   a problem in a Kubernetes cluster
  sre-zero show my-tasks/one.toml    a task file of your own";

/// Arguments of `show`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The task's, question's or problem's id, or a task file
    task: String,
    /// Tell what is broken, what shows it and what mends it, with a chart
    #[arg(long)]
    spoilers: bool,
    /// The seed
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = pick::seed, allow_negative_numbers = true)]
    seed: u64,
    /// How imperfect the telemetry is, from 0 (clean) to 3
    #[arg(long, value_name = "0..3", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=3))]
    noise: u8,
    /// The tools at hand: classic or full
    #[arg(long, value_name = "SET", default_value_t = ToolSet::CLASSIC)]
    tools: ToolSet,
    /// Look for the task in this folder of your own first
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    task_dir: Option<PathBuf>,
}

/// Prints the brief, and the rest if it was asked for.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    if let Some(asked) = skills::find_asked(&args.task) {
        say::print(&question(&*asked, args.seed, args.spoilers))?;
        return Ok(CommandOutcome::Fine);
    }
    if let Some(problem) = pick::problem(&args.task)? {
        say::print(&cluster_problem(&problem, args)?)?;
        return Ok(CommandOutcome::Fine);
    }
    let task = TaskLibrary::open(args.task_dir.as_deref())?.one(&args.task)?;
    let scenario = Arc::new(Scenario::prepare(&task, args.seed, Noise(args.noise))?);
    let mut text = scenario.brief(args.tools).text.clone();
    if args.spoilers {
        text.push('\n');
        text.push_str(&spoilers(&task, &scenario));
    }
    say::print(&text)?;
    Ok(CommandOutcome::Fine)
}

/// A question as a model is asked it; with a right answer if it may be told.
fn question(asked: &dyn OneStep, seed: u64, spoilers: bool) -> String {
    let messages = asked.messages(seed);
    let mut text = format!("{}\n\n{}", messages.system, messages.user);
    if spoilers {
        let solution = asked.solution(seed);
        let solution = solution.as_deref().unwrap_or("(a description: there are many right answers)");
        write!(text, "\nA right answer:\n{}\n", solution.trim_end()).expect("a string takes everything");
    }
    text
}

/// The brief of a problem in a cluster; with its cause and solution if they may be told.
fn cluster_problem(problem: &Arc<ClusterProblem>, args: &Args) -> anyhow::Result<String> {
    let challenge = ProblemChallenge::new(problem, Stages::default());
    let play = challenge.start(args.seed, Noise(args.noise), EpisodeOptions::default())?;
    let mut text = play.brief().text.clone();
    if !args.spoilers {
        return Ok(text);
    }
    let file = &problem.file;
    let causes = file.cause.iter().map(|cause| format!("{}: {} ({})", cause.object, cause.about, cause.kind));
    text.push('\n');
    heading(&mut text, "Title", std::slice::from_ref(&file.title));
    heading(&mut text, "Problem", &[format!("{}, {}", file.layer.name(), file.mode.name())]);
    heading(&mut text, "Cause", &causes.collect::<Vec<_>>());
    heading(&mut text, "Solution", &file.solution.commands);
    if let Some(why) = &file.published_defect {
        heading(&mut text, "As published", std::slice::from_ref(why));
    }
    Ok(text)
}

/// Lines beside a word that says what they are.
fn heading(out: &mut String, name: &str, lines: &[String]) {
    for (at, line) in lines.iter().enumerate() {
        let name = if at == 0 { name } else { "" };
        writeln!(out, "{name:<13}{line}").expect("a string takes everything");
    }
}

/// What a task is in this incident. Its difficulty is that of the file, not of what this seed drew.
fn spoilers(file: &Arc<Task>, scenario: &Arc<Scenario>) -> String {
    // An episode of its own solution tells how the incident goes.
    let mut episode = Episode::start(scenario, EpisodeOptions::default());
    for call in &scenario.solution() {
        episode.step(call);
    }
    let resolved = episode.clock();
    let mut mended = episode.world().clone();
    mended.run_until(resolved + WINDOW);
    let mut untouched = scenario.at_page().clone();
    untouched.run_until(resolved + WINDOW);
    let record = episode.finish();
    let seal = record.seal().cloned().unwrap_or_default();
    let marks =
        vec![(scenario.onset(), 'o', "onset"), (scenario.page().time, 'p', "page"), (resolved, 'r', "resolved")];
    let window = Window { from: scenario.onset().back(BEFORE), to: resolved + WINDOW, marks };
    let chart = chart::draw(&seal.chain, untouched.view(), mended.view(), &window);
    let figures = difficulty::measure(file, &MEASURED, &Runbook).ok().or(file.figures);
    format!("{}\n{chart}", facts(scenario, &seal, figures))
}

fn facts(scenario: &Scenario, seal: &Seal, figures: Option<Figures>) -> String {
    let (mut out, task) = (String::new(), scenario.task());
    heading(&mut out, "Title", std::slice::from_ref(&task.title));
    heading(&mut out, "Task", &[format!("{}, {}, {} steps", task.difficulty.text(), task.split.text(), task.steps)]);
    if let Some(f) = figures {
        heading(&mut out, "Measured", &[measured(&f)]);
    }
    heading(&mut out, "Fault", &[task.fault_text()]);
    heading(&mut out, "Cause", &[format!("{}: {}", task.component, task.concepts.join(", "))]);
    heading(&mut out, "Went bad", &[format!("{}, in this order", seal.chain.join(", "))]);
    heading(&mut out, "Evidence", &task.evidence.iter().map(ToString::to_string).collect::<Vec<_>>());
    heading(&mut out, "Fix", &task.fix.iter().map(fix).collect::<Vec<_>>());
    heading(&mut out, "Distractors", &task.distractors);
    heading(&mut out, "Solution", &scenario.solution());
    out
}

fn measured(f: &Figures) -> String {
    let of = MEASURED.len();
    format!(
        "{} of 100 ({}): {} from page to cause, {} abnormal, signal {:.2}, solution of {} calls, runbook solves {:.0} of {of}",
        f.score,
        f.difficulty().text(),
        say::count(f.distance as usize, "call"),
        say::count(f.abnormal as usize, "service"),
        f.signal,
        f.solution,
        f.runbook * of as f64,
    )
}

fn fix(fix: &Fix) -> String {
    match fix {
        Fix::Config { config, is } => format!("{config} {is}"),
        Fix::Restart { restart } => format!("restart {restart}"),
        Fix::RolledBack { rolled_back } => format!("roll back {rolled_back}"),
    }
}
