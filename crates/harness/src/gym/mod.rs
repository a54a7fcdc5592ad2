//! Incidents for learners: episodes behind fixed-size arrays and numbered actions.
//!
//! A [`Gym`] draws incidents from a [`Pool`] and plays each through an ordinary
//! [`Episode`](crate::Episode): a numbered action is written out as the text that an agent would have
//! written, and an observation holds what the replies' texts said, as numbers with names ([`Layout`]).
//! So nothing here can see or do more than any other agent, and every episode has its record. A
//! [`Fleet`] steps many at once on several threads.

mod actions;
mod board;
mod distance;
mod env;
mod fleet;
mod layout;
mod notes;
mod pool;
mod rewards;
#[cfg(test)]
mod shaping_tests;
#[cfg(test)]
mod tests;

pub use actions::{ActionSpace, Move};
pub use board::Board;
pub use env::{Gym, Setup, Turned, Wish};
pub use fleet::{Act, Autoreset, Batch, Fleet, Last};
pub use layout::Layout;
pub use pool::Pool;
pub use rewards::{RewardScheme, Shaping};
