//! Makes a set from a local repository and audits it.
//!
//! `cargo run --release -p sre-zero-questions --example from_repository -- REPOSITORY OUT.jsonl [COUNT] [SURPLUS]`
//! COUNT questions of each family are kept out of SURPLUS times as many; with a SURPLUS of 1 nothing is levelled.
#![allow(clippy::disallowed_methods, reason = "it writes files")]

use std::error::Error;
use std::path::Path;

use questions::git::{self, HarvestOptions};
use questions::make::{FilterRules, MakePlan, from_history};
use questions::{Skill, audit, store};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [repository, out, rest @ ..] = args.as_slice() else {
        return Err("usage: from_repository REPOSITORY OUT.jsonl [COUNT] [SURPLUS]".into());
    };
    let number = |at: usize, usual: usize| rest.get(at).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let mut history =
        git::history(Path::new(repository), &HarvestOptions { first_parent: false, ..Default::default() })?;
    git::trace_causes(Path::new(repository), &mut history, 200)?;
    let families = [
        Skill::GmcqEasy,
        Skill::GmcqHard,
        Skill::ReverseMatch,
        Skill::NoneOfThese,
        Skill::MaskedHunk,
        Skill::MaskedChange,
        Skill::Reverse,
        Skill::Localise,
        Skill::Culprit,
    ];
    let wanted = families.map(|skill| (skill, number(0, 50))).to_vec();
    let rules = FilterRules { words: 4, ..Default::default() };
    let made = from_history(&history, &MakePlan { wanted, rules, surplus: number(1, 4), ..Default::default() });
    std::fs::write(out, store::write(&made.questions))?;
    print!("{}", audit::audit(&made.questions).table(5));
    let (count, causes) = (made.questions.len(), history.causes.len());
    println!(
        "{count} questions from {} commits ({causes} causes known); left out: {:?}",
        history.commits.len(),
        made.dropped
    );
    Ok(())
}
