//! The tables of docs/agents-by-suite.md: agents by suite, exploit agents by suite with both sets of tools, and
//! agents by difficulty and noise.
//! `cargo run --release -p sre-zero --example suites > docs/agents-by-suite.md`; with `-- exploits` only the exploit
//! agents' tables are printed.

use std::fmt::Write;
use std::sync::Arc;

use harness::sweep::{self, How, Plan};
use harness::{AgentKind, Difficulty, Incident, MemorySource, Noise, Task, ToolSet, remember, suites, tasks};

const SUITES: [&str; 7] =
    ["srezero-40", "srezero-40-noisy", "recovery", "observation", "metastable", "compound", "generated-1k"];
const EPISODES: u32 = 3;

/// A suite with its tasks.
type Suite = (&'static str, Vec<Arc<Task>>);

fn main() {
    let suite = |name: &str| suites::select(tasks::embedded(), name).expect("the carried tasks are valid");
    let all: Vec<Suite> = SUITES.iter().map(|name| (*name, suite(name))).collect();
    let mut out = String::new();
    if std::env::args().nth(1).as_deref() != Some("exploits") {
        out += INTRO;
        out += "## Agents by suite\n\nShare of episodes resolved; in brackets the mean reward.\n\n";
        let fair: Vec<&dyn AgentKind> =
            ["random", "runbook", "scripted"].iter().map(|name| agents::find(name).expect("it is listed")).collect();
        by_suite(&mut out, &fair, &all, ToolSet::CLASSIC);
        by_noise(&mut out);
    }
    out += EXPLOITS;
    for tools in ToolSet::ALL {
        writeln!(out, "\nWith the {tools} tools:\n").expect("it is text");
        by_suite(&mut out, agents::exploits::ALL, &all, *tools);
    }
    println!("{}", out.trim_end());
}

fn by_suite(out: &mut String, agents: &[&dyn AgentKind], all: &[Suite], tools: ToolSet) {
    heading(out, "agent", all.iter().map(|(name, tasks)| format!("{name} ({})", tasks.len())));
    for agent in agents {
        let cells = all.iter().map(|(_, tasks)| {
            let episodes = if tasks.len() > 500 { 1 } else { EPISODES };
            played(agent.name(), tasks, 0, episodes, tools)
        });
        row(out, agent.name(), cells);
    }
}

fn by_noise(out: &mut String) {
    let shipped: Vec<Arc<Task>> = tasks::embedded().iter().map(|s| s.task().expect("it is valid")).collect();
    *out += "\n## By difficulty and noise\n\nAll shipped tasks.\n\n";
    heading(out, "agent", (0..=3).map(|noise| format!("noise {noise}")));
    for agent in ["random", "runbook", "scripted"] {
        for difficulty in Difficulty::ALL {
            let own: Vec<Arc<Task>> = shipped.iter().filter(|t| t.difficulty == difficulty).cloned().collect();
            let name = format!("{agent}, {} ({})", difficulty.text(), own.len());
            row(out, &name, (0..=3).map(|noise| played(agent, &own, noise, EPISODES, ToolSet::CLASSIC)));
        }
    }
}

const INTRO: &str = "# Agents by suite, difficulty and noise\n\nWritten by \
                     `cargo run --release -p sre-zero --example suites > docs/agents-by-suite.md`.\nThree episodes \
                     for each task from seed 0 (one for `generated-1k`); classic tools unless a task needs more.\n\n";

/// What stands above the exploit agents' tables.
const EXPLOITS: &str = "\n## Exploit agents\n\nEach tries to score without understanding; what it reaches is reached \
                        blindly. `restart-all` succeeds where a restart is the true fix. The change history has a known \
                        hole: no innocent change is of a setting that exists, so `undo-the-real-key` finds the culprit \
                        of every pushed setting without a look at a symptom, and taking back what did no harm costs \
                        nothing, so `rollback-everything` comes nearly as far.\n";

fn played(agent: &str, tasks: &[Arc<Task>], noise: u8, episodes: u32, tools: ToolSet) -> String {
    let plan = Plan {
        agents: vec![agents::find(agent).expect("it is listed")],
        challenges: Incident::on_simulator(tasks),
        suite: String::new(),
        seeds: (0..u64::from(episodes)).collect(),
        repeats: 1,
        noise: Noise(noise),
        tools,
        memory: MemorySource::of(remember::remembered(tasks).expect("the carried tasks are valid")),
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
