//! Randomness with an address: a draw is a pure function of (seed, label, index).
//! There is no generator to advance, so looking at something never changes what happens next, and
//! one more draw in one place moves nothing elsewhere.

use serde::{Deserialize, Serialize};

/// The one number that picks everything random in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

/// One purpose's own draws. Two purposes, two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

/// One draw: 64 bits that can be read in several ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw(u64);

impl Seed {
    /// The stream for a purpose, such as `cart/latency`.
    pub fn stream(self, label: &str) -> Stream {
        let mut hash = mix(self.0 ^ 0x51_7c_c1_b7_27_22_0a_95);
        for chunk in label.as_bytes().chunks(8) {
            let mut word = [0u8; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            hash = mix(hash ^ u64::from_le_bytes(word)).wrapping_add(chunk.len() as u64);
        }
        Stream(hash)
    }

    /// A seed of its own for part of a world.
    pub fn derive(self, label: &str) -> Seed {
        Seed(self.stream(label).0)
    }
}

impl Stream {
    /// The draw at `index`, which is often a tick.
    pub fn at(self, index: u64) -> Draw {
        Draw(mix(self.0 ^ mix(index.wrapping_add(0x9e37_79b9_7f4a_7c15))))
    }

    /// A stream within this one, for a second dimension.
    pub fn within(self, index: u64) -> Stream {
        Stream(self.at(index).0)
    }
}

impl Draw {
    /// All 64 bits.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Uniform in [0, 1).
    pub fn unit(self) -> f64 {
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [-1, 1).
    pub fn signed(self) -> f64 {
        self.unit() * 2.0 - 1.0
    }

    /// Uniform in [low, high).
    pub fn between(self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform whole number below `n`; 0 if `n` is 0.
    pub fn below(self, n: u64) -> u64 {
        ((u128::from(self.0) * u128::from(n)) >> 64) as u64
    }

    /// True with probability `p`.
    pub fn chance(self, p: f64) -> bool {
        self.unit() < p
    }

    /// What [`Draw::normal`] never goes beyond.
    pub(crate) const MOST_NORMAL: f64 = 3.5;

    /// About normal with mean 0 and deviation 1 (sum of four uniforms; never beyond 3.5).
    pub fn normal(self) -> f64 {
        let part = |shift: u32| ((self.0 >> shift) & 0xffff) as f64 / 65536.0;
        (part(0) + part(16) + part(32) + part(48) - 2.0) * 1.732_050_807_568_877_2
    }

    /// One of `items`, which must not be empty.
    pub fn pick<T>(self, items: &[T]) -> &T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): close numbers in, unrelated numbers out.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_depends_on_its_address_alone() {
        let stream = Seed(7).stream("cart/latency");
        assert_eq!(stream.at(3), Seed(7).stream("cart/latency").at(3));
        assert_ne!(stream.at(3), stream.at(4));
        assert_ne!(stream.at(3), Seed(8).stream("cart/latency").at(3));
        assert_ne!(stream.at(3), Seed(7).stream("cart/errors").at(3));
    }

    #[test]
    fn draws_have_the_moments_they_promise() {
        let stream = Seed(1).stream("moments");
        let n = 20_000;
        let mean = |f: &dyn Fn(Draw) -> f64| (0..n).map(|i| f(stream.at(i))).sum::<f64>() / n as f64;
        assert!((mean(&Draw::unit) - 0.5).abs() < 0.01);
        assert!(mean(&Draw::normal).abs() < 0.03);
        assert!((mean(&|d| d.normal() * d.normal()) - 1.0).abs() < 0.05);
        assert!((mean(&|d| d.below(10) as f64) - 4.5).abs() < 0.1);
    }
}
