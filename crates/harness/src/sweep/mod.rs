//! A sweep: agents x challenges x seeds, on several threads, with one dispatcher that owns all state.
//! The same plan gives the same digest whatever the number of threads.

mod onlookers;
mod settings;
#[cfg(test)]
mod tests;
mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use world::Noise;

use crate::agent::AgentKind;
use crate::challenge::Challenge;
use crate::error::Error;
use crate::record::folder::Store;
use crate::record::{NamePool, Record};
use crate::remember::MemorySource;
use crate::stop::Stop;

pub use record::folder::{Again, Damage, EPISODES, Lines, exchange_path, read_lines, record_path};
pub use record::{Doubt, EpisodeLine, Failure, Shard, digest, key};
pub use settings::{add_challenge, add_task, base_settings};

/// So many episodes are enough for any run; their list is held in memory.
pub const MOST_EPISODES: u64 = 1_000_000;

/// What to run.
pub struct Plan<'a> {
    /// The agents.
    pub agents: Vec<&'a dyn AgentKind>,
    /// What they play.
    pub challenges: Vec<Arc<dyn Challenge>>,
    /// The suite's name, for the records.
    pub suite: String,
    /// The seeds; each agent plays each challenge under each of them.
    pub seeds: Vec<u64>,
    /// How often the same challenge is played under the same seed.
    pub repeats: u32,
    /// The noise dial.
    pub noise: Noise,
    /// The tools at hand.
    pub tools: faces::ToolSet,
    /// What agents without a look at symptoms may remember; by default other seeds of what is played.
    pub memory: MemorySource,
    /// How to go about it.
    pub how: How,
}

/// How a sweep goes about its plan. Nothing of this changes a result.
#[derive(Clone, Default)]
pub struct How {
    /// How many episodes are played at a time.
    pub jobs: usize,
    /// Where results are kept; finished episodes found there are not run again.
    pub out: Option<PathBuf>,
    /// What wants the sweep to stop says so here.
    pub stop: Stop,
    /// A folder whose recorded exchanges stand in for the providers.
    pub replay: Option<PathBuf>,
    /// Which finished episodes are played again.
    pub again: Again,
    /// Only a part of the episodes.
    pub shard: Option<Shard>,
}

/// Events that may wait for the one who handles them. Workers stop for a moment when the disk is slower than they are,
/// so that records never pile up in memory.
const QUEUED: usize = 256;

/// What a sweep came to.
#[derive(Debug, Default)]
pub struct SweepOutcome {
    /// All finished episodes of the plan, by key.
    pub lines: Vec<EpisodeLine>,
    /// Episodes that failed.
    pub failures: Vec<Failure>,
    /// How many were found finished.
    pub skipped: usize,
    /// Episodes that were begun when the sweep was asked to stop, with the steps they had taken.
    pub held: BTreeMap<String, u32>,
    /// How many episodes of the plan are neither finished nor failed.
    pub open: usize,
    /// The digest of all records, independent of the number of threads.
    pub digest: String,
}

/// Watches a sweep. All calls come from one thread.
pub trait Observer {
    /// Of the episodes that were finished before, so many of so many were held against their records. Calls come
    /// before the sweep begins.
    fn on_checked(&mut self, _done: usize, _all: usize) {}
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
    /// An episode was left after so many steps, to be gone on with later.
    fn on_episode_held(&mut self, _key: &str, _steps: u32) {}
}

/// One episode to play.
pub(crate) struct Job<'p> {
    pub key: String,
    pub agent: &'p dyn AgentKind,
    pub challenge: &'p dyn Challenge,
    pub episode: u32,
    pub repeat: u32,
}

