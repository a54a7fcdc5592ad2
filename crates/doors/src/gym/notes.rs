//! Where the readers of replies put what they read: names become columns of the board.

use faces::learn::{KnownToLearner, MetricLine, ReplyNotes};
use harness::manual::{Key, KeyType};

use super::distance::distance;
use super::layout::{Columns, Layout};
use super::observation::Observation;

/// The board, open at the columns of one reader.
pub(super) struct Notes<'a> {
    pub board: &'a mut Observation,
    pub columns: &'static Columns,
}

impl Notes<'_> {
    fn column(&self, name: &str) -> usize {
        let at = self.columns.reader.service.iter().position(|known| *known == name);
        self.columns.service[at.expect("a reader lists the numbers that it has for a service")]
    }
}

impl ReplyNotes for Notes<'_> {
    fn services(&self) -> usize {
        self.board.services()
    }

    fn find(&self, service: &str) -> Option<usize> {
        self.board.find(service)
    }

    fn put(&mut self, service: usize, name: &'static str, value: f64) {
        self.board.put(service, self.column(name), value);
    }

    fn add(&mut self, service: usize, name: &'static str, value: f64) {
        self.board.add(service, self.column(name), value);
    }

    fn set(&mut self, name: &'static str, value: f64) {
        let at = self.columns.reader.incident.iter().position(|known| *known == name);
        let column = self.columns.incident[at.expect("a reader lists the numbers that it has for the incident")];
        self.board.set(column, value);
    }

    fn metric(&mut self, service: usize, name: &str, line: MetricLine) -> bool {
        let Some(series) = Layout::get().metric(name) else { return false };
        let MetricLine { now, before, usual } = line;
        let far = |from: Option<f64>| now.zip(from).map_or(0.0, |(now, from)| distance(now, from, series.slack));
        let row = self.board.row(service);
        (row[series.column], row[series.column + 1]) = (far(usual), far(before));
        self.board.show_metric(service, series.rank);
        true
    }

    fn distance(&mut self, service: usize, name: &str, now: f64, usual: f64) {
        if let Some(series) = Layout::get().metric(name) {
            self.board.row(service)[series.column] = distance(now, usual, series.slack);
        }
    }

    fn setting(&mut self, service: usize, key: &str, value: &str) {
        let Some(setting) = Layout::get().key(key) else { return };
        if let Some(key) = self.board.key(service, key) {
            self.board.row(service)[setting.column] = from_default(key, value);
        }
        self.board.show_setting(service, key, value);
    }

    fn templates(&mut self, service: usize, names: &mut dyn Iterator<Item = &str>) {
        let layout = Layout::get();
        let row = self.board.row(service);
        row[layout.all_templates()].fill(0.0);
        for name in names {
            if let Some(at) = layout.template(name) {
                row[at] = 1.0;
            }
        }
    }

    fn show(&mut self, what: &'static str, name: &str) {
        self.board.show(what, name);
    }
}

/// How far a value is from the one in the manual: 0 if it is the same.
fn from_default(key: &Key, value: &str) -> f32 {
    match (key.takes, value.parse::<f64>(), key.default.parse::<f64>()) {
        (KeyType::Int { .. }, Ok(value), Ok(usual)) => distance(value, usual, 0.0001),
        _ if value == key.default => 0.0,
        _ => 1.0,
    }
}
