//! What the memory of seed 0 is worth under seed 1: agents that know every incident of seed 0 with its solution, against the
//! same agents with the solutions mixed up, paired by task.
//! `cargo run --release -p sre-zero-agents --example seed_zero`; `-- recovery,compound` takes some suites only.

// Like the tests it is a referee: it may see tasks.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::sync::Arc;

use harness::sweep::{self, How, Plan};
use harness::{
    AgentKind, Challenge, Incident, Memory, MemorySource, Noise, Task, ToolSet, mix, remember, suites, tasks,
};

const SUITES: [&str; 6] = ["srezero-40", "recovery", "observation", "metastable", "compound", "postmortems"];
const AGENTS: [&str; 3] = ["blind-memory", "blind-nearest", "blind-likelihood"];
/// How often the tasks are drawn again for the interval.
const RESAMPLED: u64 = 2000;

fn main() {
    let only = std::env::args().nth(1);
    let is_wanted = |name: &&str| only.as_ref().is_none_or(|only| only.split(',').any(|one| one == *name));
    println!("| suite | agent | memory of seed 0 | mixed up | difference [95 %] |\n|---|---|---|---|---|");
    for suite in SUITES.into_iter().filter(is_wanted) {
        let own: Vec<Arc<Task>> = suites::select(tasks::embedded(), suite).expect("the tasks are valid");
        let challenges = Incident::on_simulator(&own);
        let memory = remember::under_seeds(&challenges, &[0], Noise(0)).expect("incidents begin");
        let mixed = played(&challenges, memory.mixed_up());
        let known = played(&challenges, memory);
        for agent in AGENTS {
            let (with, without) = (&known[agent], &mixed[agent]);
            let gained: Vec<f64> = with.iter().zip(without).map(|(a, b)| a - b).collect();
            let (low, high) = interval(&gained);
            let [with, without, mean] = [with, without, &gained].map(|all| mean(all));
            println!("| {suite} | {agent} | {with:.2} | {without:.2} | {mean:+.2} [{low:+.2}, {high:+.2}] |");
        }
    }
}

/// The success of each agent under seed 1, by task.
fn played(challenges: &[Arc<dyn Challenge>], memory: Memory) -> BTreeMap<String, Vec<f64>> {
    let plan = Plan {
        agents: agents::ALL.iter().filter(|kind: &&&dyn AgentKind| AGENTS.contains(&kind.name())).copied().collect(),
        challenges: challenges.to_vec(),
        suite: String::new(),
        seeds: vec![1],
        repeats: 1,
        noise: Noise(0),
        tools: ToolSet::FULL,
        memory: MemorySource::given(memory),
        how: How { jobs: std::thread::available_parallelism().map_or(1, usize::from), ..How::default() },
    };
    let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in sweep::run(&plan, &mut []).expect("nothing is written").lines {
        found.entry(line.score.agent.to_string()).or_default().push(f64::from(u8::from(line.score.success)));
    }
    found
}

fn mean(all: &[f64]) -> f64 {
    all.iter().sum::<f64>() / all.len().max(1) as f64
}

/// The middle 95 % of the mean when tasks are drawn again.
fn interval(all: &[f64]) -> (f64, f64) {
    let pick = |draw: u64, n: usize| all[(mix((draw << 20) + n as u64) % all.len() as u64) as usize];
    let mut means: Vec<f64> =
        (0..RESAMPLED).map(|draw| mean(&(0..all.len()).map(|n| pick(draw, n)).collect::<Vec<_>>())).collect();
    means.sort_by(f64::total_cmp);
    (means[means.len() / 40], means[means.len() - 1 - means.len() / 40])
}
