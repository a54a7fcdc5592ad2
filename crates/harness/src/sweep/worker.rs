//! One episode on a worker's thread. A panic in it is caught and reported; the others go on.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use record::folder::LiveEpisode;

use super::onlookers::Watched;
use super::{Doubt, EpisodeLine, Failure, Job, Plan, exchange_path};
use crate::agent::Unfinished;
use crate::challenge;
use crate::episode::EpisodeOptions;
use crate::player::Playable;
use crate::record::Record;
use crate::record::sha256;
use crate::record::{ExchangeLog, RecordError};

/// What a worker reports.
pub(crate) enum WorkerEvent<'p> {
    Started(&'p str),
    Finished(Box<Played>),
    Failed(Failure),
    Held(&'p str, u32),
    Doubted(Doubt),
}

/// An episode that was played to its end.
pub(crate) struct Played {
    pub line: EpisodeLine,
    pub record: Record,
    pub text: String,
}

/// Plays a job; what is found damaged on the way is told at once.
pub(super) fn play<'p>(plan: &Plan<'_>, job: &'p Job<'p>, tell: &dyn Fn(WorkerEvent<'p>)) -> WorkerEvent<'p> {
    let played = catch_unwind(AssertUnwindSafe(|| {
        let exchanges = exchanges(plan, job).map_err(|e| e.to_string())?;
        if let Some(why) = exchanges.damage() {
            let why = format!("{why}; what was asked from there on is asked again");
            tell(WorkerEvent::Doubted(Doubt { key: job.key.clone(), why }));
        }
        try_play(plan, job, exchanges)
    }));
    match played.unwrap_or_else(|panic| Err(format!("panic: {}", message(&*panic)))) {
        Ok(Left::Finished(played)) => WorkerEvent::Finished(played),
        Ok(Left::Held(steps)) => WorkerEvent::Held(&job.key, steps),
        Err(problem) => WorkerEvent::Failed(Failure { key: job.key.clone(), problem, replay: command(plan, job) }),
    }
}

/// How an episode was left.
enum Left {
    Finished(Box<Played>),
    Held(u32),
}

fn try_play(plan: &Plan<'_>, job: &Job<'_>, exchanges: ExchangeLog) -> Result<Left, String> {
    let seed = plan.seeds[job.episode as usize];
    let (agent, suite, model) = (job.agent.name().to_string(), plan.suite.clone(), job.agent.model());
    let (episode, repeat) = (job.episode, job.repeat);
    let clients = job.agent.brings_clients();
    let options = EpisodeOptions { tools: plan.tools, agent, suite, episode, repeat, model, rewards: false, clients };
    let begun = job.challenge.start(seed, plan.noise, options).map_err(|e| e.to_string())?;
    let begun = shown(plan, job, seed, begun);
    let memory = match job.agent.uses_memory() {
        true => plan.memory.get(&plan.challenges, plan.noise, &plan.seeds)?,
        false => Arc::default(),
    };
    let record = match challenge::play(job.agent, begun, seed, exchanges, memory, &plan.how.stop) {
        Ok(record) => record,
        Err(Unfinished::Held(steps)) => return Ok(Left::Held(steps)),
        Err(Unfinished::Broken(problem)) => return Err(problem),
    };
    let text = record.text();
    let header = record.header().ok_or("the record has no header")?;
    let line = EpisodeLine::of(&record, header, sha256(text.as_bytes())).map_err(|e| e.to_string())?;
    Ok(Left::Finished(Box::new(Played { line, record, text })))
}

/// The same for those who look on, where the run has a folder.
fn shown(plan: &Plan<'_>, job: &Job<'_>, seed: u64, begun: Box<dyn Playable>) -> Box<dyn Playable> {
    let Some(folder) = plan.how.out.as_ref().filter(|_| job.challenge.has_onlookers()) else { return begun };
    let (task, digest) = (job.challenge.id().to_string(), job.challenge.digest().to_string());
    let agent = job.agent.name().to_string();
    let about = LiveEpisode { task, digest, seed, noise: plan.noise.0, agent, live: begun.live() };
    Watched::boxed(begun, folder, &job.key, &about)
}

/// The exchange log of an episode: that of the recording, or the one in the run's folder.
fn exchanges(plan: &Plan<'_>, job: &Job<'_>) -> Result<ExchangeLog, RecordError> {
    match (&plan.how.replay, &plan.how.out) {
        (Some(recording), _) => ExchangeLog::replay(&exchange_path(recording, &job.key)),
        (None, Some(out)) => ExchangeLog::open(&exchange_path(out, &job.key)),
        (None, None) => Ok(ExchangeLog::in_memory()),
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

fn command(plan: &Plan<'_>, job: &Job<'_>) -> String {
    let agent = job.agent.flags().unwrap_or_else(|| {
        let name = job.agent.name();
        let (agent, model) = name.split_once('@').unwrap_or((name, ""));
        let model = if model.is_empty() { String::new() } else { format!(" --models {model}") };
        format!("--agents {agent}{model}")
    });
    format!(
        "sre-zero run --tasks {} {agent} --seed {} --episodes 1 --noise {} --tools {} --jobs 1",
        job.challenge.id(),
        plan.seeds[job.episode as usize],
        plan.noise.0,
        plan.tools
    )
}
