//! How the program ends: one exit code and, if something was wrong, one message.

use std::io;
use std::panic;
use std::process::ExitCode;

use runner::RunOutcome;

use crate::say;

/// How a command ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommandOutcome {
    /// All is well.
    Fine,
    /// The work was done, and a check, a replay or an episode failed.
    Failed,
    /// It was stopped before its end, by a pause file or a cap; the same command goes on.
    Paused,
    /// It was stopped with Ctrl-C; the same command goes on.
    Interrupted,
}

impl From<RunOutcome> for CommandOutcome {
    fn from(run: RunOutcome) -> CommandOutcome {
        match run {
            RunOutcome::Fine => CommandOutcome::Fine,
            RunOutcome::Failed => CommandOutcome::Failed,
            RunOutcome::Paused => CommandOutcome::Paused,
            RunOutcome::Interrupted => CommandOutcome::Interrupted,
        }
    }
}

/// The exit codes, as every `--help` tells them.
pub const CODES: &str = "\
Exit codes:
  0    fine
  1    a check, a replay or an episode failed
  2    bad usage or input: the message says what to do
  3    stopped before the end, by a pause file or a cap: the same command goes on
  130  interrupted with Ctrl-C: what was finished is kept";

/// The exit code; an error is told on the way.
pub fn code(result: anyhow::Result<CommandOutcome>) -> ExitCode {
    match result {
        Ok(CommandOutcome::Fine) => ExitCode::SUCCESS,
        Ok(CommandOutcome::Failed) => ExitCode::from(1),
        Ok(CommandOutcome::Paused) => ExitCode::from(3),
        Ok(CommandOutcome::Interrupted) => ExitCode::from(130),
        // The reader of our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say::note(&format!("error: {}", chain(&error)));
            ExitCode::from(2)
        }
    }
}

/// A bug says where it is, in one line; the sweep goes on with the other episodes.
pub fn on_panic() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or(String::new(), |at| format!(" at {}:{}", at.file(), at.line()));
        let text = info.payload_as_str().unwrap_or("no message");
        say::note(&format!("bug{place}: {text}"));
    }));
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// The messages from the outermost to the cause; one that was already quoted is not said twice.
fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
