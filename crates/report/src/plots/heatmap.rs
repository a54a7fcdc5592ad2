//! Success of each agent in each task.

use std::collections::BTreeMap;

use super::figure::{ReportFigure, labels};
use super::grid::{GridCell, MOST, TaskBand, grid};
use crate::facts::Facts;
use crate::tables::{Cell, Column, Table};
use crate::viewer;

const LEAD: &str = "Each cell says how many of the counted episodes were resolved; stronger colour is more. Hatched is where the \
                    provider failed: nothing is known of the agent there, so it has no colour. A dashed frame is a \
                    task that was not played. A cell leads to its episodes in the viewer, if that shows the run.";

/// The tasks of each difficulty, the easy ones first, with a tally for each agent.
type Bands<'a> = BTreeMap<(u8, &'a str), Vec<(&'a str, Vec<GridCell>)>>;

pub(super) fn figure(facts: &Facts) -> Option<ReportFigure> {
    let title = "Success by task and agent";
    let tasks = facts.tasks();
    let mut bands: Bands<'_> = BTreeMap::new();
    for (hard, difficulty, task) in &tasks {
        let tallies =
            facts.agents.iter().map(|agent| tally(agent.tasks.get(task).filter(|t| t.difficulty == *difficulty)));
        bands.entry((*hard, difficulty)).or_default().push((task, tallies.collect()));
    }
    let table = table(title, facts, &bands);
    let bands: Vec<TaskBand<'_>> = bands.into_iter().map(|((_, name), rows)| TaskBand { name, rows }).collect();
    let link = |at: usize, task: &str| address(facts, at, task);
    let chart = grid("heatmap", (title, &told(facts, tasks.len())), &labels(facts), &bands, &link);
    Some(ReportFigure::new(title, LEAD, chart, table))
}

/// The viewer's list of the episodes of a cell. Where agents of one name are told apart, all of the task are listed: the viewer
/// knows them by their plain names.
fn address(facts: &Facts, at: usize, task: &str) -> String {
    let agent = facts.agents.get(at).filter(|_| facts.settings.len() == 1).map(|agent| ("agent", &*agent.agent));
    viewer::episodes(&agent.into_iter().chain([("task", task)]).collect::<Vec<_>>())
}

fn tally(task: Option<&crate::facts::TaskFacts>) -> GridCell {
    task.map_or(GridCell::default(), |task| GridCell {
        counted: task.counted,
        successes: task.successes,
        provider_failures: task.provider_failures,
    })
}

fn table(title: &str, facts: &Facts, bands: &Bands<'_>) -> Table {
    let columns = vec![
        Column::words("task", "Task"),
        Column::words("difficulty", "Difficulty"),
        Column::words("agent", "Agent"),
        Column::count("successes", "Resolved"),
        Column::count("counted", "Counted"),
        Column::count("provider_failures", "Provider failed"),
    ];
    let mut table = Table::new("heatmap", title, columns);
    for ((_, difficulty), rows) in bands {
        for (task, tallies) in rows {
            for (agent, tally) in facts.agents.iter().zip(tallies) {
                let names = [*task, *difficulty, &agent.agent].map(|text| Cell::Words(text.to_owned()));
                let counts = [tally.successes, tally.counted, tally.provider_failures].map(Cell::from);
                table.push(names.into_iter().chain(counts).collect());
            }
        }
    }
    table
}

/// A grid is too much to read aloud: per agent, how many tasks were always, sometimes and never resolved.
fn told(facts: &Facts, tasks: usize) -> String {
    let mut all = vec![LEAD.to_owned()];
    if tasks > MOST {
        all.push(format!("Only the first {MOST} of {tasks} tasks are drawn; the table has them all."));
    }
    for agent in &facts.agents {
        let count =
            |which: fn(&crate::facts::TaskFacts) -> bool| agent.tasks.values().filter(|task| which(task)).count();
        let always = count(|task| task.counted > 0 && task.successes == task.counted);
        let never = count(|task| task.counted > 0 && task.successes == 0);
        let unknown = count(|task| task.counted == 0);
        let sometimes = agent.tasks.len() - always - never - unknown;
        all.push(format!(
            "{}: always resolved {always} tasks, sometimes {sometimes}, never {never}, nothing known of {unknown}.",
            agent.agent
        ));
    }
    all.join(" ")
}
