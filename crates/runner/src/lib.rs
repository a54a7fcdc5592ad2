//! A run under way: what is played, with which flags, who plays, and who watches.
//!
//! [`RunRequest`] says what, [`RunFlags`] how; [`run`] plays it. `run` and `sweep` are two ways to say it.
//! [`rehearsal`] puts the fake provider on a socket.

pub mod exec;
mod numbers;
pub mod rehearsal;
pub mod say;
pub mod sheet;
mod sweeping;

pub use numbers::jobs;
pub use sweeping::{
    ModelSettings, PRESETS, RunFlags, RunOutcome, RunRequest, SamplingArgs, Seeds, SweepFile, SweepPart, own_profile,
    run, seeds,
};
