//! The usual value of a series, and how far from it tells something.

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

    /// The same for one sample of several that might have been taken: chance moves none of them back.
    pub fn clearly_unusual(&self, value: f64) -> bool {
        (value - self.usual).abs() > CLEARLY * self.slack
    }
}

/// So many times as far from what is usual is beyond chance.
const CLEARLY: f64 = 3.0;
