//! Problems in a cluster: what breaks, how it is played in stages, when it is mitigated.
//!
//! A [`ClusterProblem`] is a file of `tasks/sregym`: which applications run, what the fault does (API calls, commands with
//! a store's own client, changes of nodes, disks, links and load), what caused it, and what ends it. No code knows a
//! problem by name.

mod file;
mod problem;
mod shipped;
mod span;
pub mod suites;
mod vocabulary;

pub use file::{
    DiagnosisWords, FaultStep, MitigationCase, ProblemCause, ProblemFile, RecurringActor, ScriptedSolution,
    StateCondition,
};
pub use problem::{ClusterProblem, ProblemFileError};
pub use shipped::{carried, find};
pub use vocabulary::{CAUSE_KINDS, ProblemLayer, ProblemMode, is_cause_kind};
