//! Kinds of services: one file each. A kind is what [`Kind`] tells of it, and its physics. To add one,
//! copy a file, change its middle, and list it in [`ALL`].

mod balancer;
mod cache;
mod database;
#[cfg(test)]
mod kind_tests;
mod model;
#[cfg(test)]
mod physics_tests;
mod queue;
mod scale;
mod table;
mod tick;
mod web;

pub use crate::kind::{
    CallerLine, DrawnUse, Gauge, Hazard, Kind, Level, LookupKeys, Metric, Occupancy, Overruled, Params, Quirk,
    RelativeLoad, Role, Rule, Template, Unit, settle,
};
pub(crate) use crate::kind::{error, metric, usual, warn};
pub(crate) use model::model_of;
pub use model::{CloneModel, Model, ModelSetup, OwnTime, Physics};
pub use table::{Gauges, InUse, Samples, Values};
pub(crate) use table::{Named, table};
pub use tick::{CallTraffic, Edge, Passing, Sight, Tick};

use crate::kind::{PLATFORM_LINES, spoken};
use crate::spec::ServiceSpec;

/// All kinds, in order.
pub const ALL: &[&dyn Physics] = &[&balancer::Balancer, &web::Web, &database::Database, &cache::Cache, &queue::Queue];

/// The kind of that name.
pub fn find(name: &str) -> Option<&'static dyn Kind> {
    physics(name).map(|kind| kind as &dyn Kind)
}

/// The kind of a service, in the words of its place.
pub fn of(service: &ServiceSpec) -> Option<&'static dyn Kind> {
    find(&service.kind).map(|kind| spoken(kind, &service.words))
}

/// The kind of that name, with its physics.
fn physics(name: &str) -> Option<&'static dyn Physics> {
    ALL.iter().copied().find(|k| k.name() == name)
}

/// The log lines of all kinds, then those of the platform under them.
pub fn templates() -> impl Iterator<Item = &'static Template> {
    let of_callers = ALL.iter().flat_map(|kind| kind.caller_logs()).map(|caller| &caller.line);
    ALL.iter().flat_map(|kind| kind.logs()).chain(of_callers).chain(PLATFORM_LINES)
}
