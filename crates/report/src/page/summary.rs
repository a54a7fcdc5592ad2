//! What the numbers come to in sentences: who leads, who cannot be told apart, who is not ranked and why.

use std::collections::BTreeSet;
use std::fmt::Display;

use crate::facts::{AgentFacts, Facts, ReportSetting};
use crate::tables::Form;

/// So many agents that are not ranked have a sentence each.
const FEW: usize = 2;

/// The verdict of each setting, as sentences.
pub(super) fn verdicts(facts: &Facts) -> Vec<String> {
    let mut all: Vec<String> = (0..facts.settings.len()).flat_map(|at| verdict(facts, at)).collect();
    if facts.settings.len() > 1 {
        all.push(
            "Episodes played by different rules are told apart and never pooled or ranked against each other.".into(),
        );
    }
    all
}

fn verdict(facts: &Facts, at: usize) -> Vec<String> {
    let agents: Vec<_> = facts.agents.iter().filter(|agent| agent.setting == at).collect();
    let ranked: Vec<_> = agents.iter().filter(|agent| agent.rank.is_some()).collect();
    let place = match &facts.settings[at].name {
        name if name.is_empty() => String::new(),
        name => format!("{name}: "),
    };
    let own = |agent: &'_ AgentFacts| plain(&agent.agent, &facts.settings[at].name);
    let mut all = Vec::new();
    if ranked.len() == 1 && agents.len() > 1 {
        all.push(format!("{place}Only {} is ranked.", own(ranked[0])));
    } else if ranked.len() == 1 {
        all.push(format!("{place}{} stands alone: there is no other agent to rank it against.", own(ranked[0])));
    } else if !ranked.is_empty() {
        let mut ranks: Vec<(u32, Vec<String>)> = Vec::new();
        for agent in &ranked {
            match ranks.last_mut() {
                Some((rank, names)) if Some(*rank) == agent.rank => names.push(own(agent)),
                _ => ranks.push((agent.rank.unwrap_or_default(), vec![own(agent)])),
            }
        }
        let told = ranks.iter().map(|(rank, names)| match names.len() {
            1 => format!("{rank}. {}", names[0]),
            n => format!("{rank}. {} and {} (cannot be told apart)", names[..n - 1].join(", "), names[n - 1]),
        });
        all.push(format!("{place}Ranked by success: {}.", told.collect::<Vec<_>>().join("; ")));
    } else {
        all.push(format!("{place}No agent is ranked."));
    }
    for ceiling in facts.ceilings.iter().filter(|ceiling| ceiling.setting == at) {
        all.push(format!(
            "{place}Blind ceiling: {} succeeds in {} without a look at a symptom; \u{201c}above blind\u{201d} is the part of the rest that \
             an agent reaches.",
            plain(&ceiling.shown, &facts.settings[at].name),
            Form::Percent.show(ceiling.ceiling.success_rate)
        ));
    }
    let refused = agents.iter().copied().filter(|agent| agent.refused.is_some());
    let (uncovered, others): (Vec<_>, Vec<_>) = refused.partition(|agent| agent.coverage.share < facts.threshold);
    if uncovered.len() > FEW {
        let each =
            uncovered.iter().map(|agent| format!("{} ({})", own(agent), Form::Percent.show(agent.coverage.share)));
        all.push(format!(
            "{place}Not ranked, because less than {} of the planned episodes count: {}. What is left may not be a fair \
             sample.",
            Form::Percent.show(facts.threshold).replace(".0", ""),
            each.collect::<Vec<_>>().join(", ")
        ));
    }
    let told = others.iter().chain(uncovered.iter().filter(|_| uncovered.len() <= FEW));
    all.extend(told.filter_map(|agent| agent.refused.as_ref()).map(|why| format!("{why}.")));
    all
}

/// An agent's name without its setting, where that was said already.
fn plain(agent: &str, setting: &str) -> String {
    agent.strip_suffix(setting).and_then(|name| name.strip_suffix(" \u{b7} ")).unwrap_or(agent).to_owned()
}

/// What was run, as names and values.
pub(super) fn ran(setting: &ReportSetting) -> Vec<(&'static str, String)> {
    let rules = &setting.rules;
    let world = if setting.of_this_world { String::new() } else { " (another one than this program's)".to_owned() };
    let mut all = vec![
        ("suite", rules.suite.clone()),
        ("world version", format!("{}{world}", rules.world_version)),
        ("suite version", rules.suite_version.to_string()),
        ("tasks", setting.tasks.to_string()),
        ("seeds", seeds(&setting.seeds)),
        ("repeats of each seed", setting.repeats.to_string()),
        ("noise", needed(&rules.noise, &setting.noises)),
        ("tools", needed(&rules.tools, &setting.tool_sets)),
        ("episodes finished", Form::Count.show(f64::from(setting.episodes))),
        ("digest of the tasks", short(&setting.tasks_digest)),
        ("digest of the records", short(&setting.digest)),
    ];
    if rules.rewards {
        all.push(("rewards", "shown while it was played: training, which is not ranked".to_owned()));
    }
    all
}

