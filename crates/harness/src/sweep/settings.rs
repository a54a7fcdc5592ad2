//! The settings of a run, made from what is to be played.

use faces::ToolSet;
use record::RunSettings;
use record::folder::Raised;
use world::{Noise, WORLD_VERSION};

use super::Plan;
use crate::challenge::Challenge;
use crate::record::RECORD_VERSION;
use crate::suite_names::SUITE_VERSION;
use crate::task::Task;

impl Plan<'_> {
    /// What `run.json` says of this plan.
    pub fn settings(&self) -> RunSettings {
        let mut settings = RunSettings {
            seeds: self.seeds.clone(),
            repeats: self.repeats,
            shard: self.how.shard,
            agents: self.agents.iter().map(|kind| kind.name().to_string()).collect(),
            models: self.agents.iter().filter_map(|kind| Some((kind.name().to_string(), kind.model()?))).collect(),
            ..base_settings(&self.suite, self.noise, self.tools)
        };
        for challenge in &self.challenges {
            let played = challenge.played_with(self.noise, self.tools);
            add(&mut settings, challenge.id(), challenge.digest(), played);
        }
        settings
    }
}

/// The settings of a run under this program; agents, seeds and tasks are added by the caller.
pub fn base_settings(suite: &str, noise: Noise, tools: ToolSet) -> RunSettings {
    RunSettings {
        record_version: RECORD_VERSION,
        world_version: WORLD_VERSION,
        suite_version: SUITE_VERSION,
        suite: suite.to_string(),
        repeats: 1,
        noise: noise.0,
        tools: tools.to_string(),
        ..RunSettings::default()
    }
}

/// Makes a task part of a run that asks for this noise and these tools.
pub fn add_task(settings: &mut RunSettings, task: &Task, noise: Noise, tools: ToolSet) {
    add(settings, &task.id, &task.digest, task.played_with(noise, tools));
}

/// Makes a challenge part of a run.
pub fn add_challenge(settings: &mut RunSettings, challenge: &dyn Challenge, noise: Noise, tools: ToolSet) {
    add(settings, challenge.id(), challenge.digest(), challenge.played_with(noise, tools));
}

/// A task may take more than was asked for: what it is played with is kept where it differs.
fn add(settings: &mut RunSettings, id: &str, digest: &str, (noise, tools): (Noise, ToolSet)) {
    settings.tasks.insert(id.to_string(), digest.to_string());
    let raised = Raised { noise: noise.0, tools: tools.to_string() };
    if (raised.noise, &raised.tools) != (settings.noise, &settings.tools) {
        settings.raised.insert(id.to_string(), raised);
    }
}
