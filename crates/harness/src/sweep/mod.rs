//! A sweep: agents x tasks x seeds, on several threads, with one dispatcher that owns all state.
//! The same plan gives the same digest whatever the number of threads.

mod audit;
mod store;
#[cfg(test)]
mod tests;
mod worker;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use serde::{Deserialize, Serialize};
use world::Noise;

use crate::agent::AgentKind;
use crate::cache::ScenarioCache;
use crate::digest::sha256;
use crate::error::Error;
use crate::grade::Score;
use crate::record_io::Record;
use crate::task::Task;

pub use audit::Doubt;
pub(crate) use store::Store;
pub use store::{EPISODES, read_lines, record_path};

/// So many episodes are enough for any run; their list is held in memory.
pub const MOST_EPISODES: u64 = 1_000_000;

/// Neighbouring jobs share their scenario, so a few are enough.
const SCENARIOS_KEPT: usize = 32;

/// What to run.
pub struct Plan<'a> {
    /// The agents.
    pub agents: Vec<&'a dyn AgentKind>,
    /// The tasks.
    pub tasks: Vec<Arc<Task>>,
    /// The suite's name, for the records.
    pub suite: String,
    /// The seed of the first episode; the next takes the next.
    pub seed: u64,
    /// Episodes for each agent and task.
    pub episodes: u32,
    /// The noise dial.
    pub noise: Noise,
    /// The tools at hand.
    pub tools: faces::ToolSet,
    /// How many threads.
    pub jobs: usize,
    /// Where results are kept; finished episodes found there are not run again.
    pub out: Option<PathBuf>,
}

impl Plan<'_> {
    /// The seed of an episode.
    pub fn seed_of(&self, episode: u32) -> u64 {
        self.seed.wrapping_add(u64::from(episode))
    }
}

/// One finished episode, as a line of `episodes.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeLine {
    /// `agent/task/seed`.
    pub key: String,
    /// The digest of its record.
    pub digest: String,
    /// The digest of its task file.
    pub task_digest: String,
    /// The version of the world's behaviour.
    pub world_version: u32,
    /// The version of the tasks and their grading.
    pub suite_version: u32,
    /// The noise dial.
    pub noise: u8,
    /// The tools at hand.
    pub tools: String,
    /// Its score.
    #[serde(flatten)]
    pub score: Score,
}

/// An episode that could not be played to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// `agent/task/seed`.
    pub key: String,
    /// What happened.
    pub problem: String,
    /// The command that shows it again.
    pub replay: String,
}

/// What a sweep came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// All finished episodes of the plan, by key.
    pub lines: Vec<EpisodeLine>,
    /// Episodes that failed.
    pub failures: Vec<Failure>,
    /// How many were found finished.
    pub skipped: usize,
    /// The digest of all records, independent of the number of threads.
    pub digest: String,
}

/// Somebody who watches a sweep. All calls come from one thread.
pub trait Observer {
    /// The sweep begins: so many episodes in all, of which so many are finished already.
    fn on_sweep_started(&mut self, _all: usize, _skipped: usize) {}
    /// These were finished before, but line and record disagree: they are played again.
    fn on_doubts(&mut self, _doubts: &[Doubt]) {}
    /// An episode begins.
    fn on_episode_started(&mut self, _key: &str) {}
    /// An episode was played to its end.
    fn on_episode_finished(&mut self, _line: &EpisodeLine, _record: &Record) {}
    /// An episode failed.
    fn on_episode_failed(&mut self, _failure: &Failure) {}
}

/// One episode to play.
pub(crate) struct Job<'p> {
    pub key: String,
    pub agent: &'p dyn AgentKind,
    pub task: &'p Arc<Task>,
    pub episode: u32,
}

/// Runs a plan.
pub fn run(plan: &Plan<'_>, observers: &mut [&mut dyn Observer]) -> Result<Outcome, Error> {
    let jobs = jobs(plan);
    let mut store = plan.out.as_ref().map(|out| Store::open(out, plan)).transpose()?;
    let mut done: BTreeMap<String, EpisodeLine> = BTreeMap::new();
    for job in &jobs {
        if let Some(line) = store.as_ref().and_then(|s| s.finished(&job.key)) {
            done.insert(job.key.clone(), line.clone());
        }
    }
    let skipped = done.len();
    let open: Vec<&Job<'_>> = jobs.iter().filter(|j| !done.contains_key(&j.key)).collect();
    observers.iter_mut().for_each(|o| o.on_sweep_started(jobs.len(), skipped));
    if let Some(doubts) = store.as_ref().map(Store::doubts).filter(|doubts| !doubts.is_empty()) {
        observers.iter_mut().for_each(|o| o.on_doubts(doubts));
    }
    let mut failures = Vec::new();
    dispatch(plan, &open, |event| {
        match event {
            worker::Event::Started(key) => observers.iter_mut().for_each(|o| o.on_episode_started(key)),
            worker::Event::Finished(played) => {
                store.as_mut().map_or(Ok(()), |s| s.keep(&played))?;
                observers.iter_mut().for_each(|o| o.on_episode_finished(&played.line, &played.record));
                done.insert(played.line.key.clone(), played.line);
            }
            worker::Event::Failed(failure) => {
                observers.iter_mut().for_each(|o| o.on_episode_failed(&failure));
                failures.push(failure);
            }
        }
        Ok(())
    })?;
    failures.sort_by(|a, b| a.key.cmp(&b.key));
    if let Some(store) = store {
        store.close(&failures)?;
    }
    let lines: Vec<EpisodeLine> = done.into_values().collect();
    Ok(Outcome { digest: digest(&lines), lines, failures, skipped })
}

/// The digest of many records: of their keys and digests, in the order of the keys.
pub fn digest(lines: &[EpisodeLine]) -> String {
    let mut all: Vec<String> = lines.iter().map(|l| format!("{} {}\n", l.key, l.digest)).collect();
    all.sort();
    sha256(all.concat().as_bytes())
}

/// All episodes of a plan. Neighbours share a scenario.
fn jobs<'p>(plan: &'p Plan<'_>) -> Vec<Job<'p>> {
    let mut jobs = Vec::new();
    for task in &plan.tasks {
        for episode in 0..plan.episodes {
            for &agent in &plan.agents {
                let key = format!("{}/{}/{}", agent.name(), task.id, plan.seed_of(episode));
                jobs.push(Job { key, agent, task, episode });
            }
        }
    }
    jobs
}

/// Lets workers play the jobs; what they report is handled here, on the caller's thread.
fn dispatch<'p>(
    plan: &Plan<'_>,
    jobs: &'p [&'p Job<'p>],
    mut handle: impl FnMut(worker::Event<'p>) -> Result<(), Error>,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let cache = ScenarioCache::new(SCENARIOS_KEPT);
    let (sender, events) = mpsc::channel();
    std::thread::scope(|threads| {
        for _ in 0..plan.jobs.clamp(1, jobs.len().max(1)) {
            let (sender, next, cache) = (sender.clone(), &next, &cache);
            threads.spawn(move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let sent = sender.send(worker::Event::Started(&job.key));
                    let played = sent.and_then(|()| sender.send(worker::play(plan, job, cache)));
                    if played.is_err() {
                        // Nobody listens any more: the dispatcher met an error and has left.
                        return;
                    }
                }
            });
        }
        drop(sender);
        let result = events.iter().try_for_each(&mut handle);
        drop(events);
        result
    })
}
