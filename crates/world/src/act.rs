//! What a fault does, as one entry of its plan.

use crate::mutation::Mutation;
use crate::time::{Span, Time};

/// One thing that a fault does, so long after the onset.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// How long after the onset.
    pub after: Span,
    /// The service it is about.
    pub service: usize,
    /// What happens.
    pub mutation: Mutation,
    /// How the change history tells it; `None` if it is no one's change, or was not written down.
    pub change: Option<(String, String)>,
    /// When that was filed, if it was before it had an effect.
    pub filed: Option<Time>,
}
