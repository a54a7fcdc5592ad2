//! What a shell keeps between commands, and what a command leaves behind.

use std::collections::BTreeMap;

use crate::Host;
use crate::syntax::List;

/// What a command left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// How it ended; 0 is well.
    pub code: i32,
}

impl Output {
    /// It printed this and is well.
    pub fn printed(text: impl Into<String>) -> Self {
        Self { stdout: text.into(), ..Self::default() }
    }

    /// It failed with a code and these words.
    pub fn failed(code: i32, words: impl Into<String>) -> Self {
        Self { stdout: String::new(), stderr: words.into(), code }
    }

    /// It ended with a code and said nothing.
    pub fn ended(code: i32) -> Self {
        Self { code, ..Self::default() }
    }

    pub(crate) fn append(&mut self, other: Output) {
        self.stdout.push_str(&other.stdout);
        self.stderr.push_str(&other.stderr);
        self.code = other.code;
    }
}

/// A shell: its variables, functions and background jobs.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    /// The variables; programs see them through the host.
    pub variables: BTreeMap<String, String>,
    /// `$1`, `$2`, ...
    pub arguments: Vec<String>,
    pub(crate) functions: BTreeMap<String, List>,
    pub(crate) jobs: Vec<Job>,
    pub(crate) job_output: Output,
    pub(crate) last: i32,
    /// How the last `$(...)` ended, and what those of the present command complained about.
    pub(crate) substituted: i32,
    pub(crate) complaints: String,
    /// Commands run since the line began, and how deep they are nested.
    pub(crate) steps: usize,
    pub(crate) depth: usize,
    /// `exit` was called, or the line was stopped for its length.
    pub(crate) is_over: bool,
    pub(crate) fails_fast: bool,
    pub(crate) loop_control: Option<LoopControl>,
}

/// `break` and `continue`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopControl {
    Break,
    Continue,
}

/// A job: which commands are left, and when the next of them runs.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) list: List,
    pub(crate) at: usize,
    /// Only this element of the list, for `command &`.
    pub(crate) only: Option<usize>,
    pub(crate) due: i64,
}

/// Reads a file; the null device is empty.
pub(crate) fn read(host: &mut dyn Host, path: &str) -> Result<String, String> {
    if path == "/dev/null" { Ok(String::new()) } else { host.read_file(path) }
}
