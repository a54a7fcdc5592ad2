//! `play`: a person on call, with the same tools, budget and scoring as every agent.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::ValueHint;
use harness::record::{EndReason, Seal};
use harness::{
    Brief, Challenge, EarlyEnd, Episode, EpisodeOptions, Noise, Playable, Player, Record, Referee, Scenario, Time,
    ToolSet,
};
use problems::{ClusterProblem, ProblemChallenge, Stages};
use record::folder::{PlayPlan, is_run, record_path};
use viewer::{Desk, HumanTurn};

use crate::completion::CompletionWords;
use crate::exit::CommandOutcome;
use crate::like::LikeRun;
use crate::pick::{self, TaskLibrary};
use crate::prompt::LineSource;
use crate::{say, timeline};

const EXAMPLES: &str = "\
Examples:
  sre-zero play TASK                      respond to an incident; TASK as in `sre-zero tasks`
  sre-zero play TASK --tools full         with log search, traces, change history and more
  sre-zero play TASK --out runs/mine      keep a record; `sre-zero replay` plays it again
  sre-zero play --like runs/RUN --name ada --out runs
                                          the next incident of a run: you are ranked beside its agents
  sre-zero play TASK < actions.txt        one action per line
  sre-zero play PROBLEM                   a problem in a Kubernetes cluster, at a terminal with kubectl;
                                          PROBLEM as in `sre-zero tasks --suite sregym`

At the prompt: one action per line, Tab completes tools, services and keys, `help` lists the tools,
`quit` gives up. In a cluster a line is a command such as `kubectl get pods`, and `<<EOF` reads on to EOF. Every action costs simulated time, and the incident goes on meanwhile.
It ends with 0 however the incident ends: a game that was lost is no failure of the program.";

/// The suite in the records of `play`.
const SUITE: &str = "play";

/// Arguments of `play`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The task's or problem's id, or a task file
    #[arg(required_unless_present = "like")]
    task: Option<String>,
    /// Play the next incident of this run that you have not had, with its tools and its noise, so that reports rank you
    /// beside its agents
    #[arg(long, value_name = "RUN", value_hint = ValueHint::DirPath, conflicts_with_all = ["task", "seed", "tools", "noise"])]
    like: Option<PathBuf>,
    /// The seed
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = pick::seed, allow_negative_numbers = true)]
    seed: u64,
    /// The tools at hand: classic (the eight published actions) or full
    #[arg(long, value_name = "SET", default_value_t = ToolSet::CLASSIC)]
    tools: ToolSet,
    /// How imperfect the telemetry is, from 0 (clean) to 3
    #[arg(long, value_name = "0..3", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=3))]
    noise: u8,
    /// The stages of a problem in a cluster: both, diagnosis or mitigation
    #[arg(long, value_name = "STAGES", default_value = "both")]
    stages: Stages,
    /// Keep a record of the episode in this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Your name in the record
    #[arg(long, value_name = "NAME", default_value = "human", value_parser = name)]
    name: String,
    /// Look for the task in this folder of your own first
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    task_dir: Option<PathBuf>,
}

/// Hands the incident to the person at the terminal.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    match (&args.like, &args.task) {
        (Some(run), _) => beside(args, run),
        (None, Some(task)) => alone(args, task),
        (None, None) => bail!("name a task, or a run with --like"),
    }
}

/// One incident for itself.
fn alone(args: &Args, task: &str) -> anyhow::Result<CommandOutcome> {
    let game = game(args, task)?;
    let key = format!("{}/{}/{}", args.name, game.task, args.seed);
    // Before the game: a game must not be played for nothing.
    let place = args.out.as_ref().map(|out| place(out, &key)).transpose()?;
    let record = played(game)?;
    if let Some(path) = place {
        record.write(&path)?;
        say::print(&format!("Record: {}\n", path.display()))?;
    }
    Ok(CommandOutcome::Fine)
}

