//! Replay: the same task, seed and calls must give the same record, to the byte.

use std::sync::Arc;

use serde_json::Value;
use world::{Noise, Span};

use crate::challenge::Challenge;
use crate::episode::{Episode, EpisodeOptions};
use crate::error::Error;
use crate::player::{EarlyEnd, Playable};
use crate::record::{Event, Header};
use crate::record::{Record, RecordError};
use crate::scenario::Scenario;
use crate::suites::SUITE_VERSION;
use crate::task::Task;

/// What came of playing a record again.
pub struct Replay {
    /// The digest of the stored record.
    pub stored: String,
    /// The digest of the new one.
    pub again: String,
    /// The first difference, if there is one.
    pub difference: Option<Difference>,
    /// The new record.
    pub record: Record,
}

/// Where two records first differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// `started`, `paged`, `step 3`, `ended` or `sealed`.
    pub place: String,
    /// The field of that event.
    pub field: String,
    /// What was stored.
    pub stored: String,
    /// What came out now.
    pub again: String,
}

impl Replay {
    /// Whether the records are the same.
    pub fn is_same(&self) -> bool {
        self.stored == self.again
    }
}

/// Plays a record again on its task.
pub fn replay(stored: &Record, task: &Arc<Task>) -> Result<Replay, Error> {
    let header = stored.header().ok_or_else(|| RecordError::Replay("the record has no header".to_string()))?;
    fits(header, &task.digest)?;
    let options = options(header)?;
    let scenario = Arc::new(Scenario::prepare(task, header.seed, Noise(header.noise))?);
    let mut played = Episode::start(&scenario, options);
    for event in &stored.events {
        match event {
            Event::Stepped(step) => {
                wait_until(&mut played, step.time);
                played.step_of(&step.text, step.model.clone());
            }
            Event::Ended { time, reason, cause, fault } => {
                wait_until(&mut played, *time);
                match (cause, fault) {
                    (Some(fault), _) => played.end_on_provider(*fault),
                    (None, Some(fault)) => played.end_on_fault(*fault),
                    (None, None) => played.end(*reason),
                }
            }
            _ => {}
        }
    }
    let mut record = played.finish();
    forget_unrecorded(header, &mut record);
    Ok(Replay { stored: stored.digest(), again: record.digest(), difference: difference(stored, &record), record })
}

/// Plays the record of a question again.
pub fn replay_question(stored: &Record, challenge: &dyn Challenge) -> Result<Replay, Error> {
    let header = stored.header().ok_or_else(|| RecordError::Replay("the record has no header".to_string()))?;
    fits(header, challenge.digest())?;
    let mut played = challenge.start(header.seed, Noise(header.noise), options(header)?)?;
    for event in &stored.events {
        match event {
            // A second reply cannot be given, and makes the records differ.
            Event::Stepped(step) if played.ending().is_none() => {
                catch_up(&mut *played, step.time);
                played.step(&step.text, step.model.clone());
            }
            Event::Ended { time, cause, fault, .. } => {
                catch_up(&mut *played, *time);
                played.end(match (cause, fault) {
                    (Some(fault), _) => EarlyEnd::ProviderFailed(*fault),
                    (None, Some(fault)) => EarlyEnd::ProgramFailed(*fault),
                    (None, None) => EarlyEnd::GaveUp,
                });
            }
            _ => {}
        }
    }
    let record = played.finish();
    Ok(Replay { stored: stored.digest(), again: record.digest(), difference: difference(stored, &record), record })
}

/// Time that passed before an action, where the clock of its player ran on.
fn catch_up(played: &mut dyn Playable, time: u64) {
    let missing = time.saturating_sub(played.clock().0.0);
    if missing > 0 {
        played.pass(Span(missing));
    }
}

/// How the episode of a record was played.
fn options(header: &Header) -> Result<EpisodeOptions, Error> {
    let tools = header.tools.parse().map_err(|e: faces::UnknownToolSet| RecordError::Replay(e.to_string()))?;
    Ok(EpisodeOptions {
        tools,
        agent: header.agent.clone(),
        suite: header.suite.clone(),
        episode: header.episode,
        repeat: header.repeat,
        model: header.model.clone(),
        rewards: header.rewards,
        // What clients did is done again without them.
        clients: false,
    })
}

/// What an older version did not write down cannot be compared.
fn forget_unrecorded(stored: &Header, again: &mut Record) {
    let Some(version) = stored.lifted_from else { return };
    let Some(Event::Started(header)) = again.events.first_mut() else { return };
    header.lifted_from = stored.lifted_from;
    header.toolbox = stored.toolbox.clone();
    header.services = stored.services.clone();
    header.backend = stored.backend.clone();
    if version < 2 {
        header.task.family = stored.task.family.clone();
    }
}

/// A gap between two actions is time that passed there.
pub(crate) fn wait_until(episode: &mut Episode, time: u64) {
    episode.pass(Span(time.saturating_sub(episode.clock().0)));
}

/// Whether a record can be played again on this task by this program.
pub(crate) fn fits(header: &Header, digest: &str) -> Result<(), Error> {
    if header.suite_version != SUITE_VERSION {
        let then = header.suite_version;
        let problem = format!(
            "it was recorded with suite version {then}, this program has {SUITE_VERSION}; replay it with a program that \
             has {then}, or run the episode again"
        );
        return Err(RecordError::Replay(problem).into());
    }
    if header.task.digest != digest {
        let id = &header.task.id;
        let problem =
            format!("the file of task `{id}` has changed since the record was written; run the episode again");
        return Err(RecordError::Replay(problem).into());
    }
    if header.world_version != world::WORLD_VERSION {
        let (then, now) = (header.world_version, world::WORLD_VERSION);
        let problem = format!(
            "it was recorded in world version {then}, this program has {now}; replay it with a program that has {then}, \
             or run the episode again"
        );
        return Err(RecordError::Replay(problem).into());
    }
    Ok(())
}

fn difference(stored: &Record, again: &Record) -> Option<Difference> {
    let longest = stored.events.len().max(again.events.len());
    (0..longest).find_map(|at| match (stored.events.get(at), again.events.get(at)) {
        (Some(one), Some(other)) if one == other => None,
        (one, other) => Some(first_field(one, other)),
    })
}

fn first_field(stored: Option<&Event>, again: Option<&Event>) -> Difference {
    let json =
        |event: Option<&Event>| event.map_or(Value::Null, |e| serde_json::to_value(e).expect("events are plain data"));
    let (one, other) = (json(stored), json(again));
    let fields = one.as_object().into_iter().chain(other.as_object()).flat_map(|o| o.keys());
    let field = fields.into_iter().find(|f| one.get(*f) != other.get(*f)).cloned().unwrap_or_default();
    let shown = |v: &Value| v.get(&field).map_or("nothing".to_string(), Value::to_string);
    let place = place(stored.or(again));
    Difference { place, stored: shown(&one), again: shown(&other), field }
}

fn place(event: Option<&Event>) -> String {
    match event {
        Some(Event::Started(_)) => "started".to_string(),
        Some(Event::Paged { .. }) => "paged".to_string(),
        Some(Event::Stepped(step)) => format!("step {}", step.index),
        Some(Event::Ended { .. }) => "ended".to_string(),
        Some(Event::Sealed(_)) => "sealed".to_string(),
        None => "the end".to_string(),
    }
}
