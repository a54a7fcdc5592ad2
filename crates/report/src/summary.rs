//! `summary.json`: what a run came to, agent by agent.

use std::collections::{BTreeMap, BTreeSet};

use record::RECORD_VERSION;
use record::grade::columns::{self, AppliesTo};
use record::grade::{Metrics, Score};
use record::sha256;
use record::{BlindCeiling, EpisodeLine};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::rounding::rounded;

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// What was run.
    #[serde(flatten)]
    pub run: RunFacts,
    /// What the best agent reaches that looks at no symptom, for each suite on which one was played.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blind_ceilings: Vec<BlindCeiling>,
    /// One entry per agent and suite, by name.
    pub agents: Vec<AgentSummary>,
}

/// What was run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFacts {
    /// The version of the records.
    pub record_version: u32,
    /// The version of the world's behaviour; 0 if nothing was played.
    pub world_version: u32,
    /// The version of the tasks and their grading; 0 if nothing was played.
    pub suite_version: u32,
    /// The seed of the first episode.
    pub seed: u64,
    /// The tools at hand; `None` if they were not the same in all episodes.
    pub tools: Option<String>,
    /// The noise dial; `None` if it was not the same in all episodes.
    pub noise: Option<u8>,
    /// How many tasks were played.
    pub tasks: usize,
    /// The digest of their ids and files: equal for equal sets of tasks.
    pub tasks_digest: String,
    /// The digest of all records.
    pub digest: String,
}

impl RunFacts {
    /// What these episodes were part of; `seed` is that of the first.
    pub fn of(seed: u64, lines: &[EpisodeLine]) -> RunFacts {
        let tasks: BTreeSet<String> =
            lines.iter().map(|line| format!("{} {}\n", line.score.task, line.task_digest)).collect();
        RunFacts {
            record_version: RECORD_VERSION,
            world_version: lines.first().map_or(0, |line| line.world_version),
            suite_version: lines.first().map_or(0, |line| line.suite_version),
            seed,
            tools: same(lines.iter().map(|line| &line.tools)).map(String::from),
            noise: same(lines.iter().map(|line| line.noise)),
            tasks: tasks.len(),
            tasks_digest: sha256(tasks.into_iter().collect::<String>().as_bytes()),
            digest: record::digest(lines),
        }
    }
}

/// The value that all have.
fn same<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// What one agent came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentSummary {
    /// The agent's name.
    pub agent: String,
    /// The suite that the run asked for.
    pub suite: String,
    /// The part of what the blind ceiling leaves over that it reaches; nothing without a ceiling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_above_blind: Option<f64>,
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
    pub fn of<'a>(run: RunFacts, scores: impl IntoIterator<Item = &'a Score>) -> Summary {
        let mut scores: Vec<&Score> = scores.into_iter().collect();
        // One order for all callers: the last bits of a sum depend on it.
        scores.sort_by(|one, other| place(one).cmp(&place(other)));
        let agents: BTreeSet<(&str, &str)> = scores.iter().map(|score| (&*score.agent, &*score.suite)).collect();
        let mut agents: Vec<AgentSummary> =
            agents.into_iter().map(|(agent, suite)| AgentSummary::of(agent, suite, &scores)).collect();
        let blind_ceilings = ceilings(&agents);
        for agent in &mut agents {
            let ceiling = blind_ceilings.iter().find(|ceiling| ceiling.suite == agent.suite);
            agent.skill_above_blind = ceiling.and_then(|ceiling| ceiling.skill(agent.metrics.success_rate));
        }
        Summary { run, blind_ceilings, agents }
    }

    /// The text of `summary.json`: sorted keys, six decimals, the same bytes for the same scores.
    pub fn to_json(&self) -> String {
        let mut value = serde_json::to_value(self).expect("a summary is plain data");
        prune(&mut value, false);
        let text = serde_json::to_string_pretty(&rounded(value)).expect("a JSON value can be written");
        text + "\n"
    }
}

