//! Whether an agent does it again: several attempts at a task, and where their differences come from.

use std::collections::BTreeMap;

use record::grade::Score;
use serde::Serialize;

use super::Facts;
use crate::stats::{Reliability, VarianceSplit, reliability, variance_split};
use crate::tables::{Cell, Column, Estimate, Table};

/// How reliable an agent is.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReliabilityFacts {
    /// Over as many attempts as every task has.
    pub attempts: Reliability,
    /// Where the variance of success comes from; `None` if it cannot be split.
    pub variance: Option<VarianceSplit>,
}

impl ReliabilityFacts {
    /// Nothing if a task has fewer than two attempts that count.
    pub(super) fn of(counted: &[&Score]) -> Option<ReliabilityFacts> {
        let mut attempts: BTreeMap<&str, u32> = BTreeMap::new();
        for score in counted {
            *attempts.entry(&score.task).or_default() += 1;
        }
        let k = attempts.values().copied().min().filter(|k| *k >= 2)?;
        let success = |score: &Score| Some(if score.success { 1.0 } else { 0.0 });
        let variance = variance_split(counted.iter().copied(), success);
        Some(ReliabilityFacts { attempts: reliability(counted.iter().copied(), k)?, variance })
    }
}

/// The table; nothing if no agent has attempted every task twice.
pub(crate) fn table(facts: &Facts) -> Option<Table> {
    let columns = vec![
        Column::words("agent", "Agent"),
        Column::count("k", "Attempts k"),
        Column::percent("pass_at_k", "One of k succeeds (pass@k)"),
        Column::percent("pass_all_k", "All k succeed (pass^k)"),
        Column::percent("variance_task", "Variance from tasks"),
        Column::percent("variance_seed", "From world seeds"),
        Column::percent("variance_sampling", "From sampling"),
    ];
    let mut table = Table::new("reliability", "How reliable, and where chance comes in", columns);
    let known = facts.agents.iter().filter_map(|agent| Some((agent, agent.reliability.as_ref()?)));
    for (agent, ReliabilityFacts { attempts, variance }) in known {
        let share = |part: fn(&VarianceSplit) -> Option<f64>| {
            Cell::maybe(variance.as_ref().filter(|v| v.total() > 0.0).and_then(|v| Some(v.share(part(v)?))))
        };
        table.push(vec![
            Cell::Words(agent.agent.clone()),
            attempts.k.into(),
            Cell::estimate(Some(Estimate::from(attempts.at_least_one))),
            Cell::estimate(Some(Estimate::from(attempts.all))),
            share(|v| Some(v.task)),
            // Without repetitions, seeds and sampling cannot be told apart.
            if variance.is_some_and(|v| v.seed.is_none() && v.total() > 0.0) {
                Cell::Words("in sampling".to_owned())
            } else {
                share(|v| v.seed)
            },
            share(|v| Some(v.sampling)),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::stage;

    #[test]
    fn one_attempt_says_nothing_and_two_do() {
        let cases = [("one", 0, true), ("one", 1, false), ("two", 0, true), ("two", 1, true)];
        let score = |(task, seed, good)| stage::line("a", (task, "crash", "easy"), seed, good).score;
        let scores: Vec<Score> = cases.map(score).into();
        let all: Vec<&Score> = scores.iter().collect();
        assert!(ReliabilityFacts::of(&all[..3]).is_none(), "task two has one attempt");
        let facts = ReliabilityFacts::of(&all).expect("each task has two");
        assert_eq!((facts.attempts.k, facts.attempts.at_least_one.point, facts.attempts.all.point), (2, 1.0, 0.5));
        assert!(facts.variance.is_some_and(|split| split.seed.is_none() && split.sampling > 0.0));
    }
}
