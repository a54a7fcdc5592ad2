//! One client's place: the episode that it plays now, or what was last seen of it.

use std::sync::Arc;
use std::time::Duration;

use super::pace::{Hourglass, Pace};
use super::refusal::Refusal;
use super::sight::Sight;
use crate::episode::{Episode, EpisodeOptions};
use crate::record::Record;
use crate::record::{AgentFault, EndReason};
use crate::scenario::Scenario;

/// A session while somebody is in it.
pub struct Session {
    play: Play,
    episode_id: Option<String>,
    pace: Pace,
    glass: Hourglass,
    now: Duration,
    /// Records of episodes that have ended and are not kept yet.
    pub(super) sealed: Vec<Record>,
}

enum Play {
    /// Nothing was asked for yet.
    Nothing,
    Live(Box<Episode>),
    /// It is over, and its record is sealed.
    Over(Box<Sight>),
}

impl Session {
    pub(super) fn new(pace: Pace, now: Duration) -> Session {
        Session { play: Play::Nothing, episode_id: None, pace, glass: Hourglass::turned(now), now, sealed: Vec::new() }
    }

    /// When it was last used.
    pub fn used(&self) -> Duration {
        self.now
    }

    pub(super) fn touch(&mut self, now: Duration) {
        self.now = self.now.max(now);
    }

    /// Whether an episode is going on.
    pub fn is_live(&self) -> bool {
        matches!(self.play, Play::Live(_))
    }

    /// Begins another episode; one that is going on is given up.
    pub(super) fn start(&mut self, scenario: &Arc<Scenario>, options: EpisodeOptions, episode_id: Option<String>) {
        self.adopt(Episode::start(scenario, options));
        self.episode_id = episode_id;
    }

    /// Goes on with an episode that was begun elsewhere; one that is going on here is given up.
    pub(super) fn adopt(&mut self, episode: Episode) {
        self.end();
        self.play = Play::Live(Box::new(episode));
        self.episode_id = None;
        self.glass = Hourglass::turned(self.now);
    }

    /// What its client may see.
    pub fn sight(&self) -> Result<Sight, Refusal> {
        match &self.play {
            Play::Nothing => Err(Refusal::NoEpisode),
            Play::Live(episode) => Ok(Sight::of(episode, self.episode_id.as_deref())),
            Play::Over(last) => Ok(Sight::clone(last)),
        }
    }

    /// Does what the agent wrote, after the time that it took to write it. After the end nothing
    /// happens any more, and says so.
    pub fn step(&mut self, text: &str) -> Result<Sight, Refusal> {
        if let Play::Live(episode) = &mut self.play {
            self.glass.run(self.pace, self.now, |span| episode.pass(span));
            if !episode.step(text).done {
                return self.sight();
            }
            self.seal();
            return self.sight();
        }
        let last = self.sight()?;
        Ok(Sight { observation: "The episode is over.".to_string(), reward: 0.0, error: None, ..last })
    }

    /// Gives up what is going on.
    pub fn end(&mut self) {
        if let Play::Live(episode) = &mut self.play {
            self.glass.run(self.pace, self.now, |span| episode.pass(span));
            episode.end(EndReason::GaveUp);
            self.seal();
        }
    }

    /// Ends what is going on because the agent's own program failed.
    pub fn fail(&mut self, fault: AgentFault) {
        if let Play::Live(episode) = &mut self.play {
            episode.end_on_fault(fault);
            self.seal();
        }
    }

    fn seal(&mut self) {
        let Ok(last) = self.sight() else { return };
        if let Play::Live(episode) = std::mem::replace(&mut self.play, Play::Over(Box::new(last))) {
            self.sealed.push(episode.finish());
        }
    }
}
