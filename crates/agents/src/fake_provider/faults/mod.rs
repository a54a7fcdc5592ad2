//! The ways in which a provider fails, and when.
//!
//! Which request fails, how, and how often in a row is a pure function of the seed and the request, so
//! it depends neither on order nor on concurrency: see [`Schedule`].

mod kind;
#[cfg(test)]
mod laws;
mod profile;
mod schedule;

pub use kind::FailureKind;
pub use profile::FailureProfile;
pub(super) use schedule::address;
pub use schedule::{Fate, Schedule};
