//! docs/agents-by-suite.md: every agent, the blind family included, on every suite, on seeds that come from the date.
//! `cargo run --release -p sre-zero-agents --example suites > docs/agents-by-suite.md`; `-- 2026-11-15` takes another date, and
//! `-- 2026-11-15 recovery,compound` some suites only, `-- 2026-11-15 recovery full` with one set of tools.

// Like the tests it is a referee: it may see tasks.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use harness::record::{BlindCeiling, is_blind};
use harness::sweep::{self, EpisodeLine, How, Plan};
use harness::{AgentKind, Incident, MemorySource, Noise, Task, ToolSet, civil, remember, sha256, suites, tasks};

const SUITES: [&str; 8] = [
    "srezero-40",
    "srezero-40-noisy",
    "recovery",
    "observation",
    "metastable",
    "compound",
    "postmortems",
    "generated-1k",
];
/// Seeds for each task of a suite; a large suite gets one.
const SEEDS: usize = 3;
const LARGE: usize = 500;

/// A suite with its tasks.
type Suite = (&'static str, Vec<Arc<Task>>);

fn main() {
    let mut args = std::env::args().skip(1);
    let date = args.next().unwrap_or_else(today);
    let only = args.next();
    let is_wanted = |name: &&str| only.as_ref().is_none_or(|only| only.split(',').any(|one| one == *name));
    let seeds = seeds(&date);
    let suite = |name: &'static str| (name, suites::select(tasks::embedded(), name).expect("the tasks are valid"));
    let all: Vec<Suite> = SUITES.into_iter().filter(is_wanted).map(suite).collect();
    let mut out = intro(&date, &seeds);
    let tools = args.next();
    for tools in
        [ToolSet::FULL, ToolSet::CLASSIC].into_iter().filter(|t| tools.as_ref().is_none_or(|own| own == t.name()))
    {
        writeln!(out, "\n## Agents by suite, {tools} tools\n\n{CELLS}\n").expect("it is text");
        by_suite(&mut out, &all, &seeds, tools);
    }
    if only.is_none() {
        by_noise(&mut out, &seeds[..1]);
    }
    println!("{}", out.trim_end());
}

const CELLS: &str = "Share of episodes resolved; in brackets the share that is credited with the root cause.";

fn by_suite(out: &mut String, all: &[Suite], seeds: &[u64], tools: ToolSet) {
    let mut table = Table::default();
    // Tricks at a terminal find none here.
    let chosen: Vec<&dyn AgentKind> =
        agents::ALL.iter().filter(|kind| !kind.name().starts_with("cluster-")).copied().collect();
    for (name, tasks) in all {
        let seeds = if tasks.len() > LARGE { &seeds[..1] } else { seeds };
        let column = format!("{name} ({})", tasks.len());
        table.add(&column, played(&chosen, tasks, 0, seeds, tools));
    }
    table.write(out, "agent");
}

fn by_noise(out: &mut String, seeds: &[u64]) {
    let shipped: Vec<Arc<Task>> = tasks::embedded().iter().map(|s| s.task().expect("it is valid")).collect();
    let count = shipped.len();
    *out += &format!("\n## By noise\n\nAll {count} shipped tasks, full tools, one seed. {CELLS}\n\n");
    let wanted = |kind: &&&dyn AgentKind| is_blind(kind.name()) || ["runbook", "scripted"].contains(&kind.name());
    let chosen: Vec<&dyn AgentKind> = agents::ALL.iter().filter(wanted).copied().collect();
    let mut table = Table::default();
    for noise in 0..=3 {
        table.add(&format!("noise {noise}"), played(&chosen, &shipped, noise, seeds, ToolSet::FULL));
    }
    table.write(out, "agent");
}

fn intro(date: &str, seeds: &[u64]) -> String {
    let list: Vec<String> = seeds.iter().map(u64::to_string).collect();
    format!(
        "# Agents by suite and noise\n\nWritten by `cargo run --release -p sre-zero-agents --example suites -- {date} > \
         docs/agents-by-suite.md`: world version {}, suite version {}.\nThe seeds are drawn from the date: {} (the first \
         alone for `generated-1k` and for noise). No agent was tuned on them.\n\nThe blind family looks at no symptom; \
         the best of it is the **blind ceiling**. \"Above blind\" is (success - ceiling) / (1 - ceiling).\n",
        harness::WORLD_VERSION,
        suites::SUITE_VERSION,
        list.join(", ")
    )
}

/// Seeds that were not chosen.
fn seeds(date: &str) -> Vec<u64> {
    let one = |n: usize| u64::from_str_radix(&sha256(format!("{date}/{n}").as_bytes())[..8], 16);
    (0..SEEDS).map(|n| one(n).expect("a digest is hexadecimal")).collect()
}

fn today() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(now / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// Plays all agents on the same incidents.
fn played(
    agents: &[&dyn AgentKind],
    tasks: &[Arc<Task>],
    noise: u8,
    seeds: &[u64],
    tools: ToolSet,
) -> Vec<EpisodeLine> {
    let plan = Plan {
        agents: agents.to_vec(),
        challenges: Incident::on_simulator(tasks),
        suite: String::new(),
        seeds: seeds.to_vec(),
        repeats: 1,
        noise: Noise(noise),
        tools,
        memory: MemorySource::of(remember::remembered(tasks).expect("the carried tasks are valid")),
        how: How { jobs: std::thread::available_parallelism().map_or(1, usize::from), ..How::default() },
    };
    sweep::run(&plan, &mut []).expect("nothing is written").lines
}

/// Success and root-cause credit of each agent.
type Rates = BTreeMap<String, (f64, f64)>;

/// Columns of figures, one row for each agent.
#[derive(Default)]
struct Table {
    columns: Vec<(String, Rates)>,
}

impl Table {
    fn add(&mut self, name: &str, lines: Vec<EpisodeLine>) {
        let mut sums: BTreeMap<String, (f64, f64, f64)> = BTreeMap::new();
        for line in &lines {
            let sum = sums.entry(line.score.agent.to_string()).or_default();
            let one = |holds: bool| f64::from(u8::from(holds));
            *sum = (sum.0 + 1.0, sum.1 + one(line.score.success), sum.2 + one(line.score.root_cause_identified));
        }
        let rates = sums.into_iter().map(|(agent, (n, success, cause))| (agent, (success / n, cause / n))).collect();
        self.columns.push((name.to_string(), rates));
    }

    fn write(&self, out: &mut String, first: &str) {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        writeln!(out, "| {first} | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len())).expect("it is text");
        let share = |rate: &(f64, f64)| format!("{:.0}% ({:.0}%)", 100.0 * rate.0, 100.0 * rate.1);
        for kind in agents::ALL.iter().filter(|kind| self.columns.iter().any(|(_, r)| r.contains_key(kind.name()))) {
            self.row(out, kind.name(), |rates| rates.get(kind.name()).map(share));
        }
        self.row(out, "**blind ceiling**", |rates| {
            ceiling(rates).map(|best| format!("**{:.0}%** {}", 100.0 * best.success_rate, best.agent))
        });
        for agent in ["runbook", "scripted"] {
            let skill = |rates: &Rates| ceiling(rates)?.skill(rates.get(agent)?.0);
            self.row(out, &format!("{agent}, above blind"), |rates| skill(rates).map(|skill| format!("{skill:.2}")));
        }
    }

    fn row(&self, out: &mut String, first: &str, cell: impl Fn(&Rates) -> Option<String>) {
        let cells: Vec<String> =
            self.columns.iter().map(|(_, rates)| cell(rates).unwrap_or_else(|| "-".to_string())).collect();
        writeln!(out, "| {first} | {} |", cells.join(" | ")).expect("it is text");
    }
}

fn ceiling(rates: &Rates) -> Option<BlindCeiling> {
    BlindCeiling::of("", rates.iter().map(|(agent, (success, _))| (agent.as_str(), *success)))
}