/// The person's next incident of a run, kept in a run of the person's own.
fn beside(args: &Args, run: &Path) -> anyhow::Result<CommandOutcome> {
    let like = LikeRun::read(run, &TaskLibrary::open(args.task_dir.as_deref())?)?;
    let root = args.out.as_deref().or(run.parent()).unwrap_or(run);
    let (suite, tools, noise) = (&like.settings.suite, &like.settings.tools, like.settings.noise);
    let desk = Desk::new(root, &args.name, suite, tools, noise).map_err(anyhow::Error::msg)?;
    let plan = PlayPlan::of(&like.settings);
    let Some((next, seed)) = plan.next(&desk.agent, |task, seed| desk.has(task, seed)) else {
        say::print(&format!("You have played all {} incidents of {}.\n", plan.len(), run.display()))?;
        return Ok(CommandOutcome::Fine);
    };
    let task = like.tasks.iter().find(|task| task.id == next).context("a plan has tasks of its run only")?;
    let (tools, noise) = desk.played_with(task).map_err(anyhow::Error::msg)?;
    let scenario = Arc::new(Scenario::prepare(task, seed, noise)?);
    let HumanTurn { episode, repeat } = desk.take(task, seed)?;
    let (agent, suite) = (desk.agent.clone(), desk.suite.clone());
    let options = EpisodeOptions { tools, agent, suite, episode, repeat, ..EpisodeOptions::default() };
    let words = CompletionWords::of(scenario.at_page().view(), tools);
    let play = Episode::start(&scenario, options).into();
    desk.keep(&played(Game { task: task.id.clone(), play, words })?)?;
    let folder = root.join(desk.run_id());
    say::print(&format!(
        "Kept in {0}; `sre-zero report {1} {0}` ranks you beside its agents.\n",
        folder.display(),
        run.display()
    ))?;
    Ok(CommandOutcome::Fine)
}

/// A game from its page to its end.
fn played(game: Game) -> anyhow::Result<Record> {
    let referee = Referee::new();
    let mut player = referee.seat(game.play);
    let mut prompt = LineSource::open(game.words)?;
    say::print(&format!("{}\nAlso: help, quit.\n", player.brief().text))?;
    while !player.is_over() {
        turn(&mut player, &mut prompt)?;
    }
    let record = referee.finish(player);
    say::print(&aftermath(&record))?;
    Ok(record)
}

/// What is played, and what can be typed.
struct Game {
    task: String,
    play: Box<dyn Playable>,
    words: CompletionWords,
}

fn game(args: &Args, task: &str) -> anyhow::Result<Game> {
    let (tools, agent, suite) = (args.tools, args.name.clone(), SUITE.to_string());
    let options = EpisodeOptions { tools, agent, suite, ..EpisodeOptions::default() };
    if let Some(problem) = pick::problem(task)? {
        return in_cluster(&problem, args, options);
    }
    let task = TaskLibrary::open(args.task_dir.as_deref())?.one(task)?;
    let scenario = Arc::new(Scenario::prepare(&task, args.seed, Noise(args.noise))?);
    let words = CompletionWords::of(scenario.at_page().view(), args.tools);
    Ok(Game { task: task.id.clone(), play: Episode::start(&scenario, options).into(), words })
}

fn in_cluster(problem: &Arc<ClusterProblem>, args: &Args, options: EpisodeOptions) -> anyhow::Result<Game> {
    if args.tools != ToolSet::CLASSIC {
        bail!("{} is a problem in a cluster: there is a terminal in place of tools, so leave --tools out", problem.id);
    }
    let challenge = ProblemChallenge::new(problem, args.stages);
    let play = challenge.start(args.seed, Noise(args.noise), options)?;
    let words = CompletionWords::plain(play.brief());
    Ok(Game { task: problem.id.clone(), play, words })
}

