//! Ranks that the data bear out: agents that cannot be told apart share one, and an agent that was hardly
//! measured gets none. Whether two agents are told apart depends on these two alone, so that no rank moves because
//! others of the same strength were measured beside them; a claim stands on the value that is adjusted for all comparisons.

use std::collections::{BTreeMap, BTreeSet};

use record::grade::Score;
use serde::{Deserialize, Serialize};

use super::coverage::Coverage;
use super::interval::{Interval, LEVEL};
use super::multiple::holm;
use super::paired::{PairedDifference, pairs, rate_difference};
use super::rate;

/// One agent's scores, and how many episodes were planned for it.
#[derive(Clone, Debug)]
pub struct Entrant<'a> {
    /// The agent's name.
    pub agent: String,
    /// Its scores, provider failures included.
    pub scores: Vec<&'a Score>,
    /// Its planned episodes; `None` takes what was played as planned.
    pub planned: Option<u32>,
}

/// Where one agent stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedAgent {
    /// The agent's name.
    pub agent: String,
    /// One more than the number of agents that are told apart from it and better; `None` if it is not ranked.
    pub rank: Option<u32>,
    /// Why it is not ranked.
    pub refused: Option<String>,
    /// How much of its plan counts.
    pub coverage: Coverage,
    /// Its success rate; `None` if no episode counts.
    pub success: Option<Interval>,
}

/// One comparison behind the ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contest {
    /// The agent with the higher success rate.
    pub better: String,
    /// The other one.
    pub worse: String,
    /// Pairs that they have in common.
    pub pairs: u32,
    /// Their difference in success; `None` without a common pair.
    pub difference: Option<PairedDifference>,
    /// Its p-value after Holm's adjustment for all comparisons made here.
    pub p_holm: f64,
}

impl Contest {
    /// Whether the two are told apart, looked at by themselves: what ranks go by.
    pub fn tells_apart(&self) -> bool {
        self.difference.is_some_and(|found| found.p < 1.0 - LEVEL)
    }

    /// Whether the difference stands after the adjustment: what may be claimed.
    pub fn is_significant(&self) -> bool {
        self.p_holm < 1.0 - LEVEL
    }
}

/// All agents, best first, those that are not ranked last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The agents.
    pub standings: Vec<RankedAgent>,
    /// The comparisons behind the ranks, of every two agents that are ranked.
    pub contests: Vec<Contest>,
}

/// Ranks agents by success, pair by pair on what they have in common. An agent whose coverage is below
/// the threshold is not ranked, nor is one that played less than half of the tasks (no agent could beat it on
/// tasks that it never saw), nor one that was shown rewards. All are told why.
pub fn rank(entrants: &[Entrant<'_>], threshold: f64) -> Ranking {
    let mut standings: Vec<RankedAgent> = entrants.iter().map(|entrant| RankedAgent::of(entrant, threshold)).collect();
    let all = entrants.iter().flat_map(tasks).collect::<BTreeSet<&str>>().len();
    for (entrant, standing) in entrants.iter().zip(&mut standings) {
        let own = tasks(entrant).len();
        if own * 2 < all && standing.refused.is_none() {
            standing.refused = Some(format!(
                "{} is not ranked: it played {own} of the {all} tasks here, too few to stand beside the others",
                entrant.agent
            ));
        }
    }
    let ranked: Vec<&Entrant<'_>> = entrants
        .iter()
        .zip(&standings)
        .filter(|(_, standing)| standing.refused.is_none())
        .map(|(one, _)| one)
        .collect();
    let contests = contests(&ranked);
    let mut beaten: BTreeMap<&str, u32> = BTreeMap::new();
    for contest in contests.iter().filter(|contest| contest.tells_apart()) {
        *beaten.entry(&contest.worse).or_default() += 1;
    }
    for standing in standings.iter_mut().filter(|standing| standing.refused.is_none()) {
        standing.rank = Some(1 + beaten.get(&*standing.agent).copied().unwrap_or(0));
    }
    let place =
        |standing: &RankedAgent| (standing.rank.unwrap_or(u32::MAX), standing.success.map_or(0.0, |s| -s.point));
    standings.sort_by(|one, other| {
        let ((rank, rate), (other_rank, other_rate)) = (place(one), place(other));
        rank.cmp(&other_rank).then(rate.total_cmp(&other_rate)).then_with(|| one.agent.cmp(&other.agent))
    });
    Ranking { standings, contests }
}

/// The tasks on which it has episodes that count.
fn tasks<'a>(entrant: &'a Entrant<'_>) -> BTreeSet<&'a str> {
    entrant.scores.iter().filter(|score| score.counts()).map(|score| &*score.task).collect()
}

impl RankedAgent {
    fn of(entrant: &Entrant<'_>, threshold: f64) -> RankedAgent {
        let coverage = Coverage::of(entrant.scores.iter().copied(), entrant.planned);
        let trained = entrant.scores.iter().filter(|score| score.rewards).count();
        let why = if trained > 0 {
            Some(format!("it was shown rewards in {trained} of its episodes, which give the answer away"))
        } else {
            coverage.too_low(threshold)
        };
        let refused = why.map(|why| format!("{} is not ranked: {why}", entrant.agent));
        let success = rate(entrant.scores.iter().copied(), |score| score.success);
        RankedAgent { agent: entrant.agent.clone(), rank: None, refused, coverage, success }
    }
}

fn contests(entrants: &[&Entrant<'_>]) -> Vec<Contest> {
    let mut found = Vec::new();
    for (at, one) in entrants.iter().enumerate() {
        found.extend(entrants[at + 1..].iter().map(|other| contest(one, other)));
    }
    let p: Vec<f64> = found.iter().map(|contest: &Contest| contest.p_holm).collect();
    for (contest, p) in found.iter_mut().zip(holm(&p)) {
        contest.p_holm = p;
    }
    found
}

/// One comparison, its p-value not adjusted yet.
fn contest(one: &Entrant<'_>, other: &Entrant<'_>) -> Contest {
    let pairs = pairs(one.scores.iter().copied(), other.scores.iter().copied());
    let found = rate_difference(&pairs, |score| score.success);
    let swapped = found.is_some_and(|found| found.interval.point < 0.0);
    let (better, worse) = if swapped { (other, one) } else { (one, other) };
    Contest {
        better: better.agent.clone(),
        worse: worse.agent.clone(),
        pairs: pairs.len() as u32,
        difference: found.map(|found| if swapped { found.turned() } else { found }),
        p_holm: found.map_or(1.0, |found| found.p),
    }
}
