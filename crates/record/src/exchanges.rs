//! The exchange log of an episode: every exchange between an agent and its provider, written down before it
//! is acted upon.
//!
//! One mechanism serves four needs. A run that was killed plays its open episodes again from the
//! start, with the answers in the log, and asks its provider only for what is not there: no call is
//! paid twice. A replay does the same and may call no provider. Continuing from a step cuts the log there.
//! And a reader sees what was said.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::sha256;
use crate::error::RecordError;
use crate::model::ProviderFault;
use crate::record::{read_bytes, write_whole};

/// One line of an exchange log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum ExchangeEntry {
    /// A try that failed; another one followed, unless it was the last.
    Attempt(Attempt),
    /// A question and what came of it in the end.
    Exchange(Box<Exchange>),
}

/// A try that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The digest of the request.
    pub ask: String,
    /// Which try it was, from 1.
    pub attempt: u32,
    /// How it failed.
    pub fault: ProviderFault,
    /// The status, if there was an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What the provider said, without secrets.
    pub message: String,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}

/// A question and what came of it in the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// The step that it was asked for.
    pub step: u32,
    /// The digest of the request: the same question again has the same one.
    pub ask: String,
    /// The request's body.
    pub request: Value,
    /// How often it was tried.
    pub attempts: u32,
    /// When the answer came, in seconds since 1970.
    pub at: u64,
    /// How long the last try took, in milliseconds.
    pub took_ms: u64,
    /// What came of it.
    pub reply: ExchangeReply,
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExchangeReply {
    /// An answer, as the provider sent it.
    Answered {
        /// Its status.
        status: u16,
        /// Those of its headers that say something of the answer or of limits.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        headers: BTreeMap<String, String>,
        /// Its body.
        body: String,
    },
    /// No answer after all tries.
    Failed {
        /// How it failed the last time.
        fault: ProviderFault,
        /// What the provider said, without secrets.
        message: String,
    },
}

/// Why a log has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// It may not ask, and has nothing more.
    #[error(
        "the recording {} has no answer for call {call} (step {step}): it is of another program, another prompt or \
         an unfinished run; run without --replay to ask the provider", path.display()
    )]
    Ended {
        /// The log.
        path: PathBuf,
        /// Which call, from 1.
        call: usize,
        /// For which step.
        step: u32,
    },
    /// It may not ask, and something else was asked then.
    #[error(
        "the recording {} was made with another question at call {call} (step {step}): prompt, settings, task or \
         program have changed since; run without --replay to ask the provider", path.display()
    )]
    Differs {
        /// The log.
        path: PathBuf,
        /// Which call, from 1.
        call: usize,
        /// For which step.
        step: u32,
    },
}

/// The exchange log of one episode.
#[derive(Debug, Default)]
pub struct ExchangeLog {
    path: PathBuf,
    known: VecDeque<Exchange>,
    /// How many of the exchanges were used or added.
    used: usize,
    file: Option<File>,
    /// Whether new exchanges are written to the path; a log that is not is either a replay or in memory.
    kept: bool,
    replay: bool,
    /// What could not be read, if something could not.
    damage: Option<String>,
}

impl ExchangeLog {
    /// A log that is kept nowhere.
    pub fn in_memory() -> ExchangeLog {
        ExchangeLog::default()
    }

    /// The log at a path, to be read and continued. A damaged line and all after it are left out and
    /// asked again; what was damaged is kept beside it.
    pub fn open(path: &Path) -> Result<ExchangeLog, RecordError> {
        let Found { lines, damage, cut_off } = read(path)?;
        if damage.is_some() {
            keep_aside(path, ".damaged")?;
        }
        if damage.is_some() || cut_off {
            // What follows is appended to whole lines only.
            write_whole(path, text(&lines).as_bytes())?;
        }
        let known = exchanges(lines);
        Ok(ExchangeLog { path: path.to_path_buf(), known, kept: true, damage, ..ExchangeLog::default() })
    }

    /// The log at a path, to be read and not continued.
    pub fn replay(path: &Path) -> Result<ExchangeLog, RecordError> {
        let Found { lines, damage, .. } = read(path)?;
        match damage {
            Some(problem) => Err(RecordError::Replay(problem)),
            None => Ok(ExchangeLog {
                path: path.to_path_buf(),
                known: exchanges(lines),
                replay: true,
                ..ExchangeLog::default()
            }),
        }
    }

    /// Removes what was asked for this step and those after it; the whole log is kept beside it.
    pub fn cut(path: &Path, step: u32) -> Result<(), RecordError> {
        let lines = read(path)?.lines;
        if lines.is_empty() {
            return Ok(());
        }
        keep_aside(path, ".before")?;
        let keep = |line: &ExchangeEntry| matches!(line, ExchangeEntry::Exchange(exchange) if exchange.step < step);
        let lines: Vec<ExchangeEntry> = lines.into_iter().filter(keep).collect();
        write_whole(path, text(&lines).as_bytes())
    }

