//! How a memory is made: incidents are begun under other seeds, looked at through the player's side, and kept with
//! what solves them.

use std::num::NonZeroUsize;
use std::slice::from_ref;
use std::sync::{Arc, OnceLock};

use faces::ToolSet;
use world::Noise;

use crate::challenge::{Challenge, Incident};
use crate::episode::EpisodeOptions;
use crate::error::Error;
use crate::lived::{FIRST_SEED, example};
use crate::memory::{Example, Memory};
use crate::task::Task;
use crate::tasks;

/// So many incidents are remembered, about.
pub const REMEMBERED: usize = 1000;

/// So many tasks are played as a suite.
const SMALLEST_SUITE: usize = 5;

/// What a run's blind agents may remember, and the memory once it is asked for.
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

    /// What is remembered is given.
    pub fn given(memory: Memory) -> MemorySource {
        MemorySource { challenges: Vec::new(), memory: OnceLock::from(Ok(Arc::new(memory))) }
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
            live_through(of, REMEMBERED, noise, seeds).map(Arc::new).map_err(|e| e.to_string())
        };
        self.memory.get_or_init(make).clone()
    }
}

/// What an agent that has seen the program's tasks remembers when it plays these: other seeds of a suite alone, because
/// it knows a suite when it plays one; of a few tasks, other seeds of them and all that the program carries.
pub fn remembered(played: &[Arc<Task>]) -> Result<Vec<Arc<dyn Challenge>>, Error> {
    let mut known = played.to_vec();
    if known.len() < SMALLEST_SUITE {
        for source in tasks::embedded() {
            let task = source.task()?;
            if known.iter().all(|own| own.id != task.id) {
                known.push(task);
            }
        }
    }
    Ok(Incident::on_simulator(&known))
}

/// What is remembered of these challenges under these seeds.
pub fn under_seeds(challenges: &[Arc<dyn Challenge>], seeds: &[u64], noise: Noise) -> Result<Memory, Error> {
    live_with(challenges, seeds, noise).map(Memory::new)
}

fn live_with(challenges: &[Arc<dyn Challenge>], seeds: &[u64], noise: Noise) -> Result<Vec<Example>, Error> {
    let mut examples = Vec::new();
    for challenge in challenges {
        for seed in seeds {
            let options = EpisodeOptions { tools: ToolSet::FULL, ..EpisodeOptions::default() };
            examples.extend(example(&*challenge.start(*seed, noise, options)?));
        }
    }
    Ok(examples)
}

/// What can be remembered of these: a situation that never pages was lived through by no agent.
fn live_where_paged(challenges: &[Arc<dyn Challenge>], seeds: &[u64], noise: Noise) -> Vec<Example> {
    let pairs = challenges.iter().flat_map(|one| seeds.iter().map(move |seed| (one, seed)));
    pairs.filter_map(|(one, seed)| live_with(from_ref(one), from_ref(seed), noise).ok()).flatten().collect()
}

/// Lives through these challenges, about `worlds` times in all, under seeds that are not among `played`.
pub fn live_through(
    challenges: &[Arc<dyn Challenge>],
    worlds: usize,
    noise: Noise,
    played: &[u64],
) -> Result<Memory, Error> {
    let each = worlds.div_ceil(challenges.len().max(1)).max(1);
    let seeds: Vec<u64> = (FIRST_SEED..).filter(|seed| !played.contains(seed)).take(each).collect();
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = challenges.len().div_ceil(threads).max(1);
    let examples: Vec<Example> = std::thread::scope(|scope| {
        let seeds = &seeds;
        let live = |part| scope.spawn(move || live_where_paged(part, seeds, noise));
        let begun: Vec<_> = challenges.chunks(share).map(live).collect();
        begun.into_iter().flat_map(|part| part.join().expect("a challenge is begun without a panic")).collect()
    });
    match (&*examples, challenges.first()) {
        ([], Some(first)) => live_with(from_ref(first), &seeds, noise).map(Memory::new),
        _ => Ok(Memory::new(examples)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::task;

    #[test]
    fn other_seeds_are_remembered_with_their_solutions() {
        let challenges = Incident::on_simulator(&[task()]);
        let memory = live_through(&challenges, 2, Noise(0), &[FIRST_SEED]).expect("the task can be played");
        let [one, other] = memory.examples() else { panic!("two worlds of one task") };
        assert_ne!(one.brief.incident, other.brief.incident, "their seeds differ");
        assert_eq!(one.config.len(), one.brief.services.len());
        assert!(one.changes.starts_with("changes at "), "{}", one.changes);
        assert!(one.solution.last().is_some_and(|call| call.starts_with("resolve_incident")));
        let played = challenges[0].start(FIRST_SEED, Noise(0), EpisodeOptions::default()).expect("it can be played");
        assert!(memory.examples().iter().all(|e| e.brief.incident != played.brief().incident), "a played seed is not");
    }
}
