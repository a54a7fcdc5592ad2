//! Lines against records: what was finished before is believed only if its record says the same.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::record_path;
use crate::error::RecordError;
use crate::line::EpisodeLine;
use crate::record::{ADVICE_RUN_AGAIN, Record, TMP_SUFFIX};

/// An episode that was finished before and is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// `agent/task/seed`.
    pub key: String,
    /// Why not.
    pub why: String,
}

/// Lines, held against their records.
#[derive(Debug, Default)]
pub struct Verified {
    /// Those that say what their records say, in the order in which they came.
    pub lines: Vec<EpisodeLine>,
    /// The others.
    pub doubts: Vec<Doubt>,
}

/// Holds lines against the records of their folder, on all cores; `told` hears how many of how many are done.
pub fn verify(folder: &Path, mut lines: Vec<EpisodeLine>, told: &mut dyn FnMut(usize, usize)) -> Verified {
    let mut found = each(&lines, told, |line| doubt(folder, line)).into_iter();
    let mut doubts = Vec::new();
    // In place: a second list of a large run's lines would double what it needs.
    lines.retain(|_| match found.next().flatten() {
        Some(doubt) => {
            doubts.push(doubt);
            false
        }
        None => true,
    });
    Verified { lines, doubts }
}

/// What comes of each line, in their order, computed on all cores.
pub fn each<L: Sync, T: Send>(
    lines: &[L],
    told: &mut dyn FnMut(usize, usize),
    examine: impl Fn(&L) -> T + Sync,
) -> Vec<T> {
    let jobs = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = lines.len().div_ceil(jobs).max(1);
    let done = AtomicUsize::new(0);
    let one = |line: &L| {
        let found = examine(line);
        (found, done.fetch_add(1, Ordering::Relaxed) + 1)
    };
    let work = |some: &[L]| -> Vec<T> { some.iter().map(|line| one(line).0).collect() };
    thread::scope(|threads| {
        let mut chunks = lines.chunks(share);
        let own = chunks.next().unwrap_or_default();
        let workers: Vec<_> = chunks
            .map(|some| match thread::Builder::new().spawn_scoped(threads, || work(some)) {
                Ok(worker) => Err(worker),
                // No thread is to be had: then this one does the work.
                Err(_) => Ok(work(some)),
            })
            .collect();
        let mut all = Vec::with_capacity(lines.len());
        for line in own {
            let (found, done) = one(line);
            told(done, lines.len());
            all.push(found);
        }
        for found in workers {
            match found {
                Ok(found) => all.extend(found),
                Err(worker) => all.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
            }
        }
        told(lines.len(), lines.len());
        all
    })
}

/// What a line's record says of the line.
#[derive(Clone, Debug, PartialEq)]
pub enum Checked {
    /// The same.
    Same,
    /// There is no record.
    Missing,
    /// The record is the one that the run wrote, and its score is another than the line's: this one.
    Scored(Box<EpisodeLine>),
    /// Something else, or it cannot be read.
    Differs(String),
}

/// Holds a line against its record, and gives the record if it could be read.
pub fn check(folder: &Path, line: &EpisodeLine) -> (Checked, Option<Record>) {
    let path = record_path(folder, &line.key);
    if !path.exists() {
        return (Checked::Missing, None);
    }
    match EpisodeLine::read_with(&path) {
        Ok((now, record)) => (compare(line, now), Some(record)),
        Err(RecordError::Record { line, problem, .. }) => {
            // That is what happens anyway.
            let problem = problem.trim_end_matches(&format!("; {ADVICE_RUN_AGAIN}"));
            (Checked::Differs(format!("line {line} of its record: {problem}")), None)
        }
        Err(error) => (Checked::Differs(error.to_string()), None),
    }
}

/// Why a line is not believed, if it is not.
pub fn doubt(folder: &Path, line: &EpisodeLine) -> Option<Doubt> {
    let why = match check(folder, line).0 {
        Checked::Same => return None,
        Checked::Missing => "its record is missing".to_string(),
        Checked::Scored(_) => "its line does not say what its record says".to_string(),
        Checked::Differs(why) => why,
    };
    Some(Doubt { key: line.key.clone(), why })
}

fn compare(line: &EpisodeLine, now: EpisodeLine) -> Checked {
    if line.key != now.key {
        Checked::Differs(format!("its record is that of {}", now.key))
    } else if line.digest != now.digest {
        Checked::Differs("its record is not the one that the run wrote".to_string())
    } else if *line != now {
        Checked::Scored(Box::new(now))
    } else {
        Checked::Same
    }
}

/// Removes what was being written when an earlier run was interrupted.
pub(super) fn sweep_up(folder: &Path) -> Result<(), RecordError> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            sweep_up(&path)?;
        } else if path.to_string_lossy().ends_with(&format!(".jsonl{TMP_SUFFIX}")) {
            fs::remove_file(&path).map_err(RecordError::io("remove", &path))?;
        }
    }
    Ok(())
}
