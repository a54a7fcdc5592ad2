//! Folders put together. What was played under different rules is told apart and never pooled; an
//! episode that comes twice is refused.

use std::collections::{BTreeMap, BTreeSet};

use record::{EpisodeLine, sha256};
use serde::Serialize;
use thiserror::Error;

use crate::analysis::{Autopsy, Category};
use crate::tables::guard::shown;

/// The noise dial and the tools that a run asked for. A task may need more of either, for all agents alike:
/// that is part of the task and tells no runs apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedRules {
    /// The noise dial.
    pub noise: u8,
    /// The tools at hand.
    pub tools: String,
}

/// The episodes of one folder.
#[derive(Clone, Debug, Default)]
pub struct EpisodeSource {
    /// The folder, as the user named it.
    pub name: String,
    /// Its episodes.
    pub lines: Vec<EpisodeLine>,
    /// What the run asked for, if the folder is that of one run.
    pub asked: Option<AskedRules>,
    /// How many episodes were planned for each agent; empty if unknown.
    pub planned: BTreeMap<String, u32>,
    /// What their records say beyond their scores, by key; records may be missing.
    pub autopsies: BTreeMap<String, Autopsy>,
    /// What the best shortcut reaches on its questions, by family; empty without questions, or if they were not audited.
    pub shortcuts: BTreeMap<String, f64>,
    /// Lines that were left out, each with why: it cannot be read, or its record says something else.
    pub damaged: Vec<String>,
    /// Lines without a record: nothing vouches for them.
    pub unproven: usize,
    /// Lines that did not say what their records say: the records count.
    pub corrected: usize,
}

impl EpisodeSource {
    /// The rules of each episode, with the episode.
    fn ruled(&self) -> impl Iterator<Item = (PlayRules, &EpisodeLine)> {
        let (noise, tools) = (self.one(|line| &line.noise), self.one(|line| &line.tools));
        self.lines.iter().map(move |line| {
            let mut rules = PlayRules::of(line);
            if let Some(asked) = &self.asked {
                rules.noise = *noise.unwrap_or(&asked.noise);
                rules.tools = tools.map_or_else(|| asked.tools.clone(), |tools| tools.to_string());
            }
            (rules, line)
        })
    }

    /// What all episodes have, if they have the same.
    fn one<'a, T: PartialEq>(&'a self, fact: impl Fn(&'a EpisodeLine) -> &'a T) -> Option<&'a T> {
        let first = fact(self.lines.first()?);
        self.lines.iter().all(|line| fact(line) == first).then_some(first)
    }
}

/// Why folders cannot be put together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Clash {
    /// The same episode comes twice.
    #[error(
        "the episode {key} is in {first} and again in {second}: give only one of them, or play the second with \
         other seeds (`--seed`) or under another agent's name"
    )]
    Twice {
        /// Its key.
        key: String,
        /// The folder that has it first.
        first: String,
        /// The folder that has it too.
        second: String,
    },
    /// There is nothing to report on.
    #[error("there is no finished episode in {0}; give the folder of a run, such as runs/RUN")]
    Empty(String),
}

/// The rules that episodes were played by. Only what was played by the same rules can be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PlayRules {
    /// The version of the world's behaviour.
    pub world_version: u32,
    /// The version of the tasks and their grading.
    pub suite_version: u32,
    /// The suite that the run asked for.
    pub suite: String,
    /// The noise dial that was asked for.
    pub noise: u8,
    /// The tools that were asked for.
    pub tools: String,
    /// Whether rewards were shown: training, which is not ranked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rewards: bool,
}

/// A fact of rules: its name, and how it is told.
type RuleFact = (&'static str, fn(&PlayRules) -> String);

impl PlayRules {
    fn of(line: &EpisodeLine) -> PlayRules {
        PlayRules {
            world_version: line.world_version,
            suite_version: line.suite_version,
            suite: line.score.suite.to_string(),
            noise: line.noise,
            tools: line.tools.to_string(),
            rewards: line.score.rewards,
        }
    }

    /// What tells these rules apart from the others.
    fn apart(&self, all: &[PlayRules]) -> String {
        let facts: [RuleFact; 6] = [
            ("world", |rules| rules.world_version.to_string()),
            ("suite version", |rules| rules.suite_version.to_string()),
            ("suite", |rules| shown(&rules.suite)),
            ("noise", |rules| rules.noise.to_string()),
            ("tools", |rules| shown(&rules.tools)),
            ("rewards", |rules| if rules.rewards { "shown" } else { "not shown" }.to_string()),
        ];
        let differ = facts.iter().filter(|(_, fact)| all.iter().any(|other| fact(other) != fact(self)));
        differ.map(|(name, fact)| format!("{name} {}", fact(self))).collect::<Vec<_>>().join(", ")
    }
}

/// What was run by the same rules.
#[derive(Clone, Debug, Serialize)]
pub struct ReportSetting {
    /// The rules.
    #[serde(flatten)]
    pub rules: PlayRules,
    /// What tells it apart from the other settings; empty if there is only one.
    pub name: String,
    /// Whether this program has the same world.
    pub of_this_world: bool,
    /// How many tasks were played.
    pub tasks: u32,
    /// The digest of their ids and files: equal for equal sets of tasks.
    pub tasks_digest: String,
    /// The digest of all records.
    pub digest: String,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The noise that episodes were played with; more than was asked for where a task needs it.
    pub noises: BTreeSet<u8>,
    /// The tools that episodes were played with, likewise.
    pub tool_sets: BTreeSet<String>,
    /// How often the same task was played under the same seed.
    pub repeats: u32,
    /// Episodes that were finished.
    pub episodes: u32,
}

/// The episodes of one agent in one setting.
pub(super) struct AgentEpisodes<'a> {
    pub setting: usize,
    pub agent: &'a str,
    pub lines: Vec<&'a EpisodeLine>,
    pub planned: Option<u32>,
    /// Of the episodes that count.
    pub autopsies: Vec<&'a Autopsy>,
    /// An episode of each kind of failure, as an example.
    pub examples: BTreeMap<Category, FoundEpisode<'a>>,
}

