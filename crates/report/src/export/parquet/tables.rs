//! The two tables of an export.

use super::columns::{EPISODES, STEPS, metric, metrics};
use super::table::{ColumnKind, ParquetFile};
use crate::export::{Export, ExportEpisode, ExportError, Shelf};

/// Both tables; they are begun with the first episode.
#[derive(Default)]
pub struct Tables {
    open: Option<(ParquetFile, ParquetFile)>,
}

impl Export for Tables {
    fn add(&mut self, entry: &ExportEpisode, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        let (episodes, steps) = match &mut self.open {
            Some(tables) => tables,
            none => none.insert((
                ParquetFile::begin("episodes", episode_columns(), shelf)?,
                ParquetFile::begin("steps", STEPS.iter().map(|column| (column.name, column.kind)), shelf)?,
            )),
        };
        episodes.row(EPISODES.iter().map(|column| (column.of)(entry)).chain(metrics().map(|of| metric(of, entry))))?;
        for step in entry.steps() {
            steps.row(STEPS.iter().map(|column| (column.of)(entry, step)))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>, _shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        let Some((episodes, steps)) = self.open else { return Ok(()) };
        episodes.keep()?;
        steps.keep()
    }
}

fn episode_columns() -> std::vec::IntoIter<(&'static str, ColumnKind)> {
    let own = EPISODES.iter().map(|column| (column.name, column.kind));
    own.chain(metrics().map(|of| (of.name, ColumnKind::Real))).collect::<Vec<_>>().into_iter()
}
