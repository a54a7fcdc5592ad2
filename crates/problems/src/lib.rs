//! Problems in a cluster: what breaks, how it is played in stages, when it is mitigated.
//!
//! A [`ClusterProblem`] is a file of `tasks/sregym`: which applications run, what the fault does (API calls, commands with
//! a store's own client, changes of nodes, disks, links and load), what caused it, and what ends it. No code knows a
//! problem by name.

mod acting;
mod brief;
mod certify;
mod challenge;
mod client;
mod defect;
mod desk_tools;
mod diagnosis;
mod file;
mod film;
mod furnish;
pub mod generate;
mod harmless;
mod judge;
mod mitigate;
mod noise;
mod perform;
mod place;
mod play;
mod problem;
mod questions;
mod rollback;
mod scene;
mod schema;
mod served;
mod shipped;
mod skeleton;
mod span;
mod stages;
mod staging;
pub mod suites;
mod tools;
mod verdict;
mod vocabulary;

pub use certify::{CERTIFICATES, certify};
pub use challenge::{ProblemChallenge, SiteShelf};
pub use diagnosis::{CauseClaim, is_named, is_right, read_claims};
pub use exporters::ClusterPicture;
pub use file::{
    DiagnosisWords, FaultStep, MitigationCase, ProblemCause, ProblemFile, RecurringActor, ScriptedSolution,
    StateCondition,
};
pub use film::ClusterFilm;
pub use judge::JudgedDiagnosis;
pub use mitigate::verdict_on;
pub use perform::StepRefusal;
pub use place::ObjectPlace;
pub use play::{PROBLEMS_VERSION, ProblemEpisode};
pub use problem::{ClusterProblem, ProblemFileError};
pub use scene::{ProblemScene, SceneError, deployed};
pub use schema::problem_schema;
pub use shipped::{carried, find};
pub use skeleton::problem_skeleton;
pub use stages::Stages;
pub use staging::LiveStaging;
pub use verdict::PARTS;
pub use vocabulary::{CAUSE_KINDS, ProblemLayer, ProblemMode, is_cause_kind};
