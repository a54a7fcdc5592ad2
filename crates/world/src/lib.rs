//! The simulator: a deterministic world of services that break for real reasons.
//!
//! A [`World`] is a plain value: no clock, no IO, no threads, no globals. The same [`Blueprint`],
//! [`Seed`] and mutations give the same bytes on every machine. Flows, not requests, are simulated:
//! each tick every service has offered load, capacity, queue, latency and errors, which follow from
//! state by queueing theory and from each other along the call graph.
//!
//! What an operator may see and do is [`View`] and [`Operator`]; what really happened is on
//! [`World`] itself, out of a face's reach.

mod act;
mod alert_state;
mod alerting;
mod band;
mod baseline;
pub mod blueprint;
mod change;
mod change_book;
mod changes;
mod compile;
pub mod config;
mod control;
mod copies;
mod digest;
mod engine;
pub mod faults;
mod fit;
pub mod fleet;
pub mod flow;
pub mod growth;
pub mod history;
mod impact;
mod instruments;
mod kind;
pub mod latency;
mod links;
mod load;
mod math;
mod moment;
mod mutation;
mod noise;
mod operator;
mod past;
mod platform;
mod process;
pub mod queued;
mod release;
pub mod rng;
mod sampling;
mod scrape;
mod service_state;
pub mod services;
mod settings;
mod shop;
pub mod spec;
mod standing;
pub mod station;
pub mod telemetry;
pub mod time;
mod truth;
mod world;

pub use band::Band;
pub use blueprint::{Blueprint, SpecError};
pub use change::{Change, Filed};
pub use config::{Key, Value};
pub use fleet::InstanceId;
pub use impact::{Impact, Objective, RouteImpact};
pub use instruments::Series;
pub use links::Paths;
pub use mutation::Mutation;
pub use noise::Noise;
pub use operator::{Operator, PastChange, RolledBack, View};
pub use release::Build;
pub use rng::Seed;
pub use service_state::ServiceState;
pub use settings::RevisionId;
pub use shop::shop;
pub use spec::Spec;
pub use standing::Standing;
pub use time::{SCRAPE, Span, TICK, Time};
pub use world::{Page, World};

/// The version of the world's behaviour: a change that moves digests raises it.
pub const WORLD_VERSION: u32 = 2;
