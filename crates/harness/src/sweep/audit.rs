//! Lines against records: what was finished before is believed only if its record says the same.

use std::fs;
use std::path::Path;

use super::store::record_path;
use super::{EpisodeLine, key};
use crate::digest::sha256;
use crate::error::Error;
use crate::grade::Unscorable;
use crate::record::Header;
use crate::record_io::{AGAIN, BESIDE, Record, read_text};

/// An episode that was finished before and is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// `agent/task/seed`.
    pub key: String,
    /// Why not.
    pub why: String,
}

impl EpisodeLine {
    /// The line of a record whose text has this digest.
    pub fn of(record: &Record, header: &Header, digest: String) -> Result<EpisodeLine, Unscorable> {
        Ok(EpisodeLine {
            key: key(&header.agent, &header.task.id, header.seed, header.repeat),
            digest,
            task_digest: header.task.digest.clone(),
            world_version: header.world_version,
            suite_version: header.suite_version,
            noise: header.noise,
            tools: header.tools.clone(),
            score: record.score()?,
        })
    }

    /// Grades the record in a file.
    pub fn read(path: &Path) -> Result<EpisodeLine, Error> {
        let text = read_text(path, "read the record", AGAIN)?;
        let record = Record::parse(path, &text)?;
        let wrong = |e: Unscorable| Error::Record { path: path.to_path_buf(), line: 1, problem: e.to_string() };
        let header = record.header().ok_or_else(|| wrong(Unscorable::NoHeader))?;
        EpisodeLine::of(&record, header, sha256(text.as_bytes())).map_err(wrong)
    }
}

/// Why a line is not believed, if it is not.
pub(super) fn doubt(folder: &Path, line: &EpisodeLine) -> Option<Doubt> {
    let path = record_path(folder, &line.key);
    let why = if !path.exists() {
        "its record is missing".to_string()
    } else {
        match EpisodeLine::read(&path) {
            Err(Error::Record { line, problem, .. }) => {
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
pub(super) fn sweep_up(folder: &Path) -> Result<(), Error> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            sweep_up(&path)?;
        } else if path.to_string_lossy().ends_with(&format!(".jsonl{BESIDE}")) {
            fs::remove_file(&path).map_err(Error::io("remove", &path))?;
        }
    }
    Ok(())
}
