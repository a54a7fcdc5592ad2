//! Statistics of scores: how sure a figure is, whether a difference is one, how many episodes it takes.
//!
//! - [`rate`], [`mean`] and [`figure`] give a figure of many episodes with its [`Interval`];
//! - `docs/statistics.md` has the formulas, the choices and what they were tested against.
//!
//! Everything is plain data and deterministic to the last bit: floats go through `libm`, and what is
//! drawn is a function of a seed and a place.

mod by;
pub mod cluster;
pub mod dist;
pub mod draw;
mod interval;
pub mod jackknife;
pub mod proportion;

pub use by::{clusters, family, figure, mean, pair_key, rate};
pub use cluster::{Clusters, Robust};
pub use interval::{Interval, LEVEL, Method};
pub use proportion::{clopper_pearson, wilson};
