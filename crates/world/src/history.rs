//! Scraped series: one row of numbers every few seconds, shared between clones.

use std::any::Any;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::band::Band;
use crate::moment::Moment;
use crate::time::Time;

/// Rows of samples. A row never changes and knows the one before it, so a clone copies none of them. What lies before
/// the first row that was really scraped is the healthy past, which is worked out where it is read. Rows may become
/// wider as series appear; those that were there before keep their width.
#[derive(Clone, Default)]
pub struct History {
    past: Option<Arc<dyn HealthyPast>>,
    newest: Option<Arc<Scrape>>,
    scraped: usize,
}

/// What lies before the first row that was scraped, worked out where it is read.
pub(crate) trait HealthyPast: Send + Sync {
    /// How many rows it has.
    fn len(&self) -> usize;
    /// The time of its last row.
    fn end(&self) -> Option<Time>;
    /// The row at `index`, from the oldest.
    fn row(&self, index: usize) -> Row<'_>;
    /// The rows with `from < time <= to`, of which none is worked out by this.
    fn between(&self, from: Time, to: Time) -> Range<usize>;
    /// What was usual for the metrics of a service.
    fn usual(&self, service: usize) -> &[Band];
    /// It as what it is, for those who know.
    fn as_any(&self) -> &dyn Any;
    /// Bytes that were worked out.
    fn bytes(&self) -> usize;
}

pub(crate) struct Scrape {
    time: Time,
    scraped: Scraped,
    before: Option<Arc<Scrape>>,
}

/// What was scraped.
enum Scraped {
    /// A row of samples, and what it would be worked out from where instruments or later series have their part in it.
    Cells(Box<[f32]>, Option<Box<Moment>>),
    /// What such a row is worked out from.
    Moment(Box<Moment>),
}

/// One row: when, and the samples by column; NaN where a scrape was lost. Most samples are worked out where they are read.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// When it was scraped.
    pub time: Time,
    scraped: &'a Scraped,
}

impl<'a> Row<'a> {
    /// The sample of a column; `None` where the scrape was lost or the series did not exist yet.
    pub fn sample(&self, column: usize) -> Option<f64> {
        let cell = match self.scraped {
            Scraped::Cells(cells, _) => cells.get(column).copied(),
            Scraped::Moment(moment) if column >= moment.width() => None,
            Scraped::Moment(moment) => Some(moment.part(column..column + 1)[0]),
        };
        cell.map(f64::from).filter(|value| !value.is_nan())
    }

    /// The cell of a column that there is in every row.
    pub fn cell(&self, column: usize) -> f32 {
        self.part(column..column + 1)[0]
    }

    /// The cell of a column that is one of a service's.
    pub(crate) fn cell_of(&self, service: usize, column: usize) -> f32 {
        match self.scraped {
            Scraped::Cells(cells, _) => cells[column],
            Scraped::Moment(moment) => moment.cell_of(service, column),
        }
    }

