//! One learner's environment: draws an incident, plays it, and says it in numbers or in text.

use std::sync::Arc;

use faces::ToolSet;
use harness::{EpisodeOptions, Player, Pool, Seed, Trainer};
use record::EndReason;

use super::actions::{ActionSpace, GymAction, Mask};
use super::observation::Observation;
use super::rewards::{RewardScheme, Shaping};

/// What all environments of a learner share.
pub struct GymSetup {
    /// Where incidents come from.
    pub pool: Pool,
    /// Sees what steps are worth.
    pub trainer: Trainer,
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
pub struct IncidentWish {
    /// A task of the pool.
    pub task: Option<String>,
    /// The seed of its world.
    pub seed: u64,
    /// The number of a generated incident.
    pub number: Option<u64>,
}

/// What a step brought.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepResult {
    /// The reward.
    pub reward: f64,
    /// Whether the agent ended the episode.
    pub terminated: bool,
    /// Whether the budget ended it.
    pub truncated: bool,
}

/// One environment. A clone goes on from here on its own.
pub struct Gym {
    setup: Arc<GymSetup>,
    seed: u64,
    drawn: u64,
    sampled: u64,
    player: Player,
    numbers: Option<Numbers>,
}

/// The observation as numbers.
#[derive(Clone)]
struct Numbers {
    observation: Observation,
    mask: Mask,
}

impl Gym {
    /// An environment that has drawn its first incident.
    pub fn new(setup: &Arc<GymSetup>, seed: u64) -> Result<Gym, String> {
        let player = setup.pool.draw(seed, 0, &setup.options())?;
        let numbers = setup.space.as_ref().map(|space| Numbers::new(space, &player));
        Ok(Gym { setup: setup.clone(), seed, drawn: 1, sampled: 0, player, numbers })
    }

    /// Draws the next incident; a seed begins a row of draws of its own.
    pub fn reset(&mut self, seed: Option<u64>) -> Result<(), String> {
        if let Some(seed) = seed {
            (self.seed, self.drawn, self.sampled) = (seed, 0, 0);
        }
        let player = self.setup.pool.draw(self.seed, self.drawn, &self.setup.options())?;
        self.drawn += 1;
        self.start(player);
        Ok(())
    }

    /// Takes an incident that was asked for.
    pub fn reset_to(&mut self, wish: &IncidentWish) -> Result<(), String> {
        let (pool, options) = (&self.setup.pool, self.setup.options());
        let player = match (&wish.task, wish.number) {
            (Some(task), None) => pool.named(task, wish.seed, &options)?,
            (None, Some(number)) => pool.numbered(number, &options)?,
            _ => return Err("ask for a `task` with its `seed`, or for a `number`".to_string()),
        };
        self.start(player);
        Ok(())
    }

    /// Plays a text.
    pub fn step(&mut self, text: &str) -> StepResult {
        if self.player.is_over() {
            return self.result(0.0);
        }
        let (shaping, before) = (self.setup.shaping, self.potential(false));
        self.player.step(text);
        self.take_notes();
        let result = self.result(self.setup.reward.pay(&self.setup.trainer, &self.player));
        let extra = shaping.map_or(0.0, |s| s.pay(before, self.potential(result.terminated)));
        StepResult { reward: result.reward + extra, ..result }
    }

    /// Plays a numbered action.
    pub fn play(&mut self, action: GymAction) -> StepResult {
        let text = self.text_of(action);
        self.step(&text)
    }

    /// The text that a numbered action is played as.
    pub fn text_of(&self, action: GymAction) -> String {
        match (&self.setup.space, &self.numbers) {
            (Some(space), Some(numbers)) => space.render(action, &numbers.observation),
            _ => String::new(),
        }
    }

    /// A valid action, drawn at random; see [`ActionSpace::sample`].
    pub fn sample(&mut self) -> Option<GymAction> {
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

    /// The player of the incident that it is in.
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// A copy of the player that goes on from here on its own.
    pub fn fork_player(&self) -> Player {
        self.setup.trainer.fork(&self.player)
    }

    /// Whether the incident was resolved and over.
    pub fn success(&self) -> bool {
        self.setup.trainer.parts(&self.player).resolution
    }

    /// Goes on with another episode of the same pool: a fork or a snapshot of this one.
    pub fn adopt(&mut self, other: &Gym) {
        *self = Gym { setup: self.setup.clone(), ..other.clone() };
    }

    /// What the environments share.
    pub fn setup(&self) -> &Arc<GymSetup> {
        &self.setup
    }

    /// The structured observation, if it is kept.
    pub fn observation(&self) -> Option<&Observation> {
        self.numbers.as_ref().map(|numbers| &numbers.observation)
    }

    /// What can be done now: in the flat numbering, or in factors if they were asked for.
    pub fn mask(&self) -> &[u8] {
        match &self.numbers {
            Some(numbers) if self.setup.factored => &numbers.mask.factors,
            Some(numbers) => &numbers.mask.flat,
            None => &[],
        }
    }

    fn start(&mut self, player: Player) {
        self.player = player;
        if let (Some(space), Some(numbers)) = (&self.setup.space, &mut self.numbers) {
            numbers.observation.restart(&self.player);
            numbers.mask.clone_from(&space.at_page(&numbers.observation));
        }
    }

    fn potential(&self, terminated: bool) -> f64 {
        self.setup.shaping.map_or(0.0, |s| s.potential(&self.setup.trainer, &self.player, terminated))
    }

    fn take_notes(&mut self) {
        let minutes = self.player.elapsed().0 as f64 / 60_000.0;
        let (Some(space), Some(numbers)) = (&self.setup.space, &mut self.numbers) else { return };
        let Some(step) = self.setup.trainer.last_step(&self.player) else { return };
        numbers.observation.see(step, minutes);
        let unlocked = numbers.observation.take_unlocked();
        if unlocked.services != 0 || unlocked.lists {
            space.update(&numbers.observation, unlocked, &mut numbers.mask);
        }
    }

    fn result(&self, reward: f64) -> StepResult {
        let end = self.player.ending();
        let truncated = end == Some(EndReason::BudgetSpent);
        StepResult { reward, terminated: end.is_some() && !truncated, truncated }
    }
}

impl Clone for Gym {
    fn clone(&self) -> Gym {
        let Gym { setup, seed, drawn, sampled, numbers, .. } = self;
        let (setup, numbers, player) = (setup.clone(), numbers.clone(), self.fork_player());
        Gym { setup, seed: *seed, drawn: *drawn, sampled: *sampled, player, numbers }
    }
}

impl GymSetup {
    /// How many cells the mask of one environment has.
    pub fn mask_len(&self) -> usize {
        let cells = |space: &ActionSpace| if self.factored { space.sizes().iter().sum() } else { space.len() };
        self.space.as_ref().map_or(0, cells)
    }

    fn options(&self) -> EpisodeOptions {
        EpisodeOptions { tools: self.tools, ..self.options.clone() }
    }
}

impl Numbers {
    fn new(space: &ActionSpace, player: &Player) -> Numbers {
        let observation = Observation::new(player, space.services());
        let mask = Mask::clone(&space.at_page(&observation));
        Numbers { observation, mask }
    }
}
