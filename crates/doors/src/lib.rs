//! Those who play from outside: clients in [`session`]s and over [`mcp`], and
//! learners in a [`gym`].
//!
//! A door holds players and nothing behind them: which task it is, what the answer is and what steps
//! are worth cannot be reached from here. What a trainer may see is a `Trainer` that the program hands
//! in, and the record says so. No sockets, no clock and no randomness: bytes, times and ids are given.
//!
//! Each way to the truth that was once open does not compile:
//!
//! ```compile_fail,E0609
//! fn peek(view: &doors::session::ClientView) -> f64 { view.reward }
//! ```
//! ```compile_fail,E0599
//! fn peek(session: &doors::session::Session) { session.episode(); }
//! ```
//! ```compile_fail,E0616
//! fn peek(catalogue: &harness::catalogue::Catalogue) -> usize { catalogue.tasks.len() }
//! ```
//! ```compile_fail,E0599
//! fn peek(gym: &doors::gym::Gym) { gym.episode(); }
//! ```
//! ```compile_fail,E0599
//! fn peek(gym: &doors::gym::Gym) { gym.player().world(); }
//! ```

pub mod gym;
pub mod mcp;
pub mod session;
#[cfg(test)]
mod test_support;
