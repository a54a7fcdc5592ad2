//! Records as values and as files: JSON lines, one event per line, never half-written.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde_json::Value;

use crate::digest::sha256;
use crate::error::RecordError;
use crate::events::{AgentFault, EndReason, Event, Header, RECORD_VERSION, Seal, Step};
use crate::grade::{Score, Unscorable};
use crate::model::ProviderFault;

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

    /// How the provider failed, if that ended the episode.
    pub fn cause(&self) -> Option<ProviderFault> {
        self.events.iter().find_map(|e| if let Event::Ended { cause, .. } = e { *cause } else { None })
    }

    /// How the agent's own program failed, if that ended the episode.
    pub fn fault(&self) -> Option<AgentFault> {
        self.events.iter().find_map(|e| if let Event::Ended { fault, .. } = e { *fault } else { None })
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
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        write_whole(path, self.text().as_bytes())
    }

    /// Reads it from a file.
    pub fn read(path: &Path) -> Result<Record, RecordError> {
        Record::parse(path, &read_text(path, "read the record", AGAIN)?)
    }

    /// Reads it from the text of a file; `path` names it in errors.
    pub fn parse(path: &Path, text: &str) -> Result<Record, RecordError> {
        let wrong = |line: usize, problem: String| RecordError::Record { path: path.to_path_buf(), line, problem };
        let first = text.lines().next().ok_or_else(|| wrong(1, format!("the file is empty; {AGAIN}")))?;
        check_version(first).map_err(|problem| wrong(1, problem))?;
        let mut events: Vec<Event> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let event =
                parse_event(line, events.last()).map_err(|problem| wrong(at + 1, format!("{problem}; {AGAIN}")))?;
            events.push(event);
        }
        let whole = matches!(events.last(), Some(Event::Sealed(_))) && text.ends_with('\n');
        if !whole {
            return Err(wrong(events.len(), format!("the record is cut off here; {AGAIN}")));
        }
        Ok(Record { events })
    }
}

/// What to do about a record that cannot be used.
pub(crate) const AGAIN: &str = "run the episode again";
/// The noise dial ends here.
const MOST_NOISE: u8 = 3;

/// One line of a record, which must be able to follow the one before.
fn parse_event(line: &str, before: Option<&Event>) -> Result<Event, String> {
    let event: Event = serde_json::from_str(line).map_err(|e| format!("no event of a record: {e}"))?;
    check_keys(line, &event)?;
    check_order(before, &event)?;
    match &event {
        Event::Started(header) if header.noise > MOST_NOISE => {
            Err(format!("noise is from 0 to {MOST_NOISE}, not {}", header.noise))
        }
        _ => Ok(event),
    }
}

/// A key that nobody reads would get lost when the record is written again.
fn check_keys(line: &str, event: &Event) -> Result<(), String> {
    let known = serde_json::to_value(event).expect("events are plain data");
    let found: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
    match unknown_key(&found, &known) {
        Some(key) => Err(format!("unknown key `{key}`")),
        None => Ok(()),
    }
}

fn unknown_key(found: &Value, known: &Value) -> Option<String> {
    match (found, known) {
        (Value::Object(found), Value::Object(known)) => found.iter().find_map(|(key, value)| match known.get(key) {
            None => Some(key.clone()),
            Some(known) => unknown_key(value, known),
        }),
        (Value::Array(found), Value::Array(known)) => {
            found.iter().zip(known).find_map(|(found, known)| unknown_key(found, known))
        }
        _ => None,
    }
}

fn check_order(before: Option<&Event>, event: &Event) -> Result<(), String> {
    use Event::{Ended, Paged, Sealed, Started, Stepped};
    let follows = matches!(
        (before, event),
        (None, Started(_))
            | (Some(Started(_)), Paged { .. } | Stepped(_) | Ended { .. })
            | (Some(Paged { .. } | Stepped(_)), Stepped(_) | Ended { .. })
            | (Some(Ended { .. }), Sealed(_))
    );
    match before {
        _ if follows => Ok(()),
        Some(before) => Err(format!("`{}` cannot follow `{}`", name(event), name(before))),
        None => Err(format!("a record starts with `started`, this one with `{}`", name(event))),
    }
}

fn name(event: &Event) -> &'static str {
    match event {
        Event::Started(_) => "started",
        Event::Paged { .. } => "paged",
        Event::Stepped(_) => "stepped",
        Event::Ended { .. } => "ended",
        Event::Sealed(_) => "sealed",
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
            "a record of version {}; this program reads {RECORD_VERSION}: use the program that wrote it, or {AGAIN}",
            start.record_version
        )),
        Ok(_) => Ok(()),
        Err(e) => Err(format!("this is no record: {e}")),
    }
}

/// Reads a file of text; where it is none, the error names the line and gives the advice.
pub fn read_text(path: &Path, doing: &'static str, advice: &str) -> Result<String, RecordError> {
    let bytes = fs::read(path).map_err(RecordError::io(doing, path))?;
    String::from_utf8(bytes).map_err(|e| {
        let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        RecordError::Record { path: path.to_path_buf(), line, problem: format!("this is not UTF-8 text; {advice}") }
    })
}

/// What a file is called beside its place until it is whole.
pub(crate) const BESIDE: &str = ".tmp";

/// Writes a whole file beside the place, then moves it there: a reader sees all of it or nothing.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(RecordError::io("make the folder", folder))?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(BESIDE);
    let beside = Path::new(&beside);
    let write = || {
        let mut file = File::create(beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(beside, path)
    };
    write().map_err(RecordError::io("write", path))
}
