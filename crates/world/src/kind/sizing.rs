//! How much room a service needs for its load: what a kind tells those who lay out worlds.

use crate::spec::ServiceSpec;

/// The load of a service as a multiple of what the shop's service of its kind has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelativeLoad {
    /// Calls.
    pub calls: f64,
    /// Calls that change data.
    pub writes: f64,
    /// Work.
    pub work: f64,
    /// Time for which something is held.
    pub held: f64,
}

/// What one call occupies, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occupancy {
    /// How long something of the service is held.
    pub held_ms: f64,
    /// How long the caller waits.
    pub waited_ms: f64,
}

impl ServiceSpec {
    /// Sets a key to a whole number between two bounds.
    pub fn set(&mut self, key: &'static str, value: f64, least: f64, most: f64) {
        self.config.insert(key.into(), (value.clamp(least, most).round() as i64).to_string().into());
    }

    /// Sets a physical parameter, in a number that files and memory hold alike.
    pub fn set_param(&mut self, name: &'static str, value: f64) {
        self.params.insert(name.into(), (value * 10_000.0).round() / 10_000.0);
    }

    /// Spreads so many workers over instances; `per_instance` fit into the memory of one.
    pub fn staff(&mut self, key: &'static str, workers: f64, per_instance: f64) {
        self.instances = ((workers / per_instance).ceil() as usize).max(2);
        self.set(key, workers / self.instances as f64, 6.0, 512.0);
    }
}