/// Runs a plan.
pub fn run(plan: &Plan<'_>, observers: &mut [&mut dyn Observer]) -> Result<SweepOutcome, Error> {
    let jobs = jobs(plan);
    let mut store = open(plan, observers)?;
    let planned: BTreeSet<&str> = jobs.iter().map(|job| &*job.key).collect();
    let mut done = store.as_mut().map(|store| store.take(|key| planned.contains(key))).unwrap_or_default();
    drop(planned);
    let (skipped, mut names) = (done.len(), NamePool::default());
    let open = open_jobs(&jobs, &done);
    observers.iter_mut().for_each(|o| o.on_sweep_started(jobs.len(), skipped));
    if let Some(doubts) = store.as_ref().map(Store::doubts).filter(|doubts| !doubts.is_empty()) {
        observers.iter_mut().for_each(|o| o.on_doubts(doubts));
    }
    let (mut failures, mut held) = (Vec::new(), BTreeMap::new());
    dispatch(plan, &open, |event| {
        match event {
            worker::WorkerEvent::Started(key) => observers.iter_mut().for_each(|o| o.on_episode_started(key)),
            worker::WorkerEvent::Finished(played) => {
                store.as_mut().map_or(Ok(()), |s| s.keep(&played.line, &played.text))?;
                observers.iter_mut().for_each(|o| o.on_episode_finished(&played.line, &played.record));
                let mut line = played.line;
                line.share(&mut names);
                done.push(line);
            }
            worker::WorkerEvent::Failed(failure) => {
                observers.iter_mut().for_each(|o| o.on_episode_failed(&failure));
                failures.push(failure);
            }
            worker::WorkerEvent::Doubted(doubt) => {
                observers.iter_mut().for_each(|o| o.on_doubts(std::slice::from_ref(&doubt)))
            }
            worker::WorkerEvent::Held(key, steps) => {
                observers.iter_mut().for_each(|o| o.on_episode_held(key, steps));
                held.insert(key.to_string(), steps);
            }
        }
        Ok(())
    })?;
    failures.sort_by(|a, b| a.key.cmp(&b.key));
    if let Some(store) = store {
        store.close(done.iter(), &failures)?;
    }
    done.sort_by(|one, other| one.key.cmp(&other.key));
    let open = jobs.len() - done.len() - failures.len();
    Ok(SweepOutcome { digest: digest(&done), lines: done, failures, skipped, held, open })
}

/// The jobs that are not finished.
fn open_jobs<'j, 'p>(jobs: &'j [Job<'p>], done: &[EpisodeLine]) -> Vec<&'j Job<'p>> {
    let done: BTreeSet<&str> = done.iter().map(|line| &*line.key).collect();
    jobs.iter().filter(|job| !done.contains(&*job.key)).collect()
}

/// The folder of the results, with what was finished in it before.
fn open(plan: &Plan<'_>, observers: &mut [&mut dyn Observer]) -> Result<Option<Store>, Error> {
    let Some(out) = &plan.how.out else { return Ok(None) };
    let mut told = |done, all| observers.iter_mut().for_each(|o| o.on_checked(done, all));
    Ok(Some(Store::open(out, &plan.settings(), plan.how.again, &mut told)?))
}

/// The episodes of a plan, or of its shard. Neighbours share an incident.
fn jobs<'p>(plan: &'p Plan<'_>) -> Vec<Job<'p>> {
    let mut jobs = Vec::new();
    for challenge in &plan.challenges {
        for (episode, seed) in plan.seeds.iter().enumerate() {
            for repeat in 0..plan.repeats.max(1) {
                for &agent in &plan.agents {
                    let key = key(agent.name(), challenge.id(), *seed, repeat);
                    jobs.push(Job { key, agent, challenge: &**challenge, episode: episode as u32, repeat });
                }
            }
        }
    }
    let shard = plan.how.shard.unwrap_or(Shard { index: 1, of: 1 });
    jobs.into_iter().enumerate().filter(|(number, _)| shard.has(*number)).map(|(_, job)| job).collect()
}

/// Lets workers play the jobs; what they report is handled here, on the caller's thread.
fn dispatch<'p>(
    plan: &Plan<'_>,
    jobs: &'p [&'p Job<'p>],
    mut handle: impl FnMut(worker::WorkerEvent<'p>) -> Result<(), Error>,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let (sender, events) = mpsc::sync_channel(QUEUED);
    std::thread::scope(|threads| {
        for number in 0..plan.how.jobs.clamp(1, jobs.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if plan.how.stop.is_asked() {
                        return;
                    }
                    let sent = sender.send(worker::WorkerEvent::Started(&job.key));
                    let played =
                        sent.and_then(|()| sender.send(worker::play(plan, job, &|event| drop(sender.send(event)))));
                    if played.is_err() {
                        // Nothing listens any more: the dispatcher met an error and has left.
                        return;
                    }
                }
            };
            match std::thread::Builder::new().spawn_scoped(threads, work) {
                Ok(_) => {}
                // The machine gives no more threads: those that there are do the work.
                Err(_) if number > 0 => break,
                Err(source) => return Err(Error::Threads(source)),
            }
        }
        drop(sender);
        let result = events.iter().try_for_each(&mut handle);
        drop(events);
        result
    })
}
