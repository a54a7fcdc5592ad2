//! The full-screen view of a sweep, in builds that have it: the feature `tui`.
//!
//! [`Snapshot`](snapshot::Snapshot) is one look at the sweep, [`Ui`](ui::Ui) what the person chose to see and
//! [`draw`](draw::draw) a function of the two. Only `open` touches the terminal, ten times a second at most.

mod about;
pub use about::About;

#[cfg(not(feature = "tui"))]
mod absent;
#[cfg(not(feature = "tui"))]
pub use absent::{Screen, check, restore};

#[cfg(feature = "tui")]
mod draw;
#[cfg(feature = "tui")]
mod open;
#[cfg(feature = "tui")]
mod snapshot;
#[cfg(feature = "tui")]
mod ui;
#[cfg(feature = "tui")]
pub use open::{Screen, check, restore};

#[cfg(all(test, feature = "tui"))]
mod samples;
