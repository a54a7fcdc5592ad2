//! Records as values and as files: JSON lines, one event per line, never half-written.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use serde_json::Value;

use crate::digest::sha256;
use crate::error::RecordError;
use crate::events::{AgentFault, EndReason, Event, Header, RECORD_VERSION, Seal, Step};
use crate::grade::{Score, Unscorable};
use crate::key::is_plain;
use crate::model::ProviderFault;
use crate::toolbox;
use crate::upgrade::lift;

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
        Record::parse(path, &read_text(path, "read the record", ADVICE_RUN_AGAIN)?)
    }

    /// Reads it from the text of a file; `path` names it in errors.
    pub fn parse(path: &Path, text: &str) -> Result<Record, RecordError> {
        let wrong = |line: usize, problem: String| RecordError::Record { path: path.to_path_buf(), line, problem };
        let first = text.lines().next().ok_or_else(|| wrong(1, format!("the file is empty; {ADVICE_RUN_AGAIN}")))?;
        let version = version(first).map_err(|problem| wrong(1, problem))?;
        let again = |at: usize, problem: String| match full_version(first) {
            Err(problem) if at == 0 => wrong(1, problem),
            _ => wrong(at + 1, format!("{problem}; {ADVICE_RUN_AGAIN}")),
        };
        let mut events: Vec<Event> = Vec::new();
        for (at, found) in found(text, version).enumerate() {
            let event = found.and_then(|event| check(event, events.last())).map_err(|problem| again(at, problem))?;
            events.push(event);
        }
        if version < RECORD_VERSION
            && let Some(Event::Started(header)) = events.first_mut()
        {
            header.lifted_from = Some(version);
        }
        let whole = matches!(events.last(), Some(Event::Sealed(_))) && text.ends_with('\n');
        if !whole {
            return Err(wrong(events.len(), format!("the record is cut off here; {ADVICE_RUN_AGAIN}")));
        }
        Ok(Record { events })
    }
}

/// Why a line is no event. A key that no reader knows would get lost when the record is written again.
fn wrong(error: serde_json::Error) -> String {
    let text = error.to_string();
    match text.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next()) {
        Some(key) => format!("unknown key `{key}`"),
        None => format!("no event of a record: {text}"),
    }
}

/// An event of today's version. Where the tag stands first, as we write it, the rest is read as what it is; the general way
/// holds every value in between, which takes twice as long. That one decides if something is wrong. `room` is for the
/// line without its tag, the same for all lines.
fn event(line: &str, room: &mut String) -> Result<Event, String> {
    let tagged = line.strip_prefix("{\"event\":\"").and_then(|rest| rest.split_once("\","));
    let read = tagged.and_then(|(name, rest)| {
        room.clear();
        room.push('{');
        room.push_str(rest);
        match name {
            "stepped" => serde_json::from_str(room).ok().map(Event::Stepped),
            "started" => toolbox::header(room).map(|header| Event::Started(Box::new(header))),
            "sealed" => serde_json::from_str(room).ok().map(Event::Sealed),
            "paged" => serde_json::from_str(room).ok().map(|Paged { time, brief }| Event::Paged { time, brief }),
            _ => None,
        }
    });
    read.map_or_else(|| serde_json::from_str(line).map_err(wrong), Ok)
}

/// [`Event::Paged`] without its tag.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Paged {
    time: u64,
    brief: String,
}

/// The events of a text, lifted to today's version.
fn found(text: &str, version: u32) -> Box<dyn Iterator<Item = Result<Event, String>> + '_> {
    if version == RECORD_VERSION {
        let mut room = String::new();
        return Box::new(text.lines().map(move |line| event(line, &mut room)));
    }
    let values: Vec<Result<Value, _>> = text.lines().map(serde_json::from_str).collect();
    let problem = values.iter().position(Result::is_err);
    let mut events: Vec<Value> = values.into_iter().map_while(Result::ok).collect();
    lift(&mut events, version);
    let damaged = problem.map(|_| Err("no event of a record".to_string()));
    let lifted = events.into_iter().map(move |event| serde_json::from_value(event).map_err(wrong));
    Box::new(lifted.chain(damaged))
}

