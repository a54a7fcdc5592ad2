//! A run that others are to be paired with: its settings, and its tasks as this program has them.

use std::path::Path;
use std::sync::Arc;

use anyhow::{bail, ensure};
use harness::suites::SUITE_VERSION;
use harness::{Task, WORLD_VERSION};
use record::RunSettings;
use record::folder::read_settings;

use crate::pick::TaskLibrary;

/// A run to pair with.
pub struct LikeRun {
    /// What it was asked to do.
    pub settings: RunSettings,
    /// Its tasks, in the order of their ids.
    pub tasks: Vec<Arc<Task>>,
}

impl LikeRun {
    /// Reads a run and finds its tasks; the same tasks, or pairs would be none.
    pub fn read(run: &Path, library: &TaskLibrary) -> anyhow::Result<LikeRun> {
        let Some(settings) = read_settings(run, "name the folder of a finished run")? else {
            bail!("{} is not the folder of a run: it has no run.json", run.display());
        };
        let (then, now) = ((settings.world_version, settings.suite_version), (WORLD_VERSION, SUITE_VERSION));
        ensure!(then == now, "{} was played with another version of the program; run it again", run.display());
        let names: Vec<String> = settings.tasks.keys().cloned().collect();
        let tasks = library.named(&names)?;
        if let Some(task) = tasks.iter().find(|task| settings.tasks.get(&task.id) != Some(&task.digest)) {
            bail!("the task `{}` has changed since {} was played; run it again", task.id, run.display());
        }
        Ok(LikeRun { settings, tasks })
    }
}
