//! The set that ships: it can be asked, no shortcut works on it, and its command makes it again.
#![allow(clippy::disallowed_methods, reason = "it reads the shipped files")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use questions::make::SetManifest;
use questions::{Expected, Question, audit, resources, shipped, store};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join("tasks/skills").join(name)).expect("it ships")
}

fn questions() -> Vec<Question> {
    store::read(&text("questions.jsonl")).expect("a set without flaws")
}

#[test]
fn the_set_is_what_its_manifest_says() {
    let questions = questions();
    let manifest: SetManifest = serde_json::from_str(&text("manifest.json")).expect("a manifest");
    let again = SetManifest::of(&manifest.name, &manifest.command, manifest.seed, manifest.sources.clone(), &questions);
    assert_eq!(manifest, again);
    assert!(questions.len() >= 1200, "{} questions", questions.len());
    let texts: BTreeSet<String> =
        questions.iter().map(|question| format!("{}{:?}", question.text, question.expected)).collect();
    assert_eq!(texts.len(), questions.len(), "no question stands there twice");
}

#[test]
fn no_shortcut_works_on_it() {
    let questions = questions();
    let audit = audit::audit(&questions);
    assert!(audit.passes(), "{}", audit.table(3));
    assert_eq!(text("audit.txt"), audit.table(usize::MAX), "the shipped figures are those of the shipped set");
    assert_eq!(*shipped::shortcuts(), audit.by_family(&questions), "and so are those that reports show");
}

#[test]
fn every_question_can_be_answered_rightly() {
    for question in questions() {
        for seed in [0, 1, 77] {
            let reply = match &question.expected {
                Expected::Choice(_) => questions::ask::letter(question.shown_key(seed).expect("a choice")).to_string(),
                Expected::Region(region) => format!("```diff\n{}\n```", region.lines.join("\n")),
                Expected::Places(places) => places.files.join("\n"),
                Expected::Account(_) => continue,
            };
            let outcome = question.grade(reply.as_str(), seed);
            assert!(outcome.correct, "{}: {outcome:?}", question.id);
        }
    }
}

/// Wrong options are wrong by what they mean: all of them can be applied.
#[test]
fn every_terraform_option_can_be_applied() {
    for question in questions().iter().filter(|question| question.skill.is_terraform()) {
        for option in &question.choice().expect("a choice").options {
            if let Err(why) = resources::apply(option) {
                panic!("{}: {why}", question.id);
            }
        }
    }
}

#[test]
fn it_says_nothing_of_machines_and_people() {
    let all = text("questions.jsonl").to_lowercase();
    for word in ["/wo\u{72}k/", "/ho\u{6d}e/", "/ro\u{6f}t/", "merge branch", "co-authored", "signed-off", "noreply"] {
        assert!(!all.contains(word), "{word}");
    }
}

/// Needs the project's history: a copy without it has nothing to compare with.
#[test]
fn the_command_makes_it_again() {
    match shipped::make(&root()) {
        Ok(made) => assert!(store::write(&made.questions) == text("questions.jsonl"), "run {}", made.manifest.command),
        Err(error) => eprintln!("skipped: {error}"),
    }
}
