//! Who plays and who judges. A [`Player`] is all that the measured ever hold: what they were told, what
//! a step showed, whether it was invalid, whether it is over. What it was worth and what was really
//! wrong stays behind it, for the [`Referee`] that seated it and for a [`Trainer`] that was handed in.

mod seats;
mod shown;

use std::sync::Arc;

use world::{Key, Span, Time};

use crate::brief::{AnswerKey, Brief, Handout};
use crate::record::grade::Parts;
use crate::record::{AgentFault, EndReason, Step};
use crate::record::{LiveTimes, Record};
use crate::record::{ModelTurn, ProviderFault};

pub use seats::{Referee, Trainer};
pub use shown::Shown;

/// Something that can be played: an incident today. It is the referee's side, truth included, so it is
/// never handed out; it is seated, and a [`Player`] goes out.
pub trait Playable: Send + Sync {
    /// What the player is told at the start.
    fn brief(&self) -> &Arc<Brief>;
    /// Does what the player wrote, with what was asked of a model for it. It has not ended yet.
    fn step(&mut self, text: &str, model: Option<ModelTurn>);
    /// The steps taken so far.
    fn steps(&self) -> &[Step];
    /// Ends it from outside. What has ended stays as it is.
    fn end(&mut self, why: EarlyEnd);
    /// How it ended, if it has.
    fn ending(&self) -> Option<EndReason>;
    /// Seals what really happened and gives the record. What has not ended was given up.
    fn finish(self: Box<Self>) -> Record;
    /// A copy that goes on from here on its own.
    fn fork(&self) -> Box<dyn Playable>;
    /// The score so far, part by part.
    fn parts(&self) -> Parts;
    /// The answer, and which task it is.
    fn answer(&self) -> (String, AnswerKey);
    /// Whether its record says that rewards were shown.
    fn shows_rewards(&self) -> bool;
    /// The simulated time, and that of the beginning.
    fn clock(&self) -> (Time, Time);
    /// Lets time pass before the next action; gives what has passed.
    fn pass(&mut self, span: Span) -> Span;
    /// The configuration keys of a service, as its manual has them.
    fn manual(&self, service: usize) -> &'static [Key];
    /// What it hands out for clients of the player's own.
    fn handouts(&self) -> &[Handout] {
        &[]
    }
    /// Lets go of all that can be made again at the next touch, where it can. Nothing of it shows.
    fn rest(&mut self) {}
    /// When it was set up, if clients with a clock of their own play it.
    fn live(&self) -> Option<LiveTimes> {
        None
    }
}

/// Why something ends that the player did not end by an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyEnd {
    /// The player stopped.
    GaveUp,
    /// The player's model provider failed: missing data.
    ProviderFailed(ProviderFault),
    /// The player's own program failed, which is its own doing.
    ProgramFailed(AgentFault),
}

/// What a step showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepOutcome<'a> {
    /// The answer.
    pub observation: &'a str,
    /// Whether the action was invalid: nothing was done, and it was charged.
    pub invalid: bool,
    /// Whether it is over.
    pub done: bool,
}

/// The side of the measured. There is no way from here to a reward or to the truth:
///
/// ```compile_fail,E0599
/// fn peek(player: &harness::Player) -> f64 { player.reward() }
/// ```
/// ```compile_fail,E0599
/// fn peek(player: &harness::Player) { player.world(); }
/// ```
/// ```compile_fail,E0599
/// fn peek(player: &harness::Player) { player.scenario(); }
/// ```
/// ```compile_fail,E0599
/// fn peek(player: &harness::Player) { player.parts(); }
/// ```
/// ```compile_fail,E0599
/// fn peek(player: harness::Player) { player.finish(); }
/// ```
/// Nor can an action be tried out on a copy:
/// ```compile_fail,E0599
/// fn rehearse(player: &harness::Player) -> harness::Player { harness::Player::clone(player) }
/// ```
pub struct Player {
    play: Box<dyn Playable>,
    /// Whose it is: only the referee that seated it can open it.
    seat: Arc<()>,
}

impl Player {
    /// What it is told at the start.
    pub fn brief(&self) -> &Arc<Brief> {
        self.play.brief()
    }

    /// What it was given beside that, for clients of its own.
    pub fn handouts(&self) -> &[Handout] {
        self.play.handouts()
    }

    /// What it was last shown.
    pub fn observation(&self) -> &str {
        self.play.steps().last().map_or(&self.brief().text, |step| &step.observation)
    }

    /// Whether its last action was invalid.
    pub fn was_invalid(&self) -> bool {
        self.play.steps().last().is_some_and(|step| step.invalid.is_some())
    }

    /// What it did and was shown, step by step.
    pub fn shown(&self) -> impl DoubleEndedIterator<Item = Shown<'_>> {
        self.play.steps().iter().map(Shown::new)
    }

    /// How it ended, if it has.
    pub fn ending(&self) -> Option<EndReason> {
        self.play.ending()
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.ending().is_some()
    }

    /// How many steps were taken.
    pub fn steps_taken(&self) -> u32 {
        self.play.steps().len() as u32
    }

    /// How many steps are left.
    pub fn steps_left(&self) -> u32 {
        if self.is_over() { 0 } else { self.brief().steps.saturating_sub(self.steps_taken()) }
    }

    /// The simulated time.
    pub fn clock(&self) -> Time {
        self.play.clock().0
    }

    /// How much simulated time has passed since it was handed over.
    pub fn elapsed(&self) -> Span {
        let (now, begin) = self.play.clock();
        now.since(begin)
    }

    /// The configuration keys of a service, as its manual has them.
    pub fn manual(&self, service: usize) -> &'static [Key] {
        self.play.manual(service)
    }

    /// Does an action. After the end nothing happens any more.
    pub fn step(&mut self, text: &str) -> StepOutcome<'_> {
        self.step_of(text, None)
    }

    /// The same, with what was asked of a model for it.
    pub fn step_of(&mut self, text: &str, model: Option<ModelTurn>) -> StepOutcome<'_> {
        if self.is_over() {
            return StepOutcome { observation: OVER, invalid: false, done: true };
        }
        self.play.step(text, model);
        StepOutcome { observation: self.observation(), invalid: self.was_invalid(), done: self.is_over() }
    }

    /// Lets time pass before the next action: an incident goes on while its player thinks. Gives what
    /// has passed; the rest is for the caller to bring again.
    pub fn pass(&mut self, span: Span) -> Span {
        self.play.pass(span)
    }

    /// Lets go of all that can be made again at the next touch: for one that waits for its turn among many.
    pub fn rest(&mut self) {
        self.play.rest();
    }

    /// Ends it from outside. What has ended stays as it is.
    pub fn end(&mut self, why: EarlyEnd) {
        self.play.end(why);
    }
}

/// What is said to an action after the end.
pub const OVER: &str = "The episode is over.";
