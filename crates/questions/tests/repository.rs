//! From a repository to a set: harvest, filter, causes, every family.
#![allow(clippy::disallowed_methods, reason = "it writes a repository")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use questions::git::{self, HarvestOptions};
use questions::make::{Dropped, FilterRules, MakePlan, from_history};
use questions::{Expected, Skill};

/// A repository that is removed with the test.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const THINGS: [&str; 10] =
    ["queue", "cache", "ledger", "socket", "journal", "quota", "lease", "replica", "cursor", "ticket"];

/// Forty commits of people, one of a bot, one of prose, one that mends another.
fn repository(name: &str) -> Scratch {
    let folder = std::env::temp_dir().join(format!("questions-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    assert!(Command::new("git").args(["init", "-q", "-b", "main"]).arg(&folder).status().expect("git").success());
    let mut import = Command::new("git")
        .arg("-C")
        .arg(&folder)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("git");
    let mut out = import.stdin.take().expect("a pipe");
    let mut files: Vec<Vec<String>> = THINGS.map(|thing| (0..40).map(|line| first(thing, line)).collect()).to_vec();
    for number in 0..40usize {
        let (file, thing) = (number % 10, THINGS[number % 10]);
        let round = number / 10;
        for at in [4, 5, 24, 25] {
            files[file][at + round] =
                format!("    if {thing}.len() > {number} && {thing}.is_some() {{ self.refuse_caller({at}); }}");
        }
        let message = format!(
            "Let the {thing} wait for a free place before a caller is refused, in round {round} of {}",
            THINGS[(number + 3) % 10]
        );
        commit(&mut out, number, "Ann Example", &message, &format!("src/{thing}.rs"), &files[file].join("\n"));
    }
    commit(
        &mut out,
        40,
        "dependabot[bot]",
        "Bump everything to the newest version there is",
        "src/queue.rs",
        "fn x() {}",
    );
    commit(
        &mut out,
        41,
        "Ann Example",
        "Tell in the guide how the queue and the cache are kept apart",
        "docs/guide.md",
        "text",
    );
    files[3][7] = "    // nothing is refused here".into();
    files[3][8] = "    // the socket stays open".into();
    commit(
        &mut out,
        42,
        "Ann Example",
        "Fix the socket that refused callers although a place was free",
        "src/socket.rs",
        &files[3].join("\n"),
    );
    drop(out);
    assert!(import.wait().expect("git").success());
    Scratch(folder)
}

fn first(thing: &str, line: usize) -> String {
    format!("    self.{thing}.count({line}); // the {thing} at {line}")
}

fn commit(out: &mut impl Write, number: usize, author: &str, message: &str, path: &str, text: &str) {
    let date = 1_700_000_000 + number * 3600;
    let head = format!(
        "commit refs/heads/main\nauthor {author} <a@example.com> {date} +0000\ncommitter {author} <a@example.com> {date} +0000\n"
    );
    let body =
        format!("data {}\n{message}\nM 100644 inline {path}\ndata {}\n{text}\n\n", message.len(), text.len() + 1);
    out.write_all((head + &body).as_bytes()).expect("a pipe");
}

fn history(folder: &Path) -> questions::make::CommitHistory {
    let mut history = git::history(folder, &HarvestOptions { name: Some("scratch".into()), ..Default::default() })
        .expect("a history");
    git::trace_causes(folder, &mut history, 50).expect("blame");
    history
}

#[test]
fn commits_are_harvested_and_causes_found() {
    let scratch = repository("harvest");
    let history = history(&scratch.0);
    assert_eq!(history.commits.len(), 43);
    assert!(history.commits.iter().all(|commit| commit.patch_id.len() == 40), "every commit has a patch id");
    let subject = |id: &str| history.commits.iter().find(|commit| commit.id == id).expect("known").subject.clone();
    let [cause] = history.causes.as_slice() else { panic!("{:?}", history.causes) };
    assert!(subject(&cause.fix).starts_with("Fix the socket"));
    assert!(subject(&cause.culprit).contains("round 3"), "{}", subject(&cause.culprit));
}

#[test]
fn every_family_is_made_from_a_history() {
    let scratch = repository("families");
    let history = history(&scratch.0);
    let rules = FilterRules { words: 5, ..Default::default() };
    for skill in Skill::ALL.into_iter().filter(|skill| !skill.is_terraform()) {
        let plan = MakePlan { wanted: vec![(skill, 4)], rules: rules.clone(), ..Default::default() };
        let made = from_history(&history, &plan);
        assert_eq!(made.dropped.get(&Dropped::Bot), Some(&1));
        assert_eq!(made.dropped.get(&Dropped::NoCode), Some(&1));
        let least = if skill == Skill::Culprit { 1 } else { 4 };
        assert!(made.questions.len() >= least, "{}: {}", skill.name(), made.questions.len());
        for question in &made.questions {
            assert_eq!(question.flaw(), None, "{}", question.id);
            assert_eq!((question.provenance.commit.len(), question.provenance.patch_id.len()), (40, 40));
            let shown = format!("{}{:?}", question.text, question.expected);
            assert!(!shown.contains("Example"), "no name of a person: {shown}");
        }
        let again = from_history(&history, &plan);
        assert_eq!(again.questions, made.questions, "the same seed makes the same set");
    }
}

#[test]
fn a_square_holds_the_change_itself_and_three_versions() {
    let scratch = repository("square");
    let plan = MakePlan {
        wanted: vec![(Skill::GmcqHard, 10)],
        rules: FilterRules { words: 5, ..Default::default() },
        ..Default::default()
    };
    let made = from_history(&history(&scratch.0), &plan);
    assert_eq!(made.questions.len(), 10);
    for question in made.questions {
        let Expected::Choice(choice) = &question.expected else { panic!("a choice") };
        assert!(choice.breaks[choice.key].is_empty());
        assert_eq!(choice.breaks.iter().filter(|words| words.is_empty()).count(), 1);
    }
}

#[test]
fn a_folder_without_history_is_refused_in_words() {
    let error = git::history(&std::env::temp_dir().join("questions-no-such-folder"), &HarvestOptions::default());
    assert!(error.expect_err("there is none").to_string().starts_with("git rev-parse: "));
}
