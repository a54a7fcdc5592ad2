//! `audit`: holds a set of questions against rules that never understand one.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueHint;
use harness::read_text;
use questions::audit;
use questions::import::{self, ImportedSet};
use questions::shipped;

use crate::exit::CommandOutcome;
use crate::say;

/// The suite that the program carries.
const CARRIED: [&str; 1] = ["skills"];
/// So many questions that could not be used are told one by one.
const TOLD: usize = 5;

const EXAMPLES: &str = "\
Examples:
  sre-zero audit --suite skills            the set that comes with the program
  sre-zero audit --file mine.jsonl         a set of your own, one question per line
  sre-zero audit --file azure-k8s-mcq.json a published file; its name tells the family
  sre-zero audit --suite skills --most 100 every rule, not the best twelve of each part

A rule knows letters, lengths, shared words or the middle of the options, and not what a question
means. A set fails if the lower end of a rule's interval of 95 % is more than five points above
chance: then a score on it may be that rule's. Skill is what lies above the best rule.
docs/questions.md lists the rules.

It ends with 1 if a shortcut works.";

/// Arguments of `audit`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, group(clap::ArgGroup::new("set").args(["suite", "file"]).required(true)))]
pub struct Args {
    /// A suite of questions that the program carries
    #[arg(long, value_name = "SUITE", value_parser = CARRIED)]
    suite: Option<String>,
    /// A file of questions: a set of ours or a published file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: Option<PathBuf>,
    /// Rules shown of each part; those that fail are always shown
    #[arg(long, value_name = "N", default_value_t = 12)]
    most: usize,
}

/// Audits a set and prints the table.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let set = match &args.file {
        Some(file) => read(file)?,
        None => ImportedSet { questions: shipped::carried().to_vec(), rejected: Vec::new() },
    };
    let flawed = set.questions.iter().filter_map(|question| Some((question.id.clone(), question.flaw()?)));
    let wrong: Vec<(String, String)> =
        set.rejected.iter().map(|(number, why)| (format!("question {number}"), why.clone())).chain(flawed).collect();
    for (which, why) in wrong.iter().take(TOLD) {
        say::note(&format!("{which}: {why}"));
    }
    if wrong.len() > TOLD {
        say::note(&format!("and {} more", wrong.len() - TOLD));
    }
    let found = audit::audit(&set.questions);
    say::print(&found.table(args.most))?;
    Ok(if found.passes() { CommandOutcome::Fine } else { CommandOutcome::Failed })
}

fn read(file: &Path) -> anyhow::Result<ImportedSet> {
    let text = read_text(file, "read the questions", "save the file as UTF-8")?;
    let set = import::read_any(&file.to_string_lossy(), &text).with_context(|| file.display().to_string())?;
    if let (true, Some((number, why))) = (set.questions.is_empty(), set.rejected.first()) {
        bail!("{}: no question could be read; question {number}: {why}", file.display());
    }
    if set.questions.is_empty() {
        bail!("{}: there is no question in it; give a file with one question per line", file.display());
    }
    Ok(set)
}
