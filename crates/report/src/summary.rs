//! `summary.json`: what a run came to, agent by agent.

use std::collections::{BTreeMap, BTreeSet};

use harness::grade::{Metrics, Score};
use serde::{Deserialize, Serialize};

use crate::rounding::rounded;

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// What was run.
    #[serde(flatten)]
    pub run: Run,
    /// One entry per agent and suite, by name.
    pub agents: Vec<AgentSummary>,
}

/// What was run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The version of the world's behaviour.
    pub world_version: u32,
    /// The version of the tasks and their grading.
    pub suite_version: u32,
    /// The seed of the first episode.
    pub seed: u64,
    /// The digest of all records.
    pub digest: String,
}

/// What one agent came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentSummary {
    /// The agent's name.
    pub agent: String,
    /// The suite that the run asked for.
    pub suite: String,
    /// Over all episodes.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// Over the episodes of each difficulty.
    pub by_difficulty: BTreeMap<String, Metrics>,
    /// Over the episodes of each task.
    pub by_task: BTreeMap<String, Metrics>,
}

impl Summary {
    /// Sums up the scores, in whatever order they come.
    pub fn of<'a>(run: Run, scores: impl IntoIterator<Item = &'a Score>) -> Summary {
        let mut scores: Vec<&Score> = scores.into_iter().collect();
        // One order for all callers: the last bits of a sum depend on it.
        scores.sort_by(|one, other| place(one).cmp(&place(other)));
        let agents: BTreeSet<(&str, &str)> = scores.iter().map(|score| (&*score.agent, &*score.suite)).collect();
        let agents = agents.into_iter().map(|(agent, suite)| AgentSummary::of(agent, suite, &scores)).collect();
        Summary { run, agents }
    }

    /// The text of `summary.json`: sorted keys, six decimals, the same bytes for the same scores.
    pub fn to_json(&self) -> String {
        let value = serde_json::to_value(self).expect("a summary is plain data");
        let text = serde_json::to_string_pretty(&rounded(value)).expect("a JSON value can be written");
        text + "\n"
    }
}

fn place(score: &Score) -> (&str, &str, &str, u64, u32) {
    (&score.agent, &score.suite, &score.task, score.seed, score.episode)
}

impl AgentSummary {
    fn of(agent: &str, suite: &str, scores: &[&Score]) -> AgentSummary {
        let own = |score: &&&Score| score.agent == agent && score.suite == suite;
        let scores: Vec<&Score> = scores.iter().filter(own).copied().collect();
        AgentSummary {
            agent: agent.to_owned(),
            suite: suite.to_owned(),
            metrics: Metrics::of(scores.iter().copied()),
            by_difficulty: by(&scores, |score| &score.difficulty),
            by_task: by(&scores, |score| &score.task),
        }
    }
}

fn by(scores: &[&Score], group: impl Fn(&Score) -> &str) -> BTreeMap<String, Metrics> {
    let mut groups: BTreeMap<String, Vec<&Score>> = BTreeMap::new();
    for score in scores {
        groups.entry(group(score).to_owned()).or_default().push(score);
    }
    groups.into_iter().map(|(name, scores)| (name, Metrics::of(scores))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{run, scores};
    use serde_json::Value;

    #[test]
    fn the_order_of_the_scores_does_not_show() {
        let mut scores = scores();
        let text = Summary::of(run(), &scores).to_json();
        scores.reverse();
        assert_eq!(Summary::of(run(), &scores).to_json(), text);
    }

    #[test]
    fn a_summary_can_be_read_back() {
        let text = Summary::of(run(), &scores()).to_json();
        let read: Summary = serde_json::from_str(&text).expect("it is a summary");
        assert_eq!(read.to_json(), text);
    }

    #[test]
    fn everything_has_its_published_name() {
        let text = Summary::of(run(), &scores()).to_json();
        let value: Value = serde_json::from_str(&text).expect("it is JSON");
        for name in ["world_version", "suite_version", "seed", "digest", "agents"] {
            assert!(value.get(name).is_some(), "no `{name}` at the top");
        }
        let names = "agent suite episodes marks success_rate mean_reward evidence_coverage invalid_action_rate \
            mean_steps wrong_remediation_rate distractor_failure_rate premature_resolution_rate \
            root_cause_identification_rate fix_identification_rate correct_service_remediation_rate \
            correct_remediation_rate remediation_precision failure_modes by_difficulty by_task \
            mean_minutes_to_resolution mean_impact harm_avoided recovery_rate undo_rate mean_recovery_steps \
            remediation_specificity distractor_robustness step_efficiency provider_failures";
        for name in names.split_whitespace() {
            assert!(value["agents"][0].get(name).is_some(), "no `{name}` for an agent");
        }
        assert!(value["agents"][0]["by_difficulty"]["easy"].get("marks").is_some());
    }

    #[test]
    fn each_agent_stands_for_itself() {
        let summary = Summary::of(run(), &scores());
        let names: Vec<&str> = summary.agents.iter().map(|agent| agent.agent.as_str()).collect();
        assert_eq!(names, ["idle", "steady"]);
        let steady = &summary.agents[1];
        assert_eq!((steady.metrics.episodes, steady.metrics.success_rate), (2, 1.0));
        assert_eq!(steady.by_task.keys().collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(summary.agents[0].metrics.provider_failures, 1);
    }
}
