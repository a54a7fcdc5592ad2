//! For those who look on: what is played writes its steps down as they are taken.

use std::path::Path;
use std::sync::Arc;

use record::folder::{LiveEpisode, LiveSteps};
use world::{Key, Span, Time};

use crate::brief::{AnswerKey, Brief, Handout};
use crate::player::{EarlyEnd, Playable};
use crate::record::grade::Parts;
use crate::record::{EndReason, LiveTimes, ModelTurn, Record, Step};

/// Something that is played in the sight of others. It is played exactly as without them.
pub(super) struct Watched {
    play: Box<dyn Playable>,
    steps: LiveSteps,
}

impl Watched {
    /// Plays under a key of a run's folder.
    pub(super) fn boxed(play: Box<dyn Playable>, folder: &Path, key: &str, about: &LiveEpisode) -> Box<dyn Playable> {
        Box::new(Watched { play, steps: LiveSteps::begin(folder, key, about) })
    }
}

impl Playable for Watched {
    fn brief(&self) -> &Arc<Brief> {
        self.play.brief()
    }

    fn step(&mut self, text: &str, model: Option<ModelTurn>) {
        self.play.step(text, model);
        self.steps.follow(self.play.steps());
    }

    fn steps(&self) -> &[Step] {
        self.play.steps()
    }

    fn end(&mut self, why: EarlyEnd) {
        self.play.end(why);
    }

    fn ending(&self) -> Option<EndReason> {
        self.play.ending()
    }

    fn finish(self: Box<Self>) -> Record {
        self.play.finish()
    }

    fn fork(&self) -> Box<dyn Playable> {
        self.play.fork()
    }

    fn parts(&self) -> Parts {
        self.play.parts()
    }

    fn answer(&self) -> (String, AnswerKey) {
        self.play.answer()
    }

    fn shows_rewards(&self) -> bool {
        self.play.shows_rewards()
    }

    fn clock(&self) -> (Time, Time) {
        self.play.clock()
    }

    fn pass(&mut self, span: Span) -> Span {
        let passed = self.play.pass(span);
        // Clients of the player's own may have done something meanwhile.
        self.steps.follow(self.play.steps());
        passed
    }

    fn manual(&self, service: usize) -> &'static [Key] {
        self.play.manual(service)
    }

    fn handouts(&self) -> &[Handout] {
        self.play.handouts()
    }

    fn live(&self) -> Option<LiveTimes> {
        self.play.live()
    }
}
