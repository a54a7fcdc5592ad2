//! Lines against records: what was finished before is believed only if its record says the same.

use std::fs;
use std::path::Path;

use crate::error::RecordError;
use crate::folder::record_path;
use crate::line::EpisodeLine;
use crate::record::{AGAIN, BESIDE};

/// An episode that was finished before and is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// `agent/task/seed`.
    pub key: String,
    /// Why not.
    pub why: String,
}

/// Why a line is not believed, if it is not.
pub fn doubt(folder: &Path, line: &EpisodeLine) -> Option<Doubt> {
    let path = record_path(folder, &line.key);
    let why = if !path.exists() {
        "its record is missing".to_string()
    } else {
        match EpisodeLine::read(&path) {
            Err(RecordError::Record { line, problem, .. }) => {
                // That is what happens anyway.
                let problem = problem.trim_end_matches(&format!("; {AGAIN}"));
                format!("line {line} of its record: {problem}")
            }
            Err(error) => error.to_string(),
            Ok(now) => difference(line, &now)?,
        }
    };
    Some(Doubt { key: line.key.clone(), why })
}

fn difference(line: &EpisodeLine, now: &EpisodeLine) -> Option<String> {
    if line.key != now.key {
        Some(format!("its record is that of {}", now.key))
    } else if line.digest != now.digest {
        Some("its record is not the one that the run wrote".to_string())
    } else {
        (line != now).then(|| "its line does not say what its record says".to_string())
    }
}

/// Removes what was being written when an earlier run was interrupted.
pub fn sweep_up(folder: &Path) -> Result<(), RecordError> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            sweep_up(&path)?;
        } else if path.to_string_lossy().ends_with(&format!(".jsonl{BESIDE}")) {
            fs::remove_file(&path).map_err(RecordError::io("remove", &path))?;
        }
    }
    Ok(())
}
