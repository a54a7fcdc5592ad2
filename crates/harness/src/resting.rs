//! Episodes that rest: one that its client has not touched for a while keeps what was said and lets go of its worlds. What
//! was done makes the same worlds again at the next touch, so no client can tell.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use world::{Key, Noise, Span, Time};

use crate::brief::{AnswerKey, Brief};
use crate::episode::{Episode, EpisodeOptions};
use crate::error::Error;
use crate::player::{EarlyEnd, Playable};
use crate::record::grade::Parts;
use crate::record::{EndReason, ModelTurn, Record, Step};
use crate::replay::wait_until;
use crate::scenario::Scenario;
use crate::task::Task;

/// So many incidents at most are kept for the next client, whether they are played or not.
const RECENT: usize = 256;

/// Incidents in memory, shared between all who play the same.
pub(crate) struct Incidents {
    noise: Noise,
    /// How many of them there should be.
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// All of them, by the task's digest and the seed.
    known: BTreeMap<(String, u64), Weak<Scenario>>,
    /// The latest.
    recent: VecDeque<Arc<Scenario>>,
}

impl Incidents {
    pub fn new(noise: Noise, most: usize) -> Incidents {
        Incidents { noise, most, kept: Mutex::default() }
    }

    /// The one that others play or have just played, or else another.
    pub fn get(&self, task: &Arc<Task>, seed: u64) -> Result<Arc<Scenario>, Error> {
        self.known_or(task, seed, || Scenario::prepare(task, seed, self.noise))
    }

    /// The same again for those who know which draw it was.
    fn again(&self, task: &Arc<Task>, seed: u64, number: u32) -> Result<Arc<Scenario>, Error> {
        self.known_or(task, seed, || Scenario::again(task, seed, self.noise, number))
    }

    fn known_or(
        &self,
        task: &Arc<Task>,
        seed: u64,
        make: impl FnOnce() -> Result<Scenario, Error>,
    ) -> Result<Arc<Scenario>, Error> {
        let key = (task.digest.clone(), seed);
        let known = self.kept().known.get(&key).and_then(Weak::upgrade);
        // Outside of the lock: it takes a while, and at worst two do it at once and one is dropped.
        known.map_or_else(|| Ok(self.kept().note(key, make()?)), Ok)
    }

    /// Whether there are more of them than there should be; those that are not being played go first.
    pub fn is_crowded(&self) -> bool {
        let mut kept = self.kept();
        if kept.known.len() > self.most {
            kept.recent.clear();
            kept.known.retain(|_, scenario| scenario.strong_count() > 0);
        }
        kept.known.len() > self.most
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A panic elsewhere leaves the maps as they are.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn note(&mut self, key: (String, u64), scenario: Scenario) -> Arc<Scenario> {
        if let Some(first) = self.known.get(&key).and_then(Weak::upgrade) {
            return first;
        }
        let scenario = Arc::new(scenario);
        self.known.insert(key, Arc::downgrade(&scenario));
        self.recent.truncate(RECENT - 1);
        self.recent.push_front(scenario.clone());
        scenario
    }
}

/// An episode that can rest.
pub(crate) struct RestingEpisode {
    /// The task that it was asked for by: the incident has one of its own.
    task: Arc<Task>,
    incidents: Arc<Incidents>,
    stage: Stage,
}

enum Stage {
    Awake(Box<Episode>),
    Resting(Box<Rest>),
}

/// All that is left of an episode at rest.
struct Rest {
    seed: u64,
    /// Which draw of the situation it is.
    number: u32,
    options: EpisodeOptions,
    brief: Arc<Brief>,
    clock: (Time, Time),
    steps: Vec<Step>,
    parts: Parts,
}

impl RestingEpisode {
    pub fn start(
        task: &Arc<Task>,
        seed: u64,
        incidents: &Arc<Incidents>,
        options: EpisodeOptions,
    ) -> Result<RestingEpisode, Error> {
        let episode = Episode::start(&incidents.get(task, seed)?, options);
        Ok(RestingEpisode::awake(task, incidents, episode))
    }

    fn awake(task: &Arc<Task>, incidents: &Arc<Incidents>, episode: Episode) -> RestingEpisode {
        RestingEpisode { task: task.clone(), incidents: incidents.clone(), stage: Stage::Awake(Box::new(episode)) }
    }

    /// The episode as it stands; one that rests stays at rest.
    fn copy(&self) -> Episode {
        match &self.stage {
            Stage::Awake(episode) => Episode::clone(episode),
            Stage::Resting(rest) => rest.again(&self.task, &self.incidents),
        }
    }

    fn wake(&mut self) -> &mut Episode {
        if let Stage::Resting(rest) = &self.stage {
            self.stage = Stage::Awake(Box::new(rest.again(&self.task, &self.incidents)));
        }
        match &mut self.stage {
            Stage::Awake(episode) => episode,
            Stage::Resting(_) => unreachable!("it was woken just now"),
        }
    }
}

impl Rest {
    fn of(episode: &Episode) -> Rest {
        Rest {
            seed: episode.scenario().seed(),
            number: episode.scenario().number(),
            options: episode.options().clone(),
            brief: episode.brief().clone(),
            clock: Playable::clock(episode),
            steps: episode.steps().to_vec(),
            parts: episode.parts(),
        }
    }

