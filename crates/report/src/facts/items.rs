//! Questions as instruments: how hard each was, and whether those who do well elsewhere do well on it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::merge::AgentEpisodes;
use crate::tables::guard::shown;

/// With fewer agents a correlation between them says nothing.
const FEWEST_AGENTS: usize = 3;

/// One question, over all agents.
#[derive(Clone, Debug, Serialize)]
pub struct ItemFacts {
    /// Its id.
    pub question: String,
    /// Its family.
    pub family: String,
    /// Replies that count.
    pub replies: u32,
    /// The share of them that is right: how easy it is.
    pub right: f64,
    /// The correlation of being right on it with being right on the others, agent by agent; from -1 to 1. One below
    /// zero may have a wrong key. Nothing with fewer than three agents, or where all agents did alike.
    pub discrimination: Option<f64>,
}

/// What one agent did on one question.
#[derive(Clone, Copy, Default)]
struct AgentTally {
    right: f64,
    replies: f64,
}

pub(super) fn of(entries: &[AgentEpisodes<'_>]) -> Vec<ItemFacts> {
    let mut items: BTreeMap<(&str, &str), BTreeMap<usize, AgentTally>> = BTreeMap::new();
    let mut agents = vec![AgentTally::default(); entries.len()];
    for (at, entry) in entries.iter().enumerate() {
        let scores = entry.lines.iter().map(|line| &line.score);
        for score in scores.filter(|score| score.counts() && score.question.is_some()) {
            let right = if score.success { 1.0 } else { 0.0 };
            let tally = items.entry((&score.family, &score.task)).or_default().entry(at).or_default();
            for tally in [tally, &mut agents[at]] {
                tally.right += right;
                tally.replies += 1.0;
            }
        }
    }
    let item = |((family, question), tallies): ((&str, &str), BTreeMap<usize, AgentTally>)| {
        let replies: f64 = tallies.values().map(|tally| tally.replies).sum();
        let right: f64 = tallies.values().map(|tally| tally.right).sum();
        ItemFacts {
            question: shown(question),
            family: shown(family),
            replies: replies as u32,
            right: right / replies,
            discrimination: discrimination(&tallies, &agents),
        }
    };
    items.into_iter().map(item).collect()
}

fn discrimination(tallies: &BTreeMap<usize, AgentTally>, agents: &[AgentTally]) -> Option<f64> {
    let pairs: Vec<(f64, f64)> = tallies
        .iter()
        .filter_map(|(at, own)| {
            let others = agents[*at].replies - own.replies;
            (others > 0.0).then(|| (own.right / own.replies, (agents[*at].right - own.right) / others))
        })
        .collect();
    if pairs.len() < FEWEST_AGENTS { None } else { correlation(&pairs) }
}

/// Pearson's correlation; nothing if one side does not vary.
fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let (sum_x, sum_y) = pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let moment = |of: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|(x, y)| of(x - mean_x, y - mean_y)).sum::<f64>();
    let (xx, yy, xy) = (moment(&|x, _| x * x), moment(&|_, y| y * y), moment(&|x, y| x * y));
    (xx > 0.0 && yy > 0.0).then(|| (xy / libm::sqrt(xx * yy)).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_are_as_in_books() {
        let check = |pairs: &[(f64, f64)], expect: Option<f64>| {
            let found = correlation(pairs);
            assert!(found.zip(expect).map_or(found == expect, |(a, b)| (a - b).abs() < 1e-9), "{found:?} {expect:?}");
        };
        check(&[(0.0, 0.1), (0.5, 0.5), (1.0, 0.9)], Some(1.0));
        check(&[(1.0, 0.1), (0.5, 0.5), (0.0, 0.9)], Some(-1.0));
        check(&[(1.0, 0.1), (1.0, 0.5), (1.0, 0.9)], None);
        check(&[(1.0, 2.0), (2.0, 1.0), (3.0, 4.0), (4.0, 3.0)], Some(0.6));
    }
}
