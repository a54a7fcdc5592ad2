//! What the client of a session may see. Truth has no place in it, by type; what steps are worth is there
//! for trainers alone.

use std::sync::Arc;

use harness::Brief;
use harness::{Player, Trainer};
use record::EndReason;

/// An episode as its client sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientView {
    /// What the agent was told at the start.
    pub brief: Arc<Brief>,
    /// The client's own name for the episode.
    pub episode_id: Option<String>,
    /// How many steps were taken.
    pub step: u32,
    /// What the agent is shown: at first the brief.
    pub observation: String,
    /// What it did last.
    pub last_action: Option<String>,
    /// Why that was no valid action.
    pub error: Option<String>,
    /// What it has called so far, each once.
    pub findings: Vec<String>,
    /// What the last step and all of them were worth, where rewards are shown.
    pub rewards: Option<Rewards>,
    /// How it ended.
    pub ending: Option<EndReason>,
    /// The world's time, in milliseconds.
    pub time: u64,
}

/// What trainers are told beside the observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rewards {
    /// The reward of the last step.
    pub last: f64,
    /// The sum of all rewards.
    pub total: f64,
}

impl ClientView {
    pub(super) fn of(player: &Player, trainer: Option<&Trainer>, episode_id: Option<&str>) -> ClientView {
        let last = player.shown().next_back();
        let mut findings: Vec<String> = Vec::new();
        for call in player.shown().filter_map(|step| step.call()) {
            if !findings.iter().any(|known| known == call) {
                findings.push(call.to_string());
            }
        }
        ClientView {
            brief: player.brief().clone(),
            episode_id: episode_id.map(str::to_string),
            step: player.steps_taken(),
            observation: player.observation().to_string(),
            last_action: last.map(|step| step.call().unwrap_or(step.text()).to_string()),
            error: last.and_then(|step| step.invalid()).map(str::to_string),
            findings,
            rewards: trainer.map(|trainer| Rewards { last: trainer.reward(player), total: trainer.total(player) }),
            ending: player.ending(),
            time: player.clock().0,
        }
    }

    /// The reward of the last step, where rewards are shown.
    pub fn reward(&self) -> Option<f64> {
        self.rewards.map(|rewards| rewards.last)
    }

    /// The sum of all rewards, where they are shown.
    pub fn total_reward(&self) -> Option<f64> {
        self.rewards.map(|rewards| rewards.total)
    }

    /// How many steps are left.
    pub fn steps_left(&self) -> u32 {
        if self.is_over() { 0 } else { self.brief.steps.saturating_sub(self.step) }
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.ending.is_some()
    }

    /// Whether it ended by what the agent did.
    pub fn is_terminated(&self) -> bool {
        matches!(self.ending, Some(EndReason::Resolved | EndReason::Escalated))
    }

    /// Whether it was cut off: no step was left, or the client went away.
    pub fn is_truncated(&self) -> bool {
        self.is_over() && !self.is_terminated()
    }
}
