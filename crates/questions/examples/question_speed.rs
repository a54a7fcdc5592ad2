//! Measures: episodes of questions per second on one core, and making a set from a repository with 10,000 commits.
//!
//! `cargo run --release -p sre-zero-questions --example question_speed -- [FOLDER]`. The repository is synthetic; it is put into
//! the folder, or into the machine's folder for temporary files, and stays there to be looked at.
#![allow(clippy::disallowed_types, reason = "it measures time and writes a repository")]

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use questions::git::{self, HarvestOptions};
use questions::make::{FilterRules, MakePlan, from_history};
use questions::{Question, Skill, audit, written};
use world::Seed;

const COMMITS: u64 = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder =
        std::env::args().nth(1).map(PathBuf::from).unwrap_or_else(|| std::env::temp_dir().join("questions-speed"));
    episodes();
    let begin = Instant::now();
    repository(&folder)?;
    println!("a repository with {COMMITS} commits: {:.1} s", begin.elapsed().as_secs_f64());
    let begin = Instant::now();
    let history = git::history(&folder, &HarvestOptions { name: Some("synthetic".into()), ..Default::default() })?;
    println!("harvest of {} commits: {:.1} s", history.commits.len(), begin.elapsed().as_secs_f64());
    let families = [Skill::GmcqEasy, Skill::GmcqHard, Skill::ReverseMatch, Skill::MaskedHunk, Skill::NoneOfThese];
    let wanted = families.map(|skill| (skill, 200)).to_vec();
    let rules = FilterRules { words: 6, ..Default::default() };
    let made = from_history(&history, &MakePlan { wanted, rules, ..Default::default() });
    println!("{} questions, harvest included: {:.1} s", made.questions.len(), begin.elapsed().as_secs_f64());
    let begin = Instant::now();
    let found = audit::audit(&made.questions);
    // Random text has no meaning to be right about; what counts here is the time.
    println!("audit of them: {:.1} s, {} parts", begin.elapsed().as_secs_f64(), found.parts.len());
    Ok(())
}

/// Prompt, reply, grade: an episode as the harness plays it.
fn episodes() {
    let families =
        [Skill::GmcqEasy, Skill::GmcqHard, Skill::Culprit, Skill::MaskedChange, Skill::Reverse, Skill::Localise];
    let questions: Vec<Question> = families.iter().flat_map(|skill| written::make(*skill, 50, 1, 5)).collect();
    let replies = [
        "B",
        "The answer is C.",
        "Choice A breaks it, so the best one is D.",
        "Raise the timeout.",
        "```diff\n+x\n```",
    ];
    let (mut played, mut right) = (0u64, 0u64);
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < 2.0 {
        let question = &questions[(played % questions.len() as u64) as usize];
        let prompt = question.prompt(played);
        assert!(!prompt.user.is_empty());
        let outcome = question.grade(replies[(played % replies.len() as u64) as usize], played);
        right += u64::from(outcome.correct);
        played += 1;
    }
    let each = played as f64 / begin.elapsed().as_secs_f64();
    println!("{each:.0} episodes per second on one core ({right} of {played} right)");
}

/// Writes a history with `git fast-import`: each commit changes some lines of one or two files.
fn repository(folder: &Path) -> Result<(), Box<dyn Error>> {
    if folder.join(".git").exists() {
        return Ok(());
    }
    let status = Command::new("git").args(["init", "-q", "-b", "main"]).arg(folder).status()?;
    assert!(status.success(), "git init");
    let mut import =
        Command::new("git").arg("-C").arg(folder).args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn()?;
    let mut out = std::io::BufWriter::new(import.stdin.take().ok_or("no pipe")?);
    let mut files: Vec<Vec<u64>> = (0..200).map(|file| (0..60).map(|line| file * 1000 + line).collect()).collect();
    for number in 0..COMMITS {
        let stream = Seed(number).stream("commit");
        let message = message(number);
        write!(out, "commit refs/heads/main\ncommitter T <t@example.com> {} +0000\n", 1_700_000_000 + number * 600)?;
        write!(out, "data {}\n{message}\n", message.len())?;
        for touch in 0..=stream.at(0).below(2) {
            let file = stream.at(1 + touch).below(200) as usize;
            for edit in 0..2 + stream.at(5 + touch).below(6) {
                let line = stream.within(touch).at(edit).below(60) as usize;
                files[file][line] = stream.within(touch).at(100 + edit).bits();
            }
            let text: String = files[file].iter().map(|line| code(*line)).collect();
            write!(out, "M 100644 inline src/part{}/file{file}.rs\ndata {}\n{text}\n", file % 12, text.len())?;
        }
    }
    out.flush()?;
    drop(out);
    assert!(import.wait()?.success(), "git fast-import");
    Ok(())
}

const NOUNS: [&str; 24] = [
    "queue", "cache", "worker", "socket", "ledger", "shard", "lease", "replica", "cursor", "buffer", "timer", "ticket",
    "batch", "index", "snapshot", "segment", "router", "probe", "limit", "window", "token", "quota", "journal",
    "digest",
];
const VERBS: [&str; 12] =
    ["close", "refuse", "reuse", "count", "split", "merge", "delay", "flush", "guard", "rename", "verify", "release"];

fn noun(draw: u64) -> &'static str {
    NOUNS[(draw % 24) as usize]
}

fn message(number: u64) -> String {
    let stream = Seed(number).stream("message");
    let word = |at| noun(stream.at(at).bits());
    let verb = |at: u64| VERBS[(stream.at(at).bits() % 12) as usize];
    format!(
        "Let the {} {} its {} before the {} can {} a {} of another {}",
        word(0),
        verb(10),
        word(1),
        word(2),
        verb(11),
        word(3),
        word(4)
    )
}

fn code(line: u64) -> String {
    let (a, b, verb) = (noun(line >> 8), noun(line >> 16), VERBS[(line >> 24) as usize % 12]);
    match line % 4 {
        0 => format!("    if {a}.len() == {} && {b}.is_some() {{ self.{verb}({a}); }}\n", line % 97),
        1 => format!("    let {a} = self.{b}.iter().take({}).min({});\n", line % 13, line % 31),
        2 => format!("    self.{verb}_{a}({b}, true);\n"),
        _ => format!("    // the {a} must {verb} the {b}\n"),
    }
}
