//! Terraform without a network.
#![forbid(unsafe_code)]

pub mod cloud;
pub mod config;
pub mod constraint;
mod datasource;
pub mod datum;
pub mod diagnostic;
pub mod engine;
pub mod eval;
pub mod extract;
pub mod functions;
pub mod policy;
pub mod questions;
pub mod schema;
pub mod syntax;
pub mod task;
