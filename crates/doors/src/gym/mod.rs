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

pub use actions::{ActionSpace, Move};
pub use env::{Gym, Setup, StepResult, Wish};
pub use layout::Layout;
pub use observation::Observation;
pub use rewards::{RewardScheme, Shaping};
pub use vector::{Act, Autoreset, Batch, Last, VectorGym};
