//! Where a learner's incidents come from: named tasks under a few seeds, or the generator by number.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use faces::unknown_name;
use world::{Noise, Seed};

use crate::episode::{Episode, EpisodeOptions};
use crate::generate::Generator;
use crate::player::{Player, Referee};
use crate::scenario::{Scenario, ScenarioCache};
use crate::task::Task;

/// Incidents to draw from; what was prepared is kept for the next who draws it. Its players are for
/// training: rewards are shown, and the records say so.
pub struct Pool {
    source: Source,
    room: usize,
    referee: Referee,
}

enum Source {
    Tasks { tasks: Vec<Arc<Task>>, seeds: u64, noise: Noise, cache: ScenarioCache },
    Generated { generator: Box<Generator>, numbers: Range<u64>, kept: Mutex<Kept> },
}

/// Generated incidents by number; the oldest goes first.
#[derive(Default)]
struct Kept {
    scenarios: BTreeMap<u64, Arc<Scenario>>,
    age: VecDeque<u64>,
}

impl Pool {
    /// These tasks, each under the seeds below `seeds`; `room` prepared incidents are kept. `referee` opens
    /// the players that are drawn.
    pub fn of_tasks(
        tasks: Vec<Arc<Task>>,
        seeds: u64,
        noise: Noise,
        room: usize,
        referee: &Referee,
    ) -> Result<Pool, String> {
        if tasks.is_empty() || seeds == 0 {
            return Err("there is nothing to draw from: name at least one task and one seed".to_string());
        }
        let source = Source::Tasks { tasks, seeds, noise, cache: ScenarioCache::new(room) };
        Ok(Pool { source, room, referee: referee.clone() })
    }

    /// What a generator makes of these numbers.
    pub fn of_numbers(
        generator: Generator,
        numbers: Range<u64>,
        room: usize,
        referee: &Referee,
    ) -> Result<Pool, String> {
        if numbers.is_empty() {
            return Err(format!("there is nothing to draw from: no number lies in {}..{}", numbers.start, numbers.end));
        }
        let source = Source::Generated { generator: Box::new(generator), numbers, kept: Mutex::default() };
        Ok(Pool { source, room: room.max(1), referee: referee.clone() })
    }

    /// The most services that a world of it has.
    pub fn most_services(&self) -> usize {
        match &self.source {
            Source::Tasks { tasks, .. } => tasks.iter().map(|task| task.plan.services.len()).max().unwrap_or(0),
            Source::Generated { generator, .. } => generator.options().services.1,
        }
    }

    /// The `nth` incident that a learner with this seed draws.
    pub fn draw(&self, seed: u64, nth: u64, options: &EpisodeOptions) -> Result<Player, String> {
        let draws = Seed(seed).stream("gym/incident").within(nth);
        match &self.source {
            Source::Tasks { tasks, seeds, noise, cache } => {
                let task = &tasks[draws.at(0).below(tasks.len() as u64) as usize];
                let scenario = cache.get(task, draws.at(1).below(*seeds), *noise).map_err(|error| error.to_string())?;
                Ok(self.seat(&scenario, options))
            }
            Source::Generated { numbers, .. } => {
                self.numbered(numbers.start + draws.at(0).below(numbers.end - numbers.start), options)
            }
        }
    }

    /// The incident of a task of the pool under a seed.
    pub fn named(&self, id: &str, seed: u64, options: &EpisodeOptions) -> Result<Player, String> {
        let Source::Tasks { tasks, noise, cache, .. } = &self.source else {
            return Err("generated incidents have numbers; ask for one by `number`".to_string());
        };
        let known = || tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>();
        let task = tasks.iter().find(|task| task.id == id);
        let task = task.ok_or_else(|| unknown_name("task", id, &known(), "known are"))?;
        let scenario = cache.get(task, seed, *noise).map_err(|error| error.to_string())?;
        Ok(self.seat(&scenario, options))
    }

    /// The generated incident of that number.
    pub fn numbered(&self, number: u64, options: &EpisodeOptions) -> Result<Player, String> {
        let Source::Generated { generator, kept, .. } = &self.source else {
            return Err("only generated incidents have numbers; ask for a `task` and its `seed`".to_string());
        };
        // A panic elsewhere leaves the maps as they are: at worst an incident is made again.
        let kept = || kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().scenarios.get(&number).cloned();
        let scenario = match known {
            Some(scenario) => scenario,
            None => {
                let made = generator.start(number)?;
                kept().keep(number, &made, self.room);
                made
            }
        };
        Ok(self.seat(&scenario, options))
    }

    fn seat(&self, scenario: &Arc<Scenario>, options: &EpisodeOptions) -> Player {
        let options = EpisodeOptions { rewards: true, ..options.clone() };
        self.referee.seat(Episode::start(scenario, options))
    }
}

impl Kept {
    fn keep(&mut self, number: u64, made: &Arc<Scenario>, room: usize) {
        if self.scenarios.insert(number, made.clone()).is_none() {
            self.age.push_back(number);
        }
        while self.age.len() > room {
            let oldest = self.age.pop_front().expect("there is more than room for one");
            self.scenarios.remove(&oldest);
        }
    }
}
