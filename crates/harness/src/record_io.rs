//! Records as values and as files: JSON lines, one event per line, never half-written.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::digest::sha256;
use crate::error::Error;
use crate::grade::{Score, Unscorable};
use crate::record::{EndReason, Event, Header, RECORD_VERSION, Seal, Step};

/// One episode, from the first event to the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its events, in order.
    pub events: Vec<Event>,
}

impl Record {
    /// What was run.
    pub fn header(&self) -> Option<&Header> {
        self.events.iter().find_map(|e| if let Event::Started(header) = e { Some(&**header) } else { None })
    }

    /// The agent's steps.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.events.iter().filter_map(|e| if let Event::Stepped(step) = e { Some(&**step) } else { None })
    }

    /// Why it ended.
    pub fn end(&self) -> Option<EndReason> {
        self.events.iter().find_map(|e| if let Event::Ended { reason, .. } = e { Some(*reason) } else { None })
    }

    /// What really happened.
    pub fn seal(&self) -> Option<&Seal> {
        self.events.iter().find_map(|e| if let Event::Sealed(seal) = e { Some(&**seal) } else { None })
    }

    /// Its score.
    pub fn score(&self) -> Result<Score, Unscorable> {
        Score::of(&self.events)
    }

    /// Its text: one JSON object per line.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for event in &self.events {
            out.push_str(&serde_json::to_string(event).expect("events are plain data"));
            out.push('\n');
        }
        out
    }

    /// The SHA-256 of its text. A record holds nothing of the machine or the day, so the same task,
    /// seed and calls give the same digest everywhere.
    pub fn digest(&self) -> String {
        sha256(self.text().as_bytes())
    }

    /// Writes it to a file: all of it or nothing.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        write_whole(path, self.text().as_bytes())
    }

    /// Reads it from a file.
    pub fn read(path: &Path) -> Result<Record, Error> {
        let text = fs::read_to_string(path).map_err(Error::io("read the record", path))?;
        Record::parse(path, &text)
    }

    /// Reads it from the text of a file; `path` names it in errors.
    pub fn parse(path: &Path, text: &str) -> Result<Record, Error> {
        let wrong = |line: usize, problem: String| Error::Record { path: path.to_path_buf(), line, problem };
        let first = text.lines().next().ok_or_else(|| wrong(1, "the file is empty; run the episode again".into()))?;
        check_version(first).map_err(|problem| wrong(1, problem))?;
        let parse = |(at, line): (usize, &str)| {
            let damaged = |e| wrong(at + 1, format!("no event of a record: {e}; run the episode again"));
            serde_json::from_str(line).map_err(damaged)
        };
        let events = text.lines().enumerate().map(parse).collect::<Result<Vec<Event>, Error>>()?;
        let whole = matches!(events.last(), Some(Event::Sealed(_))) && text.ends_with('\n');
        if !whole {
            return Err(wrong(events.len(), "the record is cut off here; run the episode again".into()));
        }
        Ok(Record { events })
    }
}

/// The first line says which version it is, before anything else in it is believed.
fn check_version(line: &str) -> Result<(), String> {
    #[derive(serde::Deserialize)]
    struct Start {
        event: String,
        record_version: u32,
    }
    match serde_json::from_str::<Start>(line) {
        Ok(start) if start.event != "started" => {
            Err(format!("a record starts with `started`, this one with `{}`", start.event))
        }
        Ok(start) if start.record_version != RECORD_VERSION => Err(format!(
            "a record of version {}; this program reads {RECORD_VERSION}: use the program that wrote it, or run the episode again",
            start.record_version
        )),
        Ok(_) => Ok(()),
        Err(e) => Err(format!("this is no record: {e}")),
    }
}

/// Writes a whole file beside the place, then moves it there: a reader sees all of it or nothing.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::io("make the folder", folder))?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".tmp");
    let beside = Path::new(&beside);
    let write = || {
        let mut file = File::create(beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(beside, path)
    };
    write().map_err(Error::io("write", path))
}
