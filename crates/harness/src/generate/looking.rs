//! Needs looking: an agent that remembers incidents of a shape, this one under another seed among them, must not know
//! what to do from page, configuration and change history alone. A candidate that it knows again is thrown away.

use std::sync::Arc;

use faces::ToolSet;
use world::{Noise, Seed};

use super::Trial;
use super::dice::GeneratorDice;
use super::draft::{Draft, Rejection};
use super::pool::{ShapePool, WorldShape};
use crate::agent::AgentKind;
use crate::challenge::run_remembering;
use crate::episode::{Episode, EpisodeOptions};
use crate::lived;
use crate::memory::{Example, Memory};
use crate::scenario::Scenario;
use crate::stop::Stop;
use crate::task::Task;

/// So many other incidents of the shape are remembered, ...
const OTHERS: u64 = 9;
/// ... of so many candidates at most.
const CANDIDATES: u64 = 60;
/// It is played under these seeds, ...
const SEEDS: [u64; 5] = [0, 1, 2, 3, 4];
/// ... and may be known again under so many. Who knew it under none of those that were prepared is asked no further.
const KNOWN: usize = 1;

/// What else is remembered of a shape: the same for every candidate, so that one more task moves no other. What was asked to stop
/// remembers less, and makes no more tasks.
pub(super) fn past(pool: &ShapePool, shape: &Arc<WorldShape>, seed: Seed, trial: &Trial<'_>) -> Vec<Example> {
    let candidate = |n: u64| {
        trial.begins("other incidents of the place are lived through").ok()?;
        let dice = GeneratorDice::new(seed.derive("past"), &shape.outline, n);
        let draft = Draft::of(shape, pool, dice, format!("past_{n}"), shape.split).ok()?;
        let staged = draft.stage().ok()?;
        let (task, _) = draft.finish(&staged, &pool.sayings).ok()?;
        kept_of(&Arc::new(task), trial.stop).ok()
    };
    (0..CANDIDATES).filter_map(candidate).take(OTHERS as usize).collect()
}

/// One of these agents knows the incident again under too many seeds.
pub(super) fn needs_looking(
    task: &Arc<Task>,
    prepared: &[Arc<Scenario>],
    past: &[Example],
    blind: &[&dyn AgentKind],
    stop: &Stop,
) -> Result<(), Rejection> {
    let own = kept_of(task, stop)?;
    let memory = Arc::new(Memory::new(past.iter().cloned().chain([own]).collect()));
    let mut passed = vec![0; blind.len()];
    for (at, seed) in SEEDS.iter().enumerate() {
        if at >= prepared.len() && passed.iter().all(|n| *n == 0) {
            break;
        }
        let scenario = prepared.get(at).cloned().map_or_else(|| prepare(task, *seed, stop), Ok)?;
        for (agent, passed) in blind.iter().zip(&mut passed) {
            stop.goes_on()?;
            let options = EpisodeOptions { tools: ToolSet::FULL, ..EpisodeOptions::default() };
            let record = run_remembering(*agent, &scenario, options, &memory);
            *passed += usize::from(record.score().is_ok_and(|score| score.success));
            if *passed > KNOWN {
                return Err("who has met it knows it again");
            }
        }
    }
    Ok(())
}

/// What is kept of it by those who lived through it under another seed.
fn kept_of(task: &Arc<Task>, stop: &Stop) -> Result<Example, Rejection> {
    let scenario = prepare(task, lived::FIRST_SEED, stop)?;
    let options = EpisodeOptions { tools: ToolSet::FULL, ..EpisodeOptions::default() };
    lived::example(&Episode::start(&scenario, options)).ok_or("nothing of it can be remembered")
}

fn prepare(task: &Arc<Task>, seed: u64, stop: &Stop) -> Result<Arc<Scenario>, Rejection> {
    Scenario::try_prepare_until(task, seed, Noise(0), stop).map(Arc::new).map_err(|_| "no alert pages")
}
