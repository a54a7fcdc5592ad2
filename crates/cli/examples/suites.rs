//! The table of docs/agents-by-suite.md: agents by suite, by difficulty and by noise.
//! `cargo run --release -p sre-zero --example suites > docs/agents-by-suite.md`

use std::fmt::Write;
use std::sync::Arc;

use agents::ALL;
use harness::sweep::{self, How, Plan};
use harness::{Difficulty, Noise, Task, ToolSet, suites, tasks};

const SUITES: [&str; 7] =
    ["srezero-40", "srezero-40-noisy", "recovery", "observation", "metastable", "compound", "generated-1k"];
const EPISODES: u32 = 3;

fn main() {
    let suite = |name: &str| suites::select(tasks::embedded(), name).expect("the carried tasks are valid");
    let all: Vec<(&str, Vec<Arc<Task>>)> = SUITES.iter().map(|name| (*name, suite(name))).collect();
    let shipped: Vec<Arc<Task>> = tasks::embedded().iter().map(|s| s.task().expect("it is valid")).collect();
    let mut out = String::from(INTRO);

    out += "## Agents by suite\n\nShare of episodes resolved; in brackets the mean reward.\n\n";
    heading(&mut out, "agent", all.iter().map(|(name, tasks)| format!("{name} ({})", tasks.len())));
    for agent in ALL {
        let cells = all.iter().map(|(_, tasks)| {
            let episodes = if tasks.len() > 500 { 1 } else { EPISODES };
            played(agent.name(), tasks, 0, episodes)
        });
        row(&mut out, agent.name(), cells);
    }

    out += "\n## By difficulty and noise\n\nAll shipped tasks.\n\n";
    heading(&mut out, "agent", (0..=3).map(|noise| format!("noise {noise}")));
    for agent in ["random", "runbook", "scripted"] {
        for difficulty in Difficulty::ALL {
            let own: Vec<Arc<Task>> = shipped.iter().filter(|t| t.difficulty == difficulty).cloned().collect();
            let name = format!("{agent}, {} ({})", difficulty.text(), own.len());
            row(&mut out, &name, (0..=3).map(|noise| played(agent, &own, noise, EPISODES)));
        }
    }
    println!("{}", out.trim_end());
}

const INTRO: &str = "# Agents by suite, difficulty and noise\n\nWritten by \
                     `cargo run --release -p sre-zero --example suites > docs/agents-by-suite.md`.\nThree episodes \
                     for each task from seed 0 (one for `generated-1k`); classic tools unless a task needs more.\n\n";

fn played(agent: &str, tasks: &[Arc<Task>], noise: u8, episodes: u32) -> String {
    let plan = Plan {
        agents: vec![agents::find(agent).expect("it is listed")],
        tasks: tasks.to_vec(),
        suite: String::new(),
        seeds: (0..u64::from(episodes)).collect(),
        repeats: 1,
        noise: Noise(noise),
        tools: ToolSet::Classic,
        how: How { jobs: std::thread::available_parallelism().map_or(1, usize::from), ..How::default() },
    };
    let swept = sweep::run(&plan, &mut []).expect("nothing is written");
    let n = swept.lines.len().max(1) as f64;
    let solved = swept.lines.iter().filter(|l| l.score.success).count() as f64 / n;
    let reward = swept.lines.iter().map(|l| l.score.reward).sum::<f64>() / n;
    format!("{:.0}% ({reward:.2})", 100.0 * solved)
}

fn heading(out: &mut String, first: &str, names: impl Iterator<Item = String>) {
    let names: Vec<String> = names.collect();
    writeln!(out, "| {first} | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len())).expect("it is text");
}

fn row(out: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    writeln!(out, "| {first} | {} |", cells.collect::<Vec<_>>().join(" | ")).expect("it is text");
}
