//! Two agents, or two runs, pair by pair: whether they differ, and what would change that verdict.

mod common;
mod figures;
#[cfg(test)]
mod tests;
mod text;
mod verdict;
mod what_if;

use record::EpisodeLine;
use record::grade::Score;
use serde::{Deserialize, Serialize};

use crate::stats::{Coverage, Interval, McNemar, PairedDifference, mcnemar, rate, rate_difference};

pub use common::{Common, Incomparable};
pub use figures::{FigurePair, PairGroup};
pub use text::text;
pub use verdict::ComparisonVerdict;
pub use what_if::WhatIf;

/// One side of a comparison.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    /// What to call it.
    pub name: String,
    /// Its episodes.
    pub lines: Vec<&'a EpisodeLine>,
    /// How many were planned; `None` takes what was played as planned.
    pub planned: Option<u32>,
}

/// Two sides, compared on what they have in common. Differences are the first less the second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The first side's name.
    pub first: String,
    /// The second side's name.
    pub second: String,
    /// How much of each side's plan counts.
    pub coverage: [Coverage; 2],
    /// What they have in common, and what not.
    pub common: Common,
    /// The success rates over the common pairs.
    pub success: [Interval; 2],
    /// Their difference, with errors by family.
    pub difference: PairedDifference,
    /// McNemar's exact test of the same.
    pub mcnemar: McNemar,
    /// Other figures over the common pairs.
    pub figures: Vec<FigurePair>,
    /// Success by difficulty.
    pub by_difficulty: Vec<PairGroup>,
    /// Pairs on which the two differ.
    pub flips: Vec<Flip>,
    /// The verdict.
    pub verdict: ComparisonVerdict,
    /// What would change it.
    pub what_if: WhatIf,
}

/// A pair on which the two sides differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Flip {
    /// The task.
    pub task: String,
    /// The world's seed.
    pub seed: u64,
    /// The repetition.
    pub repeat: u32,
    /// Whether it was the first side that succeeded.
    pub first_won: bool,
}

/// A pair of scores, the first side's first.
pub(crate) type Pair<'a> = (&'a Score, &'a Score);

/// Compares two sides; an error says why that would mean nothing.
pub fn compare(first: &Side<'_>, second: &Side<'_>) -> Result<Comparison, Incomparable> {
    compared(first, second, false)
}

/// Compares two sides that may have been played with noise of different strength: what does noise cost?
pub fn compare_across_noise(first: &Side<'_>, second: &Side<'_>) -> Result<Comparison, Incomparable> {
    compared(first, second, true)
}

fn compared(first: &Side<'_>, second: &Side<'_>, across_noise: bool) -> Result<Comparison, Incomparable> {
    if let Some(side) = [first, second].into_iter().find(|side| side.lines.iter().any(|line| line.score.rewards)) {
        return Err(Incomparable::RewardsShown(side.name.clone()));
    }
    let (common, pairs) = common::pairs(first, second, across_noise)?;
    let won = |score: &Score| score.success;
    let success = [rate(pairs.iter().map(|pair| pair.0), won), rate(pairs.iter().map(|pair| pair.1), won)];
    let ([Some(one), Some(other)], Some(difference)) = (success, rate_difference(&pairs, won)) else {
        return Err(Incomparable::NothingCounts);
    };
    let test = mcnemar(&pairs, won);
    let coverage = [first, second].map(|side| Coverage::of(side.lines.iter().map(|line| &line.score), side.planned));
    let verdict = verdict::verdict([first, second], &coverage, [one, other], &difference, &test);
    Ok(Comparison {
        first: first.name.clone(),
        second: second.name.clone(),
        coverage,
        common,
        success: [one, other],
        difference,
        mcnemar: test,
        figures: figures::figures(&pairs),
        by_difficulty: figures::by_difficulty(&pairs),
        flips: flips(&pairs),
        verdict,
        what_if: what_if::what_if(&pairs, &difference, &test),
    })
}

fn flips(pairs: &[Pair<'_>]) -> Vec<Flip> {
    let differing = pairs.iter().filter(|(one, other)| one.success != other.success);
    let flip = |(one, _): &Pair<'_>| Flip {
        task: one.task.to_string(),
        seed: one.seed,
        repeat: one.repeat,
        first_won: one.success,
    };
    differing.map(flip).collect()
}
