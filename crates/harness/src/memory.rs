//! What blind agents remember: incidents of other seeds, seen without a look at a symptom, with their solutions.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::brief::Brief;

/// Incidents of the past, and what was learned from them.
#[derive(Default)]
pub struct Memory {
    examples: Vec<Example>,
    lessons: Mutex<BTreeMap<&'static str, Arc<dyn Any + Send + Sync>>>,
}

/// One incident: everything that is no symptom, and what solved it. It is read through the player's side.
#[derive(Clone)]
pub struct Example {
    /// What the agent was told.
    pub brief: Arc<Brief>,
    /// The change history when it began.
    pub changes: String,
    /// The configuration of each service, in the brief's order.
    pub config: Vec<String>,
    /// Calls that solved it.
    pub solution: Vec<String>,
}

impl Memory {
    /// These incidents.
    pub fn new(examples: Vec<Example>) -> Memory {
        Memory { examples, lessons: Mutex::default() }
    }

    /// What is remembered.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// The same incidents, each with the solution of another: what memory is worth is what it is better than this.
    pub fn mixed_up(&self) -> Memory {
        let solutions = self.examples.iter().cycle().skip(1);
        let mixed = |(one, other): (&Example, &Example)| Example { solution: other.solution.clone(), ..one.clone() };
        Memory::new(self.examples.iter().zip(solutions).map(mixed).collect())
    }

    /// What `learn` makes of the examples. It is learned once under each name and kept.
    pub fn lesson<T: Any + Send + Sync>(&self, name: &'static str, learn: impl FnOnce(&[Example]) -> T) -> Arc<T> {
        // A panic elsewhere leaves the map as it is. Others wait here: what one has learned serves all.
        let mut lessons = self.lessons.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lessons.entry(name).or_insert_with(|| Arc::new(learn(&self.examples)));
        kept.clone().downcast().expect("a lesson's name stands for one type")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_is_learned_once() {
        let memory = Memory::default();
        assert_eq!(*memory.lesson("count", |examples| examples.len()), 0);
        assert_eq!(*memory.lesson("count", |_| 7_usize), 0);
    }
}
