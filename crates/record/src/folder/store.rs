//! The results of a run while it goes on: what was finished before and is believed, and what is added.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::audit::{Doubt, sweep_up, verify};
use super::index::{Damage, Index, Lines, read_lines, text, write_lines};
use super::{EPISODES, FAILURES, RECORDS, RunSettings, exchange_path, record_path};
use crate::error::RecordError;
use crate::exchanges::ExchangeLog;
use crate::line::{EpisodeLine, Failure};
use crate::record::write_whole;

/// Which finished episodes are played again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// All of them, with recorded exchanges for the steps before this one only.
    pub from_step: Option<u32>,
    /// Those that ended on their provider.
    pub retry_failed: bool,
}

/// The results of a run while it goes on.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// Lines that were there before, by key; those of the plan are taken over by the one who runs it.
    lines: Vec<EpisodeLine>,
    doubts: Vec<Doubt>,
    index: Index,
}

impl Store {
    /// Opens a folder; what was finished in it must be of the same run, and each line must say what its record says.
    /// `told` hears how many of how many lines were looked at.
    pub fn open(
        folder: &Path,
        settings: &RunSettings,
        again: Again,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Store, RecordError> {
        let found = if folder.join(EPISODES).exists() { read_lines(folder)? } else { Lines::default() };
        let damaged = |damage: Damage| Doubt {
            key: format!("line {} of {EPISODES}", damage.line),
            why: format!("{}; its episode counts as not finished", damage.problem),
        };
        let mut doubts: Vec<Doubt> = found.damaged.into_iter().map(damaged).collect();
        let checked = verify(folder, found.lines, told);
        doubts.extend(checked.doubts);
        let mut lines = checked.lines;
        for line in &lines {
            if again.wants(line) {
                again.forget(folder, &line.key)?;
            } else if let Some(why) = settings.excludes(line) {
                let problem = format!("{}: {why}", line.key);
                return Err(RecordError::Results { path: folder.to_path_buf(), problem });
            }
        }
        lines.retain(|line| !again.wants(line));
        keep_last_by_key(&mut lines);
        sweep_up(&folder.join(RECORDS))?;
        write_lines(folder, &lines)?;
        let index = Index::open(folder)?;
        Ok(Store { folder: folder.to_path_buf(), lines, doubts, index })
    }

    /// Episodes that were finished before and are not believed.
    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// Hands over the lines of these episodes, of those that were finished before.
    pub fn take(&mut self, is_wanted: impl Fn(&str) -> bool) -> Vec<EpisodeLine> {
        let mut taken = std::mem::take(&mut self.lines);
        self.lines = taken.extract_if(.., |line| !is_wanted(&line.key)).collect();
        taken
    }

    /// Keeps an episode: first its record, then its line, so that a line means that the record is there.
    pub fn keep(&mut self, line: &EpisodeLine, record: &str) -> Result<(), RecordError> {
        write_whole(&record_path(&self.folder, &line.key), record.as_bytes())?;
        self.index.add(line)
    }

    /// Puts the lines into the order of their keys, those of the plan among the others, and failures beside them.
    pub fn close<'a>(
        &'a self,
        plan: impl Iterator<Item = &'a EpisodeLine>,
        failures: &[Failure],
    ) -> Result<(), RecordError> {
        let all: BTreeMap<&str, &EpisodeLine> = self.lines.iter().chain(plan).map(|line| (&*line.key, line)).collect();
        write_lines(&self.folder, all.into_values())?;
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

/// Sorts lines by key; of two with one key the later counts.
fn keep_last_by_key(lines: &mut Vec<EpisodeLine>) {
    lines.reverse();
    lines.sort_by(|one, other| one.key.cmp(&other.key));
    lines.dedup_by(|earlier, kept| earlier.key == kept.key);
}

impl Again {
    /// Whether a finished episode is to be played again.
    fn wants(self, line: &EpisodeLine) -> bool {
        self.from_step.is_some() || (self.retry_failed && !line.score.counts())
    }

    /// Takes from an episode's exchange log what is to be asked again.
    fn forget(self, folder: &Path, key: &str) -> Result<(), RecordError> {
        let path = exchange_path(folder, key);
        self.from_step.map_or(Ok(()), |step| ExchangeLog::cut(&path, step))?;
        if self.retry_failed { ExchangeLog::forget_failure(&path) } else { Ok(()) }
    }
}
