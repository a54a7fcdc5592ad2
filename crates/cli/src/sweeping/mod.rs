//! Sweeps: what is to be played, how it is gone about, and who watches.
//!
//! [`Wanted`] says what, [`Conduct`] how; [`go`] plays it. `run` and `sweep` are two ways to say it.

mod conduct;
mod crew;
mod estimate;
mod file;
mod go;
mod live;
mod log;
mod part;
pub mod partial;
mod pause;
mod sampling;
mod screen;
mod ticker;

pub use conduct::{Conduct, seconds};
pub use crew::Lines;
pub use file::{PRESETS, Seeds, SweepFile};
pub use go::go;
pub use part::{Part, Wanted, seeds};
pub use sampling::SamplingArgs;
