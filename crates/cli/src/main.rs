//! The program `sre-zero`: arguments, files, the terminal, exit codes.
//!
//! All contact with the machine is in this crate and what is worth a unit test is in the others.
//! One file per command in [`commands`]; each reads its arguments, calls the harness and prints.

mod args;
mod chart;
mod commands;
mod completion;
mod episodes;
mod exec;
mod exit;
mod pick;
mod png;
mod progress;
mod prompt;
mod rehearsal;
mod say;
mod serve;
mod sheet;
mod sweeping;
mod timeline;

use std::process::ExitCode;

fn main() -> ExitCode {
    exit::on_panic();
    exit::code(args::read().command.run())
}
