//! The instruments that show a world, which have troubles of their own. Truth does not pass through them.

use serde::{Deserialize, Serialize};

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
