//! Scraped series: one row of numbers every few seconds, oldest rows shared between clones.

use std::sync::Arc;

use crate::time::Time;

const CHUNK: usize = 16;

/// Rows of samples. Full chunks are immutable and shared, so a clone copies one chunk at most. Rows may become
/// wider as series appear; those that were there before keep their width.
#[derive(Clone, Debug)]
pub struct History {
    full: Vec<Arc<Chunk>>,
    open: Chunk,
}

#[derive(Clone, Debug, Default)]
struct Chunk {
    width: usize,
    times: Vec<Time>,
    cells: Vec<f32>,
}

impl Chunk {
    fn row(&self, at: usize) -> Row<'_> {
        Row { time: self.times[at], cells: &self.cells[at * self.width..(at + 1) * self.width] }
    }

    /// The same rows with room for more series, which had no samples then.
    #[cold]
    fn widened(&self, width: usize) -> Chunk {
        assert!(width > self.width, "columns are added, never taken away");
        let missing = vec![f32::NAN; width - self.width];
        let rows = self.cells.chunks(self.width.max(1));
        Chunk {
            width,
            times: self.times.clone(),
            cells: rows.flat_map(|row| row.iter().chain(&missing)).copied().collect(),
        }
    }
}

/// One row: when, and the samples.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// When it was scraped.
    pub time: Time,
    /// The samples, by column; NaN where a scrape was lost.
    pub cells: &'a [f32],
}

impl Row<'_> {
    /// The sample of a column; `None` where the scrape was lost or the series did not exist yet.
    pub fn sample(&self, column: usize) -> Option<f64> {
        self.cells.get(column).map(|cell| f64::from(*cell)).filter(|value| !value.is_nan())
    }
}

impl History {
    /// No rows yet.
    pub fn new(width: usize) -> History {
        History { full: Vec::new(), open: Chunk { width, ..Chunk::default() } }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.open.times.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a row, which is later than all others.
    pub fn push(&mut self, time: Time, cells: &[f32]) {
        assert!(self.last().is_none_or(|row| row.time < time), "time never moves back");
        if self.open.times.len() == CHUNK {
            let width = self.open.width;
            let full = std::mem::replace(&mut self.open, Chunk { width, ..Chunk::default() });
            self.full.push(Arc::new(full));
        }
        if self.open.width != cells.len() {
            self.open = self.open.widened(cells.len());
        }
        self.open.times.push(time);
        self.open.cells.extend_from_slice(cells);
    }

    /// The row at `index`, from the oldest.
    pub fn row(&self, index: usize) -> Row<'_> {
        self.full.get(index / CHUNK).map_or(&self.open, |c| c).row(index % CHUNK)
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
        let chunks = self.full.iter().map(|chunk| &**chunk).chain([&self.open]);
        chunks.map(|chunk| chunk.times.len() * (chunk.width * 4 + std::mem::size_of::<Time>())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_grow_wider_and_older_ones_keep_what_they_have() {
        let mut history = History::new(2);
        for n in 0..40u64 {
            let wide = [n as f32, 1.0, 7.0];
            history.push(Time(n + 1), if n < 20 { &wide[..2] } else { &wide });
        }
        let sample = |at: usize, column: usize| history.row(at).sample(column);
        assert_eq!((history.len(), sample(3, 0), sample(3, 1), sample(3, 2)), (40, Some(3.0), Some(1.0), None));
        assert_eq!((sample(19, 0), sample(19, 2)), (Some(19.0), None), "in the chunk that was open");
        assert_eq!((sample(20, 0), sample(20, 2), sample(39, 2)), (Some(20.0), Some(7.0), Some(7.0)));
    }

    #[test]
    #[should_panic(expected = "time never moves back")]
    fn time_never_moves_back() {
        let mut history = History::new(1);
        history.push(Time(5), &[0.0]);
        history.push(Time(5), &[0.0]);
    }
}
