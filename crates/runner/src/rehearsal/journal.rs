//! The server's own log, line by line, and the counts of what was done.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use agents::fake_provider::RequestEntry;
use anyhow::Context;

use crate::say;

/// How often each thing was done, by the word that the log has for it.
pub type JournalCounts = BTreeMap<String, u64>;

/// The log. A line is in the file before its answer is sent.
#[derive(Default)]
pub struct Journal(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    file: Option<(PathBuf, File)>,
    lines: u64,
    tally: JournalCounts,
}

impl Journal {
    /// A log that is kept in a file, which is written anew.
    pub fn create(path: &Path) -> anyhow::Result<Journal> {
        let file = File::create(path).with_context(|| format!("cannot write the log {}", path.display()))?;
        Ok(Journal(Mutex::new(Inner { file: Some((path.to_path_buf(), file)), ..Inner::default() })))
    }

    /// Writes a line down.
    pub fn write(&self, line: &RequestEntry) {
        let mut inner = self.inner();
        inner.lines += 1;
        *inner.tally.entry(line.did.clone()).or_default() += 1;
        let time_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
        let seq = inner.lines;
        let Some((path, file)) = &mut inner.file else { return };
        let text = RequestEntry { seq, time_ms, ..line.clone() }.to_json();
        if let Err(problem) = file.write_all(text.as_bytes()) {
            say::note(&format!("cannot write the log {}: {problem}; it ends here, answers go on", path.display()));
            inner.file = None;
        }
    }

    /// What was done so far.
    pub fn tally(&self) -> JournalCounts {
        self.inner().tally.clone()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(|broken| broken.into_inner())
    }
}
