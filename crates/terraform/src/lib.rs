//! Terraform that is really planned, without the tool, a registry, a network or a container.
//!
//! A reply's files are taken out of it ([`extract`]), read and evaluated ([`syntax`], [`eval`], [`functions`]), validated and planned
//! against tables of resource types ([`schema`], [`engine`]), applied to a cloud that is a plain value ([`cloud`]), asked whether they mean
//! what was requested ([`questions`], [`policy`]), planned again and destroyed. [`task`] puts this together:
//!
//! ```
//! let task = terraform::task::published().into_iter().find(|t| t.id == "s3_public_access_block").expect("it ships");
//! assert!(task.prompt().contains("public access block"));
//! let verdict = task.judge("I would rather not.");
//! assert!(!verdict.passed);
//! assert_eq!(verdict.category.map(|c| c.name()), Some("EXTRACT"));
//! ```
//!
//! [`generate`] makes such tasks without end, each with a reference answer and with wrong answers that break a named requirement.
//!
//! The grammar is read by `hcl-edit`: maintained, complete, 4 s to compile, and it refuses deep nesting by itself. Everything that makes
//! the language Terraform's is ours: values known after apply, functions, references, modules, types.
//!
//! Not modelled: sensitivity, provisioners, remote state, imports, `check` and `moved` blocks (read and left alone), `.tf.json`, provider
//! functions. The cloud has the rules that configurations commonly break, not all; time in it does not pass. This crate does no IO.
#![forbid(unsafe_code)]

/// The version of asking and judging: a change that moves verdicts raises it.
pub const TERRAFORM_VERSION: u32 = 1;

pub mod cloud;
pub mod config;
pub mod datasource;
pub mod datum;
pub mod diagnostic;
mod draws;
pub mod engine;
pub mod eval;
pub mod extract;
pub mod functions;
pub mod generate;
pub mod policy;
pub mod questions;
pub mod schema;
pub mod syntax;
pub mod task;
mod type_syntax;
