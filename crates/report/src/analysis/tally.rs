//! Many autopsies, summed up as they come: ten thousand records need no more memory than ten.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::autopsy::Autopsy;
use super::category::Category;
use super::tool_use::ToolUse;
use super::wrong_turn::Why;

/// What a group of episodes has in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupAnalysis {
    /// All of them.
    pub episodes: u32,
    /// How they went.
    pub categories: BTreeMap<Category, u32>,
    /// Why they first went wrong.
    pub wrong_turns: BTreeMap<Why, u32>,
    /// The sum of the steps of the first wrong turns.
    pub wrong_turn_steps: u32,
    /// Episodes in which a sign of the cause was seen.
    pub with_evidence: u32,
    /// The sum of the steps until then.
    pub evidence_steps: u32,
    /// The sum of the simulated minutes until then.
    pub evidence_minutes: f64,
    /// Episodes in which evidence was seen, and diagnosis and changes were about something else.
    pub evidence_unused: u32,
    /// Episodes with a wrong fix.
    pub wrong_fixes: u32,
    /// Of these, successes.
    pub recovered: u32,
    /// What steps were used for.
    pub tools: ToolUse,
}

impl GroupAnalysis {
    /// Adds an episode.
    pub fn add(&mut self, autopsy: &Autopsy) {
        self.episodes += 1;
        *self.categories.entry(autopsy.category).or_default() += 1;
        if let Some(turn) = &autopsy.first_wrong_turn {
            *self.wrong_turns.entry(turn.why).or_default() += 1;
            self.wrong_turn_steps += turn.step;
        }
        if let Some(moment) = autopsy.first_evidence {
            self.with_evidence += 1;
            self.evidence_steps += moment.step;
            self.evidence_minutes += moment.minutes;
        }
        self.evidence_unused += u32::from(autopsy.evidence_unused);
        self.wrong_fixes += u32::from(autopsy.wrong_fix);
        self.recovered += u32::from(autopsy.recovered == Some(true));
        self.tools.add(&autopsy.tools);
    }

    /// Episodes of a category.
    pub fn count(&self, category: Category) -> u32 {
        self.categories.get(&category).copied().unwrap_or(0)
    }

    /// Episodes that say something of the agent.
    pub fn counted(&self) -> u32 {
        self.episodes - self.count(Category::Provider)
    }

    /// Mean step of the first sign of the cause, over episodes that saw one.
    pub fn mean_evidence_step(&self) -> Option<f64> {
        (self.with_evidence > 0).then(|| f64::from(self.evidence_steps) / f64::from(self.with_evidence))
    }

    /// Mean simulated minutes from the page to the first sign of the cause.
    pub fn mean_evidence_minutes(&self) -> Option<f64> {
        (self.with_evidence > 0).then(|| self.evidence_minutes / f64::from(self.with_evidence))
    }

    /// Mean step of the first wrong turn, over episodes that took one.
    pub fn mean_wrong_turn_step(&self) -> Option<f64> {
        let turns: u32 = self.wrong_turns.values().sum();
        (turns > 0).then(|| f64::from(self.wrong_turn_steps) / f64::from(turns))
    }
}

/// The failure analysis of one agent, as a whole and by what may matter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentAnalysis {
    /// All episodes.
    pub all: GroupAnalysis,
    /// By difficulty.
    pub by_difficulty: BTreeMap<String, GroupAnalysis>,
    /// By task family.
    pub by_family: BTreeMap<String, GroupAnalysis>,
    /// By the service at fault.
    pub by_service: BTreeMap<String, GroupAnalysis>,
    /// By the noise dial.
    pub by_noise: BTreeMap<u8, GroupAnalysis>,
    /// By suite.
    pub by_suite: BTreeMap<String, GroupAnalysis>,
}

/// The failure analysis of a run, by agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The agents.
    pub agents: BTreeMap<String, AgentAnalysis>,
}

impl Analysis {
    /// Adds an episode. The order of episodes is part of the last bits of a sum: keep to one.
    pub fn add(&mut self, autopsy: &Autopsy) {
        let agent = self.agents.entry(autopsy.agent.clone()).or_default();
        agent.all.add(autopsy);
        agent.by_difficulty.entry(autopsy.difficulty.clone()).or_default().add(autopsy);
        agent.by_family.entry(autopsy.family.clone()).or_default().add(autopsy);
        agent.by_service.entry(autopsy.service.clone()).or_default().add(autopsy);
        agent.by_noise.entry(autopsy.noise).or_default().add(autopsy);
        agent.by_suite.entry(autopsy.suite.clone()).or_default().add(autopsy);
    }
}
