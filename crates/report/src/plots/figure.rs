//! A figure of the report: a chart, the same numbers as a table, and a few words on how to read them.

use super::chart::{Chart, Label};
use super::looks::looks;
use crate::facts::{AgentFacts, Facts};
use crate::tables::{Cell, Column, Form, Table};

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportFigure {
    /// A name for files and anchors.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// How to read it.
    pub lead: String,
    /// The drawing.
    pub chart: Chart,
    /// The same numbers.
    pub table: Table,
}

/// So many agents are told in the words of a chart; the table has them all.
const TOLD: usize = 12;

impl ReportFigure {
    pub(super) fn new(title: &'static str, lead: &str, chart: Chart, table: Table) -> ReportFigure {
        assert_eq!(chart.id, table.id, "a figure's drawing and its table have one name");
        ReportFigure { id: chart.id, title, lead: lead.to_owned(), chart, table }
    }
}

/// The agents as the charts mark them.
pub(super) fn labels(facts: &Facts) -> Vec<Label> {
    let names: Vec<&str> = facts.agents.iter().map(|agent| agent.agent.as_str()).collect();
    facts.agents.iter().zip(looks(&names)).map(|(agent, look)| label(agent, look)).collect()
}

fn label(agent: &AgentFacts, look: usize) -> Label {
    Label { text: agent.agent.clone(), look, hollow: !agent.is_ranked() }
}

/// The words of a chart: its table, read aloud.
pub(super) fn words(lead: &str, table: &Table) -> String {
    let row = |row: &Vec<Cell>| -> String {
        let name = row.first().map_or(String::new(), |cell| cell.show(Form::Words));
        let cells = row
            .iter()
            .zip(&table.columns)
            .skip(1)
            .map(|(cell, column)| format!("{} {}", column.name, cell.show(column.form)));
        format!("{name}: {}.", cells.collect::<Vec<_>>().join(", "))
    };
    let mut all = vec![lead.to_owned()];
    all.extend(table.rows.iter().take(TOLD).map(row));
    if table.rows.len() > TOLD {
        all.push(format!("{} more rows are in the table.", table.rows.len() - TOLD));
    }
    all.join(" ")
}

/// A table with a row per agent, of figures that have intervals.
pub(super) fn of_estimates(
    id: &'static str,
    title: &str,
    facts: &Facts,
    columns: &[(&'static str, &str, Form)],
) -> Table {
    let mut heads = vec![Column::words("agent", "Agent")];
    heads.extend(columns.iter().map(|(key, name, form)| Column {
        key: (*key).to_owned(),
        name: (*name).to_owned(),
        form: *form,
    }));
    let mut table = Table::new(id, title, heads);
    for agent in &facts.agents {
        let mut row = vec![Cell::Words(agent.agent.clone())];
        row.extend(columns.iter().map(|(key, _, _)| Cell::estimate(agent.estimate(key))));
        table.push(row);
    }
    table
}
