//! `show`: a task as an agent gets it and, on request, what is behind it.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use agents::runbook::Runbook;
use clap::ValueHint;
use harness::difficulty::{self, Figures};
use harness::record::{Fix, Seal};
use harness::{Episode, EpisodeOptions, Noise, OneStep, Scenario, Span, Task, ToolSet, WINDOW, skills};

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
  sre-zero show my-tasks/one.toml    a task file of your own";

/// Arguments of `show`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The task's or question's id, or a task file
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
    let task = TaskLibrary::open(args.task_dir.as_deref())?.one(&args.task)?;
    let scenario = Arc::new(Scenario::prepare(&task, args.seed, Noise(args.noise))?);
    let mut text = scenario.brief(args.tools).text.clone();
    if args.spoilers {
        text.push('\n');
        text.push_str(&spoilers(&scenario));
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

fn spoilers(scenario: &Arc<Scenario>) -> String {
    let task = scenario.task();
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
    let figures = difficulty::measure(task, &MEASURED, &Runbook).ok().or(task.figures);
    format!("{}\n{chart}", facts(task, &seal, figures))
}

fn facts(task: &Task, seal: &Seal, figures: Option<Figures>) -> String {
    let mut out = String::new();
    let one = |out: &mut String, name: &str, text: &str| {
        writeln!(out, "{name:<13}{text}").expect("a string takes everything");
    };
    let many = |out: &mut String, name: &str, lines: &[String]| {
        for (at, line) in lines.iter().enumerate() {
            one(out, if at == 0 { name } else { "" }, line);
        }
    };
    one(&mut out, "Title", &task.title);
    one(&mut out, "Task", &format!("{}, {}, {} steps", task.difficulty.text(), task.split.text(), task.steps));
    if let Some(f) = figures {
        one(&mut out, "Measured", &measured(&f));
    }
    one(&mut out, "Fault", &task.fault_text());
    one(&mut out, "Cause", &format!("{}: {}", task.component, task.concepts.join(", ")));
    one(&mut out, "Chain", &seal.chain.join(" -> "));
    many(&mut out, "Evidence", &task.evidence.iter().map(ToString::to_string).collect::<Vec<_>>());
    many(&mut out, "Fix", &task.fix.iter().map(fix).collect::<Vec<_>>());
    many(&mut out, "Distractors", &task.distractors);
    many(&mut out, "Solution", &task.solution);
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
