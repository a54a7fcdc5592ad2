//! McNemar's test: of the pairs on which two agents differ, does one side win more than a coin would?

use serde::{Deserialize, Serialize};

use super::dist::{binomial_cdf, binomial_pmf};

/// The result of McNemar's test. It takes pairs as independent, which those of one family are not: read
/// it beside the cluster-paired interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct McNemar {
    /// Pairs that only the first agent got right.
    pub first_only: u32,
    /// Pairs that only the second agent got right.
    pub second_only: u32,
    /// The exact two-sided p-value.
    pub p_exact: f64,
    /// The mid-p value: less cautious, closer to its level.
    pub p_mid: f64,
}

impl McNemar {
    /// The test of so many pairs that differ, each way.
    pub fn of(first_only: u32, second_only: u32) -> McNemar {
        let (few, all) = (first_only.min(second_only).into(), u64::from(first_only) + u64::from(second_only));
        if all == 0 {
            return McNemar { first_only, second_only, p_exact: 1.0, p_mid: 1.0 };
        }
        let tail = binomial_cdf(few, all, 0.5);
        let p_exact = (2.0 * tail).min(1.0);
        let p_mid = (2.0 * tail - binomial_pmf(few, all, 0.5)).min(1.0);
        McNemar { first_only, second_only, p_exact, p_mid }
    }

    /// How many of the pairs that differ would have to go the other way for the exact test to cross the
    /// level; `None` if even all of them are not enough.
    pub fn flips_to_cross(&self, level: f64) -> Option<u32> {
        let significant = self.p_exact < level;
        let (more, less) = (self.first_only.max(self.second_only), self.first_only.min(self.second_only));
        let flipped = |flips: u32| match significant {
            true => McNemar::of(more - flips, less + flips),
            false => McNemar::of(more + flips, less - flips),
        };
        let most = if significant { more } else { less };
        (1..=most).find(|&flips| (flipped(flips).p_exact < level) != significant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flips_are_counted_from_the_nearer_side() {
        let check = |first, second, expect| {
            assert_eq!(McNemar::of(first, second).flips_to_cross(0.05), expect, "{first} {second}");
            assert_eq!(McNemar::of(second, first).flips_to_cross(0.05), expect, "{second} {first}");
        };
        // 6 of 6 has p = 0.03125, 5 of 6 has 0.21875.
        check(6, 0, Some(1));
        check(5, 1, Some(1));
        check(5, 0, None);
        check(0, 0, None);
        // 15 of 20 has p = 0.0414, 14 of 20 has 0.1153.
        check(15, 5, Some(1));
        check(10, 10, Some(5));
    }
}
