//! Builds without the full-screen view say so.

use anyhow::bail;
use harness::Stop;

use super::About;
use crate::sweeping::live::Live;

/// A full-screen view that is open: there is none in this build.
pub struct Screen {}

/// Whether this build has a full-screen view.
pub fn check() -> anyhow::Result<()> {
    bail!("this build has no full-screen view; build it with `cargo build --release --features tui`")
}

/// Gives the terminal back, if it is taken.
pub fn restore() {}

impl Screen {
    /// Opens it.
    pub fn open(_live: &Live, _stop: &Stop, _about: About) -> Option<Screen> {
        None
    }

    /// Gives the terminal back.
    pub fn close(self) {}
}
