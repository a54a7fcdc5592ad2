//! Draws in a row. Each generated thing has dice of its own, so that nothing moves when another does.

use world::Seed;
use world::rng::{Draw, Stream};

/// Dice that remember how often they were rolled.
pub(super) struct GeneratorDice {
    stream: Stream,
    rolled: u64,
}

impl GeneratorDice {
    /// Dice for the thing of that name and number.
    pub fn new(seed: Seed, what: &str, number: u64) -> GeneratorDice {
        GeneratorDice { stream: seed.stream(what).within(number), rolled: 0 }
    }

    /// The next draw.
    pub fn roll(&mut self) -> Draw {
        self.rolled += 1;
        self.stream.at(self.rolled)
    }

    /// A whole number from `low` to `high`, both included.
    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        low + self.roll().below((high - low + 1) as u64) as usize
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.roll().chance(p)
    }

    /// One of `items`.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        self.roll().pick(items)
    }
}
