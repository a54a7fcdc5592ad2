//! A change of a world: when it is due, how it is filed, what the change history keeps of it.

use std::sync::Arc;

use crate::mutation::Mutation;
use crate::time::Time;

/// Something that people or the operator changed, as the change history has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its number.
    pub id: u32,
    /// When.
    pub time: Time,
    /// Index of the service.
    pub service: usize,
    /// Who did it.
    pub author: Arc<str>,
    /// What was done, in one line.
    pub summary: Arc<str>,
    /// What takes it back, if anything does.
    pub undo: Option<Mutation>,
    /// Whether it was taken back.
    pub reverted: bool,
    /// Whether the operator of this episode did it.
    pub by_operator: bool,
    /// Whether it has nothing to do with what went wrong.
    pub innocent: bool,
}

impl Change {
    /// Whether taking it back changes more than settings.
    pub fn reaches_beyond_settings(&self) -> bool {
        fn beyond(mutation: &Mutation) -> bool {
            match mutation {
                Mutation::Config { .. } => false,
                Mutation::All(all) => all.iter().any(beyond),
                _ => true,
            }
        }
        self.undo.as_ref().is_some_and(beyond)
    }
}

/// A change that is due at some time, and what the change history will say of it.
#[derive(Clone)]
pub(crate) struct Due {
    pub at: Time,
    pub mutation: Mutation,
    pub change: Option<Arc<Filed>>,
}

/// How the change history tells a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filed {
    /// Who did it.
    pub author: Arc<str>,
    /// Index of the service.
    pub service: usize,
    /// What was done, in one line.
    pub summary: Arc<str>,
    /// When it was filed: what is filed may wait for its window before it is rolled out.
    pub at: Time,
}
