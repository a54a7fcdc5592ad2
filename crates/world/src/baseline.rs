//! What is usual: the mean and spread of every series over the healthy past.

use crate::blueprint::Blueprint;

/// The usual value of one series.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Band {
    /// The mean over the healthy past.
    pub usual: f64,
    /// How far from it still means nothing.
    pub slack: f64,
}

impl Band {
    /// Whether a value is clearly not the usual one.
    pub fn unusual(&self, value: f64) -> bool {
        (value - self.usual).abs() > self.slack
    }
}

/// The usual values of all columns of a row.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    bands: Vec<Band>,
}

impl Baseline {
    /// What is known of a world without a past.
    pub(crate) const NOTHING: Baseline = Baseline { bands: Vec::new() };

    /// Learns from rows of the healthy past.
    pub(crate) fn learn(plan: &Blueprint, rows: &[Box<[f32]>]) -> Baseline {
        let mut bands = vec![Band::default(); plan.width];
        let mut known = vec![0.0f64; plan.width];
        let mut squares = vec![0.0f64; plan.width];
        for row in rows {
            let sums = bands.iter_mut().zip(&mut known).zip(&mut squares);
            for (((band, known), squares), cell) in sums.zip(row) {
                // What was lost counts for nothing.
                let (is_there, cell) = if cell.is_nan() { (0.0, 0.0) } else { (1.0, f64::from(*cell)) };
                *known += is_there;
                band.usual += cell;
                *squares += cell * cell;
            }
        }
        for (at, band) in bands.iter_mut().enumerate() {
            let n = known[at].max(1.0);
            band.usual /= n;
            let spread = (squares[at] / n - band.usual * band.usual).max(0.0).sqrt();
            band.slack = (5.0 * spread).max(0.2 * band.usual.abs());
        }
        for service in &plan.services {
            for (metric, column) in service.kind.metrics().iter().zip(service.metrics.clone()) {
                let size = if metric.sized { service.size } else { 1.0 };
                bands[column].slack = bands[column].slack.max(metric.slack * size);
            }
        }
        Baseline { bands }
    }

    /// The usual value of a column.
    pub fn band(&self, column: usize) -> Band {
        self.bands.get(column).copied().unwrap_or_default()
    }
}
