//! What an instant query gives: one value per series.

use crate::labels::Labels;

use super::block::{Block, Row, is_absent};
use super::{Point, ResultSeries};

/// One value per series, all of one moment. Labels stay where they are stored until they are asked for: a result of many
/// series is often only counted, cut or written.
#[derive(Clone, Debug)]
pub struct InstantVector<'s> {
    time: i64,
    /// Of width one, without gaps.
    block: Block<'s>,
}

impl<'s> InstantVector<'s> {
    pub(super) fn new(time: i64, mut block: Block<'s>) -> Self {
        assert_eq!(block.width, 1, "an instant has one step");
        if block.values.iter().any(|value| is_absent(*value)) {
            let mut values = block.values.iter();
            block.rows.retain(|_| values.next().is_some_and(|value| !is_absent(*value)));
            block.values.retain(|value| !is_absent(*value));
        }
        Self { time, block }
    }

    /// How many series there are.
    pub fn len(&self) -> usize {
        self.block.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.block.rows.is_empty()
    }

    /// Keeps the first ones.
    pub fn truncate(&mut self, most: usize) {
        self.block.rows.truncate(most);
        self.block.values.truncate(most);
    }

    /// The labels and the value of each series.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Labels, Point)> {
        let points = self.block.values.iter().map(|value| Point { time: self.time, value: *value });
        self.block.rows.iter().map(|row| row.shown_labels()).zip(points)
    }

    /// The same as series of one point.
    pub fn series(&self) -> Vec<ResultSeries> {
        self.iter().map(|(labels, point)| ResultSeries { labels, points: vec![point] }).collect()
    }

    /// The same with other labels, none of which points into the store.
    pub(crate) fn relabelled(self, change: impl Fn(&Labels) -> Labels) -> InstantVector<'static> {
        let mut block = Block::new(1);
        for (labels, point) in self.iter() {
            block.push(Row::new(change(&labels)))[0] = point.value;
        }
        InstantVector { time: self.time, block }
    }
}
