//! Kinds of services: one file each. A kind is its configuration keys, metrics, log lines, alert
//! rules and physics, and all that others need to know of it. To add one, copy a file, change its
//! middle, and list it in [`ALL`].

mod about;
mod balancer;
mod cache;
mod database;
mod hazard;
#[cfg(test)]
mod kind_tests;
mod model;
#[cfg(test)]
mod physics_tests;
mod queue;
mod quirks;
mod sizing;
mod table;
mod tick;
mod web;

pub use about::{CallerLine, Level, Metric, Rule, Template, Unit};
pub(crate) use about::{error, metric, usual, warn};
pub use hazard::Hazard;
pub use model::{CloneModel, Model, ModelSetup, Role};
pub use quirks::Quirk;
pub use sizing::{Occupancy, RelativeLoad};
pub use table::{InUse, Samples, Values};
pub(crate) use table::{Named, table};
pub use tick::{Edge, Sight, Tick};

use crate::config::Key;
use crate::flow::Reason;
use crate::growth::{Growth, Needs};
use crate::spec::{Op, ServiceSpec};

/// All kinds, in order.
pub const ALL: &[&dyn Kind] = &[&balancer::Balancer, &web::Web, &database::Database, &cache::Cache, &queue::Queue];

/// The kind of that name.
pub fn find(name: &str) -> Option<&'static dyn Kind> {
    ALL.iter().copied().find(|k| k.name() == name)
}

/// The log lines of all kinds, then those of the platform under them.
pub fn templates() -> impl Iterator<Item = &'static Template> {
    let of_callers = ALL.iter().flat_map(|kind| kind.caller_logs()).map(|caller| &caller.line);
    ALL.iter().flat_map(|kind| kind.logs()).chain(of_callers).chain(crate::telemetry::platform::LINES)
}

/// What all services of a kind have in common.
pub trait Kind: Sync {
    /// Its name in a spec.
    fn name(&self) -> &'static str;
    /// What a service of this kind is called where there is one only.
    fn title(&self) -> &'static str;
    /// What people call a service of this kind in a diagnosis.
    fn aliases(&self) -> &'static [&'static str];
    /// How far from the users it stands: 0 is the edge.
    fn tier(&self) -> u32;
    /// What its callers want of it.
    fn role(&self) -> Role {
        Role::Answer
    }
    /// Configuration keys, in the order in which they are shown.
    fn keys(&self) -> &'static [Key];
    /// Physical parameters with their usual values.
    fn params(&self) -> &'static [(&'static str, f64)];
    /// Metrics, in the order in which they are shown.
    fn metrics(&self) -> &'static [Metric];
    /// Log lines. A model counts one event per template.
    fn logs(&self) -> &'static [Template];
    /// Alert rules, the most telling first.
    fn rules(&self) -> &'static [Rule];
    /// What about it can break: which faults fit.
    fn hazards(&self) -> &'static [Hazard];
    /// A model with these parameters, before its first configuration.
    fn model(&self, setup: &ModelSetup<'_>) -> Box<dyn Model>;
    /// What callers write when calls to it fail, where they have no lines of their own for such a service.
    fn caller_logs(&self) -> &'static [CallerLine] {
        &[]
    }
    /// What a caller reads where a call failed here or behind it: an edge shows what its protocol has a word for.
    fn shows(&self, reason: Reason) -> Reason {
        reason
    }
    /// How long one instance takes to restart, in seconds.
    fn restart_secs(&self) -> u64;
    /// Gives a service room for its load, which is said as a multiple of what the shop's service of this kind has.
    fn size(&self, _service: &mut ServiceSpec, _load: RelativeLoad) {}
    /// Fits a service to a place that differs from how it was written down; gives how much more of each setting it
    /// needs there.
    fn grow(&self, _service: &mut ServiceSpec, _by: &Growth) -> Needs {
        Needs::new()
    }
    /// Settings that look odd and do no harm where nothing depends on them.
    fn quirks(&self) -> &'static [Quirk] {
        &[]
    }
    /// What one call occupies here when all is well; `inner_ms` is how long the calls it makes take.
    fn occupancy(&self, op: &Op, inner_ms: f64) -> Occupancy {
        Occupancy { held_ms: op.work_ms + inner_ms, waited_ms: op.work_ms + inner_ms }
    }
}
