//! All numbers of a report, computed once as plain data. The page, Markdown, CSV, LaTeX and
//! `report.json` show these and compute nothing.

mod agent;
mod estimates;
mod items;
mod merge;
mod questions;
mod reliability;

pub use agent::{AgentFacts, ExampleFacts, GroupFacts, StepFacts, TaskFacts, UsageFacts};
pub use items::ItemFacts;
pub use merge::{AskedRules, Clash, EpisodeSource, PlayRules, ReportSetting};
pub use questions::{QuestionFacts, SkillFacts};
pub use reliability::ReliabilityFacts;
pub(crate) use reliability::table as reliability_table;

use std::collections::BTreeSet;

use record::BlindCeiling;
use record::grade::Score;
use record::grade::columns::MetricColumn;
use serde::Serialize;

use merge::{AgentEpisodes, merge};

use crate::clusters;
use crate::stats::{Contest, Entrant, LEVEL, THRESHOLD, rank};
use crate::tables::guard::shown;

/// All that a report shows.
#[derive(Clone, Debug, Serialize)]
pub struct Facts {
    /// What was run, by rules.
    pub settings: Vec<ReportSetting>,
    /// The folders that were read.
    pub sources: Vec<SourceFacts>,
    /// The agents: in each setting the best first, those that are not ranked last.
    pub agents: Vec<AgentFacts>,
    /// What the best blind agent reaches, for each setting in which one was played.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ceilings: Vec<Ceiling>,
    /// The comparisons behind the ranks.
    pub contests: Vec<Contest>,
    /// The questions, each with how hard it was and how well it tells agents apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ItemFacts>,
    /// Below this coverage no agent is ranked.
    pub threshold: f64,
    /// The confidence level of all intervals.
    pub level: f64,
}

/// The blind ceiling of a setting.
#[derive(Clone, Debug, Serialize)]
pub struct Ceiling {
    /// Which of the settings.
    pub setting: usize,
    /// The best blind agent by the name under which it is shown.
    pub shown: String,
    /// What it reaches.
    #[serde(flatten)]
    pub ceiling: BlindCeiling,
}

/// A folder that was read.
#[derive(Clone, Debug, Serialize)]
pub struct SourceFacts {
    /// Its name.
    pub name: String,
    /// Episodes read.
    pub episodes: u32,
    /// Lines that could not be read and were left out.
    pub damaged: Vec<String>,
    /// Lines without a record, believed unchecked.
    pub unproven: usize,
    /// Lines that did not say what their records say: the records count.
    pub corrected: usize,
}

impl Facts {
    /// The facts of some folders, read by a program with this version of the world.
    pub fn of(sources: &[EpisodeSource], world_version: u32) -> Result<Facts, Clash> {
        let (settings, entries) = merge(sources, world_version)?;
        let names = names(&settings, &entries);
        let mut agents: Vec<AgentFacts> =
            entries.iter().zip(&names).map(|(entry, name)| AgentFacts::of(entry, name.clone())).collect();
        let mut contests = Vec::new();
        for at in 0..settings.len() {
            contests.extend(rank_within(at, &entries, &mut agents));
        }
        agents
            .iter_mut()
            .filter_map(|agent| agent.questions.as_mut())
            .for_each(|facts| facts.compare_shortcuts(sources));
        let ceilings = ceilings(&settings, &entries, &mut agents);
        agents.sort_by(|one, other| place(one).partial_cmp(&place(other)).unwrap_or(std::cmp::Ordering::Equal));
        let sources = sources.iter().map(|source| SourceFacts::of(source, sources)).collect();
        let items = items::of(&entries);
        Ok(Facts { settings, sources, agents, ceilings, contests, items, threshold: THRESHOLD, level: LEVEL })
    }

    /// Whether a figure belongs into this report's tables: figures of questions need questions, the others incidents.
    pub fn shows(&self, column: &MetricColumn) -> bool {
        let is_measured = !self.is_of_clusters() || clusters::measures(column);
        is_measured && column.is_shown(self.has_questions(), self.has_incidents())
    }

    /// Whether questions were played.
    pub fn has_questions(&self) -> bool {
        self.agents.iter().any(|agent| agent.metrics.questions > 0)
    }

    /// Whether anything else was.
    pub fn has_incidents(&self) -> bool {
        self.agents.iter().any(|agent| !agent.metrics.is_of_questions())
    }

    /// Whether nothing but problems in a cluster was played.
    pub fn is_of_clusters(&self) -> bool {
        !self.agents.is_empty() && self.agents.iter().all(|agent| agent.in_clusters)
    }

