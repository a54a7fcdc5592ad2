//! A cache whose keys are known: how it warms follows from how often each of them is asked for.

use std::sync::Arc;

use crate::math::{exp, ln};

/// Points of the table, from one lookup on, and by how much each stands for more lookups than the one before.
const POINTS: usize = 96;
const STEP: f64 = 1.2;
/// No table is made of more keys: so many are as good as any.
const MOST: usize = 100_000;

/// How much is held and found after so many lookups of a cache that held nothing: a key that is asked for with the
/// probability p is there after n lookups with the probability 1 - exp(-p n).
#[derive(Clone)]
pub(super) struct KnownKeys(Arc<[Known]>);

#[derive(Clone, Copy, Debug)]
struct Known {
    lookups: f64,
    /// The share of the keys that is held, and of the lookups that find theirs.
    held: f64,
    found: f64,
}

impl KnownKeys {
    /// So many keys, asked for by Zipf's law with an exponent; none where there are no keys.
    pub fn new(keys: f64, zipf: f64) -> Option<KnownKeys> {
        let count = (keys as usize).min(MOST);
        if count == 0 {
            return None;
        }
        let shares: Vec<f64> = (1..=count).map(|rank| exp(-zipf * ln(rank as f64))).collect();
        let all: f64 = shares.iter().sum();
        let mut lookups = 1.0;
        let mut table = vec![Known { lookups: 0.0, held: 0.0, found: 0.0 }];
        for _ in 0..POINTS {
            let (held, found) = shares.iter().fold((0.0, 0.0), |(held, found), share| {
                let there = 1.0 - exp(-share / all * lookups);
                (held + there, found + share * there)
            });
            table.push(Known { lookups, held: held / count as f64, found: found / all });
            lookups *= STEP;
        }
        Some(KnownKeys(table.into()))
    }

    /// The share of lookups that find their key where a share of the keys is held.
    pub fn found(&self, held: f64) -> f64 {
        self.between(|known| known.held, held, |known| known.found)
    }

    /// The share of the keys that is held after so many lookups more.
    pub fn after(&self, held: f64, lookups: f64) -> f64 {
        let before = self.between(|known| known.held, held, |known| known.lookups);
        self.between(|known| known.lookups, before + lookups, |known| known.held)
    }

    /// Between two points of the table on a straight line, beyond the last what stands there.
    fn between(&self, of: fn(&Known) -> f64, value: f64, wanted: fn(&Known) -> f64) -> f64 {
        let at = self.0.partition_point(|known| of(known) <= value);
        let (Some(low), Some(high)) = (self.0.get(at.max(1) - 1), self.0.get(at.max(1))) else {
            return self.0.last().map_or(0.0, wanted);
        };
        let part = ((value - of(low)) / (of(high) - of(low)).max(1e-12)).clamp(0.0, 1.0);
        wanted(low) + (wanted(high) - wanted(low)) * part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn popular_keys_come_first() {
        let keys = KnownKeys::new(2000.0, 0.9).expect("keys");
        let held = keys.after(0.0, 1000.0);
        assert!(held < 0.3 && keys.found(held) > 1.5 * held, "{held} held, {} found", keys.found(held));
        assert!((keys.after(keys.after(0.0, 400.0), 600.0) - held).abs() < 1e-3);
        assert!(keys.found(1.0) > 0.999 && keys.found(0.0) == 0.0);
    }

    #[test]
    fn keys_that_are_alike_are_found_as_often_as_they_are_held() {
        let keys = KnownKeys::new(500.0, 0.0).expect("keys");
        for held in [0.1, 0.5, 0.9] {
            assert!((keys.found(held) - held).abs() < 1e-6);
        }
        assert!(KnownKeys::new(0.0, 0.0).is_none());
    }
}
