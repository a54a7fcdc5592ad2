//! The full-screen view, in builds that have it.

use anyhow::bail;
use harness::Stop;

use super::live::Live;

/// A full-screen view that is open.
pub struct Screen {}

impl Screen {
    /// Opens it.
    pub fn open(_live: &Live, _stop: &Stop) -> anyhow::Result<Screen> {
        bail!("this build has no full-screen view; build it with `cargo build --release --features tui`")
    }

    /// Gives the terminal back.
    pub fn close(self) {}
}