/// What to do about a record that cannot be used.
pub(crate) const ADVICE_RUN_AGAIN: &str = "run the episode again";
/// The noise dial ends here.
const MOST_NOISE: u8 = 3;

/// An event must be able to follow the one before, and say what an episode can say.
fn check(event: Event, before: Option<&Event>) -> Result<Event, String> {
    check_order(before, &event)?;
    match &event {
        Event::Started(header) if header.noise > MOST_NOISE => {
            Err(format!("noise is from 0 to {MOST_NOISE}, not {}", header.noise))
        }
        // Both become parts of paths.
        Event::Started(header) if !is_plain(&header.agent) || !is_plain(&header.task.id) => {
            Err("the names of agent and task must be plain".to_string())
        }
        _ => Ok(event),
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
fn version(line: &str) -> Result<u32, String> {
    let today = line.strip_prefix("{\"event\":\"started\",\"record_version\":").and_then(|rest| rest.split_once(','));
    match today.and_then(|(number, _)| number.parse().ok()) {
        // As we write it: the line is long, and is read once more anyway.
        Some(RECORD_VERSION) => Ok(RECORD_VERSION),
        _ => full_version(line),
    }
}

/// The same from all of the line, with what is wrong with it.
fn full_version(line: &str) -> Result<u32, String> {
    #[derive(serde::Deserialize)]
    struct Start {
        event: String,
        record_version: u32,
    }
    match serde_json::from_str::<Start>(line) {
        Ok(start) if start.event != "started" => {
            Err(format!("a record starts with `started`, this one with `{}`", start.event))
        }
        Ok(start) if !(1..=RECORD_VERSION).contains(&start.record_version) => Err(format!(
            "a record of version {}; this program reads 1 to {RECORD_VERSION}: use the program that wrote it, or {ADVICE_RUN_AGAIN}",
            start.record_version
        )),
        Ok(start) => Ok(start.record_version),
        Err(e) => Err(format!("this is no record: {e}")),
    }
}

/// Reads a file of text; where it is none, the error names the line and gives the advice.
pub fn read_text(path: &Path, doing: &'static str, advice: &str) -> Result<String, RecordError> {
    let bytes = read_bytes(path, doing)?;
    String::from_utf8(bytes).map_err(|e| {
        let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        RecordError::Record { path: path.to_path_buf(), line, problem: format!("this is not UTF-8 text; {advice}") }
    })
}

/// Reads a file. What is no file is refused: a pipe would never end.
pub(crate) fn read_bytes(path: &Path, doing: &'static str) -> Result<Vec<u8>, RecordError> {
    let mut bytes = Vec::new();
    open_plain(path, doing)?.read_to_end(&mut bytes).map_err(RecordError::io(doing, path))?;
    Ok(bytes)
}

/// Opens a file to read it. What is no file is refused: a pipe would never end.
pub(crate) fn open_plain(path: &Path, doing: &'static str) -> Result<File, RecordError> {
    let about = fs::metadata(path).map_err(RecordError::io(doing, path))?;
    if !about.is_file() {
        return Err(RecordError::io(doing, path)(std::io::Error::other("it is not a file")));
    }
    File::open(path).map_err(RecordError::io(doing, path))
}

/// What a file is called beside its place until it is whole.
pub(crate) const TMP_SUFFIX: &str = ".tmp";

/// Writes a whole file beside the place, then moves it there: a reader sees all of it or nothing.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    write_whole_with(path, |file| file.write_all(bytes))
}

/// The same for a file that is written piece by piece, so that it need not be in memory at once.
pub(crate) fn write_whole_with(
    path: &Path,
    pieces: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), RecordError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(RecordError::io("make the folder", folder))?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(TMP_SUFFIX);
    let beside = Path::new(&beside);
    let write = || {
        let mut file = BufWriter::new(File::create(beside)?);
        pieces(&mut file)?;
        file.into_inner()?.sync_all()?;
        fs::rename(beside, path)
    };
    write().map_err(RecordError::io("write", path))
}
