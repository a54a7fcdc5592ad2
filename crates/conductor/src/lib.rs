//! A problem in a cluster for agents from outside.
//!
//! A [`LiveProblem`] is what a [`kubeapi::ClusterHost`] serves: whatever clients do to the cluster is done at their time and
//! recorded. Beside it stand the conductor's routes (`/submit`, `/status`, `/get_app`), as agents written for SREGym know
//! them, and its tools over MCP.

mod challenge;
mod handouts;
mod live;
mod mcp;
mod routes;
mod serving;
mod setup;

pub use challenge::ServedChallenge;
pub use handouts::handouts;
pub use live::LiveProblem;
pub use routes::{Conductor, router};
pub use setup::set_up;
