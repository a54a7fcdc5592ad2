//! Makes questions from a repository's history: harvest, filter, scrub, hard negatives, levelling.
//!
//! [`crate::git`] reads the history; everything here is a function of it and a seed. A made set is *levelled*: of more
//! candidates than are wanted those are kept that leave no shortcut above chance.

mod commit;
mod filter;
mod from_history;
pub(crate) mod kinds;
mod level;
mod manifest;
mod negatives;
mod scrub;
mod square;
mod units;

pub use commit::{Cause, Commit, CommitHistory};
pub use filter::{Dropped, FilterRules};
pub use from_history::{MadeSet, MakePlan, from_history};
pub use level::{level, place_keys};
pub use manifest::{SetManifest, SourceEntry};
pub use scrub::scrub;
pub use square::{SemanticEdit, edits_of, square};
