//! Commands recorded from the real kubectl against a real server, run in process: output, exit code, words of errors.
//!
//! The cases stand beside the served API (`kubeapi/tests/kubectl`), which the real kubectl runs them against. What changes from run to run (ids,
//! times, ages, addresses, hashes) is masked on both sides.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "tests read files and say so"
)]

mod common;

use std::path::{Path, PathBuf};

use common::{Desk, mask};
use regex_lite::Regex;

/// Cases that are told apart, each with its reason. Everything else must pass.
const APART: &[(&str, &str)] =
    &[("pf-01", "curl to a forwarded port: there is no socket in process, and port-forward says so")];

struct Case {
    id: String,
    setup: String,
    command: String,
    code: i32,
    stdout: String,
    stderr: String,
    compare: String,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../kubeapi/tests/kubectl")
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join("cases.tsv")).expect("the cases are in the project");
    text.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let cell = |at: usize| cells.get(at).copied().unwrap_or_default().to_string();
            let code = cell(5).parse().expect("an exit code");
            Case {
                id: cell(0),
                setup: cell(3),
                command: cell(4),
                code,
                stdout: cell(6),
                stderr: cell(7),
                compare: cell(8),
            }
        })
        .collect()
}

/// Patterns are Python's; they search, and a dot takes line breaks.
fn found(pattern: &str, text: &str) -> bool {
    let pattern = pattern.replace("\\\"", "\"");
    Regex::new(&format!("(?s){pattern}")).unwrap_or_else(|error| panic!("{pattern}: {error}")).is_match(text)
}

/// Why a case fails; nothing if it passes.
fn verdict(desk: &mut Desk, case: &Case) -> Vec<String> {
    if !case.setup.is_empty() {
        desk.run(&case.setup);
    }
    let output = desk.run(&case.command);
    let mut why = Vec::new();
    if output.code != case.code {
        why.push(format!("exit code {}, not {}", output.code, case.code));
    }
    if !case.stdout.is_empty() && !found(&case.stdout, &output.stdout) {
        why.push(format!("stdout does not match {}", case.stdout));
    }
    if !case.stderr.is_empty() && !found(&case.stderr, &output.stderr) {
        why.push(format!("stderr does not match {}", case.stderr));
    }
    if matches!(case.compare.as_str(), "y" | "s") {
        let golden =
            std::fs::read_to_string(folder().join(format!("golden/{}.txt", case.id))).expect("what the case printed");
        let ours = format!(
            "$ {}\nrc={}\n--- stdout\n{}\n--- stderr\n{}\n",
            case.command,
            output.code,
            mask(&output.stdout),
            mask(&output.stderr)
        );
        let sorted = |text: &str| {
            let mut lines: Vec<String> = text.split('\n').map(str::to_string).collect();
            if case.compare == "s" {
                lines.sort();
            }
            lines
        };
        let (golden, ours) = (sorted(&golden), sorted(&ours));
        if golden != ours {
            let missing = golden.iter().filter(|line| !ours.contains(line)).map(|line| format!("  - {line}"));
            let extra = ours.iter().filter(|line| !golden.contains(line)).map(|line| format!("  + {line}"));
            let lines: Vec<String> = missing.chain(extra).take(16).collect();
            why.push(format!("differs from the recording:\n{}", lines.join("\n")));
        }
    }
    if !why.is_empty() {
        why.push(format!("stdout: {:.300}\nstderr: {:.300}", output.stdout, output.stderr));
    }
    why
}

#[test]
fn recorded_cases_pass() {
    let mut desk = Desk::recorded(Path::new(&folder().join("fixtures")));
    let only = std::env::var("CASE").unwrap_or_default();
    let (mut passed, mut failed, mut apart) = (0, Vec::new(), Vec::new());
    for case in cases() {
        let why = verdict(&mut desk, &case);
        let known = APART.iter().find(|(id, _)| *id == case.id);
        if !only.is_empty() && case.id.starts_with(&only) {
            println!("{}: {}\n{}", case.id, case.command, why.join("\n"));
        }
        match (why.is_empty(), known) {
            (true, None) => passed += 1,
            (true, Some(_)) => failed.push(format!("{} passes and need not be told apart", case.id)),
            (false, Some((id, reason))) => apart.push(format!("{id}: {reason}")),
            (false, None) => failed.push(format!("{}: {}\n{}", case.id, case.command, why.join("\n"))),
        }
    }
    println!("{passed} passed, {} told apart:\n{}", apart.len(), apart.join("\n"));
    let all = passed + apart.len() + failed.len();
    assert!(failed.is_empty(), "{} of {all} fail:\n{}", failed.len(), failed.join("\n\n"));
    assert!(passed * 100 >= all * 95, "{passed} of {all} pass: fewer than 95 %");
}