    /// Removes a failure that ended the episode, so that the question is asked again.
    pub fn forget_failure(path: &Path) -> Result<(), RecordError> {
        let mut lines = read(path)?.lines;
        let failed = |line: &ExchangeEntry| matches!(line, ExchangeEntry::Exchange(e) if matches!(e.reply, ExchangeReply::Failed { .. }));
        match lines.iter().rposition(failed) {
            None => Ok(()),
            Some(at) => {
                lines.remove(at);
                write_whole(path, text(&lines).as_bytes())
            }
        }
    }

    /// What was damaged in it and is asked again.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// What came of this question, if the log knows. Once another question is asked than then, the
    /// rest of the log is of no use: a replay says so, a live run asks from there on.
    pub fn next(&mut self, ask: &str, step: u32) -> Result<Option<Exchange>, Missing> {
        let (path, call) = (&self.path, self.used + 1);
        match self.known.pop_front() {
            Some(exchange) if exchange.ask == ask => {
                self.used += 1;
                Ok(Some(exchange))
            }
            Some(_) if self.replay => Err(Missing::Differs { path: path.clone(), call, step }),
            None if self.replay => Err(Missing::Ended { path: path.clone(), call, step }),
            _ => {
                self.known.clear();
                Ok(None)
            }
        }
    }

    /// Writes a line down, to the disk.
    pub fn keep(&mut self, line: &ExchangeEntry) -> Result<(), RecordError> {
        self.used += usize::from(matches!(line, ExchangeEntry::Exchange(_)));
        if !self.kept {
            return Ok(());
        }
        if self.file.is_none() {
            let folder = self.path.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder).map_err(RecordError::io("make the folder", folder))?;
            let file = OpenOptions::new().create(true).append(true).open(&self.path);
            let file = file.map_err(RecordError::io("write", &self.path))?;
            self.file = Some(file);
        }
        let file = self.file.as_mut().expect("it was opened just now");
        let bytes = text(std::slice::from_ref(line));
        file.write_all(bytes.as_bytes()).and_then(|()| file.sync_data()).map_err(RecordError::io("write", &self.path))
    }
}

/// Keeps a copy of a log beside it.
fn keep_aside(path: &Path, ending: &str) -> Result<(), RecordError> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(ending);
    fs::copy(path, &aside).map(drop).map_err(RecordError::io("keep a copy of", path))
}

/// All lines of a log, for readers. A last line that was cut off counts as not written.
pub fn read_exchanges(path: &Path) -> Result<Vec<ExchangeEntry>, RecordError> {
    Ok(read(path)?.lines)
}

/// What is in a log.
#[derive(Default)]
struct Found {
    /// The lines up to the first that cannot be read.
    lines: Vec<ExchangeEntry>,
    /// What is wrong with that one.
    damage: Option<String>,
    /// Whether the last line was cut off while it was written: no damage, the run was interrupted.
    cut_off: bool,
}

/// Reads a log. It may be another run's, which goes on writing to it: nothing is written here.
fn read(path: &Path) -> Result<Found, RecordError> {
    if !path.exists() {
        return Ok(Found::default());
    }
    let bytes = read_bytes(path, "read")?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let mut found = Found { cut_off: whole < bytes.len(), ..Found::default() };
    for (at, line) in bytes[..whole].split_inclusive(|byte| *byte == b'\n').enumerate() {
        match parse(line) {
            Ok(line) => found.lines.push(line),
            Err(why) => {
                found.damage = Some(format!("{}: line {}: no exchange: {why}", path.display(), at + 1));
                break;
            }
        }
    }
    Ok(found)
}

fn exchanges(lines: Vec<ExchangeEntry>) -> VecDeque<Exchange> {
    let exchange = |line| if let ExchangeEntry::Exchange(exchange) = line { Some(*exchange) } else { None };
    lines.into_iter().filter_map(exchange).collect()
}

/// The name of a line's check sum: an answer that was paid is believed only as it was written.
const SUM: &str = "sum";

fn text(lines: &[ExchangeEntry]) -> String {
    let json = |line| {
        let mut value = serde_json::to_value(line).expect("lines are plain data");
        value[SUM] = sum(&value).into();
        value.to_string() + "\n"
    };
    lines.iter().map(json).collect()
}

/// A line; older programs wrote none with a check sum.
fn parse(line: &[u8]) -> Result<ExchangeEntry, String> {
    let mut value: Value = serde_json::from_slice(line).map_err(|e| e.to_string())?;
    if let Some(written) = value.as_object_mut().and_then(|fields| fields.remove(SUM))
        && written != sum(&value)
    {
        return Err("it was altered after it was written".to_string());
    }
    serde_json::from_value(value).map_err(|e| e.to_string())
}

/// Sixteen digits of the digest of a line without its check sum.
fn sum(value: &Value) -> String {
    sha256(value.to_string().as_bytes())[..16].to_string()
}
