//! Records in the formats of others. One file per format; each reads records and nothing else, so
//! whatever was played, by whom and when, is exported the same way.
//!
//! An export is a stream: episodes come one by one in the order of [`ExportOrder`], and none is kept.

mod atif;
mod chat;
mod clock;
mod entry;
mod filter;
mod inspect;
mod mlflow;
mod parquet;
mod preferences;
#[cfg(test)]
mod shape_tests;
mod shelf;
mod speech;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod tests;
mod tools;
mod tracked;
mod wandb;

use std::io;

use thiserror::Error;

pub use entry::{ExportEpisode, ExportOrder};
pub use filter::{ExportFilter, LeftOut, Only};
pub use shelf::{Shelf, Sink, Spool};

/// All formats, in the order in which they are shown.
pub const ALL: &[&dyn Format] = &[
    &inspect::EVAL,
    &inspect::JSON,
    &atif::Atif,
    &chat::ChatExport,
    &preferences::Preferences,
    &parquet::Parquet,
    &mlflow::MlFlow,
    &wandb::Wandb,
];

/// A format that records can be written in.
pub trait Format: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// What it is for, in one line.
    fn about(&self) -> &'static str;
    /// How the name of its file ends, where an export may come to a single one.
    fn extension(&self) -> Option<&'static str>;
    /// What is exported by default.
    fn usual(&self) -> ExportFilter {
        ExportFilter::default()
    }
    /// Whether episodes whose provider failed have a place in it.
    fn takes_provider_failures(&self) -> bool {
        true
    }
    /// Begins an export.
    fn start(&self) -> Result<Box<dyn Export>, ExportError>;
}

/// An export under way.
pub trait Export {
    /// Adds an episode. They come in the order of their [`ExportOrder`].
    fn add(&mut self, entry: &ExportEpisode, shelf: &mut dyn Shelf) -> Result<(), ExportError>;
    /// Writes what can only be written at the end.
    fn finish(self: Box<Self>, shelf: &mut dyn Shelf) -> Result<(), ExportError>;
}

/// Why an export cannot go on.
#[derive(Debug, Error)]
pub enum ExportError {
    /// Nothing more can be written.
    #[error("cannot write the export: {0}")]
    Io(#[from] io::Error),
    /// The program was built without the format.
    #[error("this program was built without {0}; build it with `cargo build --release --features {0}`")]
    NotBuilt(&'static str),
}

/// The format of that name.
pub fn find(name: &str) -> Option<&'static dyn Format> {
    ALL.iter().copied().find(|format| format.name() == name)
}

/// JSON of plain data.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("exports are plain data")
}
