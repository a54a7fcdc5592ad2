//! What the steps were spent on: looking, changing, taking back, closing, fumbling.

use super::figure::{ReportFigure, labels, words};
use super::scale::Axis;
use super::stacks::{BarPart, Stacks, stacks};
use crate::facts::{Facts, StepFacts};
use crate::tables::{Cell, Column, Form, Table};

const LEAD: &str = "Shares of all steps in counted episodes; at the end of a bar, steps per episode. Reads are looks at \
                    metrics, logs, configuration and the like; changes are right if they brought the fix nearer.";

/// A kind of step: its name for programs and for people, its colour, and how many there were. What is right has the colour of
/// success, what is wrong that of the failure.
type StepShare = (&'static str, &'static str, usize, fn(&StepFacts) -> u32);

const KINDS: [StepShare; 6] = [
    ("looks", "Reads", 4, |steps| steps.looks),
    ("right_changes", "Right changes", 0, |steps| steps.right_changes),
    ("wrong_changes", "Wrong changes", 1, |steps| steps.wrong_changes),
    ("undone", "Wrong changes taken back", 3, |steps| steps.undone),
    ("closings", "Resolve or escalate", 5, |steps| steps.closings),
    ("invalid", "Invalid", 7, |steps| steps.invalid),
];

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "Tool use";
    let mut columns = vec![Column::words("agent", "Agent"), Column::count("steps", "Steps")];
    columns.extend(KINDS.iter().map(|(key, name, ..)| Column::count(key, name)));
    columns.push(Column::decimals("reads_per_write", "Reads per change", 2));
    let mut table = Table::new("tools", title, columns);
    for agent in &facts.agents {
        let steps = &agent.steps;
        let writes = steps.right_changes + steps.wrong_changes + steps.undone;
        let mut row = vec![Cell::Words(agent.agent.clone()), steps.all.into()];
        row.extend(KINDS.iter().map(|(.., count)| Cell::from(count(steps))));
        row.push(Cell::maybe((writes > 0).then(|| f64::from(steps.looks) / f64::from(writes))));
        table.push(row);
    }
    let share = |steps: &StepFacts, n: u32| f64::from(n) / f64::from(steps.all.max(1));
    let values: Vec<Vec<f64>> = facts
        .agents
        .iter()
        .map(|agent| KINDS.iter().map(|kind| share(&agent.steps, kind.3(&agent.steps))).collect())
        .collect();
    let ends: Vec<String> = facts
        .agents
        .iter()
        .map(|agent| Cell::maybe(agent.estimate("mean_steps").map(|steps| steps.value)).show(Form::Decimals(2)))
        .collect();
    let parts: Vec<BarPart> =
        KINDS.iter().map(|kind| BarPart { name: kind.1.to_owned(), look: Some(kind.2) }).collect();
    let chart = stacks(&Stacks {
        id: "tools",
        title,
        words: &words(LEAD, &table),
        rows: &labels(facts),
        parts: &parts,
        values: &values,
        ends: &ends,
        axis: Axis::shares("share of steps"),
    });
    facts.agents.iter().any(|agent| agent.steps.all > 0).then(|| ReportFigure::new(title, LEAD, chart, table))
}