/// Takes the figures of incidents out of what was summed up over questions: a zero there would be no measurement. A group
/// in which nothing counts is of questions if what it is a part of is.
fn prune(value: &mut Value, within: bool) {
    match value {
        Value::Object(fields) => {
            let count = |name: &str| fields.get(name).and_then(Value::as_u64).unwrap_or(0);
            let of_questions = within || (count("questions") > 0 && count("questions") == count("episodes"));
            if of_questions {
                let incidents = columns::ALL.iter().filter(|column| column.applies == AppliesTo::Incidents);
                incidents.for_each(|column| drop(fields.remove(column.name)));
            }
            fields.values_mut().for_each(|field| prune(field, of_questions));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| prune(item, within)),
        _ => {}
    }
}

/// The blind ceiling of each suite.
fn ceilings(agents: &[AgentSummary]) -> Vec<BlindCeiling> {
    let suites: BTreeSet<&str> = agents.iter().map(|agent| &*agent.suite).collect();
    let of = |suite: &str| {
        let own = agents.iter().filter(|agent| agent.suite == suite && agent.metrics.episodes > 0);
        BlindCeiling::of(suite, own.map(|agent| (&*agent.agent, agent.metrics.success_rate)))
    };
    suites.into_iter().filter_map(of).collect()
}

fn place(score: &Score) -> (&str, &str, &str, u64, u32, u32) {
    (&score.agent, &score.suite, &score.task, score.seed, score.episode, score.repeat)
}

impl AgentSummary {
    fn of(agent: &str, suite: &str, scores: &[&Score]) -> AgentSummary {
        let own = |score: &&&Score| score.agent == agent && score.suite == suite;
        let scores: Vec<&Score> = scores.iter().filter(own).copied().collect();
        AgentSummary {
            agent: agent.to_owned(),
            suite: suite.to_owned(),
            skill_above_blind: None,
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
        let top = "world_version suite_version record_version seed tools noise tasks tasks_digest digest agents";
        for name in top.split_whitespace() {
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
    fn a_run_is_known_by_its_tasks_and_dials() {
        let line = |task: &str, noise: u8| EpisodeLine {
            key: format!("steady/{task}/0"),
            digest: "d".into(),
            task_digest: format!("file of {task}").into(),
            world_version: 1,
            suite_version: 1,
            noise,
            tools: "classic".into(),
            score: Score { task: task.into(), ..scores().remove(0) },
        };
        let two = RunFacts::of(7, &[line("one", 0), line("two", 0), line("one", 0)]);
        assert_eq!((two.seed, two.tasks, two.noise, two.tools.as_deref()), (7, 2, Some(0), Some("classic")));
        assert_eq!(two.tasks_digest, RunFacts::of(0, &[line("two", 0), line("one", 0)]).tasks_digest);
        let other = RunFacts::of(7, &[line("one", 0), line("three", 1)]);
        assert!(other.tasks_digest != two.tasks_digest && other.noise.is_none());
    }

    #[test]
    fn questions_have_no_figures_of_incidents() {
        let mut scores = scores();
        for score in &mut scores {
            score.question = Some(Box::new(record::QuestionVerdict::unread(record::ReplyReading::Answered)));
        }
        let text = Summary::of(run(), &scores).to_json();
        for name in ["marks", "evidence_coverage", "mean_impact", "premature_resolution_rate"] {
            assert!(!text.contains(&format!("\"{name}\"")), "{name} is no figure of a question");
        }
        for name in ["success_rate", "published_score", "answered_rate"] {
            assert!(text.contains(&format!("\"{name}\"")), "{name} is missing");
        }
        let read: Summary = serde_json::from_str(&text).expect("it is a summary");
        assert_eq!(read.to_json(), text);
    }

    #[test]
    fn a_blind_agent_sets_the_ceiling() {
        let mut scores = scores();
        assert!(Summary::of(run(), &scores).blind_ceilings.is_empty());
        scores.iter_mut().filter(|score| score.agent == "idle").for_each(|score| score.agent = "blind-page".into());
        let summary = Summary::of(run(), &scores);
        assert_eq!((summary.blind_ceilings.len(), &*summary.blind_ceilings[0].agent), (1, "blind-page"));
        let skill = |agent: &AgentSummary| (agent.agent.clone(), agent.skill_above_blind);
        let found: Vec<_> = summary.agents.iter().map(skill).collect();
        assert_eq!(found, [("blind-page".to_owned(), Some(0.0)), ("steady".to_owned(), Some(1.0))]);
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
