//! What marks are made of.

use super::figure::{ReportFigure, labels, words};
use super::scale::Axis;
use super::stacks::{BarPart, Stacks, stacks};
use crate::facts::Facts;
use crate::tables::{Cell, Column, Form, Table};

const LEAD: &str = "Marks are 40 for success, 25 for reward, 20 for evidence, 10 for efficiency and 5 for validity. The \
                    parts of a bar add up to the marks at its end.";

/// A part: its name for programs and for people, and its colour.
const PARTS: [(&str, &str, usize); 5] = [
    ("success", "Success (of 40)", 0),
    ("reward", "Reward (of 25)", 4),
    ("evidence", "Evidence (of 20)", 3),
    ("efficiency", "Efficiency (of 10)", 5),
    ("validity", "Validity (of 5)", 6),
];

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "What the marks are made of";
    let part = |agent: &crate::facts::AgentFacts, key: &str| {
        agent.marks_parts.iter().find(|part| part.0 == key).map(|part| part.1)
    };
    let mut columns = vec![Column::words("agent", "Agent")];
    columns.extend(PARTS.iter().map(|(key, name, _)| Column::decimals(key, name, 1)));
    columns.push(Column::decimals("marks", "Marks", 1));
    let mut table = Table::new("marks", title, columns);
    for agent in &facts.agents {
        let mut row = vec![Cell::Words(agent.agent.clone())];
        row.extend(PARTS.iter().map(|(key, ..)| Cell::maybe(part(agent, key))));
        row.push(Cell::maybe(agent.estimate("marks").map(|marks| marks.value)));
        table.push(row);
    }
    let values: Vec<Vec<f64>> = facts
        .agents
        .iter()
        .map(|agent| PARTS.iter().map(|(key, ..)| part(agent, key).unwrap_or(0.0)).collect())
        .collect();
    let ends: Vec<String> = table.rows.iter().map(|row| row[PARTS.len() + 1].show(Form::Decimals(1))).collect();
    let parts: Vec<BarPart> =
        PARTS.iter().map(|(_, name, look)| BarPart { name: (*name).to_owned(), look: Some(*look) }).collect();
    let chart = stacks(&Stacks {
        id: "marks",
        title,
        words: &words(LEAD, &table),
        rows: &labels(facts),
        parts: &parts,
        values: &values,
        ends: &ends,
        axis: Axis { label: "marks, 0 to 100".into(), form: Form::Decimals(1), low: 0.0, high: 100.0 },
    });
    Some(ReportFigure::new(title, LEAD, chart, table))
}
