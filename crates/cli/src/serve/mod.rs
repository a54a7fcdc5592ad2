//! What `serve` and `mcp` share: what is offered to clients, and where their records are kept.

pub mod handles;
pub mod keep;
pub mod offered;
