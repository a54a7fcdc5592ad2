//! An agent whose actions are all known from the start.

use harness::{Agent, Move, Turn};

/// Plays its actions one by one, keeping the last for the last step of the budget at the latest.
pub(crate) struct ActionPlan {
    actions: std::vec::IntoIter<String>,
    end: Option<String>,
}

impl ActionPlan {
    /// These actions, and this end.
    pub fn new(actions: Vec<String>, end: String) -> ActionPlan {
        ActionPlan { actions: actions.into_iter(), end: Some(end) }
    }
}

impl Agent for ActionPlan {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        let next = if turn.steps_left > 1 { self.actions.next() } else { None };
        next.or_else(|| self.end.take()).into()
    }
}
