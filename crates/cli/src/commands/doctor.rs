//! `doctor`: what this machine has of what the program can use, and how to get the rest.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use agents::providers::{self, Keys};
use serde_json::json;

use crate::exit::CommandOutcome;
use crate::say;

const EXAMPLES: &str = "\
Examples:
  sre-zero doctor            what is here and what is missing
  sre-zero doctor --json     the same for programs

The program itself needs nothing: whatever is missing below is for the part that is named beside it.
Keys are looked for by name; their values are neither shown nor sent.";

/// Arguments of `doctor`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One thing that was looked for.
struct Finding {
    what: String,
    found: Option<String>,
    /// What it is for.
    used_for: &'static str,
    /// What to do if it is missing.
    remedy: String,
}

/// Looks, prints, and is fine: nothing of this is needed for everything.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let findings: Vec<Finding> =
        programs().chain(providers::ALL.iter().map(|one| provider(one))).chain([handles(), folder()]).collect();
    if args.json {
        let all: Vec<_> = findings.iter().map(as_json).collect();
        say::print(&format!("{}\n", serde_json::to_string_pretty(&json!({ "findings": all }))?))?;
    } else {
        say::print(&text(&findings))?;
    }
    Ok(CommandOutcome::Fine)
}

fn as_json(finding: &Finding) -> serde_json::Value {
    let Finding { what, found, used_for, remedy } = finding;
    json!({ "what": what, "found": found, "used_for": used_for, "remedy": found.is_none().then_some(remedy) })
}

fn text(findings: &[Finding]) -> String {
    let width = findings.iter().map(|finding| finding.what.chars().count()).max().unwrap_or(0);
    let line = |finding: &Finding| {
        let Finding { what, found, used_for, remedy } = finding;
        match found {
            Some(found) => format!("ok       {what:width$}  {found}\n"),
            None => format!("missing  {what:width$}  for {used_for}: {remedy}\n"),
        }
    };
    let missing = findings.iter().filter(|finding| finding.found.is_none()).count();
    let lines: String = findings.iter().map(line).collect();
    format!("sre-zero {}\n\n{lines}\n{} of {} missing.\n", env!("CARGO_PKG_VERSION"), missing, findings.len())
}

/// Programs that some parts start, each with the argument that has it tell its version.
fn programs() -> impl Iterator<Item = Finding> {
    const PROGRAMS: &[(&str, &[&str], &str, &str)] = &[
        ("git", &["--version"], "questions from your own repositories", "install git"),
        ("python3", &["--version"], "the package `srezero`", "install Python 3.11 or newer"),
        ("bwrap", &["--version"], "`run --exec-sandbox`", "install bubblewrap (Linux)"),
        ("kubectl", &["version", "--client"], "clusters with the real client", "install kubectl 1.30 or newer"),
        ("chromium", &["--version"], "the browser tests", "install Chromium"),
        ("node", &["--version"], "the browser tests", "install Node 20 or newer"),
        ("docker", &["--version"], "building the image", "install Docker"),
    ];
    PROGRAMS.iter().map(|(name, ask, used_for, remedy)| Finding {
        what: format!("program {name}"),
        found: version(name, ask),
        used_for,
        remedy: (*remedy).to_string(),
    })
}

/// The first line that a program says about itself.
fn version(name: &str, ask: &[&str]) -> Option<String> {
    let output = Command::new(name).args(ask).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let line = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_string();
    output.status.success().then_some(if line.is_empty() { "it is there".to_string() } else { line })
}

fn provider(provider: &providers::Provider) -> Finding {
    let names: &[&str] = match provider.keys {
        Keys::Needed(names) | Keys::Optional(names) => names,
        Keys::Aws => &["AWS_ACCESS_KEY_ID"],
    };
    let set = |name: &&&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let found = match (names.iter().find(set), provider.keys) {
        (Some(name), _) => Some(format!("{name} is set")),
        (None, Keys::Optional(_)) => Some("no key is needed".to_string()),
        (None, _) => None,
    };
    Finding {
        what: format!("provider {}", provider.name),
        found,
        used_for: "its models",
        remedy: format!("set {} in the environment or in a file .env", names.join(" or ")),
    }
}

/// How many files may be open at once, where the system says so. Each connection of `serve` is one.
fn handles() -> Finding {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find(|line| line.starts_with("Max open files"));
    let limit = line.and_then(|line| line.split_whitespace().nth(3)).map(str::to_string);
    let enough = limit.filter(|limit| limit == "unlimited" || limit.parse::<u64>().is_ok_and(|most| most >= 4096));
    Finding {
        what: "file handles".to_string(),
        found: enough.map(|limit| format!("{limit} at once")),
        used_for: "many clients of `serve`",
        remedy: "raise the limit with `ulimit -n 16384`".to_string(),
    }
}

/// Whether runs can be kept here.
fn folder() -> Finding {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let probe = here.join(format!(".sre-zero-doctor-{}", std::process::id()));
    let written = std::fs::write(&probe, "").and_then(|()| std::fs::remove_file(&probe));
    Finding {
        what: "this folder".to_string(),
        found: written.is_ok().then(|| "runs can be kept here".to_string()),
        used_for: "the results of `run`",
        remedy: "choose a folder with --out that can be written".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_says_what_to_do() {
        let here = |found: Option<&str>| Finding {
            what: "program x".into(),
            found: found.map(str::to_string),
            used_for: "something",
            remedy: "install x".into(),
        };
        let told = text(&[here(Some("x 1.0")), here(None)]);
        assert!(told.contains("ok       program x  x 1.0"), "{told}");
        assert!(told.contains("missing  program x  for something: install x"), "{told}");
        assert!(told.ends_with("1 of 2 missing.\n"), "{told}");
        assert_eq!(version("no-such-program-anywhere", &["--version"]), None);
    }

    #[test]
    fn a_key_is_named_and_never_shown() {
        for one in providers::ALL {
            let told = as_json(&provider(one)).to_string();
            for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"] {
                let value = std::env::var(name).unwrap_or_default();
                assert!(value.len() < 8 || !told.contains(&value), "{name}");
            }
        }
    }
}
