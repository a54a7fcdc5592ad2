//! Asking a sweep to stop: before its next step, with nothing lost.

use std::sync::{Arc, Mutex, OnceLock};

/// A wish to stop, shared by everybody who may have it and everybody who heeds it. The first reason counts.
#[derive(Clone, Default)]
pub struct Stop(Arc<Shared>);

#[derive(Default)]
struct Shared {
    why: OnceLock<String>,
    wake: Mutex<Vec<Box<dyn Fn() + Send>>>,
}

impl Stop {
    /// Asks everybody to stop before the next step.
    pub fn ask(&self, why: impl Into<String>) {
        let _ = self.0.why.set(why.into());
        for wake in self.0.wake.lock().expect("nobody panics here").iter() {
            wake();
        }
    }

    /// Why to stop, if somebody asked.
    pub fn why(&self) -> Option<&str> {
        self.0.why.get().map(String::as_str)
    }

    /// Whether somebody asked.
    pub fn is_asked(&self) -> bool {
        self.0.why.get().is_some()
    }

    /// Has this called when somebody asks: for those who wait for something else.
    pub fn on_ask(&self, wake: impl Fn() + Send + 'static) {
        self.0.wake.lock().expect("nobody panics here").push(Box::new(wake));
    }
}
