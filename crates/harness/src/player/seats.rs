//! Those behind a player: the referee that opens it again, and the trainer that sees rewards.

use std::sync::Arc;

use super::{Playable, Player};
use crate::brief::AnswerKey;
use crate::record::Record;
use crate::record::Step;
use crate::record::grade::{Parts, Score};

/// Seats players and opens what it has seated, and nothing else: a referee made by an agent sees
/// nothing of the player that the agent was given.
#[derive(Clone, Default)]
pub struct Referee {
    seat: Arc<()>,
}

impl Referee {
    /// A referee without a player.
    pub fn new() -> Referee {
        Referee::default()
    }

    /// Hands something over to be played.
    pub fn seat(&self, play: impl Into<Box<dyn Playable>>) -> Player {
        Player { play: play.into(), seat: self.seat.clone() }
    }

    /// Seals what really happened and gives the record. What has not ended was given up.
    pub fn finish(&self, player: Player) -> Record {
        self.check(&player);
        player.play.finish()
    }

    /// The record as if it ended here, while the player goes on.
    pub fn record_so_far(&self, player: &Player) -> Record {
        self.check(player);
        player.play.fork().finish()
    }

    /// Which task it is, and its answer.
    pub fn answer(&self, player: &Player) -> (String, AnswerKey) {
        self.check(player);
        player.play.answer()
    }

    /// The side of a trainer, for players whose record says that rewards are shown.
    pub fn trainer(&self) -> Trainer {
        Trainer { seat: self.seat.clone() }
    }

    fn check(&self, player: &Player) {
        assert!(Arc::ptr_eq(&self.seat, &player.seat), "a referee opens only what it has seated");
    }
}

/// Sees what steps are worth, and may try things on a copy. It is handed to those who train, and only
/// episodes whose record says so are open to it.
#[derive(Clone)]
pub struct Trainer {
    seat: Arc<()>,
}

impl Trainer {
    /// The reward of the last step.
    pub fn reward(&self, player: &Player) -> f64 {
        self.last_step(player).map_or(0.0, |step| step.reward)
    }

    /// The last step, with what it showed in numbers and what it was worth.
    pub fn last_step<'p>(&self, player: &'p Player) -> Option<&'p Step> {
        self.open(player).steps().last()
    }

    /// The sum of all rewards so far.
    pub fn total(&self, player: &Player) -> f64 {
        self.open(player).steps().iter().fold(0.0, |sum, step| sum + step.reward)
    }

    /// The score so far, part by part.
    pub fn parts(&self, player: &Player) -> Parts {
        self.open(player).parts()
    }

    /// The score as if it ended here; none if it cannot be graded.
    pub fn score(&self, player: &Player) -> Option<Score> {
        self.open(player).fork().finish().score().ok()
    }

    /// A copy that goes on from here on its own.
    pub fn fork(&self, player: &Player) -> Player {
        Player { play: self.open(player).fork(), seat: player.seat.clone() }
    }

    fn open<'p>(&self, player: &'p Player) -> &'p dyn Playable {
        assert!(Arc::ptr_eq(&self.seat, &player.seat), "a trainer sees only players of its own");
        assert!(player.play.shows_rewards(), "rewards are shown only where the record says so");
        &*player.play
    }
}