    /// The metrics of a service, by their columns: none where only what users feel was kept.
    pub(crate) fn metrics(&self, service: usize, columns: Range<usize>) -> &'a [f32] {
        match self.scraped {
            Scraped::Cells(cells, _) => cells.get(columns).unwrap_or_default(),
            Scraped::Moment(moment) => moment.metrics(service),
        }
    }

    /// Cells that belong together: of one route, one service or one call.
    pub fn part(&self, columns: Range<usize>) -> &'a [f32] {
        match self.scraped {
            Scraped::Cells(cells, _) => &cells[columns],
            Scraped::Moment(moment) => moment.part(columns),
        }
    }

    /// Requests of a route, by its columns, and how many of them failed and were slow.
    pub(crate) fn counted(&self, route: Range<usize>) -> &'a [f32] {
        match self.scraped {
            Scraped::Cells(cells, _) => &cells[route],
            Scraped::Moment(moment) => moment.counted(route),
        }
    }

    /// The metrics of a service, by their columns, without the chance and the noise that are let in where they are read, and
    /// whatever instruments make of them.
    pub(crate) fn plain_metrics(&self, service: usize, columns: Range<usize>) -> Cow<'a, [f32]> {
        match self.scraped {
            Scraped::Cells(cells, None) => Cow::Borrowed(&cells[columns]),
            Scraped::Cells(_, Some(moment)) | Scraped::Moment(moment) => moment.plain_metrics(service),
        }
    }

    /// How often each log line of a service was written.
    pub(crate) fn events(&self, service: usize, columns: Range<usize>) -> &'a [f32] {
        match self.scraped {
            Scraped::Cells(cells, _) => &cells[columns],
            Scraped::Moment(moment) => moment.events(service),
        }
    }

    /// The whole row.
    pub fn cells(&self) -> Cow<'a, [f32]> {
        match self.scraped {
            Scraped::Cells(cells, _) => Cow::Borrowed(cells),
            Scraped::Moment(moment) => moment.all(),
        }
    }

    /// A digest with what this row is worked out from.
    pub(crate) fn digest(&self, chain: u64) -> u64 {
        match self.scraped {
            Scraped::Cells(..) => unreachable!("what is worked out at once is digested at once"),
            Scraped::Moment(moment) => moment.digest(chain),
        }
    }

    /// The share of a service's instances that ran, where it is known.
    pub(crate) fn up(&self, service: usize) -> Option<f64> {
        match self.scraped {
            Scraped::Cells(..) => None,
            Scraped::Moment(moment) => Some(moment.up(service)),
        }
    }
}

impl Scrape {
    /// The row of it.
    pub fn row(&self) -> Row<'_> {
        Row { time: self.time, scraped: &self.scraped }
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        let scraped = match &self.scraped {
            Scraped::Cells(cells, moment) => size_of_val(&**cells) + moment.as_ref().map_or(0, |moment| moment.bytes()),
            Scraped::Moment(moment) => moment.bytes(),
        };
        size_of::<Scrape>() + scraped
    }
}

impl History {
    /// No rows yet but those of a healthy past.
    pub(crate) fn after(past: Arc<dyn HealthyPast>) -> History {
        History { past: Some(past), newest: None, scraped: 0 }
    }

    /// The healthy past, if there is one.
    pub(crate) fn past(&self) -> Option<&dyn HealthyPast> {
        self.past.as_deref()
    }

    /// A history that begins with the same past.
    pub(crate) fn anew(&self) -> History {
        History { past: self.past.clone(), newest: None, scraped: 0 }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.past().map_or(0, |past| past.len()) + self.scraped
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a row, which is later than all others.
    pub fn push(&mut self, time: Time, cells: &[f32]) {
        self.append(time, Scraped::Cells(cells.into(), None));
    }

    /// The same where others than chance have changed what a row would be worked out to.
    pub(crate) fn push_changed(&mut self, time: Time, cells: &[f32], moment: Moment) {
        self.append(time, Scraped::Cells(cells.into(), Some(Box::new(moment))));
    }

    /// The same with what a row is worked out from.
    pub(crate) fn push_moment(&mut self, time: Time, moment: Moment) {
        self.append(time, Scraped::Moment(Box::new(moment)));
    }

    fn append(&mut self, time: Time, scraped: Scraped) {
        let latest = self.newest.as_ref().map(|scrape| scrape.time).or(self.past().and_then(|past| past.end()));
        assert!(latest.is_none_or(|latest| latest < time), "time never moves back");
        let before = self.newest.take();
        self.newest = Some(Arc::new(Scrape { time, scraped, before }));
        self.scraped += 1;
    }

    /// The row at `index`, from the oldest.
    pub fn row(&self, index: usize) -> Row<'_> {
        let past = self.past().map_or(0, |past| past.len());
        match (self.past(), index.checked_sub(past)) {
            (Some(past), None) => past.row(index),
            (_, at) => {
                let at = at.expect("without a past every row was scraped");
                self.scraped().nth(self.scraped - 1 - at).expect("the index is one of a row")
            }
        }
    }

