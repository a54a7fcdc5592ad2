//! The line to a provider: when to call, how to try again, what to write down.
//!
//! - [`RateLimit`] is the rule of when a call may start; it reads no clock and is tested in virtual time;
//! - [`RateLimiter`] makes threads wait for what the limit says;
//! - [`Transport`] carries one request;
//! - [`ProviderClient`] asks until there is an answer or no hope, and writes every exchange into the
//!   episode's exchange log before it is acted on;
//! - [`Meter`] counts calls, tokens and money, and knows the caps.

mod clock;
mod http;
mod meter;
mod policy;
mod provider_client;
#[cfg(test)]
mod provider_client_tests;
mod rate_limit;
#[cfg(test)]
mod rate_limit_laws;
mod rate_limiter;
mod transport;

pub use http::Http;
pub use meter::{CallEvent, CallObserver, Caps, Meter, Spent};
pub use policy::{Adaptive, Policy, Published};
pub use provider_client::{Patience, ProviderClient};
pub use rate_limit::{Admission, CallEnding, RateLimit};
pub use rate_limiter::RateLimiter;
pub use transport::{HttpReply, Transport};
