//! What the client of a session may see. Truth has no place in it, by type.

use std::sync::Arc;

use crate::agent::Brief;
use crate::episode::Episode;
use crate::record::EndReason;

/// An episode as its client sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
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
    /// The reward of the last step.
    pub reward: f64,
    /// The sum of all rewards.
    pub total: f64,
    /// How it ended.
    pub ending: Option<EndReason>,
    /// The world's time, in milliseconds.
    pub time: u64,
}

impl Sight {
    pub(super) fn of(episode: &Episode, episode_id: Option<&str>) -> Sight {
        let last = episode.steps().last();
        let mut findings: Vec<String> = Vec::new();
        for call in episode.steps().iter().filter_map(|step| step.call.as_ref()) {
            if !findings.contains(call) {
                findings.push(call.clone());
            }
        }
        Sight {
            brief: episode.brief().clone(),
            episode_id: episode_id.map(str::to_string),
            step: episode.steps_taken(),
            observation: episode.observation().to_string(),
            last_action: last.map(|step| step.call.clone().unwrap_or_else(|| step.text.clone())),
            error: last.and_then(|step| step.invalid.clone()),
            findings,
            reward: last.map_or(0.0, |step| step.reward),
            total: episode.steps().iter().fold(0.0, |sum, step| sum + step.reward),
            ending: episode.ending(),
            time: episode.clock().0,
        }
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
