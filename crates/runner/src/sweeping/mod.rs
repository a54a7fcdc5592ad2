//! Sweeps: what is played, with which flags, and who watches.

mod estimate;
mod file;
mod flags;
mod gate;
mod live;
mod log;
mod outcome;
mod part;
mod partial;
mod pause;
mod run;
mod run_agents;
mod sampling;
mod screen;
mod ticker;

pub use file::{PRESETS, Seeds, SweepFile};
pub use flags::RunFlags;
pub use outcome::RunOutcome;
pub use part::{RunRequest, SweepPart, seeds};
pub use run::run;
pub use run_agents::ModelSettings;
pub use sampling::{SamplingArgs, own_profile};
