//! Statistics of scores: how sure a figure is, whether a difference is one, how many episodes it takes.
//!
//! - [`rate`], [`share`], [`mean`], [`figure`] and [`bounded_figure`] give a figure of many episodes with its [`Interval`],
//!   [`estimate`] does so for a metric of the tables;
//! - [`pairs`] finds what two agents have in common, [`difference`], [`rate_difference`] and [`mcnemar`]
//!   say whether they differ;
//! - [`rank`] ranks agents, and refuses where too little of the plan counts;
//! - [`reliability`] is pass@k and pass^k, [`variance_split`] says where chance comes in;
//! - [`Design`] plans a run, [`pilot`] learns from an earlier one what that needs;
//! - [`cohens_kappa`] and [`krippendorffs_alpha`] tell whether graders agree, [`kappa`] how sure that is;
//! - `docs/statistics.md` has the formulas, the choices and what they were tested against.
//!
//! Everything is plain data and deterministic to the last bit: floats go through `libm`, and what is
//! drawn is a function of a seed and a place.

pub mod agreement;
pub mod bootstrap;
mod by;
mod clusters;
mod coverage;
pub mod dist;
pub mod draw;
mod estimate;
mod interval;
pub mod jackknife;
pub mod kappa;
mod mcnemar;
pub mod multiple;
mod paired;
mod passk;
mod pilot;
mod power;
pub mod proportion;
mod rank;
#[cfg(test)]
mod tests;
mod variance;

pub use agreement::{Scale, Weights, cohens_kappa, krippendorffs_alpha};
pub use by::{TaskCluster, bounded_figure, cluster, clusters, family, figure, mean, pair_key, rate, share};
pub use clusters::{Clusters, Robust};
pub use coverage::{Coverage, THRESHOLD};
pub use estimate::estimate;
pub use interval::{Interval, LEVEL, Method};
pub use mcnemar::McNemar;
pub use multiple::{benjamini_hochberg, holm};
pub use paired::{PairedDifference, clustered, difference, mcnemar, pairs, rate_difference};
pub use passk::{Reliability, pass_all_k, pass_at_k, reliability};
pub use pilot::{Pilot, pilot, sizes};
pub use power::Design;
pub use proportion::{clopper_pearson, wilson};
pub use rank::{Contest, Entrant, RankedAgent, Ranking, rank};
pub use variance::{VarianceSplit, nested, variance_split};
