//! What can go wrong outside of an episode. Each says where it happened and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why the harness could not do what it was asked.
#[derive(Debug, Error)]
pub enum Error {
    /// A task file that is no task.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A suite that we do not have.
    #[error("unknown suite `{name}`{hint}; there are {known}")]
    Suite {
        /// What was asked for.
        name: String,
        /// ` (did you mean ...?)`, or nothing.
        hint: String,
        /// What there is.
        known: String,
    },
    /// A task that we do not have.
    #[error("unknown task `{id}`{hint}; `sre-zero tasks` lists them")]
    UnknownTask {
        /// What was asked for.
        id: String,
        /// ` (did you mean ...?)`, or nothing.
        hint: String,
    },
    /// A task and a seed that make no incident.
    #[error("task `{task}`, seed {seed}: {problem}")]
    Scenario {
        /// The task.
        task: String,
        /// The seed.
        seed: u64,
        /// What is wrong.
        problem: String,
    },
    /// A file or a folder that cannot be used.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A record that cannot be read.
    #[error("{}: line {line}: {problem}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A record that cannot be played again.
    #[error("cannot replay: {0}")]
    Replay(String),
    /// A folder with the results of another run.
    #[error("{} holds the results of another run ({problem}); choose another folder, or empty this one", path.display())]
    Results {
        /// The folder.
        path: PathBuf,
        /// What differs.
        problem: String,
    },
}

/// Why a file is no task.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("task file {file}: {problem}")]
pub struct TaskError {
    /// The file.
    pub file: String,
    /// The place in it, and what is wrong there.
    pub problem: String,
}

impl Error {
    /// Wraps what the operating system said.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_path_buf();
        move |source| Error::Io { doing, path, source }
    }
}
