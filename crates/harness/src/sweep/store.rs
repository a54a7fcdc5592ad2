//! The folder of a run: `episodes.jsonl`, one line per finished episode, and `records/`, one file each.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use record::folder::{Damage, EPISODES, FAILURES, Lines, RECORDS, exchange_path, read_lines, record_path};
use record::{Doubt, EpisodeLine, ExchangeLog, Failure, RecordError, doubt, sweep_up, write_whole};

use super::Plan;
use super::worker::Played;
use crate::suite_names::SUITE_VERSION;

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
    pub fn open(folder: &Path, plan: &Plan<'_>) -> Result<Store, RecordError> {
        let path = folder.join(EPISODES);
        let found = if path.exists() { read_lines(folder)? } else { Lines::default() };
        let damaged = |damage: Damage| Doubt {
            key: format!("line {} of {EPISODES}", damage.line),
            why: format!("{}; its episode counts as not finished", damage.problem),
        };
        let mut doubts: Vec<Doubt> = found.damaged.into_iter().map(damaged).collect();
        let mut lines = BTreeMap::new();
        for line in found.lines {
            match doubt(folder, &line) {
                Some(doubt) => doubts.push(doubt),
                None if is_wanted_again(&line, plan) => again(folder, &line.key, plan)?,
                None => {
                    same_run(&line, plan)
                        .map_err(|problem| RecordError::Results { path: folder.to_path_buf(), problem })?;
                    lines.insert(line.key.clone(), line);
                }
            }
        }
        sweep_up(&folder.join(RECORDS))?;
        write_whole(&path, text(lines.values()).as_bytes())?;
        let index = OpenOptions::new().append(true).open(&path).map_err(RecordError::io("write", &path))?;
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
    pub fn keep(&mut self, played: &Played) -> Result<(), RecordError> {
        write_whole(&record_path(&self.folder, &played.line.key), played.text.as_bytes())?;
        let line = text([&played.line]);
        self.index.write_all(line.as_bytes()).map_err(RecordError::io("write", &self.folder.join(EPISODES)))?;
        self.lines.insert(played.line.key.clone(), played.line.clone());
        Ok(())
    }

    /// Puts the lines into the order of their keys, and failures beside them.
    pub fn close(self, failures: &[Failure]) -> Result<(), RecordError> {
        write_whole(&self.folder.join(EPISODES), text(self.lines.values()).as_bytes())?;
        let path = self.folder.join(FAILURES);
        if !failures.is_empty() {
            return write_whole(&path, text(failures).as_bytes());
        }
        if path.exists() {
            fs::remove_file(&path).map_err(RecordError::io("remove", &path))?;
        }
        Ok(())
    }
}

/// Whether a finished episode is to be played again.
fn is_wanted_again(line: &EpisodeLine, plan: &Plan<'_>) -> bool {
    plan.how.from_step.is_some() || (plan.how.retry_failed && !line.score.counts())
}

/// Takes from an episode's exchange log what is to be asked again.
fn again(folder: &Path, key: &str, plan: &Plan<'_>) -> Result<(), RecordError> {
    let path = exchange_path(folder, key);
    plan.how.from_step.map_or(Ok(()), |step| ExchangeLog::cut(&path, step))?;
    if plan.how.retry_failed { ExchangeLog::forget_failure(&path) } else { Ok(()) }
}

fn same_run(line: &EpisodeLine, plan: &Plan<'_>) -> Result<(), String> {
    let challenge = plan.challenges.iter().find(|challenge| challenge.id() == line.score.task);
    let digest = challenge.map_or(line.task_digest.as_str(), |challenge| challenge.digest());
    let seed = plan.seeds.get(line.score.episode as usize).map_or("none".to_string(), u64::to_string);
    for (what, then, now) in [
        ("its seed", line.score.seed.to_string(), seed),
        ("noise", line.noise.to_string(), plan.noise.0.to_string()),
        ("tools", line.tools.clone(), plan.tools.to_string()),
        ("suite", line.score.suite.clone(), plan.suite.clone()),
        ("world version", line.world_version.to_string(), world::WORLD_VERSION.to_string()),
        ("suite version", line.suite_version.to_string(), SUITE_VERSION.to_string()),
        ("task file", line.task_digest.clone(), digest.to_string()),
    ] {
        if then != now {
            return Err(format!("{}: {what} was {then}, now {now}", line.key));
        }
    }
    let score = &line.score;
    let planned = plan.agents.iter().any(|agent| agent.name() == score.agent)
        && challenge.is_some()
        && score.repeat < plan.repeats.max(1);
    if planned { Ok(()) } else { Err(format!("{} is none of the episodes asked for", line.key)) }
}

fn text<'a, T: serde::Serialize + 'a>(lines: impl IntoIterator<Item = &'a T>) -> String {
    let json = |line: &T| serde_json::to_string(line).expect("lines are plain data") + "\n";
    lines.into_iter().map(json).collect()
}
