//! The folder of a run: `episodes.jsonl`, one line per finished episode, and `records/`, one file each.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::RecordError;
use crate::line::EpisodeLine;

/// The index of a run.
pub const EPISODES: &str = "episodes.jsonl";
/// Episodes that could not be played.
pub const FAILURES: &str = "failures.jsonl";
/// One file per episode.
pub const RECORDS: &str = "records";
/// One file per episode of an agent that asks a provider.
pub const EXCHANGES: &str = "exchanges";

/// Where the record of an episode is kept.
pub fn record_path(folder: &Path, key: &str) -> PathBuf {
    folder.join(RECORDS).join(format!("{key}.jsonl"))
}

/// Where the exchanges of an episode with its provider are kept.
pub fn exchange_path(folder: &Path, key: &str) -> PathBuf {
    folder.join(EXCHANGES).join(format!("{key}.jsonl"))
}

/// What the index of a run lists.
#[derive(Debug, Default)]
pub struct Lines {
    /// The finished episodes.
    pub lines: Vec<EpisodeLine>,
    /// Lines that cannot be read; their episodes count as not finished.
    pub damaged: Vec<Damage>,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

/// The finished episodes that a folder lists. A last line that was cut off counts as not written.
pub fn read_lines(folder: &Path) -> Result<Lines, RecordError> {
    let path = folder.join(EPISODES);
    let bytes = fs::read(&path).map_err(RecordError::io("read", &path))?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(&[][..], |end| &bytes[..end]);
    let mut found = Lines::default();
    for (at, line) in whole.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        match serde_json::from_slice(line) {
            Ok(line) => found.lines.push(line),
            Err(e) => found.damaged.push(Damage { line: at + 1, problem: format!("no line of a run: {e}") }),
        }
    }
    Ok(found)
}