    /// Whether marks are given: for incidents of the simulated world.
    pub fn has_marks(&self) -> bool {
        self.has_incidents() && !self.is_of_clusters()
    }

    /// All tasks of all agents, by difficulty.
    pub fn tasks(&self) -> BTreeSet<(u8, String, String)> {
        let all = self.agents.iter().flat_map(|agent| &agent.tasks);
        all.map(|(task, facts)| (hardness(&facts.difficulty), facts.difficulty.clone(), task.clone())).collect()
    }
}

/// The blind ceiling of each setting in which a blind agent was played; all agents of it are told how far they stand
/// above it.
fn ceilings(settings: &[ReportSetting], entries: &[AgentEpisodes<'_>], agents: &mut [AgentFacts]) -> Vec<Ceiling> {
    let mut found = Vec::new();
    for (setting, rules) in settings.iter().enumerate() {
        let own = entries.iter().zip(agents.iter()).filter(|(entry, _)| entry.setting == setting);
        let rates = own.filter(|(_, facts)| facts.metrics.episodes > 0);
        let rates: Vec<(&str, f64)> = rates.map(|(entry, facts)| (entry.agent, facts.metrics.success_rate)).collect();
        let Some(ceiling) = BlindCeiling::of(&rules.rules.suite, rates) else { continue };
        let mut shown = ceiling.agent.clone();
        for (entry, facts) in entries.iter().zip(agents.iter_mut()).filter(|(entry, _)| entry.setting == setting) {
            facts.skill_above_blind = ceiling.skill(facts.metrics.success_rate);
            if entry.agent == ceiling.agent {
                shown = facts.agent.clone();
            }
        }
        found.push(Ceiling { setting, shown, ceiling });
    }
    found
}

/// The order of difficulties; words of others come last.
pub(crate) fn hardness(difficulty: &str) -> u8 {
    ["easy", "medium", "hard"].iter().position(|word| *word == difficulty).unwrap_or(3) as u8
}

impl SourceFacts {
    /// A page is shown around: the last part of a path is enough if it tells the folders apart.
    fn of(source: &EpisodeSource, all: &[EpisodeSource]) -> SourceFacts {
        let last = |source: &EpisodeSource| {
            source.name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
        };
        let own = last(source);
        let unlike = all.iter().filter(|other| last(other) == own).count() == 1;
        let name = if unlike && !own.is_empty() { &own } else { &source.name };
        SourceFacts {
            name: shown(name),
            episodes: source.lines.len() as u32,
            damaged: source.damaged.iter().map(|line| shown(line)).collect(),
            unproven: source.unproven,
            corrected: source.corrected,
        }
    }
}

/// In a setting by rank; those that share a rank stand by marks, then by success.
fn place(agent: &AgentFacts) -> (usize, u32, f64, f64, &str) {
    let (rank, metrics) = (agent.rank.unwrap_or(u32::MAX), &agent.metrics);
    (agent.setting, rank, -metrics.marks, -metrics.success_rate, &agent.agent)
}

fn rank_within(setting: usize, entries: &[AgentEpisodes<'_>], agents: &mut [AgentFacts]) -> Vec<Contest> {
    let own = || entries.iter().zip(agents.iter()).filter(|(entry, _)| entry.setting == setting);
    let entrants: Vec<Entrant<'_>> = own()
        .map(|(entry, facts)| Entrant {
            agent: facts.agent.clone(),
            scores: entry.lines.iter().map(|line| &line.score).collect::<Vec<&Score>>(),
            planned: entry.planned,
        })
        .collect();
    let ranking = rank(&entrants, THRESHOLD);
    for standing in ranking.standings {
        if let Some(agent) = agents.iter_mut().find(|agent| agent.agent == standing.agent) {
            (agent.rank, agent.refused) = (standing.rank, standing.refused);
        }
    }
    ranking.contests
}

/// The names of the agents as they are shown, each unlike the others.
fn names(settings: &[ReportSetting], entries: &[AgentEpisodes<'_>]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for entry in entries {
        let agent = shown(entry.agent);
        let rules = &settings[entry.setting].name;
        let full = if rules.is_empty() { agent } else { format!("{agent} \u{b7} {rules}") };
        // Two names may look the same once what cannot be seen is gone.
        let numbered = (2..).map(|n| format!("{full} (#{n})"));
        let name = std::iter::once(full.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(full);
        taken.insert(name.clone());
        names.push(name);
    }
    names
}
