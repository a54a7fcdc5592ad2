//! Logs of Inspect AI: one per agent, model and suite, as `.eval` (a zip file) or as one JSON text.
//! A task is a sample; its seeds and repetitions are that sample's epochs.

mod header;
mod paper;
mod results;
mod sample;

use super::entry::{ExportGroup, ExportOrder};
use super::{Export, ExportEpisode, ExportError, Format, Shelf};
use header::LogTotals;
use paper::Paper;

/// How a log is begun: by its name.
type Begin = fn(&str, &mut dyn Shelf) -> Result<Box<dyn Paper>, ExportError>;

/// A kind of log.
pub struct Inspect {
    name: &'static str,
    about: &'static str,
    extension: &'static str,
    begin: Begin,
}

/// `inspect`.
pub const EVAL: Inspect = Inspect {
    name: "inspect",
    about: "logs of Inspect AI (.eval), one per agent and suite; `inspect view` shows them",
    extension: "eval",
    begin: paper::zip,
};

/// `inspect-json`.
pub const JSON: Inspect =
    Inspect { name: "inspect-json", about: "the same as JSON", extension: "json", begin: paper::json_text };

impl Format for Inspect {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn extension(&self) -> Option<&'static str> {
        Some(self.extension)
    }

    fn start(&self) -> Result<Box<dyn Export>, ExportError> {
        Ok(Box::new(Logs { begin: self.begin, open: None }))
    }
}

struct Logs {
    begin: Begin,
    open: Option<InspectLog>,
}

/// A log that is being written.
struct InspectLog {
    group: ExportGroup,
    tally: LogTotals,
    paper: Box<dyn Paper>,
}

impl Export for Logs {
    fn add(&mut self, entry: &ExportEpisode, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        let group = ExportOrder::of(entry.header()).group;
        if self.open.as_ref().is_some_and(|log| log.group != group) {
            self.close(shelf)?;
        }
        let log = match &mut self.open {
            Some(log) => log,
            none => none.insert(InspectLog::begin(group, self.begin, entry, shelf)?),
        };
        let epoch = log.tally.add(entry);
        Ok(log.paper.sample(&sample::InspectSample { entry, epoch })?)
    }

    fn finish(mut self: Box<Self>, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        self.close(shelf)
    }
}

impl Logs {
    fn close(&mut self, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        match self.open.take() {
            Some(log) => log.paper.finish(&log.tally, shelf),
            None => Ok(()),
        }
    }
}

impl InspectLog {
    fn begin(
        group: ExportGroup,
        begin: Begin,
        first: &ExportEpisode,
        shelf: &mut dyn Shelf,
    ) -> Result<InspectLog, ExportError> {
        let name = format!("{}_{}", group.suite, group.agent).replace(['/', '\\'], "-");
        Ok(InspectLog { paper: begin(&name, shelf)?, tally: LogTotals::new(first), group })
    }
}
