//! A small, safe shell as a plain value.
//!
//! A [`Shell`] reads a command line as `sh` does (quotes, pipes, `&&`, `||`, `;`, `&`, variables, `$(...)`, redirects,
//! heredocs, `for`, `while`, `if`, `case`) and has the text tools that people pipe into: grep, sed, awk, jq and their kin.
//! It does no IO: programs, files and time are asked of a [`Host`]. What it does not support it refuses by name.

mod arithmetic;
mod builtins;
mod expand;
mod jobs;
mod parse;
mod pattern;
mod run;
mod state;
mod syntax;
mod text;
pub mod tools;
mod words;

pub use pattern::{Dialect, pattern};
pub use state::{Output, Shell};

/// Where a shell runs: an operator's terminal, a container.
pub trait Host {
    /// Runs a program that is no builtin and no text tool; `None` if there is none of that name. The shell is handed
    /// along so that a program that waits can let background jobs go on ([`Shell::run_due`]).
    fn run(&mut self, shell: &mut Shell, words: &[String], input: &str) -> Option<Output>;

    /// Whether the text tool of this name is there. A minimal image has none.
    fn has_tool(&self, name: &str) -> bool;

    /// The text of a file, or why not: `No such file or directory`.
    fn read_file(&mut self, path: &str) -> Result<String, String>;

    /// Writes a file, or says why not.
    fn write_file(&mut self, path: &str, text: &str, append: bool) -> Result<(), String>;

    /// The time in microseconds since 1970.
    fn now(&self) -> i64;

    /// Lets time pass until then, with what happens meanwhile.
    fn wait_until(&mut self, shell: &mut Shell, until: i64);

    /// Changes the folder in which the shell stands, or says why not. A place without folders lets it be.
    fn change_folder(&mut self, _path: &str) -> Result<(), String> {
        Ok(())
    }

    /// When what is running now must end: set by `timeout`.
    fn deadline(&mut self) -> &mut Option<i64>;
}
