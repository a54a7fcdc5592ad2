//! Incidents for learners: episodes behind fixed-size arrays and numbered actions.
//!
//! A [`Gym`] draws incidents from a [`Pool`](harness::Pool) and plays each through an ordinary
//! [`Player`](harness::Player): a numbered action is written out as the text that an agent would have
//! written, and an observation holds what the replies' texts said, as numbers with names ([`Layout`]).
//! So nothing here can see or do more than any other agent, and every episode has its record. A
//! [`VectorGym`] steps many at once on several threads.

mod actions;
mod distance;
mod env;
mod layout;
mod notes;
mod observation;
mod rewards;
#[cfg(test)]
mod shaping_tests;
#[cfg(test)]
mod tests;
mod vector;

pub use actions::{ActionSpace, GymAction};
pub use env::{Gym, GymSetup, IncidentWish, StepResult};
pub use layout::Layout;
pub use observation::Observation;
pub use rewards::{RewardScheme, Shaping};
pub use vector::{Autoreset, GymActions, GymBatch, Last, VectorGym};