    /// The same episode, played again up to where it rested.
    fn again(&self, task: &Arc<Task>, incidents: &Incidents) -> Episode {
        let scenario = incidents.again(task, self.seed, self.number).expect("what could be played can be played again");
        let mut episode = Episode::start(&scenario, self.options.clone());
        for step in &self.steps {
            wait_until(&mut episode, step.time);
            episode.step_of(&step.text, step.model.clone());
        }
        wait_until(&mut episode, self.clock.0.0);
        assert!(episode.steps() == self.steps && episode.clock() == self.clock.0, "what is done again shows the same");
        episode
    }
}

impl From<RestingEpisode> for Box<dyn Playable> {
    fn from(episode: RestingEpisode) -> Box<dyn Playable> {
        Box::new(episode)
    }
}

impl Playable for RestingEpisode {
    fn brief(&self) -> &Arc<Brief> {
        match &self.stage {
            Stage::Awake(episode) => episode.brief(),
            Stage::Resting(rest) => &rest.brief,
        }
    }

    fn step(&mut self, text: &str, model: Option<ModelTurn>) {
        self.wake().step_of(text, model);
    }

    fn steps(&self) -> &[Step] {
        match &self.stage {
            Stage::Awake(episode) => episode.steps(),
            Stage::Resting(rest) => &rest.steps,
        }
    }

    fn end(&mut self, why: EarlyEnd) {
        Playable::end(self.wake(), why);
    }

    fn ending(&self) -> Option<EndReason> {
        match &self.stage {
            Stage::Awake(episode) => episode.ending(),
            Stage::Resting(_) => None,
        }
    }

    fn finish(self: Box<Self>) -> Record {
        match self.stage {
            Stage::Awake(episode) => episode.finish(),
            Stage::Resting(rest) => rest.again(&self.task, &self.incidents).finish(),
        }
    }

    fn fork(&self) -> Box<dyn Playable> {
        Box::new(RestingEpisode::awake(&self.task, &self.incidents, self.copy()))
    }

    fn parts(&self) -> Parts {
        match &self.stage {
            Stage::Awake(episode) => episode.parts(),
            Stage::Resting(rest) => rest.parts,
        }
    }

    fn answer(&self) -> (String, AnswerKey) {
        self.copy().answer()
    }

    fn shows_rewards(&self) -> bool {
        match &self.stage {
            Stage::Awake(episode) => episode.shows_rewards(),
            Stage::Resting(rest) => rest.options.rewards,
        }
    }

    fn clock(&self) -> (Time, Time) {
        match &self.stage {
            Stage::Awake(episode) => Playable::clock(&**episode),
            Stage::Resting(rest) => rest.clock,
        }
    }

    fn pass(&mut self, span: Span) -> Span {
        self.wake().pass(span)
    }

    fn manual(&self, service: usize) -> &'static [Key] {
        self.task.plan.services.get(service).map_or(&[], |service| service.kind.keys())
    }

    fn rest(&mut self) {
        match &self.stage {
            Stage::Awake(episode) if !episode.is_over() => self.stage = Stage::Resting(Box::new(Rest::of(episode))),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::task;

    const CALLS: [&str; 5] =
        ["check_status(cache)", "nonsense", "restart_service(cache)", "inspect_logs(cache)", "check_status(cache)"];

    /// Plays the calls, thinking for a while before each; rests before every one of `rests`.
    fn played(incidents: &Arc<Incidents>, rests: &[usize]) -> Record {
        let options = EpisodeOptions { rewards: true, ..EpisodeOptions::default() };
        let mut episode = Box::new(RestingEpisode::start(&task(), 1, incidents, options).expect("it can be played"));
        for (n, call) in CALLS.iter().enumerate() {
            if rests.contains(&n) {
                episode.rest();
                episode.rest();
            }
            episode.pass(Span::mins(n as u64));
            if rests.contains(&n) {
                let (shown, parts, clock) = (episode.steps().to_vec(), episode.parts(), Playable::clock(&*episode));
                episode.rest();
                assert_eq!((episode.steps(), episode.parts(), Playable::clock(&*episode)), (&*shown, parts, clock));
            }
            episode.step(call, None);
        }
        episode.rest();
        episode.finish()
    }

    #[test]
    fn an_episode_that_rested_is_the_same_to_the_byte() {
        let alone = || Arc::new(Incidents::new(Noise(1), 0));
        let digest = played(&alone(), &[]).digest();
        for rests in [&[0][..], &[1], &[3], &[0, 1, 2, 3, 4]] {
            assert_eq!(played(&alone(), rests).digest(), digest, "{rests:?}");
        }
    }

    #[test]
    fn what_rests_is_in_nobodys_way() {
        let incidents = Arc::new(Incidents::new(Noise(0), 1));
        let start = |seed| {
            RestingEpisode::start(&task(), seed, &incidents, EpisodeOptions::default()).expect("it can be played")
        };
        let (mut first, _second) = (start(1), start(2));
        assert!(incidents.is_crowded());
        first.rest();
        assert!(!incidents.is_crowded());
        first.step("check_status(cache)", None);
        assert!(incidents.is_crowded());
    }
}