    /// Rows with `from < time <= to`, newest first.
    pub fn newest_first(&self, from: Time, to: Time) -> impl Iterator<Item = Row<'_>> {
        let scraped = self.scraped().skip_while(move |r| r.time > to).take_while(move |r| r.time > from);
        scraped.chain(self.past().into_iter().flat_map(move |past| past.between(from, to).rev().map(|at| past.row(at))))
    }

    /// The latest row.
    pub fn last(&self) -> Option<Row<'_>> {
        self.newest_first(Time(0), Time::NEVER).next()
    }

    /// Bytes held, rows that are shared and what was worked out of the past included.
    pub fn bytes(&self) -> usize {
        let rows = self.scrapes().map(Scrape::bytes).sum::<usize>();
        rows + self.past().map_or(0, |past| past.bytes())
    }

    fn scraped(&self) -> impl Iterator<Item = Row<'_>> {
        self.scrapes().map(Scrape::row)
    }

    /// The latest scrape alone, for those who keep it elsewhere.
    pub(crate) fn take_latest(&mut self) -> Option<Arc<Scrape>> {
        let mut latest = self.newest.take()?;
        self.scraped -= 1;
        if let Some(scrape) = Arc::get_mut(&mut latest) {
            self.newest = scrape.before.take();
        }
        Some(latest)
    }

    fn scrapes(&self) -> impl Iterator<Item = &Scrape> {
        std::iter::successors(self.newest.as_deref(), |scrape: &&Scrape| scrape.before.as_deref())
    }
}

impl Drop for History {
    /// Row after row: each would otherwise drop the one before it from within, and a long history is deep.
    fn drop(&mut self) {
        let mut newest = self.newest.take();
        while let Some(mut scrape) = newest.and_then(Arc::into_inner) {
            newest = scrape.before.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_grow_wider_and_older_ones_keep_what_they_have() {
        let mut history = History::default();
        for n in 0..40u64 {
            let wide = [n as f32, 1.0, 7.0];
            history.push(Time(n + 1), if n < 20 { &wide[..2] } else { &wide });
        }
        let sample = |at: usize, column: usize| history.row(at).sample(column);
        assert_eq!((history.len(), sample(3, 0), sample(3, 1), sample(3, 2)), (40, Some(3.0), Some(1.0), None));
        assert_eq!((sample(19, 0), sample(19, 2)), (Some(19.0), None), "the last of the narrow ones");
        assert_eq!((sample(20, 0), sample(20, 2), sample(39, 2)), (Some(20.0), Some(7.0), Some(7.0)));
    }

    #[test]
    fn a_clone_goes_its_own_way_from_the_rows_that_both_share() {
        let mut one = History::default();
        one.push(Time(1), &[1.0]);
        let mut other = one.clone();
        one.push(Time(2), &[2.0]);
        other.push(Time(3), &[3.0]);
        let cells = |h: &History| h.newest_first(Time(0), Time::NEVER).map(|r| r.cell(0)).collect::<Vec<_>>();
        assert_eq!((cells(&one), cells(&other)), (vec![2.0, 1.0], vec![3.0, 1.0]));
    }

    #[test]
    fn a_very_long_history_is_dropped_without_depth() {
        let mut history = History::default();
        (0..1_000_000u64).for_each(|n| history.push(Time(n + 1), &[0.0]));
        assert_eq!(history.len(), 1_000_000);
    }

    #[test]
    #[should_panic(expected = "time never moves back")]
    fn time_never_moves_back() {
        let mut history = History::default();
        history.push(Time(5), &[0.0]);
        history.push(Time(5), &[0.0]);
    }
}
