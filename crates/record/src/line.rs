//! One finished episode in the index of a run: its key, the digest of its record, its score.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::digest::sha256;
use crate::error::RecordError;
use crate::events::Header;
use crate::grade::{Score, Unscorable};
use crate::key::{is_plain, key};
use crate::name::{Name, NamePool};
use crate::record::{ADVICE_RUN_AGAIN, Record, read_text};

/// One finished episode, as a line of `episodes.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeLine {
    /// `agent/task/seed`.
    pub key: String,
    /// The digest of its record.
    pub digest: String,
    /// The digest of its task file.
    pub task_digest: Name,
    /// The version of the world's behaviour.
    pub world_version: u32,
    /// The version of the tasks and their grading.
    pub suite_version: u32,
    /// The noise dial.
    pub noise: u8,
    /// The tools at hand.
    pub tools: Name,
    /// Its score.
    #[serde(flatten)]
    pub score: Score,
}

impl EpisodeLine {
    /// A line of an index. Indexes come from other machines: the key becomes a path, so it must be the one of the
    /// line's own agent, task and seed, and numbers out of range are no measurements.
    pub fn parse(line: &[u8]) -> Result<EpisodeLine, String> {
        let line: EpisodeLine = serde_json::from_slice(line).map_err(|e| format!("no line of a run: {e}"))?;
        let score = &line.score;
        if line.key != key(&score.agent, &score.task, score.seed, score.repeat) || !is_plain(&line.key) {
            return Err(format!("no line of a run: `{}` is not its key", line.key.escape_debug()));
        }
        match score.out_of_range() {
            Some(what) => Err(format!("no line of a run: its {what} is out of range")),
            None => Ok(line),
        }
    }

    /// The line of a record whose text has this digest.
    pub fn of(record: &Record, header: &Header, digest: String) -> Result<EpisodeLine, Unscorable> {
        Ok(EpisodeLine {
            key: key(&header.agent, &header.task.id, header.seed, header.repeat),
            digest,
            task_digest: Name::from(&header.task.digest),
            world_version: header.world_version,
            suite_version: header.suite_version,
            noise: header.noise,
            tools: Name::from(&header.tools),
            score: record.score()?,
        })
    }

    /// Shares its names with those of other lines.
    pub fn share(&mut self, pool: &mut NamePool) {
        pool.share(&mut self.task_digest);
        pool.share(&mut self.tools);
        self.score.share(pool);
    }

    /// Grades the record in a file.
    pub fn read(path: &Path) -> Result<EpisodeLine, RecordError> {
        EpisodeLine::read_with(path).map(|(line, _)| line)
    }

    /// Grades the record in a file, and gives the record too.
    pub fn read_with(path: &Path) -> Result<(EpisodeLine, Record), RecordError> {
        let text = read_text(path, "read the record", ADVICE_RUN_AGAIN)?;
        let record = Record::parse(path, &text)?;
        let wrong = |e: Unscorable| RecordError::Record { path: path.to_path_buf(), line: 1, problem: e.to_string() };
        let header = record.header().ok_or_else(|| wrong(Unscorable::NoHeader))?;
        let line = EpisodeLine::of(&record, header, sha256(text.as_bytes())).map_err(wrong)?;
        Ok((line, record))
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
