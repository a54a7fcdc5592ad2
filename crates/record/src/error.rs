//! What can go wrong with the files of a run. Each says where it happened and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file of a run, or its folder, cannot be used.
#[derive(Debug, Error)]
pub enum RecordError {
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
    /// A folder that cannot be used: why, and what to do.
    #[error("{0}")]
    Folder(String),
    /// A folder with the results of another run.
    #[error("{} holds the results of another run ({problem}); choose another folder, or empty this one", path.display())]
    Results {
        /// The folder.
        path: PathBuf,
        /// What differs.
        problem: String,
    },
}

impl RecordError {
    /// Wraps what the operating system said.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> RecordError {
        let path = path.to_path_buf();
        move |source| RecordError::Io { doing, path, source }
    }
}
