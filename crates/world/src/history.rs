//! Scraped series: one row of numbers every few seconds, oldest rows shared between clones.

use std::sync::Arc;

use crate::time::Time;

const CHUNK: usize = 16;

/// Rows of samples. Full chunks are immutable and shared, so a clone copies one chunk at most.
#[derive(Clone, Debug)]
pub struct History {
    width: usize,
    full: Vec<Arc<Chunk>>,
    open: Chunk,
}

#[derive(Clone, Debug, Default)]
struct Chunk {
    times: Vec<Time>,
    cells: Vec<f32>,
}

/// One row: when, and the samples.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// When it was scraped.
    pub time: Time,
    /// The samples, by column; NaN where a scrape was lost.
    pub cells: &'a [f32],
}

impl History {
    /// No rows yet.
    pub fn new(width: usize) -> History {
        History { width, full: Vec::new(), open: Chunk::default() }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.open.times.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a row.
    pub fn push(&mut self, time: Time, cells: &[f32]) {
        assert_eq!(cells.len(), self.width, "a row has one cell per column");
        if self.open.times.len() == CHUNK {
            let full = std::mem::take(&mut self.open);
            self.full.push(Arc::new(full));
        }
        self.open.times.push(time);
        self.open.cells.extend_from_slice(cells);
    }

    /// The row at `index`, from the oldest.
    pub fn row(&self, index: usize) -> Row<'_> {
        let chunk = self.full.get(index / CHUNK).map_or(&self.open, |c| c);
        let at = index % CHUNK;
        Row { time: chunk.times[at], cells: &chunk.cells[at * self.width..(at + 1) * self.width] }
    }

    /// Rows with `from < time <= to`, newest first.
    pub fn newest_first(&self, from: Time, to: Time) -> impl Iterator<Item = Row<'_>> {
        (0..self.len()).rev().map(|i| self.row(i)).skip_while(move |r| r.time > to).take_while(move |r| r.time > from)
    }

    /// The latest row.
    pub fn last(&self) -> Option<Row<'_>> {
        self.len().checked_sub(1).map(|i| self.row(i))
    }

    /// Bytes held, shared chunks included.
    pub fn bytes(&self) -> usize {
        self.len() * (self.width * 4 + std::mem::size_of::<Time>())
    }
}
