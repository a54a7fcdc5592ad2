//! The folder of a run: `episodes.jsonl`, one line per finished episode, and `records/`, one file each.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::audit::{Doubt, doubt, sweep_up};
use super::worker::Played;
use super::{EpisodeLine, Failure, Plan};
use crate::error::Error;
use crate::record_io::{read_text, write_whole};
use crate::suites::SUITE_VERSION;

/// The index of a run.
pub const EPISODES: &str = "episodes.jsonl";
const FAILURES: &str = "failures.jsonl";
const RECORDS: &str = "records";
const REMOVE: &str = "remove the line to have its episode run again";

/// Where the record of an episode is kept.
pub fn record_path(folder: &Path, key: &str) -> PathBuf {
    folder.join(RECORDS).join(format!("{key}.jsonl"))
}

/// The finished episodes that a folder lists. A last line that was cut off counts as not written.
pub fn read_lines(folder: &Path) -> Result<Vec<EpisodeLine>, Error> {
    let path = folder.join(EPISODES);
    let text = read_text(&path, "read", REMOVE)?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let parse = |(at, line): (usize, &str)| {
        let problem = |e| format!("no line of a run: {e}; {REMOVE}");
        serde_json::from_str(line).map_err(|e| Error::Record { path: path.clone(), line: at + 1, problem: problem(e) })
    };
    whole.lines().enumerate().map(parse).collect()
}

/// A run's folder while the run goes on.
pub(crate) struct Store {
    folder: PathBuf,
    lines: BTreeMap<String, EpisodeLine>,
    doubts: Vec<Doubt>,
    index: File,
}

impl Store {
    /// Opens a folder; what was finished in it must be of the same run, and each line must say what
    /// its record says.
    pub fn open(folder: &Path, plan: &Plan<'_>) -> Result<Store, Error> {
        let path = folder.join(EPISODES);
        let found = if path.exists() { read_lines(folder)? } else { Vec::new() };
        let (mut lines, mut doubts) = (BTreeMap::new(), Vec::new());
        for line in found {
            match doubt(folder, &line) {
                Some(doubt) => doubts.push(doubt),
                None => {
                    same_run(&line, plan).map_err(|problem| Error::Results { path: folder.to_path_buf(), problem })?;
                    lines.insert(line.key.clone(), line);
                }
            }
        }
        sweep_up(&folder.join(RECORDS))?;
        write_whole(&path, text(lines.values()).as_bytes())?;
        let index = OpenOptions::new().append(true).open(&path).map_err(Error::io("write", &path))?;
        Ok(Store { folder: folder.to_path_buf(), lines, doubts, index })
    }

    /// Episodes that were finished before and are not believed.
    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// The line of an episode that was finished before.
    pub fn finished(&self, key: &str) -> Option<&EpisodeLine> {
        self.lines.get(key)
    }

    /// Keeps an episode: first its record, then its line, so that a line means that the record is there.
    pub fn keep(&mut self, played: &Played) -> Result<(), Error> {
        write_whole(&record_path(&self.folder, &played.line.key), played.text.as_bytes())?;
        let line = text([&played.line]);
        self.index.write_all(line.as_bytes()).map_err(Error::io("write", &self.folder.join(EPISODES)))?;
        self.lines.insert(played.line.key.clone(), played.line.clone());
        Ok(())
    }

    /// Puts the lines into the order of their keys, and failures beside them.
    pub fn close(self, failures: &[Failure]) -> Result<(), Error> {
        write_whole(&self.folder.join(EPISODES), text(self.lines.values()).as_bytes())?;
        let path = self.folder.join(FAILURES);
        if !failures.is_empty() {
            return write_whole(&path, text(failures).as_bytes());
        }
        if path.exists() {
            fs::remove_file(&path).map_err(Error::io("remove", &path))?;
        }
        Ok(())
    }
}

fn same_run(line: &EpisodeLine, plan: &Plan<'_>) -> Result<(), String> {
    let task = plan.tasks.iter().find(|t| t.id == line.score.task).map_or(&line.task_digest, |t| &t.digest);
    let first_seed = line.score.seed.wrapping_sub(u64::from(line.score.episode));
    for (what, then, now) in [
        ("the first seed", first_seed.to_string(), plan.seed.to_string()),
        ("noise", line.noise.to_string(), plan.noise.0.to_string()),
        ("tools", line.tools.clone(), plan.tools.to_string()),
        ("suite", line.score.suite.clone(), plan.suite.clone()),
        ("world version", line.world_version.to_string(), world::WORLD_VERSION.to_string()),
        ("suite version", line.suite_version.to_string(), SUITE_VERSION.to_string()),
        ("task file", line.task_digest.clone(), task.clone()),
    ] {
        if then != now {
            return Err(format!("{}: {what} was {then}, now {now}", line.key));
        }
    }
    let score = &line.score;
    let planned = plan.agents.iter().any(|agent| agent.name() == score.agent)
        && plan.tasks.iter().any(|task| task.id == score.task)
        && score.episode < plan.episodes;
    if planned { Ok(()) } else { Err(format!("{} is none of the episodes asked for", line.key)) }
}

fn text<'a, T: serde::Serialize + 'a>(lines: impl IntoIterator<Item = &'a T>) -> String {
    let json = |line: &T| serde_json::to_string(line).expect("lines are plain data") + "\n";
    lines.into_iter().map(json).collect()
}
