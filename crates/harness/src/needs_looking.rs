//! Needs looking: what takes no look at a symptom passes a task under at most one seed in five.

use std::collections::BTreeMap;
use std::sync::Arc;

use faces::ToolSet;
use world::Noise;

use crate::agent::AgentKind;
use crate::challenge::Incident;
use crate::error::Error;
use crate::record::Fix;
use crate::remember::{self, MemorySource};
use crate::sweep::{self, How, Plan};
use crate::task::Task;

/// One seed in so many may be guessed.
const ONE_IN: usize = 5;

/// How often the best blind agent passes a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuessedTask {
    /// The task.
    pub task: String,
    /// The agent that passes most often, and the first of them.
    pub agent: String,
    /// Under how many seeds it passes.
    pub passed: usize,
    /// Under how many seeds it was tried.
    pub seeds: usize,
}

impl GuessedTask {
    /// Whether guessing is rare enough.
    pub fn is_ok(&self) -> bool {
        self.passed * ONE_IN <= self.seeds.max(ONE_IN)
    }
}

/// Plays all blind agents on tasks under several seeds; they remember other seeds of the same tasks. An agent that restarts
/// things is not counted where that restart is the whole fix: then it has done the right thing, if for no reason.
pub fn needs_looking(
    tasks: &[Arc<Task>],
    seeds: &[u64],
    blind: &[&dyn AgentKind],
    jobs: usize,
) -> Result<Vec<GuessedTask>, Error> {
    let plan = Plan {
        agents: blind.to_vec(),
        challenges: Incident::on_simulator(tasks),
        suite: String::new(),
        seeds: seeds.to_vec(),
        repeats: 1,
        noise: Noise(0),
        tools: ToolSet::FULL,
        memory: MemorySource::of(remember::remembered(tasks)?),
        how: How { jobs, ..How::default() },
    };
    let mut passes: BTreeMap<(String, String), usize> = BTreeMap::new();
    for line in sweep::run(&plan, &mut [])?.lines {
        if line.score.success {
            *passes.entry((line.score.task.into(), line.score.agent.into())).or_default() += 1;
        }
    }
    let one = |task: &Arc<Task>| {
        let counts = |agent: &&&dyn AgentKind| !(is_a_restart(task) && agent.name().contains("restart"));
        let passed = |agent: &&dyn AgentKind| passes.get(&(task.id.clone(), agent.name().to_string())).copied();
        let best = blind.iter().filter(counts).rev().max_by_key(|agent| passed(agent).unwrap_or(0));
        GuessedTask {
            task: task.id.clone(),
            agent: best.map_or(String::new(), |agent| agent.name().to_string()),
            passed: best.and_then(passed).unwrap_or(0),
            seeds: seeds.len(),
        }
    };
    Ok(tasks.iter().map(one).collect())
}

/// Whether one restart is the whole fix.
fn is_a_restart(task: &Task) -> bool {
    matches!(&task.fix[..], [Fix::Restart { .. }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{ListedActions, SOLUTION, task};

    #[test]
    fn one_seed_in_five_may_be_guessed() {
        let check = |passed, seeds, expect| {
            let guessed = GuessedTask { task: String::new(), agent: String::new(), passed, seeds };
            assert_eq!(guessed.is_ok(), expect, "{passed} of {seeds}");
        };
        check(0, 3, true);
        check(1, 3, true);
        check(2, 3, false);
        check(4, 20, true);
        check(5, 20, false);
    }

    #[test]
    fn who_knows_the_answer_is_found() {
        let blind = ListedActions("blind-knows", SOLUTION);
        let found = needs_looking(&[task()], &[1, 2], &[&blind], 1).expect("it is played");
        assert_eq!((found[0].passed, found[0].agent.as_str(), found[0].is_ok()), (2, "blind-knows", false));
        let restarts = ListedActions("blind-restart", SOLUTION);
        let found = needs_looking(&[task()], &[1, 2], &[&restarts], 1).expect("it is played");
        assert!(found[0].is_ok(), "the restart is the whole fix: {found:?}");
    }
}
