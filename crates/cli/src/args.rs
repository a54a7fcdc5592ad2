//! The command line. Each command declares its own arguments beside what it does.

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use harness::WORLD_VERSION;
use harness::record::RECORD_VERSION;
use harness::suites::SUITE_VERSION;

use crate::commands::{
    agents, audit, check, check_app, cluster, compare, completions, diversity, doctor, export, export_tasks, generate,
    judge, kappa, man, mcp, merge, new_questions, new_task, play, power, prompts, rehearse, replay, report, rescore,
    run, schema, serve, show, sweep, tasks, view,
};
use crate::exit::{CODES, CommandOutcome};

/// Measures whether an agent gathers the right evidence, acts safely and resolves an incident within
/// a step budget.
///
/// Incidents happen in a simulated company whose services break for real reasons. The same seed and
/// the same actions give the same bytes on every machine.
#[derive(Parser)]
#[command(name = "sre-zero", arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: CommandLine,
}

/// What the program can do.
#[derive(Subcommand)]
pub enum CommandLine {
    /// Let agents respond to incidents, and print how well they did
    Run(run::Args),
    /// Play a sweep: agents x models x suites x seeds, from a file or a preset
    Sweep(sweep::Args),
    /// Put the shards of a run together
    Merge(merge::Args),
    /// List the tasks
    Tasks(tasks::Args),
    /// Show a task as an agent gets it
    Show(show::Args),
    /// Respond to an incident yourself
    Play(play::Args),
    /// Let agents and trainers play over HTTP, OpenEnv, ORS and MCP
    Serve(serve::Args),
    /// Deploy an application of your own in memory, and say what is missing
    CheckApp(check_app::Args),
    /// Start a Kubernetes cluster that kubectl and other clients can use
    Cluster(cluster::Args),
    /// Hand one incident to an MCP client over standard input and output
    Mcp(mcp::Args),
    /// Prove that tasks are fair: healthy before, broken by the fault, solvable, not trivial
    Check(check::Args),
    /// Measure how different incidents are, or show what seeds make of a task
    Diversity(diversity::Args),
    /// Measure how far shortcuts get on a set of questions
    Audit(audit::Args),
    /// Let a model mark the replies of a run, as some families are scored where published
    Judge(judge::Args),
    /// Measure whether judges, graders and people agree
    Kappa(kappa::Args),
    /// Make tasks without end, each one certified before it is written
    Generate(generate::Args),
    /// Write a commented task file to start from
    NewTask(new_task::Args),
    /// Make questions from a local repository's history, and audit them
    NewQuestions(new_questions::Args),
    /// Print a JSON Schema for task files
    Schema(schema::Args),
    /// Serve a model provider on this machine that costs nothing and fails on purpose
    Rehearse(rehearse::Args),
    /// Simulate a stored episode again and compare
    Replay(replay::Args),
    /// Write a page with tables and plots of one or more runs
    Report(report::Args),
    /// Compare two agents or two runs, pair by pair
    Compare(compare::Args),
    /// Plan a run: how small a difference it can show
    Power(power::Args),
    /// Grade stored episodes again without simulating them
    Rescore(rescore::Args),
    /// Look at runs and episodes in a browser, and play incidents there
    View(view::Args),
    /// Write stored episodes as Inspect logs, trajectories, chat data or tables
    Export(export::Args),
    /// Write incidents as tasks of other harnesses
    ExportTasks(export_tasks::Args),
    /// List the agents
    Agents(agents::Args),
    /// Show what model agents tell their models
    Prompts(prompts::Args),
    /// Say what this machine has of what the program can use, and how to get the rest
    Doctor(doctor::Args),
    /// Write a completion script for a shell
    Completions(completions::Args),
    /// Write manual pages
    Man(man::Args),
}

const EXAMPLES: &str = "\
Examples:
  sre-zero run                                  all tasks, three agents, five episodes each
  sre-zero run --suite easy --agents runbook    one agent on the easy tasks
  sre-zero play TASK                            try one yourself
  sre-zero tasks                                see what there is

`sre-zero help COMMAND` teaches each command with examples.";

impl CommandLine {
    /// Does it.
    pub fn run(self) -> anyhow::Result<CommandOutcome> {
        match self {
            CommandLine::Run(args) => run::run(&args),
            CommandLine::Sweep(args) => sweep::run(&args),
            CommandLine::Merge(args) => merge::run(&args),
            CommandLine::Tasks(args) => tasks::run(&args),
            CommandLine::Show(args) => show::run(&args),
            CommandLine::Play(args) => play::run(&args),
            CommandLine::Serve(args) => serve::run(&args),
            CommandLine::CheckApp(args) => check_app::run(&args),
            CommandLine::Cluster(args) => cluster::run(&args),
            CommandLine::Mcp(args) => mcp::run(&args),
            CommandLine::Check(args) => check::run(&args),
            CommandLine::Diversity(args) => diversity::run(&args),
            CommandLine::Audit(args) => audit::run(&args),
            CommandLine::Judge(args) => judge::run(&args),
            CommandLine::Kappa(args) => kappa::run(&args),
            CommandLine::Generate(args) => generate::run(&args),
            CommandLine::NewTask(args) => new_task::run(&args),
            CommandLine::NewQuestions(args) => new_questions::run(&args),
            CommandLine::Schema(args) => schema::run(&args),
            CommandLine::Rehearse(args) => rehearse::run(&args),
            CommandLine::Replay(args) => replay::run(&args),
            CommandLine::Report(args) => report::run(&args),
            CommandLine::Compare(args) => compare::run(&args),
            CommandLine::Power(args) => power::run(&args),
            CommandLine::Rescore(args) => rescore::run(&args),
            CommandLine::View(args) => view::run(&args),
            CommandLine::Export(args) => export::run(&args),
            CommandLine::ExportTasks(args) => export_tasks::run(&args),
            CommandLine::Agents(args) => agents::run(&args),
            CommandLine::Prompts(args) => prompts::run(&args),
            CommandLine::Doctor(args) => doctor::run(&args),
            CommandLine::Completions(args) => completions::run(&args, command()),
            CommandLine::Man(args) => man::run(&args, &command()),
        }
    }
}

/// Reads the arguments; help, the version and bad usage end the program here.
pub fn read() -> Cli {
    let matches = command().get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// The whole command line, for reading and for completion scripts.
pub fn command() -> clap::Command {
    let versions =
        format!("{}\nworld {WORLD_VERSION}\nsuite {SUITE_VERSION}\nrecord {RECORD_VERSION}", env!("CARGO_PKG_VERSION"));
    // The parser wants text that lives as long as the program.
    let versions: &'static str = versions.leak();
    Cli::command().version(versions).after_help(format!("{EXAMPLES}\n\n{CODES}"))
}
