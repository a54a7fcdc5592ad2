//! `check --blind`: the certificate `needs looking`.

use std::sync::Arc;

use harness::Task;
use harness::needs_looking::{GuessedTask, needs_looking};

use super::counted;
use crate::exit::CommandOutcome;
use crate::{say, sheet};

/// Plays the blind family on tasks; fails if one of them is guessed too often.
pub fn certify(tasks: &[Arc<Task>], seeds: &[u64], jobs: usize) -> anyhow::Result<CommandOutcome> {
    let all = needs_looking(tasks, seeds, agents::blind::ALL, jobs)?;
    say::print(&verdict(&all, seeds))?;
    Ok(if all.iter().all(GuessedTask::is_ok) { CommandOutcome::Fine } else { CommandOutcome::Failed })
}

fn verdict(all: &[GuessedTask], seeds: &[u64]) -> String {
    let work = format!("{} under {}", say::count(all.len(), "task"), counted(seeds));
    let row = |one: &GuessedTask| {
        let passed = format!("{} of {}", one.passed, one.seeds);
        [one.task.clone(), one.agent.clone(), passed, format!("{:.1}", one.anyway)]
    };
    let failed: Vec<[String; 4]> = all.iter().filter(|one| !one.is_ok()).map(row).collect();
    match failed.len() {
        0 => format!("{work}: all certified (needs looking)\n"),
        bad => {
            let table = sheet::wide(["task", "guessed by", "under seeds", "of them anyway"], failed);
            format!("{table}{work}: {bad} not certified (needs looking)\n")
        }
    }
}
