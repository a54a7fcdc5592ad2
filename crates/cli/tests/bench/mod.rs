//! The bench for sweeps: the rehearsal provider as a process of its own, and the program run against it.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use agents::fake_provider::RequestEntry;
use harness::exchanges::{self, Attempt};
use harness::sweep::{EpisodeLine, exchange_path, read_lines};
use serde_json::Value;

/// The program.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sre-zero"));
    // A key of the environment must not reach a test, nor a file `.env` of the folder.
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

/// A rehearsal provider that runs until it is dropped.
pub struct FakeProvider {
    child: Child,
    pub url: String,
    pub log: PathBuf,
}

impl FakeProvider {
    /// Starts one that writes its log into the folder.
    pub fn start(folder: &Path, flags: &[&str]) -> FakeProvider {
        let log = folder.join("provider.log");
        let mut command = program();
        command.args(["rehearse", "--port", "0", "--log"]).arg(&log).args(flags);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
        let mut ready = String::new();
        BufReader::new(child.stdout.take().expect("it is piped"))
            .read_line(&mut ready)
            .expect("it says that it is ready");
        let address = ready.trim().strip_prefix("rehearsing on ").unwrap_or_else(|| panic!("not ready: {ready}"));
        FakeProvider { child, url: format!("{address}/v1"), log }
    }

    /// What it did to every request.
    pub fn lines(&self) -> Vec<RequestEntry> {
        let text = fs::read_to_string(&self.log).expect("it writes a log");
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        RequestEntry::read_all(whole).expect("it writes whole lines")
    }

    /// The program, pointed at it.
    pub fn run(&self, out: &Path, flags: &[&str]) -> Command {
        let mut command = program();
        command.env("SRE_ZERO_REHEARSAL_URL", &self.url).arg("run").args(flags).arg("--out").arg(out);
        command
    }
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Two agents, two models, as fast as it goes.
pub const SWEEP: &[&str] = &[
    "--agents",
    "react,tools",
    "--models",
    "rehearsal/runbook,rehearsal/random",
    "--episodes",
    "1",
    "--policy",
    "none",
    "--llm-backoff-seconds",
    "0",
];

/// Flags, one list after the other.
pub fn flags<'a>(lists: &[&[&'a str]]) -> Vec<&'a str> {
    lists.concat()
}

/// Ends well, or panics with what it said.
pub fn succeed(mut command: Command) -> Output {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, said(&output));
    output
}

/// What it said, on both channels.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The lines of a run by key.
pub fn lines(out: &Path) -> BTreeMap<String, EpisodeLine> {
    let found = read_lines(out).expect("the run wrote it");
    assert!(found.damaged.is_empty());
    let count = found.lines.len();
    let by_key: BTreeMap<String, EpisodeLine> = found.lines.into_iter().map(|line| (line.key.clone(), line)).collect();
    assert_eq!(by_key.len(), count, "an episode is there twice");
    by_key
}

/// The failed tries of an episode, in order.
pub fn attempts(out: &Path, key: &str) -> Vec<Attempt> {
    let lines = exchanges::read_exchanges(&exchange_path(out, key)).expect("it can be read");
    lines
        .into_iter()
        .filter_map(|line| if let exchanges::ExchangeEntry::Attempt(attempt) = line { Some(attempt) } else { None })
        .collect()
}

/// A JSON file.
pub fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All files below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it can be read").path()) {
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// Whether programs can be put into a sandbox here; where they cannot, the test says so.
pub fn has_bubblewrap() -> bool {
    let mut command = Command::new("bwrap");
    command.args(["--ro-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--dev", "/dev", "true"]);
    let works = command.output().is_ok_and(|output| output.status.success());
    if !works {
        println!("bubblewrap is not here or not allowed: the sandbox was left out");
    }
    works
}
