//! The program `sre-zero`: arguments, files, the terminal, exit codes.
//!
//! What is worth a unit test is in the other crates.
//! One file per command in [`commands`]; each reads its arguments, calls a library and prints.

mod args;
mod chart;
mod commands;
mod completion;
mod episodes;
mod exit;
mod like;
mod pick;
mod png;
mod progress;
mod prompt;
mod question_files;
mod serve;
mod streams;
mod timeline;

use std::process::ExitCode;

// What is printed goes through the same place as what a run tells.
use runner::{say, sheet};

/// Incidents are many small pieces: this makes drawing one a tenth faster than the system's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    say::tell_to(&streams::Streams);
    exit::on_panic();
    exit::code(args::read().command.run())
}
