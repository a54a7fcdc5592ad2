//! One finished episode in the index of a run: its key, the digest of its record, its score.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::digest::sha256;
use crate::error::RecordError;
use crate::events::Header;
use crate::grade::{Score, Unscorable};
use crate::record::{AGAIN, Record, read_text};

/// One finished episode, as a line of `episodes.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeLine {
    /// `agent/task/seed`.
    pub key: String,
    /// The digest of its record.
    pub digest: String,
    /// The digest of its task file.
    pub task_digest: String,
    /// The version of the world's behaviour.
    pub world_version: u32,
    /// The version of the tasks and their grading.
    pub suite_version: u32,
    /// The noise dial.
    pub noise: u8,
    /// The tools at hand.
    pub tools: String,
    /// Its score.
    #[serde(flatten)]
    pub score: Score,
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
    pub fn read(path: &Path) -> Result<EpisodeLine, RecordError> {
        let text = read_text(path, "read the record", AGAIN)?;
        let record = Record::parse(path, &text)?;
        let wrong = |e: Unscorable| RecordError::Record { path: path.to_path_buf(), line: 1, problem: e.to_string() };
        let header = record.header().ok_or_else(|| wrong(Unscorable::NoHeader))?;
        EpisodeLine::of(&record, header, sha256(text.as_bytes())).map_err(wrong)
    }
}

/// The key of an episode: `agent/task/seed`, and the repetition where there are several.
pub fn key(agent: &str, task: &str, seed: u64, repeat: u32) -> String {
    match repeat {
        0 => format!("{agent}/{task}/{seed}"),
        n => format!("{agent}/{task}/{seed}-r{n}"),
    }
}

/// The digest of many records: of their keys and digests, in the order of the keys.
pub fn digest(lines: &[EpisodeLine]) -> String {
    let mut all: Vec<String> = lines.iter().map(|l| format!("{} {}\n", l.key, l.digest)).collect();
    all.sort();
    sha256(all.concat().as_bytes())
}

/// An episode that could not be played to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// `agent/task/seed`.
    pub key: String,
    /// What happened.
    pub problem: String,
    /// The command that shows it again.
    pub replay: String,
}
