//! The noise dial.

use serde::{Deserialize, Serialize};

use crate::time::Span;

/// How imperfect the telemetry is: 0 is clean, 3 is a bad day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Noise(pub u8);

impl Noise {
    /// The worst.
    pub const MAX: Noise = Noise(3);

    /// Relative jitter of samples.
    pub fn jitter(self) -> f64 {
        [0.0, 0.02, 0.04, 0.08][self.0.min(3) as usize]
    }

    /// The share of scrapes lost.
    pub fn dropped(self) -> f64 {
        [0.0, 0.0, 0.03, 0.08][self.0.min(3) as usize]
    }

    /// The chance that a service writes a line that means nothing, in each scrape.
    pub(crate) fn false_alarms(self) -> f64 {
        [0.0, 0.05, 0.12, 0.3][self.0.min(3) as usize]
    }

    /// How far logs lag behind.
    pub fn log_delay(self) -> Span {
        Span::secs([0, 0, 15, 45][self.0.min(3) as usize])
    }

    /// The chance of a passing disturbance of a node in each window of four minutes.
    pub(crate) fn disturbance(self) -> f64 {
        [0.0, 0.0, 0.4, 0.8][self.0.min(3) as usize]
    }
}
