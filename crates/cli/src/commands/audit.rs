//! `audit`: holds a set of questions against rules that never understand one.

use std::path::PathBuf;

use clap::ValueHint;
use questions::audit;
use questions::import::ImportedSet;
use questions::shipped;

use crate::exit::CommandOutcome;
use crate::question_files;
use crate::say;

/// The suite that the program carries.
const CARRIED: [&str; 1] = ["skills"];

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
        Some(file) => question_files::read(file)?,
        None => ImportedSet { questions: shipped::carried().to_vec(), rejected: Vec::new() },
    };
    question_files::tell(&question_files::flaws(&set));
    let found = audit::audit(&set.questions);
    say::print(&found.table(args.most))?;
    Ok(if found.passes() { CommandOutcome::Fine } else { CommandOutcome::Failed })
}
