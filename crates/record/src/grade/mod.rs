//! Grading: from one record to one score, from many scores to metrics and marks.
//!
//! Every grader is a function of the record alone, so a stored run can be graded again without
//! being simulated again. No grader knows a task by name: what counts stands in the record's
//! [`TaskCard`](crate::TaskCard).
//!
//! - [`Scorer`] follows an episode step by step and gives the step rewards;
//! - [`Score`] is all that is known of one finished episode;
//! - [`Metrics`] sums up many scores, [`marks`] boils them down to 0 to 100;
//! - [`diagnosis`] reads what the agent wrote about the cause, [`concepts`] is its vocabulary.

mod answer;
mod answers;
mod as_lines;
mod asserted;
mod causal;
mod causes;
mod claims;
pub mod columns;
pub mod components;
pub mod concepts;
pub mod coverage;
mod cues;
mod diagnosis;
mod direction;
mod ending;
mod failure;
mod faulty;
pub mod fix;
mod frames;
mod layout;
mod measured;
mod mentions;
mod metrics;
mod more;
mod negation;
mod parts;
mod phrases;
mod remedy;
mod reward;
mod score;
mod settle;
mod spelling;
mod stance;
mod table;
mod words;

#[cfg(test)]
mod diagnosis_cases;
#[cfg(test)]
mod diagnosis_texts;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod stage;
mod stages;
mod tool_kinds;

pub use answers::{catalogue, read_causes};
pub use causes::{CausesNamed, right_answers};
pub use diagnosis::{Verdict, judge};
pub use ending::{Ending, EndingClass};
pub use failure::FailureMode;
pub use metrics::{Metrics, marks};
pub use more::NamedFigures;
pub use parts::Parts;
pub use phrases::PhraseReading;
pub use remedy::Remedy;
pub use reward::Scorer;
pub use score::{EpisodeStory, Recovery, Score, Unscorable};
