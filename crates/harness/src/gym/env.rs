//! One learner's environment: draws an incident, plays it, and says it in numbers or in text.

use std::sync::Arc;

use faces::ToolSet;
use world::Seed;

use super::actions::{ActionSpace, Mask, Move};
use super::board::Board;
use super::pool::Pool;
use super::rewards::{RewardScheme, Shaping};
use crate::episode::{Episode, EpisodeOptions};
use crate::record::EndReason;
use crate::scenario::Scenario;

/// What all environments of a learner share.
pub struct Setup {
    /// Where incidents come from.
    pub pool: Pool,
    /// The tools at hand.
    pub tools: ToolSet,
    /// What is paid.
    pub reward: RewardScheme,
    /// What is paid on top.
    pub shaping: Option<Shaping>,
    /// The numbered actions; without them only text is taken and nothing is written down in numbers.
    pub space: Option<ActionSpace>,
    /// Whether masks are given for tool, service and choice each on its own.
    pub factored: bool,
    /// Names for the records.
    pub options: EpisodeOptions,
}

/// An incident that was asked for instead of drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// A task of the pool.
    pub task: Option<String>,
    /// The seed of its world.
    pub seed: u64,
    /// The number of a generated incident.
    pub number: Option<u64>,
}

/// What a step brought.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turned {
    /// The reward.
    pub reward: f64,
    /// Whether the agent ended the episode.
    pub terminated: bool,
    /// Whether the budget ended it.
    pub truncated: bool,
}

/// One environment. A clone goes on from here on its own.
#[derive(Clone)]
pub struct Gym {
    setup: Arc<Setup>,
    seed: u64,
    drawn: u64,
    sampled: u64,
    episode: Episode,
    numbers: Option<Numbers>,
}

/// The observation as numbers.
#[derive(Clone)]
struct Numbers {
    board: Board,
    mask: Mask,
}

impl Gym {
    /// An environment that has drawn its first incident.
    pub fn new(setup: &Arc<Setup>, seed: u64) -> Result<Gym, String> {
        let scenario = setup.pool.draw(seed, 0)?;
        let numbers = setup.space.as_ref().map(|space| Numbers::new(space, &scenario, setup.tools));
        let episode = Episode::start(&scenario, setup.options_for(&scenario));
        Ok(Gym { setup: setup.clone(), seed, drawn: 1, sampled: 0, episode, numbers })
    }

    /// Draws the next incident; a seed begins a row of draws of its own.
    pub fn reset(&mut self, seed: Option<u64>) -> Result<(), String> {
        if let Some(seed) = seed {
            (self.seed, self.drawn, self.sampled) = (seed, 0, 0);
        }
        let scenario = self.setup.pool.draw(self.seed, self.drawn)?;
        self.drawn += 1;
        self.start(&scenario);
        Ok(())
    }

    /// Takes an incident that was asked for.
    pub fn reset_to(&mut self, wish: &Wish) -> Result<(), String> {
        let pool = &self.setup.pool;
        let scenario = match (&wish.task, wish.number) {
            (Some(task), None) => pool.named(task, wish.seed)?,
            (None, Some(number)) => pool.numbered(number)?,
            _ => return Err("ask for a `task` with its `seed`, or for a `number`".to_string()),
        };
        self.start(&scenario);
        Ok(())
    }

    /// Plays a text.
    pub fn step(&mut self, text: &str) -> Turned {
        if self.episode.is_over() {
            return Turned { reward: 0.0, ..self.turned(0.0) };
        }
        let shaping = self.setup.shaping;
        let before = shaping.map_or(0.0, |s| s.potential(&self.episode, false));
        self.episode.step(text);
        let published = self.episode.reward();
        self.take_notes();
        let paid = self.setup.reward.pay(&self.episode, published);
        let turned = self.turned(paid);
        let extra = shaping.map_or(0.0, |s| s.pay(before, s.potential(&self.episode, turned.terminated)));
        Turned { reward: paid + extra, ..turned }
    }

