//! A small seeded generator (splitmix64): the same seed throws the same dice on every machine.

/// A stream of random choices.
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// Dice for one episode.
    pub fn new(seed: u64) -> Dice {
        Dice { state: seed }
    }

    /// The next 64 random bits.
    pub fn roll(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        harness::mix(self.state)
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.roll()) * n as u128) >> 64) as usize
    }

    /// One of several.
    ///
    /// # Panics
    /// If there is nothing to pick from.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_throws_the_same_dice() {
        let throws = |seed| {
            let mut dice = Dice::new(seed);
            (0..8).map(|_| dice.below(6)).collect::<Vec<_>>()
        };
        assert_eq!(throws(1), throws(1));
        assert_ne!(throws(1), throws(2));
    }

    #[test]
    fn dice_are_fair() {
        let mut dice = Dice::new(7);
        let mut count = [0u32; 8];
        (0..80_000).for_each(|_| count[dice.below(8)] += 1);
        assert!(count.iter().all(|n| (9_600..10_400).contains(n)), "{count:?}");
        let hits = (0..100_000).filter(|_| dice.percent(11)).count();
        assert!((10_600..11_400).contains(&hits), "{hits}");
        assert_eq!(dice.below(0), 0);
    }
}
