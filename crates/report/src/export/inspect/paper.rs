//! What a log is written on: a zip file with a member per sample, or one JSON text.

use std::cell::Cell;
use std::io::{self, Seek, SeekFrom, Write};
use std::rc::Rc;

use serde_json::Value;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::header::LogTotals;
use super::sample::InspectSample;
use crate::export::clock::CREATED;
use crate::export::{ExportError, Shelf, Sink, Spool, json};

/// Something that a log is written on.
pub trait Paper {
    /// Writes a sample.
    fn sample(&mut self, sample: &InspectSample<'_>) -> io::Result<()>;
    /// Writes what is known only at the end.
    fn finish(self: Box<Self>, tally: &LogTotals, shelf: &mut dyn Shelf) -> Result<(), ExportError>;
}

/// A zip file. Members are compressed with deflate, which every reader knows.
pub fn zip(name: &str, shelf: &mut dyn Shelf) -> Result<Box<dyn Paper>, ExportError> {
    let summaries = List::new(shelf)?;
    let file = shelf.create(&format!("{name}.eval"))?;
    let writing = Rc::new(Cell::new(false));
    let quiet = Quiet { file, writing: writing.clone(), failed: false, at: 0, end: 0 };
    Ok(Box::new(Zip { zip: ZipWriter::new(quiet), writing, summaries }))
}

/// One JSON text. What it says first is known last, so samples wait in a spool.
pub fn json_text(name: &str, shelf: &mut dyn Shelf) -> Result<Box<dyn Paper>, ExportError> {
    // Inspect lists JSON files only if their names begin with a moment.
    let moment = CREATED.replace(':', "-");
    Ok(Box::new(Text { name: format!("{moment}_{name}.json"), samples: List::new(shelf)? }))
}

struct Zip {
    zip: ZipWriter<Quiet>,
    writing: Rc<Cell<bool>>,
    summaries: List,
}

impl Zip {
    fn begin(&mut self, name: &str) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::DEFAULT)
            .unix_permissions(0o644);
        Ok(self.zip.start_file(name, options)?)
    }

    fn member(&mut self, name: &str, value: &Value) -> io::Result<()> {
        self.begin(name)?;
        self.zip.write_all(json(value).as_bytes())
    }

    fn summaries(&mut self, name: &str) -> io::Result<()> {
        self.begin(name)?;
        self.summaries.copy(&mut self.zip)
    }

    /// Writes, and lets errors of the file be told for so long.
    fn write(&mut self, act: impl FnOnce(&mut Zip) -> io::Result<()>) -> io::Result<()> {
        self.writing.set(true);
        let done = act(self);
        self.writing.set(false);
        done
    }
}

impl Paper for Zip {
    fn sample(&mut self, sample: &InspectSample<'_>) -> io::Result<()> {
        self.write(|log| {
            log.member(&format!("samples/{}_epoch_{}.json", sample.id(), sample.epoch), &sample.whole())?;
            log.summaries.push(&sample.summary())
        })
    }

    fn finish(mut self: Box<Self>, tally: &LogTotals, _shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        self.write(|log| {
            log.member("_journal/start.json", &tally.start())?;
            log.summaries("_journal/summaries/1.json")?;
            log.summaries("summaries.json")?;
            log.member("header.json", &tally.header())
        })?;
        self.writing.set(true);
        let file = self.zip.finish().map_err(io::Error::from)?.file;
        Ok(file.keep()?)
    }
}

/// A file that fails once, and only while its log is being written. A zip writer that is dropped tries to finish its
/// file and prints what comes of that: after the first error, of this file or of another, there is nothing to add.
/// From then on it only keeps count of where it would be, because the zip writer reckons with that.
struct Quiet {
    file: Box<dyn Sink>,
    writing: Rc<Cell<bool>>,
    failed: bool,
    at: u64,
    end: u64,
}

impl Quiet {
    fn once<T>(&mut self, otherwise: T, act: impl FnOnce(&mut dyn Sink) -> io::Result<T>) -> io::Result<T> {
        if self.failed || !self.writing.get() {
            return Ok(otherwise);
        }
        act(&mut *self.file).inspect_err(|e| self.failed = e.kind() != io::ErrorKind::Interrupted)
    }

    fn reach(&self, to: SeekFrom) -> u64 {
        match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(by) => self.at.saturating_add_signed(by),
            SeekFrom::End(by) => self.end.saturating_add_signed(by),
        }
    }
}

impl Write for Quiet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.once(bytes.len(), |file| file.write(bytes))?;
        self.at += written as u64;
        self.end = self.end.max(self.at);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.once((), |file| file.flush())
    }
}

impl Seek for Quiet {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let reached = self.reach(to);
        self.at = self.once(reached, |file| file.seek(to))?;
        Ok(self.at)
    }
}

struct Text {
    name: String,
    samples: List,
}

impl Paper for Text {
    fn sample(&mut self, sample: &InspectSample<'_>) -> io::Result<()> {
        self.samples.push(&sample.whole())
    }

    fn finish(mut self: Box<Self>, tally: &LogTotals, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        let mut file = shelf.create(&self.name)?;
        // The order of the parts is part of the format: who reads the header stops at the samples.
        write!(file, "{{")?;
        let header = tally.header();
        for part in ["version", "status", "eval", "plan", "results", "stats"] {
            writeln!(file, "\"{part}\": {},", json(&header[part]))?;
        }
        write!(file, "\"samples\": ")?;
        self.samples.copy(&mut file)?;
        writeln!(file, "}}")?;
        Ok(file.keep()?)
    }
}

/// A list that is too long to be held, and is written when all of it is there.
struct List {
    spool: Box<dyn Spool>,
    any: bool,
}

impl List {
    fn new(shelf: &mut dyn Shelf) -> io::Result<List> {
        Ok(List { spool: shelf.spool()?, any: false })
    }

    fn push(&mut self, value: &Value) -> io::Result<()> {
        let before = if std::mem::replace(&mut self.any, true) { ",\n" } else { "" };
        self.spool.write_all(format!("{before}{}", json(value)).as_bytes())
    }

    fn copy(&mut self, to: &mut dyn Write) -> io::Result<()> {
        self.spool.rewind()?;
        to.write_all(b"[")?;
        io::copy(&mut self.spool, to)?;
        to.write_all(b"]")
    }
}
