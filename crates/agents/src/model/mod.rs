//! What a model is to us: something that is asked and answers, or stops.
//!
//! Everything here is text and data. A [`ModelRequest`] is turned into an [`HttpRequest`] and a reply into an
//! [`ModelAnswer`] or a [`RequestFailure`] by the [`WireFormat`] of a [`Target`]; who sends it, how often and when, is
//! the client's business.

mod answer;
mod failure;
mod request;
mod sampling;
mod secret;
mod target;
#[cfg(test)]
mod tests;
mod wire;

pub use answer::{ModelAnswer, ToolCall};
pub use failure::RequestFailure;
pub use request::{ChatMessage, ModelRequest, ToolSpec};
pub use sampling::{Effort, Sampling};
pub use secret::{Credentials, Secret};
pub use target::Target;
pub use wire::{HttpRequest, UnixSeconds, WireFormat};

use harness::Move;
pub use harness::{ProviderFault, Usage};

/// A model within one episode. Asking may wait, retry and pay; what comes back is final.
pub trait LanguageModel {
    /// Asks once. `step` is the step of the episode that the answer is for, from 1.
    fn ask(&mut self, ask: &ModelRequest, step: u32) -> Result<ModelAnswer, Stopped>;
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The provider failed, for good: the episode is missing data.
    ProviderFailed(ProviderFault),
    /// A pause was asked for: the episode is left where it is.
    Hold,
    /// Something broke that is neither the model's doing nor its provider's: a full disk, a recording
    /// that lacks an answer.
    Broken(String),
}

/// An agent without an answer has one move left.
impl From<Stopped> for Move {
    fn from(stopped: Stopped) -> Move {
        match stopped {
            Stopped::ProviderFailed(fault) => Move::ProviderFailed(fault),
            Stopped::Hold => Move::Hold,
            Stopped::Broken(problem) => Move::Broken(problem),
        }
    }
}
