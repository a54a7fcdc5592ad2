//! How episodes went, in one category each.

use harness::grade::FailureMode;

use super::figure::{Figure, labels, words};
use super::scale::Axis;
use super::stacks::{Part, Stacks, stacks};
use crate::page::{AgentFacts, Facts};
use crate::tables::{Cell, Column, Table};

const LEAD: &str = "Shares of all episodes played, each in the first category that fits. Hatched are episodes that do not \
                    count because the provider failed: they say nothing of the agent.";

/// The categories; what does not count comes last.
const MODES: [FailureMode; 7] = [
    FailureMode::Success,
    FailureMode::WrongRemediation,
    FailureMode::PrematureResolution,
    FailureMode::StepBudgetExhausted,
    FailureMode::InvalidAction,
    FailureMode::Other,
    FailureMode::ProviderError,
];

pub(super) fn figure(facts: &Facts) -> Option<Figure> {
    let title = "How episodes went";
    let mut columns = vec![Column::words("agent", "Agent"), Column::count("played", "Played")];
    columns.extend(MODES.iter().map(|mode| Column::count(mode.name(), said(*mode))));
    let mut table = Table::new("failures", title, columns);
    for agent in &facts.agents {
        let mut row = vec![Cell::Words(agent.agent.clone()), played(agent).into()];
        row.extend(MODES.iter().map(|mode| Cell::from(count(agent, *mode))));
        table.push(row);
    }
    let values = |agent: &AgentFacts| -> Vec<f64> {
        MODES.iter().map(|mode| f64::from(count(agent, *mode)) / f64::from(played(agent).max(1))).collect()
    };
    let part = |(at, mode): (usize, &FailureMode)| Part {
        name: said(*mode).to_owned(),
        look: (*mode != FailureMode::ProviderError).then_some(at),
    };
    let parts: Vec<Part> = MODES.iter().enumerate().map(part).collect();
    let ends: Vec<String> = facts.agents.iter().map(|agent| format!("n = {}", played(agent))).collect();
    let chart = stacks(&Stacks {
        id: "failures",
        title,
        words: &words(LEAD, &table),
        rows: &labels(facts),
        parts: &parts,
        values: &facts.agents.iter().map(values).collect::<Vec<_>>(),
        ends: &ends,
        axis: Axis::shares("share of episodes played"),
    });
    Some(Figure::new(title, LEAD, chart, table))
}

fn count(agent: &AgentFacts, mode: FailureMode) -> u32 {
    agent.metrics.failure_modes.get(mode.name()).copied().unwrap_or(0)
}

fn played(agent: &AgentFacts) -> u32 {
    agent.coverage.counted + agent.coverage.provider_failures
}

fn said(mode: FailureMode) -> &'static str {
    match mode {
        FailureMode::Success => "Success",
        FailureMode::ProviderError => "Provider failed (not counted)",
        FailureMode::WrongRemediation => "Wrong change",
        FailureMode::PrematureResolution => "Resolved too early",
        FailureMode::StepBudgetExhausted => "Out of steps",
        FailureMode::InvalidAction => "Invalid actions",
        FailureMode::Other => "Other",
    }
}
