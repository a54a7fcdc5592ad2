//! The simulated clouds as a Terraform provider: where a `terraform` or `tofu` is installed, the real tool validates, plans and
//! applies against the same cloud as the evaluator in process, and both must agree.
//!
//! The tool is told by `TF_REATTACH_PROVIDERS` that its providers run already, so it asks no registry, downloads nothing and
//! checks no signature: it speaks plain gRPC to a port of this machine. A [`ProviderServer`] answers there, one listener per
//! provider, all with one cloud behind them; [`RealTool`] runs the tool.
//!
//! - [`protobuf`] and [`msgpack`] are the two encodings, as far as twelve messages need them;
//! - `describe` says what resources there are, `provider` answers the calls, `serve` carries them.
#![forbid(unsafe_code)]

mod describe;
pub mod msgpack;
pub mod protobuf;
mod provider;
mod serve;
mod tool;

pub use provider::SimulatedProvider;
pub use serve::ProviderServer;
pub use tool::{RealTool, ToolRun};
