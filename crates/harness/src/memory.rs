//! What blind agents remember: incidents of other seeds, seen without a look at a symptom, with their solutions.

use std::any::Any;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use faces::ToolSet;
use world::Noise;

use crate::brief::Brief;
use crate::challenge::{Challenge, Incident};
use crate::episode::EpisodeOptions;
use crate::error::Error;
use crate::player::Playable;
use crate::task::Task;
use crate::tasks;

/// So many incidents are remembered, about.
pub const REMEMBERED: usize = 1000;

/// The seeds of what is remembered begin here, far from those that are usually played.
const FIRST_SEED: u64 = 1 << 40;

/// Incidents that somebody has lived through, and what was learned from them.
#[derive(Default)]
pub struct Memory {
    examples: Vec<Example>,
    lessons: Mutex<BTreeMap<&'static str, Arc<dyn Any + Send + Sync>>>,
}

/// One incident: everything that is no symptom, and what solved it. It is read through the player's side.
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

    /// Lives through these challenges, about `worlds` times in all, under seeds that are not among `played`.
    pub fn of(challenges: &[Arc<dyn Challenge>], worlds: usize, noise: Noise, played: &[u64]) -> Result<Memory, Error> {
        let each = worlds.div_ceil(challenges.len().max(1)).max(1);
        let seeds: Vec<u64> = (FIRST_SEED..).filter(|seed| !played.contains(seed)).take(each).collect();
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let share = challenges.len().div_ceil(threads).max(1);
        let parts: Vec<Result<Vec<Example>, Error>> = std::thread::scope(|scope| {
            let seeds = &seeds;
            let live = |part| scope.spawn(move || live_through(part, seeds, noise));
            let begun: Vec<_> = challenges.chunks(share).map(live).collect();
            begun.into_iter().map(|part| part.join().expect("a challenge is begun without a panic")).collect()
        });
        let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(Memory::new(parts.into_iter().flatten().collect()))
    }

    /// What is remembered.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// What `learn` makes of the examples. It is learned once under each name and kept.
    pub fn lesson<T: Any + Send + Sync>(&self, name: &'static str, learn: impl FnOnce(&[Example]) -> T) -> Arc<T> {
        // A panic elsewhere leaves the map as it is. Others wait here: what one has learned serves all.
        let mut lessons = self.lessons.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lessons.entry(name).or_insert_with(|| Arc::new(learn(&self.examples)));
        kept.clone().downcast().expect("a lesson's name stands for one type")
    }
}

/// What a run's blind agents may remember, and the memory once somebody asks for it.
#[derive(Default)]
pub struct MemorySource {
    challenges: Vec<Arc<dyn Challenge>>,
    memory: OnceLock<Result<Arc<Memory>, String>>,
}

impl MemorySource {
    /// Other seeds of these challenges are remembered.
    pub fn of(challenges: Vec<Arc<dyn Challenge>>) -> MemorySource {
        MemorySource { challenges, memory: OnceLock::new() }
    }

    /// The memory, made when it is first asked for. Without challenges of its own it is of `played`.
    pub(crate) fn get(
        &self,
        played: &[Arc<dyn Challenge>],
        noise: Noise,
        seeds: &[u64],
    ) -> Result<Arc<Memory>, String> {
        let make = || {
            let of = if self.challenges.is_empty() { played } else { &self.challenges };
            Memory::of(of, REMEMBERED, noise, seeds).map(Arc::new).map_err(|e| e.to_string())
        };
        self.memory.get_or_init(make).clone()
    }
}

/// What an agent that has seen the program's tasks remembers when it plays these: all that the program carries, and
/// these. Many that are not among the program's are remembered alone: it knows a generated suite when it sees one.
pub fn remembered(played: &[Arc<Task>]) -> Result<Vec<Arc<dyn Challenge>>, Error> {
    let carried = tasks::embedded();
    let mut known: Vec<Arc<Task>> = played.iter().filter(|t| carried.iter().all(|s| s.id != t.id)).cloned().collect();
    if known.len() < 2 * carried.len() {
        for source in carried {
            known.push(source.task()?);
        }
    }
    Ok(Incident::on_simulator(&known))
}

fn live_through(challenges: &[Arc<dyn Challenge>], seeds: &[u64], noise: Noise) -> Result<Vec<Example>, Error> {
    let mut examples = Vec::new();
    for challenge in challenges {
        for seed in seeds {
            let options = EpisodeOptions { tools: ToolSet::FULL, ..EpisodeOptions::default() };
            examples.extend(Example::of(&*challenge.start(*seed, noise, options)?));
        }
    }
    Ok(examples)
}

impl Example {
    /// What there is to remember of something that has just begun; nothing of a question.
    pub fn of(begun: &dyn Playable) -> Option<Example> {
        let brief = begun.brief().clone();
        if brief.messages.is_some() {
            return None;
        }
        // Each look is taken on a copy, so that all of them are of the first moment.
        let look = |call: &str| {
            let mut copy = begun.fork();
            copy.step(call, None);
            copy.steps().last().map_or_else(String::new, |step| step.observation.clone())
        };
        let config = brief.services.iter().map(|service| look(&format!("inspect_config({service})"))).collect();
        Some(Example { changes: look("list_changes()"), config, solution: begun.answer().1.solution, brief })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::task;

    #[test]
    fn other_seeds_are_remembered_with_their_solutions() {
        let challenges = Incident::on_simulator(&[task()]);
        let memory = Memory::of(&challenges, 2, Noise(0), &[FIRST_SEED]).expect("the task can be played");
        let [one, other] = memory.examples() else { panic!("two worlds of one task") };
        assert_ne!(one.brief.incident, other.brief.incident, "their seeds differ");
        assert_eq!(one.config.len(), one.brief.services.len());
        assert!(one.changes.starts_with("changes at "), "{}", one.changes);
        assert!(one.solution.last().is_some_and(|call| call.starts_with("resolve_incident")));
        let played = challenges[0].start(FIRST_SEED, Noise(0), EpisodeOptions::default()).expect("it can be played");
        assert!(memory.examples().iter().all(|e| e.brief.incident != played.brief().incident), "a played seed is not");
    }

    #[test]
    fn a_lesson_is_learned_once() {
        let memory = Memory::default();
        assert_eq!(*memory.lesson("count", |examples| examples.len()), 0);
        assert_eq!(*memory.lesson("count", |_| 7_usize), 0);
    }
}
