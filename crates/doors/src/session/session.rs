//! One client's place: the episode that it plays now, or what was last seen of it.

use std::time::Duration;

use super::client_view::{ClientView, Rewards};
use super::pace::{Pace, PaceClock};
use super::refusal::Refusal;
use harness::{EarlyEnd, OVER, Player, Trainer};
use record::AgentFault;

/// A session while a client is in it.
pub struct Session {
    play: Play,
    episode_id: Option<String>,
    pace: Pace,
    clock: PaceClock,
    now: Duration,
    rests: bool,
    /// Sees rewards, where they are shown.
    trainer: Option<Trainer>,
    /// Players that are over and have not been handed back yet.
    pub(super) over: Vec<Player>,
}

enum Play {
    /// Nothing was asked for yet.
    Nothing,
    Live(Player),
    /// It is over: this is what was last seen of it.
    Over(Box<ClientView>),
}

impl Session {
    pub(super) fn new(pace: Pace, trainer: Option<Trainer>, now: Duration) -> Session {
        let clock = PaceClock::started(now);
        Session { play: Play::Nothing, episode_id: None, pace, clock, now, rests: false, trainer, over: Vec::new() }
    }

    /// When it was last used.
    pub fn used(&self) -> Duration {
        self.now
    }

    pub(super) fn touch(&mut self, now: Duration) {
        self.now = self.now.max(now);
        self.rests = false;
    }

    /// Lets go of what can be made again at the next touch.
    pub(super) fn rest(&mut self) {
        self.rests = true;
        if let Play::Live(player) = &mut self.play {
            player.rest();
        }
    }

    /// Whether nothing was touched since it was put to rest.
    pub(super) fn rests(&self) -> bool {
        self.rests
    }

    /// Whether an episode is going on.
    pub fn is_live(&self) -> bool {
        matches!(self.play, Play::Live(_))
    }

    /// Goes on with this player; an episode that is going on here is given up.
    pub(super) fn adopt(&mut self, player: Player, episode_id: Option<String>) {
        self.end();
        self.play = Play::Live(player);
        self.episode_id = episode_id;
        self.clock = PaceClock::started(self.now);
    }

    /// What its client may see.
    pub fn view(&self) -> Result<ClientView, Refusal> {
        match &self.play {
            Play::Nothing => Err(Refusal::NoEpisode),
            Play::Live(player) => Ok(ClientView::of(player, self.trainer.as_ref(), self.episode_id.as_deref())),
            Play::Over(last) => Ok(ClientView::clone(last)),
        }
    }

    /// Does what the agent wrote, after the time that it took to write it. After the end nothing
    /// happens any more, and says so.
    pub fn step(&mut self, text: &str) -> Result<ClientView, Refusal> {
        if let Play::Live(player) = &mut self.play {
            self.clock.run(self.pace, self.now, |span| player.pass(span));
            if player.step(text).done {
                self.leave();
            }
            return self.view();
        }
        let last = self.view()?;
        let rewards = last.rewards.map(|rewards| Rewards { last: 0.0, ..rewards });
        Ok(ClientView { observation: OVER.to_string(), rewards, error: None, ..last })
    }

    /// Leaves what has ended by another way than a step here: clients of its own may have ended it.
    pub(super) fn settle(&mut self) {
        if matches!(&self.play, Play::Live(player) if player.is_over()) {
            self.leave();
        }
    }

    /// Gives up what is going on.
    pub fn end(&mut self) {
        if let Play::Live(player) = &mut self.play {
            self.clock.run(self.pace, self.now, |span| player.pass(span));
            player.end(EarlyEnd::GaveUp);
            self.leave();
        }
    }

    /// Ends what is going on because the agent's own program failed.
    pub fn fail(&mut self, fault: AgentFault) {
        if let Play::Live(player) = &mut self.play {
            player.end(EarlyEnd::ProgramFailed(fault));
            self.leave();
        }
    }

    /// Keeps what was last seen, and the player to be handed back.
    fn leave(&mut self) {
        let Ok(last) = self.view() else { return };
        if let Play::Live(player) = std::mem::replace(&mut self.play, Play::Over(Box::new(last))) {
            self.over.push(player);
        }
    }
}
