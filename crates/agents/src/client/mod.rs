//! The line to a provider: when to call, how to try again, what to write down.
//!
//! - [`Gate`] is the rule of when a call may start; it reads no clock and is tested in virtual time;
//! - [`Door`] makes threads wait for what the gate says;
//! - [`Transport`] carries one request;
//! - [`Line`] asks until there is an answer or no hope, and writes every exchange into the
//!   episode's exchange log before anybody acts on it;
//! - [`Meter`] counts calls, tokens and money, and knows the caps.

mod clock;
mod door;
mod gate;
#[cfg(test)]
mod gate_laws;
mod http;
mod line;
#[cfg(test)]
mod line_tests;
mod meter;
mod policy;
mod transport;

pub use door::Door;
pub use gate::{Gate, Outcome, Verdict};
pub use http::Http;
pub use line::{Line, Patience};
pub use meter::{Call, Caps, Meter, Spent, Watch};
pub use policy::{Adaptive, Policy, Published};
pub use transport::{HttpReply, Transport};