/// What was asked for, and what tasks needed beyond it: `0 (2, 3 where a task needs it)`.
fn needed<T: Display + Ord>(asked: &T, played: &BTreeSet<T>) -> String {
    let more: Vec<String> = played.iter().filter(|one| *one != asked).map(T::to_string).collect();
    if more.is_empty() { asked.to_string() } else { format!("{asked} ({} where a task needs it)", more.join(", ")) }
}

fn short(digest: &str) -> String {
    digest.chars().take(16).collect()
}

/// Seeds as ranges: `0 to 4, 9`.
fn seeds(seeds: &[u64]) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for seed in seeds {
        match ranges.last_mut() {
            Some((_, end)) if end.checked_add(1) == Some(*seed) => *end = *seed,
            _ => ranges.push((*seed, *seed)),
        }
    }
    let more = ranges.len().saturating_sub(8);
    let range = |(from, to): &(u64, u64)| if from == to { from.to_string() } else { format!("{from} to {to}") };
    let mut text = ranges.iter().take(8).map(range).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more ranges"));
    }
    text
}

/// How the numbers were made, for the reader who doubts them.
pub(super) fn method(facts: &Facts) -> Vec<(&'static str, String)> {
    let level = Form::Percent.show(facts.level).replace(".0", "");
    let threshold = Form::Percent.show(facts.threshold).replace(".0", "");
    vec![
        (
            "Two denominators",
            "Rates are over counted episodes: those that ended by the agent's own doing. An episode whose provider failed \
             is missing data, in no rate. Coverage is counted among planned. \u{201c}Of planned\u{201d} takes all planned \
             episodes as the denominator: the floor, if everything that is missing had failed."
                .to_owned(),
        ),
        (
            "Intervals",
            format!(
                "All intervals are at {level}. Episodes of one task family within one service resemble each other, so \
                 these are the clusters (families, for short): rates and shares have Wilson's form with the effective \
                 number of episodes from cluster-robust (CR2) \
                 errors, means Student's t with the same errors, marks and shares of sums a jackknife over families. \
                 The table of all figures names the method of each. Where hardly any episode differs \
                 from the rest, a correlation of 0.2 within families is taken."
            ),
        ),
        (
            "Ranks",
            format!(
                "Agents are compared pair by pair on the tasks and seeds they share, with cluster-robust errors. \
                 A rank is one more than the number of agents that are better with p below 0.05 in that comparison \
                 alone; agents that cannot be told apart share one. What may be claimed of many agents is in the table \
                 of comparisons, after Holm's adjustment for all of them. Below a coverage of {threshold} an \
                 agent is not ranked: what failed may not be a fair sample. Nor \
                 is one that played less than half of the tasks."
            ),
        ),
        success(facts),
        (
            "Again",
            "Every number here is in report.json and can be recomputed from episodes.jsonl; every episode has a record \
             that can be graded again (sre-zero rescore) and simulated again (sre-zero replay)."
                .to_owned(),
        ),
    ]
}

/// What success means, and what marks are made of where they are given.
fn success(facts: &Facts) -> (&'static str, String) {
    let resolved = "the agent resolved the incident and, after the verification window, it was over";
    match (facts.has_marks(), facts.is_of_clusters()) {
        (true, _) => (
            "Marks",
            format!(
                "40 x success rate + 25 x mean reward + 20 x evidence coverage + 10 x efficiency + 5 x validity. Success means that {resolved}."
            ),
        ),
        (_, true) => {
            ("Success", "The problem was mitigated: its checks held when the agent said that it was done.".to_owned())
        }
        _ => ("Success", "The reply was right as a whole.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_told_as_ranges() {
        assert_eq!(seeds(&[0, 1, 2, 3, 4, 9]), "0 to 4, 9");
        assert_eq!(seeds(&[7, u64::MAX]), format!("7, {}", u64::MAX));
        assert_eq!(seeds(&(0..20).map(|n| n * 2).collect::<Vec<_>>()), "0, 2, 4, 6, 8, 10, 12, 14 and 12 more ranges");
    }
}