fn turn(player: &mut Player, prompt: &mut LineSource) -> anyhow::Result<()> {
    let brief = player.brief().clone();
    let ask = format!("{} step {} of {}> ", player.clock(), player.steps_taken() + 1, brief.steps);
    say::print("\n")?;
    let Some(line) = prompt.line(&ask)? else {
        player.end(EarlyEnd::GaveUp);
        return Ok(());
    };
    let line = match brief.services.is_empty() {
        true => whole_command(line, prompt)?,
        false => line,
    };
    match line.split_whitespace().next().unwrap_or_default() {
        "" => {}
        "quit" | "exit" => player.end(EarlyEnd::GaveUp),
        "help" | "?" => say::print(&help(&brief))?,
        _ => {
            let text = player.step(&line).observation.trim_end().to_string();
            say::print(&format!("{text}\n"))?;
        }
    }
    Ok(())
}

/// A command line with the lines of its here-document, if it has one.
fn whole_command(mut line: String, prompt: &mut LineSource) -> anyhow::Result<String> {
    let Some(end) = here_document(&line).map(str::to_string) else { return Ok(line) };
    while let Some(next) = prompt.line("> ")? {
        line.push('\n');
        line.push_str(&next);
        if next == end {
            break;
        }
    }
    Ok(line)
}

/// The word at which a here-document ends that this line begins.
fn here_document(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    let word = rest.trim_start_matches('-').split_whitespace().next()?.trim_matches(['\'', '"']);
    (!word.is_empty() && !word.starts_with('<')).then_some(word)
}

fn help(brief: &Brief) -> String {
    let tools = brief.tools.iter().map(|tool| format!("{}\n    {}\n", tool.signature, tool.about));
    tools.chain(["help, quit\n    this list; give up\n".to_string()]).collect()
}

/// How it went, and what it was: it is over, so nothing is spoilt.
fn aftermath(record: &Record) -> String {
    let reason = record.end().map_or("", ended);
    let mut out = format!("\nThe episode is over: {reason}.\n");
    if let Some(seal) = record.seal() {
        out.push_str(&timeline::verified(seal));
        out.push_str(&what_it_was(record, seal));
    }
    match record.score() {
        Ok(score) => out + &timeline::score(&score),
        Err(why) => out + &why.to_string(),
    }
}

fn what_it_was(record: &Record, seal: &Seal) -> String {
    let problem = record.header().and_then(|header| problems::find(&header.task.id));
    match problem {
        Some(problem) => format!("It was this: {}.\n", problem.file.title),
        None => {
            let onset = Time(seal.onset);
            let order = seal.chain.join(", ");
            format!("It was {}, from {onset}; in this order went bad: {order}.\n", seal.fault)
        }
    }
}

fn ended(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Resolved => "you said that it is resolved",
        EndReason::Escalated => "you handed over",
        EndReason::GaveUp => "you gave up",
        EndReason::BudgetSpent | EndReason::ProviderFailed | EndReason::Answered => timeline::ended(reason),
    }
}

/// A place of its own for the record, in a folder that is there: nothing is overwritten.
fn place(out: &Path, key: &str) -> anyhow::Result<PathBuf> {
    if is_run(out) {
        bail!("{} is the folder of a run, and this would mix with it; choose another --out", out.display());
    }
    let keys = std::iter::once(key.to_string()).chain((2..1000).map(|n| format!("{key}-{n}")));
    let mut free = keys.map(|key| record_path(out, &key)).filter(|path| !path.exists());
    let Some(path) = free.next() else {
        bail!("{} holds a thousand records of this; choose another --out", out.display());
    };
    let folder = path.parent().unwrap_or(out);
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    Ok(path)
}

/// A name becomes part of a path.
fn name(text: &str) -> Result<String, String> {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if text.is_empty() || !text.chars().all(good) {
        return Err("a name has letters, digits, - and _ only".to_string());
    }
    Ok(text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn here_documents_are_read_to_their_end() {
        let check = |line: &str, end: Option<&str>| assert_eq!(here_document(line), end, "{line}");
        check("kubectl get pods", None);
        check("kubectl apply -f - <<EOF", Some("EOF"));
        check("kubectl apply -f - <<'END' | cat", Some("END"));
        check("cat <<- STOP", Some("STOP"));
        check("grep x <<< word", None);
    }
}
