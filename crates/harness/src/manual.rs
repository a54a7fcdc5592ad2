//! What the manuals of all kinds of service say, the same for every incident: names that a learner's
//! numbers and choices are made of.

use world::services;

pub use world::config::{Key, KeyType};

/// All metrics, each with the least difference of it that means something.
pub fn metrics() -> impl Iterator<Item = (&'static str, f64)> {
    services::ALL.iter().flat_map(|kind| kind.metrics()).map(|metric| (metric.name, metric.slack))
}

/// All configuration keys.
pub fn keys() -> impl Iterator<Item = &'static Key> {
    services::ALL.iter().flat_map(|kind| kind.keys())
}

/// All sorts of log lines.
pub fn log_lines() -> impl Iterator<Item = &'static str> {
    services::templates().map(|template| template.name)
}
