//! The rehearsal provider: a model provider that costs nothing, answers from the conversation alone and
//! fails on a schedule. It lets a sweep be rehearsed, and it is the bench on which the client is tested.
//!
//! Nothing here opens a socket: a [`FakeProvider`] is handed a request and says what is to be sent, and in
//! which [`Manner`]. The answer is a pure function of the request; what goes wrong is a pure function of
//! the seed, the request and how often it was seen ([`faults`]).

mod answer;
mod call;
pub mod faults;
pub mod formats;
mod limit;
mod log;
mod prompt;
mod provider;
#[cfg(test)]
mod provider_tests;
mod reply;
pub mod responders;

pub use answer::{FakeAnswer, Finish, Tokens};
pub use call::ActionCall;
pub use limit::RequestLimit;
pub use log::RequestEntry;
pub use prompt::{By, IncomingMessage, IncomingPrompt, OfferedTool};
pub use provider::{FakeProvider, FakeProviderSettings, IncomingRequest, PlannedReply};
pub use reply::{FakeReply, Manner};
pub use responders::{ResponderKind, ScriptFile};
