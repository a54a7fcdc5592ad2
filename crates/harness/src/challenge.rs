//! What a sweep plays. A [`Challenge`] is anything that an agent can be set to under a seed; an
//! [`Incident`] is one kind of it, and a [`Backend`] is what incidents are played on: the [`Simulator`].
//! Agents, records, resuming and reports know challenges only, so another kind of them or another
//! backend adds a file and changes none of those.

use std::sync::Arc;

use faces::ToolSet;
use world::{Noise, Seed};

use crate::agent::{AgentKind, Start, Unfinished};
use crate::brief::AnswerKey;
use crate::episode::{Episode, EpisodeOptions};
use crate::error::Error;
use crate::memory::Memory;
use crate::player::{Playable, Referee};
use crate::record::{ExchangeLog, Record};
use crate::scenario::{Scenario, ScenarioCache};
use crate::stop::Stop;
use crate::task::Task;

/// Something that an agent can be set to.
pub trait Challenge: Send + Sync {
    /// Its id, in keys and records.
    fn id(&self) -> &str;
    /// The digest of what it is made of: a stored episode is of the same challenge only if this is the same.
    fn digest(&self) -> &str;
    /// The noise and the tools that it is played with if these are asked for: it may need more.
    fn played_with(&self, noise: Noise, tools: ToolSet) -> (Noise, ToolSet) {
        (noise, tools)
    }
    /// Whether people may look on while it is played: its steps are written down as they are taken.
    fn has_onlookers(&self) -> bool {
        false
    }
    /// Begins it under a seed.
    fn start(&self, seed: u64, noise: Noise, options: EpisodeOptions) -> Result<Box<dyn Playable>, Error>;
}

/// What incidents are played on.
pub trait Backend: Send + Sync {
    /// Begins the incident of a task under a seed.
    fn start(
        &self,
        task: &Arc<Task>,
        seed: u64,
        noise: Noise,
        options: EpisodeOptions,
    ) -> Result<Box<dyn Playable>, Error>;
}

/// The deterministic world. What it has prepared is kept for the next episode on the same incident.
pub struct Simulator {
    scenarios: ScenarioCache,
}

impl Simulator {
    /// A simulator that keeps at most `room` prepared scenarios.
    pub fn new(room: usize) -> Simulator {
        Simulator { scenarios: ScenarioCache::new(room) }
    }
}

impl Backend for Simulator {
    fn start(
        &self,
        task: &Arc<Task>,
        seed: u64,
        noise: Noise,
        options: EpisodeOptions,
    ) -> Result<Box<dyn Playable>, Error> {
        let scenario = self.scenarios.get(task, seed, noise)?;
        Ok(Episode::start(&scenario, options).into())
    }
}

/// An incident: a task, and what it is played on.
pub struct Incident {
    task: Arc<Task>,
    backend: Arc<dyn Backend>,
}

impl Incident {
    /// The incident of a task on a backend.
    pub fn new(task: &Arc<Task>, backend: &Arc<dyn Backend>) -> Incident {
        Incident { task: task.clone(), backend: backend.clone() }
    }

    /// Incidents of these tasks on one simulator. Sweeps play the episodes on one incident one after
    /// the other, so it keeps a few.
    pub fn on_simulator(tasks: &[Arc<Task>]) -> Vec<Arc<dyn Challenge>> {
        let backend: Arc<dyn Backend> = Arc::new(Simulator::new(SCENARIOS_KEPT));
        let incident = |task: &Arc<Task>| Arc::new(Incident::new(task, &backend)) as Arc<dyn Challenge>;
        tasks.iter().map(incident).collect()
    }
}

/// How many scenarios the simulator of a sweep keeps.
const SCENARIOS_KEPT: usize = 32;

impl Challenge for Incident {
    fn id(&self) -> &str {
        &self.task.id
    }

    fn digest(&self) -> &str {
        &self.task.digest
    }

    fn played_with(&self, noise: Noise, tools: ToolSet) -> (Noise, ToolSet) {
        self.task.played_with(noise, tools)
    }

    fn start(&self, seed: u64, noise: Noise, options: EpisodeOptions) -> Result<Box<dyn Playable>, Error> {
        self.backend.start(&self.task, seed, noise, options)
    }
}

/// Plays something that has begun under a seed to its end, or until the run is asked to stop.
pub fn play(
    kind: &dyn AgentKind,
    begun: Box<dyn Playable>,
    seed: u64,
    exchanges: ExchangeLog,
    memory: Arc<Memory>,
    stop: &Stop,
) -> Result<Record, Unfinished> {
    let key = if kind.uses_answer_key() { begun.answer().1 } else { AnswerKey::default() };
    // The id is opaque and differs between challenges, so that a random agent does not play all of them alike.
    let seed = Seed(seed).derive(&begun.brief().incident);
    let referee = Referee::new();
    let played = kind.play(referee.seat(begun), Start { seed: seed.0, key: &key, memory, exchanges }, stop)?;
    Ok(referee.finish(played))
}

/// Plays one episode on a prepared scenario to its end, or until the run is asked to stop.
pub fn play_episode(
    kind: &dyn AgentKind,
    scenario: &Arc<Scenario>,
    options: EpisodeOptions,
    exchanges: ExchangeLog,
    stop: &Stop,
) -> Result<Record, Unfinished> {
    let episode = Episode::start(scenario, EpisodeOptions { model: kind.model(), ..options });
    play(kind, episode.into(), scenario.seed(), exchanges, Arc::default(), stop)
}

/// Plays one episode for an agent that remembers these incidents.
pub fn run_remembering(
    kind: &dyn AgentKind,
    scenario: &Arc<Scenario>,
    options: EpisodeOptions,
    memory: &Arc<Memory>,
) -> Record {
    let (episode, log) = (Episode::start(scenario, options), ExchangeLog::in_memory());
    let played = play(kind, episode.into(), scenario.seed(), log, memory.clone(), &Stop::default());
    played.unwrap_or_else(|problem| panic!("{}: {problem}", kind.name()))
}

/// The same for an agent that asks no model and cannot be stopped.
pub fn run_episode(kind: &dyn AgentKind, scenario: &Arc<Scenario>, options: EpisodeOptions) -> Record {
    let played = play_episode(kind, scenario, options, ExchangeLog::in_memory(), &Stop::default());
    played.unwrap_or_else(|problem| panic!("{}: {problem}", kind.name()))
}
