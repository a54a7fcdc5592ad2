//! What each agent did, in sentences: how much it resolved, how the rest failed, where it is strong and what it overlooks.

use crate::analysis::{Category, GroupAnalysis};
use crate::facts::{AgentFacts, GroupFacts};
use crate::tables::Form;

/// A group with fewer episodes is not called strong or weak.
const ENOUGH: u32 = 3;

/// So many kinds of failure are named.
const NAMED: usize = 3;

/// An agent in a few sentences; none if it met no incident.
pub(super) fn in_words(agent: &AgentFacts) -> Vec<String> {
    if agent.metrics.is_of_questions() {
        return Vec::new();
    }
    if agent.in_clusters {
        return [stages(agent)].into_iter().chain(strengths(agent)).collect();
    }
    let mut all = vec![resolved(agent)];
    all.extend(failures(agent));
    all.extend(strengths(agent));
    all.extend(agent.analysis.as_ref().into_iter().flat_map(habits));
    all
}

fn resolved(agent: &AgentFacts) -> String {
    let (counted, successes) = (agent.coverage.counted, successes(agent));
    match (successes, counted) {
        (_, 0) => "No episode of it counts.".to_owned(),
        (all, counted) if all == counted => format!("Resolved all {counted} episodes."),
        (0, counted) => format!("Resolved none of {counted} episodes."),
        (some, counted) => format!("Resolved {some} of {counted} episodes."),
    }
}

/// What came of problems in a cluster.
fn stages(agent: &AgentFacts) -> String {
    let counted = agent.coverage.counted;
    let diagnosed = agent.metrics.root_cause_identification_rate * f64::from(counted);
    match counted {
        0 => "No episode of it counts.".to_owned(),
        _ => format!("Named the cause in {diagnosed:.0} of {counted} episodes and mitigated {}.", successes(agent)),
    }
}

fn successes(agent: &AgentFacts) -> u32 {
    agent.categories.get(&Category::Success).copied().unwrap_or(0)
}

/// The kinds of failure of an agent that count, the most frequent first.
pub(super) fn kinds(agent: &AgentFacts) -> Vec<(Category, u32)> {
    let counts = agent.categories.iter().map(|(category, count)| (*category, *count));
    let mut kinds: Vec<(Category, u32)> =
        counts.filter(|(category, _)| !matches!(category, Category::Success | Category::Provider)).collect();
    kinds.sort_by_key(|(category, count)| (std::cmp::Reverse(*count), *category));
    kinds
}

fn failures(agent: &AgentFacts) -> Option<String> {
    let kinds = kinds(agent);
    let failed: u32 = kinds.iter().map(|(_, count)| count).sum();
    let told: Vec<String> =
        kinds.iter().take(NAMED).map(|(category, count)| format!("{count} {}", deed_of(*category, *count))).collect();
    match (&told[..], failed) {
        ([], _) => None,
        ([_], 1) => Some(format!("The one failure {}.", deed_of(kinds[0].0, 1))),
        ([_], 2) => Some(format!("Both failures {}.", deed(kinds[0].0))),
        ([_], _) => Some(format!("All {failed} failures {}.", deed(kinds[0].0))),
        ([first @ .., last], _) => Some(format!("Of {failed} failures {} and {last}.", first.join(", "))),
    }
}

/// What was done in so many failures of this kind, behind their number.
fn deed_of(category: Category, count: u32) -> String {
    if count == 1 { deed(category).replacen("were", "was", 1) } else { deed(category).to_owned() }
}

/// What was done in failures of this kind.
fn deed(category: Category) -> &'static str {
    match category {
        Category::Success | Category::Provider => "were none",
        Category::Invalid => "were mostly no valid actions",
        Category::WrongFix => "changed the wrong thing",
        Category::Distractor => "fell for a distractor",
        Category::Premature => "were called over too early",
        Category::Budget => "ran out of steps",
        Category::Escalated => "were handed over",
        Category::Other => "were given up",
    }
}

/// The service where it does best and the one where it does worst.
fn strengths(agent: &AgentFacts) -> Option<String> {
    let groups = agent.groups.get("service")?.iter();
    let rate = |group: &GroupFacts| f64::from(group.successes) / f64::from(group.counted);
    let mut rates: Vec<(&String, f64)> =
        groups.filter(|(_, group)| group.counted >= ENOUGH).map(|(name, group)| (name, rate(group))).collect();
    // Of two that are equal the first by name.
    rates.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
    let ((best, high), (worst, low)) = (rates.first()?, rates.last()?);
    let show = |share: &f64| Form::Percent.show(*share);
    (high - low >= 0.2).then(|| {
        format!("Best where {best} is at fault ({} resolved), worst with {worst} ({}).", show(high), show(low))
    })
}

/// What its records say of how it works.
fn habits(analysis: &GroupAnalysis) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(step) = analysis.mean_evidence_step() {
        let unused = match analysis.evidence_unused {
            0 => String::new(),
            1 => "; once it was seen, and all that followed was about something else".to_owned(),
            n => format!("; {n} times it was seen, and all that followed was about something else"),
        };
        let (seen, episodes) = (analysis.with_evidence, analysis.episodes);
        all.push(format!(
            "A sign of the cause was seen in {seen} of {episodes} episodes, at step {step:.1} in the mean{unused}."
        ));
    } else if analysis.episodes > 0 {
        all.push("It never saw a sign of the cause.".to_owned());
    }
    if analysis.wrong_fixes > 0 {
        let recovered = match analysis.recovered {
            0 => "none was".to_owned(),
            1 => "one was".to_owned(),
            n => format!("{n} were"),
        };
        all.push(match (analysis.wrong_fixes, analysis.recovered) {
            (1, 0) => "The one episode with a wrong change was not resolved.".to_owned(),
            (1, _) => "The one episode with a wrong change was resolved all the same.".to_owned(),
            (all, _) => format!("Of {all} episodes with a wrong change {recovered} resolved all the same."),
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::stage;
    use super::*;
    use crate::facts::Facts;

    #[test]
    fn an_agent_is_told_in_sentences() {
        let facts = Facts::of(&[stage::source()], 1).expect("it can be put together");
        let told = |name: &str| {
            let agent = facts.agents.iter().find(|agent| agent.agent == name).expect("it is there");
            in_words(agent).join(" ")
        };
        assert_eq!(told("steady"), "Resolved all 8 episodes.");
        assert!(told("lost").starts_with("Resolved none of 8 episodes. All 8 failures "), "{}", told("lost"));
        assert_eq!(deed_of(Category::Premature, 1), "was called over too early");
        assert_eq!(deed_of(Category::Distractor, 1), "fell for a distractor");
        assert!(told("hasty@lab/model-1").starts_with("Resolved 5 of 8 episodes. All 3 failures "));
    }
}
