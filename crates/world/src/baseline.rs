//! What is usual: the mean and spread of every metric over the healthy past.

use std::sync::{Arc, OnceLock};

use crate::band::Band;
use crate::blueprint::ServiceInfo;
use crate::history::Scrape;

/// The usual values of all metrics, worked out where they are read, from rows of the healthy past.
pub(crate) struct Baseline {
    rows: Box<[Arc<Scrape>]>,
    /// Those of each service.
    services: Box<[OnceLock<Box<[Band]>>]>,
}

impl Baseline {
    /// What these rows show of so many services.
    pub fn new(rows: Box<[Arc<Scrape>]>, services: usize) -> Baseline {
        Baseline { rows, services: (0..services).map(|_| OnceLock::new()).collect() }
    }

    /// The usual values of a service's metrics, in the order of its kind.
    pub fn of(&self, service: usize, info: &ServiceInfo) -> &[Band] {
        self.services[service].get_or_init(|| learn(info, &self.rows))
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        let known = self.services.iter().filter_map(OnceLock::get);
        self.rows.iter().map(|row| row.bytes()).sum::<usize>() + known.map(|bands| size_of_val(&**bands)).sum::<usize>()
    }
}

fn learn(info: &ServiceInfo, rows: &[Arc<Scrape>]) -> Box<[Band]> {
    let rows: Vec<&[f32]> = rows.iter().map(|row| row.row().part(info.metrics.clone())).collect();
    let band = |(at, metric): (usize, &crate::kind::Metric)| {
        let (mut known, mut sum, mut squares) = (0.0f64, 0.0f64, 0.0f64);
        for cell in rows.iter().map(|row| row[at]) {
            // What was lost counts for nothing.
            let (is_there, cell) = if cell.is_nan() { (0.0, 0.0) } else { (1.0, f64::from(cell)) };
            known += is_there;
            sum += cell;
            squares += cell * cell;
        }
        let n = known.max(1.0);
        let usual = sum / n;
        let spread = (squares / n - usual * usual).max(0.0).sqrt();
        let size = if metric.sized { info.size } else { 1.0 };
        Band { usual, slack: (5.0 * spread).max(0.2 * usual.abs()).max(metric.slack * size) }
    };
    info.kind.metrics().iter().enumerate().map(band).collect()
}
