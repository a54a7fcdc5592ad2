//! How worlds that are drawn use a kind which no route was written for: what it may be called by, what it may call.

use crate::spec::Op;

/// The place of a kind in a drawn world.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnUse {
    /// Kinds whose services may call it.
    pub called_by: &'static [&'static str],
    /// What one of these asks.
    pub op: Op,
    /// How often, for each request.
    pub times: f64,
    /// Kinds that it asks in turn, each once, where there is a service of the kind beside it.
    pub calls: &'static [&'static str],
}
