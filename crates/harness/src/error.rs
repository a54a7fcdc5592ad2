//! What can go wrong outside of an episode. Each says where it happened and what to do about it.

use record::RecordError;
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
    /// Not a single thread is to be had.
    #[error("cannot start a thread: {0}; give the program more memory")]
    Threads(std::io::Error),
    /// A file of a run, or its folder, that cannot be used.
    #[error(transparent)]
    Record(#[from] RecordError),
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
