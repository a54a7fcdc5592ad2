//! The failure analysis as tables: where the chain breaks, what records say, which tools were used.

use std::collections::BTreeSet;

use crate::analysis::{GroupAnalysis, Why};
use crate::facts::{AgentFacts, Facts};
use crate::tables::guard::shown;
use crate::tables::{Cell, Column, Estimate, Table};

/// Tables of the analysis; those that need records are left out without them.
pub(super) fn tables(facts: &Facts) -> Vec<Table> {
    let mut all = vec![chain(facts)];
    if facts.agents.iter().any(|agent| agent.analysis.is_some()) {
        all.extend([records(facts), wrong_turns(facts), calls(facts)]);
    }
    all
}

/// One column per agent.
fn by_agent(
    id: &'static str,
    title: &str,
    first: Vec<Column>,
    facts: &Facts,
    column: fn(&str, &str) -> Column,
) -> Table {
    let agents = facts.agents.iter().map(|agent| column(&agent.agent, &agent.agent));
    Table::new(id, title, first.into_iter().chain(agents).collect())
}

fn chain(facts: &Facts) -> Table {
    let first = vec![Column::words("what", "Share with"), Column::words("given", "Among episodes with")];
    let mut table = by_agent("chain", "Where the chain from evidence to success breaks", first, facts, Column::percent);
    let Some(agent) = facts.agents.first() else { return table };
    for (at, question) in agent.conditionals.iter().enumerate() {
        let rate = |agent: &AgentFacts| agent.conditionals.get(at).and_then(|found| found.rate).map(Estimate::from);
        let mut row = vec![Cell::Words(question.what.clone()), Cell::Words(question.given.clone())];
        row.extend(facts.agents.iter().map(|agent| Cell::estimate(rate(agent))));
        table.push(row);
    }
    table
}

/// A column of what records say: its name for programs and for people, and its value.
type RecordColumn = (&'static str, &'static str, fn(&GroupAnalysis) -> Option<f64>);

const MEANS: [RecordColumn; 5] = [
    ("evidence_step", "First sign seen at step", GroupAnalysis::mean_evidence_step),
    ("evidence_minutes", "First sign after (min)", GroupAnalysis::mean_evidence_minutes),
    ("wrong_turn_step", "First wrong turn at step", GroupAnalysis::mean_wrong_turn_step),
    ("reads_before_write", "Reads before the first change", |tally| tally.tools.mean_reads_before_write()),
    ("reads_per_write", "Reads per change", |tally| tally.tools.read_write_ratio()),
];

fn records(facts: &Facts) -> Table {
    let mut columns = vec![Column::words("agent", "Agent"), Column::count("examined", "Records examined")];
    columns.extend(MEANS.iter().map(|(key, name, _)| Column::decimals(key, name, 1)));
    columns.extend([
        Column::count("evidence_unused", "Evidence seen, not used"),
        Column::count("wrong_fixes", "Episodes with a wrong change"),
        Column::count("recovered", "Of these, recovered"),
    ]);
    let mut table = Table::new("analysis", "What the records of counted episodes say", columns);
    for agent in &facts.agents {
        let tally = agent.analysis.as_ref();
        let count = |value: fn(&GroupAnalysis) -> u32| Cell::maybe(tally.map(|tally| f64::from(value(tally))));
        let mut row = vec![Cell::Words(agent.agent.clone()), count(|tally| tally.episodes)];
        row.extend(MEANS.iter().map(|(_, _, mean)| Cell::maybe(tally.and_then(mean))));
        row.extend([
            count(|tally| tally.evidence_unused),
            count(|tally| tally.wrong_fixes),
            count(|tally| tally.recovered),
        ]);
        table.push(row);
    }
    table
}

fn wrong_turns(facts: &Facts) -> Table {
    let first = vec![Column::words("why", "First wrong turn")];
    let mut table = by_agent("wrong-turns", "Why episodes first went wrong", first, facts, Column::count);
    for why in Why::ALL {
        let count = |tally: &GroupAnalysis| f64::from(tally.wrong_turns.get(&why).copied().unwrap_or(0));
        let mut row = vec![Cell::Words(said(why).to_owned())];
        row.extend(facts.agents.iter().map(|agent| Cell::maybe(agent.analysis.as_ref().map(count))));
        table.push(row);
    }
    table
}

fn said(why: Why) -> &'static str {
    match why {
        Why::Invalid => "no valid action",
        Why::Distractor => "changed a distractor",
        Why::WrongFix => "changed something else",
        Why::NothingNew => "looked again at what was known",
        Why::Premature => "resolved too early",
        Why::Escalated => "escalated",
        Why::Dithered => "saw all evidence and did not act",
    }
}

/// Calls of each tool per counted episode.
fn calls(facts: &Facts) -> Table {
    let first = vec![Column::words("tool", "Tool")];
    let decimals = |key: &str, name: &str| Column::decimals(key, name, 2);
    let mut table = by_agent("calls", "Calls of each tool per counted episode", first, facts, decimals);
    let tools: BTreeSet<&String> = facts
        .agents
        .iter()
        .filter_map(|agent| agent.analysis.as_ref())
        .flat_map(|tally| tally.tools.calls.keys())
        .collect();
    for tool in tools {
        let mean = |tally: &GroupAnalysis| {
            f64::from(tally.tools.calls.get(tool).copied().unwrap_or(0)) / f64::from(tally.episodes)
        };
        let mut row = vec![Cell::Words(shown(tool))];
        row.extend(facts.agents.iter().map(|agent| Cell::maybe(agent.analysis.as_ref().map(mean))));
        table.push(row);
    }
    table
}
