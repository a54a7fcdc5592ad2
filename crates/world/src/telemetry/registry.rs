//! Which series there are: their names and labels, when they began and whether they have ended. A world begins
//! with those of its blueprint; others may appear and end while it runs.

pub use crate::blueprint::SeriesInfo;
use crate::operator::View;
use crate::time::Time;

/// A series: its column in a row of history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeriesId(pub usize);

/// All series of a world, by column: those of its blueprint, then those that appeared later.
#[derive(Clone, Copy, Debug)]
pub struct SeriesRegistry<'w> {
    first: &'w [SeriesInfo],
    later: &'w [SeriesInfo],
}

impl<'w> SeriesRegistry<'w> {
    /// All series that ever were, with their ids.
    pub fn iter(self) -> impl Iterator<Item = (SeriesId, &'w SeriesInfo)> {
        self.first.iter().chain(self.later).enumerate().map(|(at, info)| (SeriesId(at), info))
    }

    /// What is known of a series.
    pub fn get(self, id: SeriesId) -> Option<&'w SeriesInfo> {
        self.first.get(id.0).or_else(|| self.later.get(id.0.checked_sub(self.first.len())?))
    }

    /// How many columns a row has.
    pub fn width(self) -> usize {
        self.first.len() + self.later.len()
    }
}

impl<'w> View<'w> {
    /// All series that ever were.
    pub fn registry(self) -> SeriesRegistry<'w> {
        SeriesRegistry { first: self.world.plan.series(), later: &self.world.later_series }
    }

    /// The samples of a series over a window, oldest first: none from before it began and after it ended, `None`
    /// where a scrape was lost.
    pub fn samples(self, id: SeriesId, from: Time, to: Time) -> Vec<(Time, Option<f64>)> {
        let Some(info) = self.registry().get(id) else { return Vec::new() };
        let lives = |time: Time| time > info.born && info.ended.is_none_or(|end| time <= end);
        let rows = self.world.history.newest_first(from, to).filter(|row| lives(row.time));
        let mut samples: Vec<_> = rows.map(|row| (row.time, row.sample(id.0))).collect();
        samples.reverse();
        samples
    }
}
