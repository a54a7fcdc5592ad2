//! What users get: the last minutes of every route.

use std::collections::VecDeque;

/// The last minutes of a route, one sample per second.
#[derive(Clone, Debug, Default)]
pub(crate) struct RouteHistory {
    pub(crate) samples: VecDeque<RouteSample>,
}

/// One second of a route.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RouteSample {
    pub(crate) at: i64,
    pub(crate) rate: f32,
    pub(crate) fails: f32,
    pub(crate) p50: f32,
    pub(crate) p95: f32,
    pub(crate) p99: f32,
    pub(crate) reason: &'static str,
}

/// Seconds that are remembered of a route.
const REMEMBERED: usize = 900;

impl RouteHistory {
    pub(crate) fn push(&mut self, sample: RouteSample) {
        // Several generators ask for one route: their seconds are one.
        if let Some(last) = self.samples.back_mut().filter(|last| last.at == sample.at) {
            let (own, more) = (f64::from(last.rate), f64::from(sample.rate));
            let part = (more / (own + more).max(1e-9)) as f32;
            last.rate += sample.rate;
            last.fails += (sample.fails - last.fails) * part;
            last.p50 += (sample.p50 - last.p50) * part;
            last.p95 = last.p95.max(sample.p95);
            last.p99 = last.p99.max(sample.p99);
            return;
        }
        if self.samples.len() == REMEMBERED {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// The samples since then.
    pub(crate) fn since(&self, second: i64) -> impl Iterator<Item = &RouteSample> {
        self.samples.iter().rev().take_while(move |sample| sample.at > second)
    }
}

/// A route over a window.
#[derive(Clone, Debug, Default)]
pub(crate) struct RouteWindow {
    pub(crate) seconds: usize,
    pub(crate) rate: f64,
    pub(crate) success: f64,
    pub(crate) p50: f64,
    pub(crate) p95: f64,
    pub(crate) p99: f64,
    pub(crate) reason: &'static str,
}

impl RouteWindow {
    /// All samples after a second.
    pub(crate) fn of(history: &RouteHistory, after: i64) -> Self {
        let mut window = Self { success: 1.0, ..Self::default() };
        let (mut requests, mut failed, mut worst) = (0.0, 0.0, 0.0f32);
        for sample in history.since(after) {
            window.seconds += 1;
            requests += f64::from(sample.rate);
            failed += f64::from(sample.rate * sample.fails);
            window.p50 += f64::from(sample.p50 * sample.rate);
            window.p95 += f64::from(sample.p95 * sample.rate);
            window.p99 += f64::from(sample.p99 * sample.rate);
            if sample.fails > worst {
                (worst, window.reason) = (sample.fails, sample.reason);
            }
        }
        if requests > 0.0 {
            window.success = 1.0 - failed / requests;
            window.p50 /= requests;
            window.p95 /= requests;
            window.p99 /= requests;
        }
        window.rate = requests / window.seconds.max(1) as f64;
        window
    }
}
