//! Randomness with an address: a draw is a pure function of (seed, stream, place), so that a bootstrap
//! is the same to the last bit on every machine and in whatever order it is made.

/// One stream of draws.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    key: u64,
}

impl Draws {
    /// The stream of that number under that seed.
    pub fn new(seed: u64, stream: u64) -> Draws {
        Draws { key: mix(mix(seed) ^ stream.wrapping_mul(GOLDEN)) }
    }

    /// Sixty-four bits at a place.
    pub fn bits(self, place: u64) -> u64 {
        mix(self.key.wrapping_add(place.wrapping_mul(GOLDEN)))
    }

    /// A whole number below `n` at a place.
    pub fn below(self, place: u64, n: usize) -> usize {
        // The high half of the product is even to 1 in 2^64 / n.
        ((u128::from(self.bits(place)) * n as u128) >> 64) as usize
    }

    /// A number from 0 to just below 1 at a place.
    pub fn unit(self, place: u64) -> f64 {
        (self.bits(place) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_address_gives_the_same_draw() {
        let draws = Draws::new(7, 1);
        assert_eq!([draws.bits(0), draws.bits(1)], [Draws::new(7, 1).bits(0), Draws::new(7, 1).bits(1)]);
        assert_ne!(draws.bits(0), Draws::new(7, 2).bits(0));
        assert_ne!(draws.bits(0), Draws::new(8, 1).bits(0));
    }

    #[test]
    fn draws_are_even() {
        let draws = Draws::new(1, 1);
        let mut counts = [0u32; 7];
        (0..70_000).for_each(|place| counts[draws.below(place, 7)] += 1);
        // Five standard deviations of a count of 10,000 with probability 1/7.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 463), "{counts:?}");
        let mean: f64 = (0..10_000).map(|place| draws.unit(place)).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.015, "{mean}");
    }
}
