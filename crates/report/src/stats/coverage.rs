//! Coverage: how much of what was planned says anything of the agent.

use record::grade::Score;
use serde::{Deserialize, Serialize};

/// Below this share of its planned episodes no agent is ranked: what failed may not be a fair sample.
pub const THRESHOLD: f64 = 0.9;

/// How much of a plan came to count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Episodes that were planned.
    pub planned: u32,
    /// Episodes that count.
    pub counted: u32,
    /// Episodes that do not: their provider failed.
    pub provider_failures: u32,
    /// Counted among planned, from 0 to 1.
    pub share: f64,
}

impl Coverage {
    /// The coverage of one agent's scores; without a plan, what was played is taken as planned.
    pub fn of<'a>(scores: impl IntoIterator<Item = &'a Score>, planned: Option<u32>) -> Coverage {
        let (mut counted, mut provider_failures) = (0, 0);
        for score in scores {
            *(if score.counts() { &mut counted } else { &mut provider_failures }) += 1;
        }
        let planned = planned.unwrap_or(0).max(counted + provider_failures);
        let share = if planned == 0 { 0.0 } else { f64::from(counted) / f64::from(planned) };
        Coverage { planned, counted, provider_failures, share }
    }

    /// Episodes that were planned and never finished.
    pub fn missing(&self) -> u32 {
        self.planned - self.counted - self.provider_failures
    }

    /// Why an agent with this coverage cannot be ranked, if so.
    pub fn too_low(&self, threshold: f64) -> Option<String> {
        if self.share >= threshold {
            return None;
        }
        let failed = (self.provider_failures > 0).then(|| format!("its provider failed in {}", self.provider_failures));
        let missing = (self.missing() > 0).then(|| format!("{} were not played", self.missing()));
        let why: Vec<String> = failed.into_iter().chain(missing).collect();
        let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
        Some(format!(
            "only {} of {} planned episodes count{why}: a coverage of {:.0} % is below {:.0} %, and what is left may \
             not be a fair sample",
            self.counted,
            self.planned,
            100.0 * self.share,
            100.0 * threshold
        ))
    }
}
