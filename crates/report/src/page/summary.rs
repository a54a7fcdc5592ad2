//! What the numbers come to in sentences: who leads, who cannot be told apart, who is not ranked and why.

use super::facts::Facts;
use super::merge::Setting;
use crate::tables::Form;

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
    let mut all = Vec::new();
    if ranked.len() == 1 && agents.len() > 1 {
        all.push(format!("{place}Only {} is ranked.", ranked[0].agent));
    } else if ranked.len() == 1 {
        all.push(format!("{place}{} stands alone: there is nobody to rank it against.", ranked[0].agent));
    } else if !ranked.is_empty() {
        let mut ranks: Vec<(u32, Vec<&str>)> = Vec::new();
        for agent in &ranked {
            match ranks.last_mut() {
                Some((rank, names)) if Some(*rank) == agent.rank => names.push(&agent.agent),
                _ => ranks.push((agent.rank.unwrap_or_default(), vec![&agent.agent])),
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
    all.extend(agents.iter().filter_map(|agent| agent.refused.clone()).map(|why| format!("{why}.")));
    all
}

/// What was run, as names and values.
pub(super) fn ran(setting: &Setting) -> Vec<(&'static str, String)> {
    let rules = &setting.rules;
    let world = if setting.of_this_world { String::new() } else { " (another one than this program's)".to_owned() };
    vec![
        ("suite", rules.suite.clone()),
        ("world version", format!("{}{world}", rules.world_version)),
        ("suite version", rules.suite_version.to_string()),
        ("tasks", setting.tasks.to_string()),
        ("seeds", seeds(&setting.seeds)),
        ("repeats of each seed", setting.repeats.to_string()),
        ("noise", rules.noise.to_string()),
        ("tools", rules.tools.clone()),
        ("episodes finished", Form::Count.show(f64::from(setting.episodes))),
        ("digest of the tasks", short(&setting.tasks_digest)),
        ("digest of the records", short(&setting.digest)),
    ]
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
                 The table of all figures names the method of each. Where all values are equal there is no interval."
            ),
        ),
        (
            "Ranks",
            format!(
                "Agents are compared pair by pair on the tasks and seeds they share, with cluster-robust errors and \
                 Holm's adjustment for all comparisons. A rank is one more than the number of agents that are \
                 significantly better; whoever cannot be told apart shares one. Below a coverage of {threshold} an \
                 agent is not ranked: what failed may not be a fair sample."
            ),
        ),
        (
            "Marks",
            "40 x success rate + 25 x mean reward + 20 x evidence coverage + 10 x efficiency + 5 x validity. Success \
             means that the agent resolved the incident and, after the verification window, it was over."
                .to_owned(),
        ),
        (
            "Again",
            "Every number here is in report.json and can be recomputed from episodes.jsonl; every episode has a record \
             that can be graded again (sre-zero rescore) and simulated again (sre-zero replay)."
                .to_owned(),
        ),
    ]
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
