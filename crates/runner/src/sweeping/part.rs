//! What is to be played: the parts of a sweep. Each has one suite, one noise and a folder of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use harness::sweep::MOST_EPISODES;
use harness::{Challenge, Noise, ToolSet};

/// One part of a sweep; `run` has one only.
#[derive(Clone)]
pub struct SweepPart {
    /// What the records call the suite.
    pub suite: String,
    /// What is played: incidents, or questions.
    pub challenges: Vec<Arc<dyn Challenge>>,
    /// What agents that look at no symptom remember other seeds of; what is played if this is empty.
    pub remembered: Vec<Arc<dyn Challenge>>,
    /// The noise dial.
    pub noise: Noise,
}

/// All that is to be played.
pub struct RunRequest {
    /// The agents' names.
    pub agents: Vec<String>,
    /// The models for those agents that need one, as `provider/model`.
    pub models: Vec<String>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// How often each task is played under each seed.
    pub repeats: u32,
    /// The tools at hand.
    pub tools: ToolSet,
    /// The parts.
    pub parts: Vec<SweepPart>,
    /// Where the user's own tasks came from, for commands that are shown.
    pub own: Option<PathBuf>,
}

impl RunRequest {
    /// Refuses what no run can have; so many agents play each task.
    pub fn limit(&self, agents: usize) -> anyhow::Result<()> {
        let tasks: usize = self.parts.iter().map(|part| part.challenges.len()).sum();
        let each = agents as u64 * tasks as u64;
        let all = each.saturating_mul(self.seeds.len() as u64).saturating_mul(self.repeats.into());
        if all > MOST_EPISODES {
            bail!("that makes {all} episodes in all, a run has at most {MOST_EPISODES}; choose fewer seeds or tasks");
        }
        Ok(())
    }
}

impl SweepPart {
    /// The folder of this part of a sweep.
    pub fn folder(&self, sweep: &Path) -> PathBuf {
        match self.noise.0 {
            0 => sweep.join(&self.suite),
            n => sweep.join(format!("{}-noise{n}", self.suite)),
        }
    }
}

/// Seeds that follow each other.
pub fn seeds(first: u64, count: u32) -> anyhow::Result<Vec<u64>> {
    if u64::from(count) > MOST_EPISODES {
        bail!("--episodes {count}: a run has at most {MOST_EPISODES}; choose fewer");
    }
    match first.checked_add(u64::from(count.max(1)) - 1) {
        Some(last) => Ok((first..=last).collect()),
        None => bail!("--seed {first}: too large for {count} seeds in a row; choose a smaller one"),
    }
}
