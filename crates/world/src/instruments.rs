//! The instruments that show a world, which have troubles of their own. Truth does not pass through them.

use serde::{Deserialize, Serialize};

use crate::mutation::Mutation;
use crate::time::Span;
use crate::world::World;

/// How a series is scraped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Series {
    /// As it is.
    Sound,
    /// The exporter repeats its last value.
    Stale,
    /// No sample arrives.
    Missing,
}

impl World {
    /// Puts the series of a column into a state; gives the old one.
    pub(crate) fn set_series(&mut self, service: usize, metric: usize, series: Series) -> Mutation {
        let column = self.plan.services[service].metrics.start + metric;
        let at = self.instruments.iter().position(|(c, _)| *c == column);
        let old = at.map_or(Series::Sound, |at| self.instruments.remove(at).1);
        if series != Series::Sound {
            self.instruments.push((column, series));
        }
        Mutation::Series { service, metric, series: old }
    }

    /// What the instruments make of a row that was just scraped.
    pub(crate) fn pass_through_instruments(&mut self) {
        for &(column, series) in &self.instruments {
            let last = self.history.last().map_or(f32::NAN, |row| row.cells[column]);
            self.row[column] = if series == Series::Stale { last } else { f32::NAN };
        }
    }

    /// How far the logs of a service lag behind.
    pub(crate) fn log_delay(&self, service: usize) -> Span {
        self.noise.log_delay() + self.log_delays[service]
    }
}