    /// Plays a numbered action.
    pub fn play(&mut self, action: Move) -> Turned {
        let text = self.text_of(action);
        self.step(&text)
    }

    /// The text that a numbered action is played as.
    pub fn text_of(&self, action: Move) -> String {
        match (&self.setup.space, &self.numbers) {
            (Some(space), Some(numbers)) => space.render(action, &numbers.board),
            _ => String::new(),
        }
    }

    /// A valid action, drawn at random; see [`ActionSpace::sample`].
    pub fn sample(&mut self) -> Option<Move> {
        let (space, numbers) = (self.setup.space.as_ref()?, self.numbers.as_ref()?);
        let draws = Seed(self.seed).stream("gym/action").within(self.sampled);
        self.sampled += 1;
        let mut nth = 0;
        let draw = |below: u64| {
            nth += 1;
            draws.at(nth).below(below)
        };
        Some(space.sample(&numbers.mask, draw))
    }

    /// The episode being played.
    pub fn episode(&self) -> &Episode {
        &self.episode
    }

    /// Goes on with another episode of the same pool: a fork or a snapshot of this one.
    pub fn adopt(&mut self, other: &Gym) {
        *self = Gym { setup: self.setup.clone(), ..other.clone() };
    }

    /// What the environments share.
    pub fn setup(&self) -> &Arc<Setup> {
        &self.setup
    }

    /// The structured observation, if it is kept.
    pub fn board(&self) -> Option<&Board> {
        self.numbers.as_ref().map(|numbers| &numbers.board)
    }

    /// What can be done now: in the flat numbering, or in factors if they were asked for.
    pub fn mask(&self) -> &[u8] {
        match &self.numbers {
            Some(numbers) if self.setup.factored => &numbers.mask.factors,
            Some(numbers) => &numbers.mask.flat,
            None => &[],
        }
    }

    fn start(&mut self, scenario: &Arc<Scenario>) {
        self.episode = Episode::start(scenario, self.setup.options_for(scenario));
        if let (Some(space), Some(numbers)) = (&self.setup.space, &mut self.numbers) {
            numbers.board.restart(self.episode.brief(), &scenario.task().plan);
            numbers.mask.clone_from(&space.at_page(&numbers.board));
        }
    }

    fn take_notes(&mut self) {
        let minutes = self.episode.clock().since(self.episode.scenario().begin()).0 as f64 / 60_000.0;
        let (Some(space), Some(numbers)) = (&self.setup.space, &mut self.numbers) else { return };
        let Some(step) = self.episode.steps().last() else { return };
        numbers.board.see(step, minutes);
        let news = numbers.board.take_news();
        if news.services != 0 || news.lists {
            space.update(&numbers.board, news, &mut numbers.mask);
        }
    }

    fn turned(&self, reward: f64) -> Turned {
        let end = self.episode.ending();
        let truncated = end == Some(EndReason::BudgetSpent);
        Turned { reward, terminated: end.is_some() && !truncated, truncated }
    }
}

impl Setup {
    /// How many cells the mask of one environment has.
    pub fn mask_len(&self) -> usize {
        let cells = |space: &ActionSpace| if self.factored { space.sizes().iter().sum() } else { space.len() };
        self.space.as_ref().map_or(0, cells)
    }

    fn options_for(&self, scenario: &Scenario) -> EpisodeOptions {
        // Learners are paid by the step: the record says so.
        EpisodeOptions { tools: self.tools.or_needed(scenario.task().tools), rewards: true, ..self.options.clone() }
    }
}

impl Numbers {
    fn new(space: &ActionSpace, scenario: &Arc<Scenario>, tools: ToolSet) -> Numbers {
        let board = Board::new(&scenario.brief(tools), &scenario.task().plan, space.services());
        let mask = Mask::clone(&space.at_page(&board));
        Numbers { board, mask }
    }
}
