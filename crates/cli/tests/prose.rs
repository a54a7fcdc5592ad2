//! Plain words: the help of every command, the documents and the sources say who does what.

mod bench;

use std::fs;
use std::path::{Path, PathBuf};

/// Words that hide who is meant. Name the person or the program instead: the agent, a client, the on-call engineer.
const VAGUE: &[&str] = &["somebody", "nobody", "whoever", "whomever", "anybody", "one's own", "gone about"];

/// Where such a word is data, with the reason.
const DATA: &[(&str, &str)] = &[
    ("record/src/grade/cues.rs", "words of people's diagnoses"),
    ("record/src/grade/negation.rs", "words of people's diagnoses"),
    ("record/src/grade/concepts/frames.rs", "words of people's diagnoses"),
    ("record/src/grade/faulty.rs", "words of people's diagnoses"),
    ("record/src/grade/asserted.rs", "words of people's diagnoses"),
    ("record/src/grade/measured.rs", "words of people's diagnoses"),
    ("record/src/grade/concepts/further.rs", "words of people's diagnoses"),
    ("cli/tests/prose.rs", "the list itself"),
    ("cli/tests/exec.rs", "the name of a program that does not exist"),
    ("cli/tests/serve/leaks.rs", "a text that is searched for secrets"),
    ("cli/tests/sessions/compare.md", "the name of an agent that does not exist"),
    ("cluster/src/exec/proc.rs", "a user of every image"),
    ("cluster/src/exec/tools/system.rs", "a user of every image"),
    ("cluster/src/exec/proc.rs", "the name of a user in every container"),
    ("cluster/src/exec/tools/system.rs", "the name of a user in every container"),
    ("cluster/tests/network.rs", "the name of a service without endpoints"),
    ("questions/src/shipped.rs", "words that questions must not contain"),
    ("record/src/grade/diagnosis_cases.rs", "what agents write"),
    ("agents/src/fake_provider/responders/mod.rs", "what a model says"),
    ("record/src/grade/concepts/also.rs", "phrases in which people name causes"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project's folder")
}

/// The vague word in a text, if there is one, with its line.
fn vague(text: &str) -> Option<(&'static str, String)> {
    text.lines().find_map(|line| {
        let low = format!(" {} ", line.to_lowercase());
        let is_word = |word: &str| {
            low.match_indices(word).any(|(at, _)| {
                let before = low[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
                let after = low[at + word.len()..].chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_');
                !before && !after
            })
        };
        VAGUE.iter().find(|word| is_word(word)).map(|word| (*word, line.trim().to_string()))
    })
}

#[test]
fn vague_words_are_found() {
    let check = |text: &str, expect: Option<&str>| assert_eq!(vague(text).map(|(word, _)| word), expect, "{text}");
    check("the on-call engineer is paged", None);
    check("fine\nNobody is paged", Some("nobody"));
    check("an agent of one's own", Some("one's own"));
    check("How it is gone about:", Some("gone about"));
    check("nobodys_name and a busybody", None);
}

#[test]
fn help_says_who_does_what() {
    let help = |arguments: &[&str]| {
        let output = bench::program().args(arguments).output().expect("the program starts");
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).expect("help is text")
    };
    let all = help(&["help"]);
    let commands = all.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    // A description that goes on in the next line stands further to the right.
    let names = commands.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let commands: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 20, "all commands are there: {commands:?}");
    assert_eq!(vague(&all), None, "sre-zero help");
    for command in commands.into_iter().filter(|name| *name != "help") {
        for flag in ["-h", "--help"] {
            assert_eq!(vague(&help(&[command, flag])), None, "sre-zero {command} {flag}");
        }
    }
}

#[test]
fn documents_and_sources_say_who_does_what() {
    let mut texts = Vec::new();
    for folder in ["crates", "docs", "examples", "python", "tasks", "web", "tests"] {
        walk(&root().join(folder), &mut texts);
    }
    let above = fs::read_dir(root()).expect("a folder").map(|entry| entry.expect("an entry").path());
    texts.extend(above.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    assert!(texts.len() > 500, "the texts are there: {}", texts.len());
    for path in texts.iter().filter(|path| !DATA.iter().any(|(data, _)| path.ends_with(data))) {
        let Ok(text) = fs::read_to_string(path) else { continue };
        assert_eq!(vague(&text), None, "{}", path.display());
    }
    for (data, _) in DATA {
        let path = root().join("crates").join(data);
        let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{data} is gone: take it off the list"));
        assert!(vague(&text).is_some(), "{data} holds no such word any more: take it off the list");
    }
}

/// Documents and sources below a folder; not what was built, and not what programs wrote for tests.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_built =
            ["target", "node_modules", "runs", "__pycache__"].contains(&name.as_str()) || name.starts_with('.');
        let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() && !is_built {
            walk(&path, found);
        } else if ["rs", "md", "toml", "js", "css", "html", "py", "sh"].contains(&ending.as_str()) {
            found.push(path);
        }
    }
}