/// An episode, and what its record says if it is there.
pub(super) type FoundEpisode<'a> = (&'a EpisodeLine, Option<&'a Autopsy>);

/// All settings, and the episodes of each agent in each of them.
pub(super) fn merge(
    sources: &[EpisodeSource],
    world_version: u32,
) -> Result<(Vec<ReportSetting>, Vec<AgentEpisodes<'_>>), Clash> {
    let mut seen: BTreeMap<(PlayRules, &str), &str> = BTreeMap::new();
    let mut groups: BTreeMap<PlayRules, BTreeMap<&str, Vec<FoundEpisode<'_>>>> = BTreeMap::new();
    for source in sources {
        for (rules, line) in source.ruled() {
            if let Some(first) = seen.insert((rules.clone(), &line.key), &source.name) {
                return Err(Clash::Twice {
                    key: shown(&line.key),
                    first: first.to_owned(),
                    second: source.name.clone(),
                });
            }
            groups
                .entry(rules)
                .or_default()
                .entry(&line.score.agent)
                .or_default()
                .push((line, source.autopsies.get(&line.key)));
        }
    }
    if groups.is_empty() {
        let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
        return Err(Clash::Empty(names.join(", ")));
    }
    let all: Vec<PlayRules> = groups.keys().cloned().collect();
    let mut settings = Vec::new();
    let mut entries = Vec::new();
    for (at, (rules, agents)) in groups.into_iter().enumerate() {
        settings.push(setting(world_version, &rules, &all, agents.values().flatten().map(|found| found.0)));
        for (agent, mut found) in agents {
            // One order for all callers: the last bits of a sum depend on it.
            found.sort_by(|one, other| one.0.key.cmp(&other.0.key));
            entries.push(AgentEpisodes {
                setting: at,
                agent,
                planned: planned(sources, &rules, agent),
                lines: found.iter().map(|found| found.0).collect(),
                examples: examples(&found),
                autopsies: found.iter().filter(|found| found.0.score.counts()).filter_map(|found| found.1).collect(),
            });
        }
    }
    Ok((settings, entries))
}

/// The first failure of each kind, one of which more is known if there is one.
fn examples<'a>(found: &[FoundEpisode<'a>]) -> BTreeMap<Category, FoundEpisode<'a>> {
    let mut first = BTreeMap::new();
    let failures = || found.iter().filter(|found| !found.0.score.success && found.0.score.question.is_none());
    for found in failures().filter(|found| found.1.is_some()).chain(failures()) {
        first.entry(Category::of(&found.0.score)).or_insert(*found);
    }
    first
}

/// The plans of the folders that have the agent under these rules; `None` if one of them has no plan.
fn planned(sources: &[EpisodeSource], rules: &PlayRules, agent: &str) -> Option<u32> {
    let mut sum = 0;
    for source in sources {
        let its = source.ruled().filter(|(own, line)| line.score.agent == agent && own == rules);
        let played = its.count() as u32;
        if played > 0 {
            sum += source.planned.get(agent).copied().unwrap_or(0).max(played);
        }
    }
    (sum > 0).then_some(sum)
}

fn setting<'a>(
    world_version: u32,
    rules: &PlayRules,
    all: &[PlayRules],
    lines: impl Iterator<Item = &'a EpisodeLine>,
) -> ReportSetting {
    let lines: Vec<EpisodeLine> = lines.cloned().collect();
    let tasks: BTreeSet<String> =
        lines.iter().map(|line| format!("{} {}\n", line.score.task, line.task_digest)).collect();
    let seeds: BTreeSet<u64> = lines.iter().map(|line| line.score.seed).collect();
    let shown_rules = PlayRules { suite: shown(&rules.suite), tools: shown(&rules.tools), ..rules.clone() };
    ReportSetting {
        name: rules.apart(all),
        of_this_world: rules.world_version == world_version,
        tasks: tasks.len() as u32,
        tasks_digest: sha256(tasks.into_iter().collect::<String>().as_bytes()),
        digest: record::digest(&lines),
        seeds: seeds.into_iter().collect(),
        noises: lines.iter().map(|line| line.noise).collect(),
        tool_sets: lines.iter().map(|line| shown(&line.tools)).collect(),
        repeats: 1 + lines.iter().map(|line| line.score.repeat).max().unwrap_or(0),
        episodes: lines.len() as u32,
        rules: shown_rules,
    }
}
