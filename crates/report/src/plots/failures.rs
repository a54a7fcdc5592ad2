//! How episodes went, in one category each.

use super::figure::{ReportFigure, labels, words};
use super::scale::Axis;
use super::stacks::{BarPart, Stacks, stacks};
use crate::analysis::Category;
use crate::facts::{AgentFacts, Facts};
use crate::tables::{Cell, Column, Table};

const LEAD: &str = "Shares of all episodes played, each in the first category that fits. Hatched are episodes that do not \
                    count because the provider failed: they say nothing of the agent.";

/// The categories; what does not count comes last.
const CATEGORIES: [Category; 9] = [
    Category::Success,
    Category::WrongFix,
    Category::Premature,
    Category::Distractor,
    Category::Budget,
    Category::Escalated,
    Category::Other,
    Category::Invalid,
    Category::Provider,
];

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "How episodes went";
    let mut columns = vec![Column::words("agent", "Agent"), Column::count("played", "Played")];
    columns.extend(CATEGORIES.iter().map(|category| Column::count(category.name(), category.title())));
    let mut table = Table::new("failures", title, columns);
    for agent in &facts.agents {
        let mut row = vec![Cell::Words(agent.agent.clone()), played(agent).into()];
        row.extend(CATEGORIES.iter().map(|category| Cell::from(count(agent, *category))));
        table.push(row);
    }
    let share = |agent: &AgentFacts, category| f64::from(count(agent, category)) / f64::from(played(agent).max(1));
    let values = |agent| CATEGORIES.iter().map(|category| share(agent, *category)).collect::<Vec<f64>>();
    let part = |(at, category): (usize, &Category)| BarPart {
        name: category.title().to_owned(),
        look: (*category != Category::Provider).then_some(at),
    };
    let parts: Vec<BarPart> = CATEGORIES.iter().enumerate().map(part).collect();
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
    Some(ReportFigure::new(title, LEAD, chart, table))
}

fn count(agent: &AgentFacts, category: Category) -> u32 {
    agent.categories.get(&category).copied().unwrap_or(0)
}

fn played(agent: &AgentFacts) -> u32 {
    agent.coverage.counted + agent.coverage.provider_failures
}
