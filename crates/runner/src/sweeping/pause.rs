//! Asking a run to stop before its next step: a file that appears, or Ctrl-C.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once, OnceLock};
use std::thread;
use std::time::Duration;

use harness::{Stop, StopReason};

use super::screen;
use crate::say;

/// How often it is checked whether the file is there.
const LOOK: Duration = Duration::from_millis(100);

/// The exit code of a program that was interrupted.
const CODE: i32 = 130;

/// Looks for the file until this is dropped.
pub struct Watchman {
    over: Arc<AtomicBool>,
}

impl Watchman {
    /// Begins to look for the file, if one is given.
    pub fn new(file: Option<&Path>, stop: &Stop) -> Watchman {
        let over = Arc::new(AtomicBool::new(false));
        if let Some(file) = file.map(Path::to_path_buf) {
            let (stop, over) = (stop.clone(), over.clone());
            // It is there already: not even the first step is taken.
            let look = move || file.exists().then(|| stop.ask(StopReason::PauseFile(file.clone())));
            if look().is_none() {
                thread::spawn(move || {
                    while !over.load(Ordering::Relaxed) && look().is_none() {
                        thread::sleep(LOOK);
                    }
                });
            }
        }
        Watchman { over }
    }
}

impl Drop for Watchman {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// Has Ctrl-C stop the run before its next step; once more ends the program at once.
pub fn on_interrupt(stop: &Stop) {
    static CURRENT: OnceLock<Stop> = OnceLock::new();
    static ONCE: Once = Once::new();
    let _ = CURRENT.set(stop.clone());
    ONCE.call_once(|| {
        let handler = || interrupt(CURRENT.get().expect("it was set before"));
        // Without a handler Ctrl-C ends the program, and nothing is lost either.
        let _ = ctrlc::set_handler(handler);
    });
}

/// What Ctrl-C does: the run stops before its next step. Asked once more, the program ends at once.
pub fn interrupt(stop: &Stop) {
    static ASKED: AtomicBool = AtomicBool::new(false);
    if ASKED.swap(true, Ordering::Relaxed) {
        leave();
    }
    say::note("stopping before the next step; calls in flight are let finish. Ctrl-C again leaves at once.");
    stop.ask(StopReason::Interrupted);
}

/// Ends the program at once, with the terminal as it was. What is finished is on disk.
pub fn leave() -> ! {
    crate::exec::end_all();
    screen::restore();
    std::process::exit(CODE)
}
