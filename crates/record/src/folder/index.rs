//! `episodes.jsonl`: one line per finished episode, appended as episodes finish.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{EPISODES, record_path};
use crate::error::RecordError;
use crate::key::is_plain;
use crate::line::EpisodeLine;
use crate::name::NamePool;
use crate::record::{open_plain, write_whole_with};

/// What the index of a run lists.
#[derive(Debug, Default)]
pub struct Lines {
    /// The finished episodes.
    pub lines: Vec<EpisodeLine>,
    /// Lines that cannot be read; their episodes count as not finished.
    pub damaged: Vec<Damage>,
    /// Whether the last line was cut off while it was written.
    pub cut_off: bool,
    names: NamePool,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl Lines {
    /// Takes a whole line, which has this number.
    fn take(&mut self, folder: &Path, number: usize, line: &[u8]) {
        match parse(folder, line) {
            None => {}
            Some(Ok(mut line)) => {
                line.share(&mut self.names);
                self.lines.push(line);
            }
            Some(Err(problem)) => self.damaged.push(Damage { line: number, problem }),
        }
    }
}

/// An episode, or what is wrong with its line; a blank line says nothing.
fn parse(folder: &Path, line: &[u8]) -> Option<Result<EpisodeLine, String>> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    Some(EpisodeLine::parse(line).or_else(|problem| lifted(folder, line).ok_or(problem)))
}

/// Few lines of an index have fewer bytes.
const SHORT_LINE: u64 = 1000;

/// A line of an older version, made anew from its record if that is the one that the line names.
fn lifted(folder: &Path, line: &[u8]) -> Option<EpisodeLine> {
    #[derive(Deserialize)]
    struct Older {
        key: String,
        digest: String,
    }
    let older: Older = serde_json::from_slice(line).ok()?;
    let path = is_plain(&older.key).then(|| record_path(folder, &older.key)).filter(|path| path.exists())?;
    let (now, record) = EpisodeLine::read_with(&path).ok()?;
    let is_older = record.header()?.lifted_from.is_some();
    (is_older && now.key == older.key && now.digest == older.digest).then_some(now)
}

/// The finished episodes that a folder lists. Lines of an older version are made anew from their records; a last line that
/// was cut off counts as not written.
pub fn read_lines(folder: &Path) -> Result<Lines, RecordError> {
    let path = folder.join(EPISODES);
    let file = open_plain(&path, "read")?;
    let mut found = Lines::default();
    // A list that grows needs room for itself twice.
    found.lines.reserve(file.metadata().map_or(0, |file| file.len() / SHORT_LINE) as usize);
    let mut reader = BufReader::new(file);
    // One after another: each thread would keep pages of its own, of which little is left in use when names are shared.
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).map_err(RecordError::io("read", &path))?;
        if read == 0 || line.last() != Some(&b'\n') {
            found.cut_off = read > 0;
            break;
        }
        found.take(folder, number, &line[..read - 1]);
    }
    Ok(found)
}

/// How long a file is up to the end of its last whole line.
fn whole_length(path: &Path) -> Result<u64, RecordError> {
    let mut reader = BufReader::new(open_plain(path, "read")?);
    let (mut read, mut whole) = (0, 0);
    loop {
        let part = reader.fill_buf().map_err(RecordError::io("read", path))?;
        if part.is_empty() {
            return Ok(whole);
        }
        if let Some(end) = part.iter().rposition(|byte| *byte == b'\n') {
            whole = read + end as u64 + 1;
        }
        let length = part.len();
        read += length as u64;
        reader.consume(length);
    }
}

/// Writes the whole index anew.
pub fn write_lines<'a>(folder: &Path, lines: impl IntoIterator<Item = &'a EpisodeLine>) -> Result<(), RecordError> {
    write_whole_with(&folder.join(EPISODES), |file| {
        lines.into_iter().try_for_each(|line| file.write_all(text([line]).as_bytes()))
    })
}

/// Values as JSON lines.
pub(super) fn text<'a, T: Serialize + 'a>(lines: impl IntoIterator<Item = &'a T>) -> String {
    let json = |line: &T| serde_json::to_string(line).expect("lines are plain data") + "\n";
    lines.into_iter().map(json).collect()
}

/// The index while lines are added to it.
#[derive(Debug)]
pub struct Index {
    path: PathBuf,
    file: File,
    /// How long it is with whole lines only: what a failed write left is cut off before the next.
    whole: u64,
}

impl Index {
    /// Opens the index of a folder. A line that was cut off is removed, or the next would be damaged with it.
    pub fn open(folder: &Path) -> Result<Index, RecordError> {
        let path = folder.join(EPISODES);
        let whole = if path.exists() { whole_length(&path)? } else { 0 };
        let file = OpenOptions::new().append(true).create(true).open(&path).map_err(RecordError::io("write", &path))?;
        let mut index = Index { path, file, whole };
        index.mend()?;
        Ok(index)
    }

    /// Adds a line: all of it or nothing.
    pub fn add(&mut self, line: &EpisodeLine) -> Result<(), RecordError> {
        self.mend()?;
        let text = text([line]);
        self.file.write_all(text.as_bytes()).map_err(RecordError::io("write", &self.path))?;
        self.whole += text.len() as u64;
        Ok(())
    }

    /// Waits until what was added is on the disk.
    pub fn sync(&self) -> Result<(), RecordError> {
        self.file.sync_data().map_err(RecordError::io("write", &self.path))
    }

    fn mend(&mut self) -> Result<(), RecordError> {
        let length = self.file.metadata().map_err(RecordError::io("read", &self.path))?.len();
        if length > self.whole {
            self.file.set_len(self.whole).map_err(RecordError::io("write", &self.path))?;
        }
        Ok(())
    }
}
