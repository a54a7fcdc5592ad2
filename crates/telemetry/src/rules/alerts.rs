//! One alert: an element of a rule's expression that is there.

use crate::labels::Labels;

/// How far an alert has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AlertState {
    /// It holds, and not for long enough.
    Pending,
    /// It fires.
    Firing,
    /// It fired and holds no more.
    Resolved,
}

impl AlertState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Firing => "firing",
            Self::Resolved => "inactive",
        }
    }
}

/// An alert of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveAlert {
    /// Labels of the element and of the rule, with `alertname`.
    pub labels: Labels,
    /// The rule's annotations with this alert's values.
    pub annotations: Labels,
    /// How far it has come.
    pub state: AlertState,
    /// When it first held, in milliseconds.
    pub active_at: i64,
    /// When it began to fire.
    pub fired_at: Option<i64>,
    /// When it was resolved.
    pub resolved_at: Option<i64>,
    /// Since when it fires although it holds no more.
    pub keep_firing_since: Option<i64>,
    /// The value of the element.
    pub value: f64,
}
