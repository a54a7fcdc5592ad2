//! `new-questions`: a private set of questions from a repository's history.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::ValueHint;
use harness::write_whole;
use questions::git::{self, HarvestOptions};
use questions::make::{CommitHistory, FilterRules, MadeSet, MakePlan, SetManifest, SourceEntry, from_history};
use questions::{Skill, audit, store};

use crate::exit::CommandOutcome;
use crate::pick;
use crate::say;

/// Commits that mend something, at most, whose cause is looked for: each costs a process per file.
const TRACED: usize = 400;

const EXAMPLES: &str = "\
Examples:
  sre-zero new-questions ../mine --out mine.jsonl                     fifty of each family
  sre-zero new-questions ../mine --out mine.jsonl --since 2026-09-01  only what newer than a model is
  sre-zero new-questions ../mine --out f.jsonl --families gmcq-hard,culprit --count 200
  sre-zero run --questions mine.jsonl --agents tools --models P/M     then ask them

Commits are harvested with `git`, filtered and scrubbed; nothing leaves this machine. Beside the set
stands a manifest: repository, commit, licence, seed and the digest of the file. The set is audited
as `sre-zero audit` does it; it ends with 1 if a shortcut works.";

/// Arguments of `new-questions`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A local clone with its whole history
    #[arg(value_name = "REPOSITORY", value_hint = ValueHint::DirPath)]
    repository: PathBuf,
    /// The file to write, one question per line
    #[arg(long, value_name = "FILE.jsonl", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    /// Families, with commas between them [default: all that a history gives]
    #[arg(long, value_name = "F,G", value_delimiter = ',', value_parser = family)]
    families: Vec<Skill>,
    /// Questions of each family, at most
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    count: u32,
    /// Candidates for each question that is kept: more of them are levelled better against shortcuts
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=50))]
    surplus: u32,
    /// Picks everything: the same seed and history give the same set
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = pick::seed, allow_negative_numbers = true)]
    seed: u64,
    /// Only commits after this date, as git reads it
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// The newest commit: a branch, tag or id
    #[arg(long, value_name = "REVISION", default_value = "HEAD")]
    revision: String,
    /// Words that a message must have at least, those that say nothing not counted
    #[arg(long, value_name = "N", default_value_t = 8)]
    words: usize,
    /// Follow first parents only, so that a merge stands for its branch
    #[arg(long)]
    first_parent: bool,
}

/// Makes the set, writes it with its manifest, and says what shortcuts reach on it.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    if args.out.exists() {
        bail!("{} is there already; choose another --out", args.out.display());
    }
    let families = if args.families.is_empty() { of_history() } else { args.families.clone() };
    let history = harvest(args, families.contains(&Skill::Culprit))?;
    let made = from_history(&history, &plan(args, families));
    if made.questions.is_empty() {
        bail!("no question could be made of {}; {}", say::count(history.commits.len(), "commit"), left_out(&made));
    }
    let manifest = args.out.with_extension("manifest.json");
    write_whole(&args.out, store::write(&made.questions).as_bytes())?;
    write_whole(&manifest, (serde_json::to_string_pretty(&described(args, &history, &made))? + "\n").as_bytes())?;
    let found = audit::audit(&made.questions);
    say::print(&found.table(3))?;
    say::print(&format!(
        "{} of {} in {}, with {}; {}\n",
        say::count(made.questions.len(), "question"),
        say::count(history.commits.len(), "commit"),
        args.out.display(),
        manifest.display(),
        left_out(&made)
    ))?;
    Ok(if found.passes() { CommandOutcome::Fine } else { CommandOutcome::Failed })
}

/// The families that a history gives; Terraform choices come from the typed model.
fn of_history() -> Vec<Skill> {
    Skill::ALL.into_iter().filter(|skill| !skill.is_terraform()).collect()
}

fn family(name: &str) -> Result<Skill, String> {
    let known = of_history();
    let found = known.iter().find(|skill| skill.name() == name).copied();
    found.ok_or_else(|| format!("no family that a history gives; these are: {}", names(&known)))
}

fn names(families: &[Skill]) -> String {
    families.iter().map(|skill| skill.name()).collect::<Vec<_>>().join(",")
}

fn harvest(args: &Args, causes: bool) -> anyhow::Result<CommitHistory> {
    let (revision, since) = (args.revision.clone(), args.since.clone());
    let options = HarvestOptions { revision, since, first_parent: args.first_parent, ..Default::default() };
    let mut history = git::history(&args.repository, &options)?;
    if causes {
        git::trace_causes(&args.repository, &mut history, TRACED)?;
    }
    Ok(history)
}

fn plan(args: &Args, families: Vec<Skill>) -> MakePlan {
    let wanted = families.into_iter().map(|skill| (skill, args.count as usize)).collect();
    let rules = FilterRules { words: args.words, ..Default::default() };
    MakePlan { seed: args.seed, wanted, rules, surplus: args.surplus as usize, ..Default::default() }
}

fn described(args: &Args, history: &CommitHistory, made: &MadeSet) -> SetManifest {
    let source =
        SourceEntry { source: history.name.clone(), head: history.head.clone(), licence: history.licence.clone() };
    let name = args.out.file_stem().unwrap_or_default().to_string_lossy();
    SetManifest::of(&name, &command(args), args.seed, vec![source], &made.questions)
}

/// The command that makes the set again, without the paths of this machine.
fn command(args: &Args) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut words = vec!["sre-zero new-questions".to_string(), name(&args.repository), "--out".into(), name(&args.out)];
    if !args.families.is_empty() {
        words.extend(["--families".into(), names(&args.families)]);
    }
    words
        .push(format!("--count {} --surplus {} --seed {} --words {}", args.count, args.surplus, args.seed, args.words));
    words.extend(args.since.iter().map(|since| format!("--since {since}")));
    words.push(format!("--revision {}", args.revision));
    words.extend(args.first_parent.then(|| "--first-parent".to_string()));
    words.join(" ")
}

fn left_out(made: &MadeSet) -> String {
    let reasons = made.dropped.iter().map(|(why, count)| format!("{count} {}", why.name()));
    let reasons: Vec<String> = reasons.collect();
    if reasons.is_empty() { "no commit left out".into() } else { format!("commits left out: {}", reasons.join(", ")) }
}
