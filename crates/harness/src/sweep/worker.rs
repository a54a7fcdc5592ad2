//! One episode on a worker's thread. A panic in it is caught and reported; the others go on.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{EpisodeLine, Failure, Job, Plan};
use crate::agent::run_episode;
use crate::cache::ScenarioCache;
use crate::digest::sha256;
use crate::episode::EpisodeOptions;
use crate::record_io::Record;

/// What a worker reports.
pub(crate) enum Event<'p> {
    Started(&'p str),
    Finished(Box<Played>),
    Failed(Failure),
}

/// An episode that was played to its end.
pub(crate) struct Played {
    pub line: EpisodeLine,
    pub record: Record,
    pub text: String,
}

pub(super) fn play<'p>(plan: &Plan<'_>, job: &Job<'p>, cache: &ScenarioCache) -> Event<'p> {
    let played = catch_unwind(AssertUnwindSafe(|| try_play(plan, job, cache)));
    match played.unwrap_or_else(|panic| Err(format!("panic: {}", message(&*panic)))) {
        Ok(played) => Event::Finished(Box::new(played)),
        Err(problem) => Event::Failed(Failure { key: job.key.clone(), problem, replay: command(plan, job) }),
    }
}

fn try_play(plan: &Plan<'_>, job: &Job<'_>, cache: &ScenarioCache) -> Result<Played, String> {
    let seed = plan.seed_of(job.episode);
    let scenario = cache.get(job.task, seed, plan.noise).map_err(|e| e.to_string())?;
    let (agent, suite) = (job.agent.name().to_string(), plan.suite.clone());
    let options = EpisodeOptions { tools: plan.tools, agent, suite, episode: job.episode };
    let record = run_episode(job.agent, &scenario, options);
    let text = record.text();
    let header = record.header().ok_or("the record has no header")?;
    let line = EpisodeLine::of(&record, header, sha256(text.as_bytes())).map_err(|e| e.to_string())?;
    Ok(Played { line, record, text })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

fn command(plan: &Plan<'_>, job: &Job<'_>) -> String {
    format!(
        "sre-zero run --tasks {} --agents {} --seed {} --episodes 1 --noise {} --tools {} --jobs 1",
        job.task.id,
        job.agent.name(),
        plan.seed_of(job.episode),
        plan.noise.0,
        plan.tools
    )
}
