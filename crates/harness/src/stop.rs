//! Asking a sweep to stop: before its next step, with nothing lost.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

/// Why a run is to stop before its next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Ctrl-C.
    Interrupted,
    /// The key `p` of the full-screen view.
    Paused,
    /// A pause file exists.
    PauseFile(PathBuf),
    /// A cap on calls, tokens or cost is reached.
    Cap(String),
    /// A model has answered no call yet and refuses: a wrong key, no such model, no such host.
    NoAnswer(String),
    /// What was paid for cannot be kept.
    Unwritable(String),
}

impl StopReason {
    /// What to do first, if the run is to go on.
    pub fn advice(&self) -> &'static str {
        match self {
            StopReason::Interrupted | StopReason::Paused => "Continue with",
            StopReason::PauseFile(_) => "Remove it, then continue with",
            StopReason::Cap(_) => "Raise it, then continue with",
            StopReason::NoAnswer(_) => "Fix that, then continue with",
            StopReason::Unwritable(_) => "Make room, then continue with",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Interrupted => f.write_str("interrupted with Ctrl-C"),
            StopReason::Paused => f.write_str("paused with p"),
            StopReason::PauseFile(path) => write!(f, "the pause file {} exists", path.display()),
            StopReason::Cap(text) | StopReason::NoAnswer(text) | StopReason::Unwritable(text) => f.write_str(text),
        }
    }
}

/// A wish to stop, shared by all that may have it and all that heed it. The first reason counts.
#[derive(Clone, Default)]
pub struct Stop(Arc<Shared>);

#[derive(Default)]
struct Shared {
    why: OnceLock<StopReason>,
    wake: Mutex<Vec<Box<dyn Fn() + Send>>>,
}

impl Stop {
    /// Asks the run to stop before the next step.
    pub fn ask(&self, why: StopReason) {
        let _ = self.0.why.set(why);
        for wake in self.0.wake.lock().expect("no thread panics here").iter() {
            wake();
        }
    }

    /// Why to stop, if that was asked for.
    pub fn why(&self) -> Option<&StopReason> {
        self.0.why.get()
    }

    /// Whether it was asked for.
    pub fn is_asked(&self) -> bool {
        self.0.why.get().is_some()
    }

    /// An error once it is asked for: for those who ask between two pieces of work.
    pub(crate) fn goes_on(&self) -> Result<(), &'static str> {
        if self.is_asked() { Err("it was asked to stop") } else { Ok(()) }
    }

    /// Has this called when it is asked for: for those who wait for something else.
    pub fn on_ask(&self, wake: impl Fn() + Send + 'static) {
        self.0.wake.lock().expect("no thread panics here").push(Box::new(wake));
    }
}
