//! Terraform without a network.
#![forbid(unsafe_code)]

pub mod constraint;
pub mod datum;
pub mod diagnostic;
pub mod eval;
pub mod functions;
pub mod syntax;
