//! The rehearsal provider: a model provider that costs nothing, answers from the conversation alone and
//! fails on a schedule. It lets a sweep be rehearsed, and it is the bench on which the client is tested.
//!
//! Nothing here opens a socket: a [`Provider`] is handed a request and says what is to be sent, and in
//! which [`Manner`]. The answer is a pure function of the request; what goes wrong is a pure function of
//! the seed, the request and how often it was seen ([`faults`]).

mod answer;
pub mod brains;
mod call;
pub mod faults;
mod limit;
mod log;
mod prompt;
mod provider;
#[cfg(test)]
mod provider_tests;
mod reply;
pub mod wires;

pub use answer::{Answer, Finish, Tokens};
pub use brains::{Brain, Script};
pub use call::Call;
pub use limit::Limit;
pub use log::Line;
pub use prompt::{By, Message, Prompt, Tool};
pub use provider::{Asked, Exchange, Provider, Rules};
pub use reply::{Manner, Reply};
