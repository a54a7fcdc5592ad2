//! Prepared scenarios, kept for the next episode on the same incident.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use world::Noise;

use super::Scenario;
use crate::error::Error;
use crate::task::Task;

/// A bounded store of scenarios that threads share. The oldest goes first.
pub struct ScenarioCache {
    room: usize,
    kept: Mutex<Kept>,
}

/// A task's digest, a seed and a noise level.
type Key = (String, u64, u8);

/// A place for a scenario: the first caller prepares it, others wait for it.
type Slot = Arc<OnceLock<Result<Arc<Scenario>, String>>>;

#[derive(Default)]
struct Kept {
    slots: BTreeMap<Key, Slot>,
    age: VecDeque<Key>,
}

impl ScenarioCache {
    /// A cache that keeps at most `room` scenarios.
    pub fn new(room: usize) -> ScenarioCache {
        ScenarioCache { room: room.max(1), kept: Mutex::default() }
    }

    /// The scenario, prepared now if it is not there yet.
    pub fn get(&self, task: &Arc<Task>, seed: u64, noise: Noise) -> Result<Arc<Scenario>, Error> {
        let slot = self.slot((task.digest.clone(), seed, noise.0));
        let prepare = || Scenario::try_prepare(task, seed, noise).map(Arc::new);
        let problem = |problem: String| Error::Scenario { task: task.id.clone(), seed, problem };
        slot.get_or_init(prepare).clone().map_err(problem)
    }

    fn slot(&self, key: Key) -> Slot {
        // A panic elsewhere leaves the maps as they are: at worst a scenario is prepared again.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = kept.slots.get(&key) {
            return slot.clone();
        }
        if kept.age.len() >= self.room {
            let oldest = kept.age.pop_front().expect("there is room for at least one");
            kept.slots.remove(&oldest);
        }
        kept.age.push_back(key.clone());
        kept.slots.entry(key).or_default().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::task;

    #[test]
    fn a_scenario_is_kept_until_others_need_the_room() {
        let cache = ScenarioCache::new(2);
        let get = |seed| cache.get(&task(), seed, Noise(0)).expect("it pages");
        let first = get(1);
        assert!(Arc::ptr_eq(&first, &get(1)));
        get(2);
        assert!(Arc::ptr_eq(&first, &get(1)));
        get(3);
        assert!(!Arc::ptr_eq(&first, &get(1)));
    }
}
