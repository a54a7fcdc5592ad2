//! Success by difficulty.

use std::collections::BTreeSet;

use super::figure::{ReportFigure, labels, words};
use super::panels::{Mark, Panel, panels};
use super::scale::Axis;
use crate::facts::{AgentFacts, Facts};
use crate::tables::{Cell, Column, Table};

const LEAD: &str = "Each panel holds the tasks of one difficulty. The spread between panels says how much of an overall \
                    figure is the choice of tasks.";

/// More panels than this cannot be read side by side.
const MOST: usize = 4;

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "Success by difficulty";
    let group = |agent: &AgentFacts, name: &str| agent.groups.get("difficulty").and_then(|all| all.get(name)).cloned();
    let names: BTreeSet<(u8, String)> = facts.tasks().into_iter().map(|(hard, name, _)| (hard, name)).collect();
    let names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
    let mut columns = vec![Column::words("agent", "Agent")];
    for name in &names {
        columns.push(Column::percent(&format!("success_{name}"), &format!("Success, {name}")));
        columns.push(Column::count(&format!("counted_{name}"), &format!("Counted, {name}")));
    }
    let mut table = Table::new("difficulty", title, columns);
    for agent in &facts.agents {
        let mut row = vec![Cell::Words(agent.agent.clone())];
        for name in &names {
            let facts = group(agent, name).unwrap_or_default();
            row.push(Cell::estimate(facts.success));
            row.push(facts.counted.into());
        }
        table.push(row);
    }
    let panel = |name: &String| Panel {
        title: name.clone(),
        axis: Axis::shares("share resolved"),
        marks: facts.agents.iter().map(|agent| Mark::of(group(agent, name).and_then(|facts| facts.success))).collect(),
    };
    let all: Vec<Panel> = names.iter().take(MOST).map(panel).collect();
    let chart = panels("difficulty", title, &words(LEAD, &table), &labels(facts), &all, "");
    (!names.is_empty()).then(|| ReportFigure::new(title, LEAD, chart, table))
}
