//! Why a client does not get what it asked for. No refusal names a task.

use thiserror::Error;

use harness::catalogue::NoIncident;

/// What was wrong, and what to do.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// No session has that id; it may have been closed, or been idle for too long.
    #[error("unknown session; it may have been idle for too long: reset for a new one")]
    UnknownSession,
    /// The session has no episode yet.
    #[error("there is no episode in this session yet; reset first")]
    NoEpisode,
    /// There are as many sessions as there may be.
    #[error("all {0} sessions are taken; close some, or try again later")]
    Full(usize),
    /// The request says something that cannot be.
    #[error("{0}")]
    Invalid(String),
    /// The incident could not be made: a fault of ours or of the task's.
    #[error("{}", NoIncident::Unplayable)]
    Unplayable,
}

impl From<NoIncident> for Refusal {
    fn from(why: NoIncident) -> Refusal {
        match why {
            NoIncident::Unknown(problem) => Refusal::Invalid(problem),
            NoIncident::Unplayable => Refusal::Unplayable,
        }
    }
}
