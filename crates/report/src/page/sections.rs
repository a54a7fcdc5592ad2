//! The tables that have no figure: the headline, what was run, comparisons, groups, all figures.

use std::collections::BTreeSet;

use record::grade::columns::{self, MetricColumn, MetricUnit, PageTable};

use crate::clusters;
use crate::facts::{AgentFacts, Facts};
use crate::tables::{Cell, Column, Form, Table};

pub(super) fn tables(facts: &Facts) -> Vec<Table> {
    let mut all = vec![headline(facts), coverage(facts)];
    all.extend(super::questions::tables(facts));
    all.extend(facts.has_marks().then(|| diagnosis(facts)));
    all.extend(crate::facts::reliability_table(facts));
    all.extend(contests(facts));
    if facts.has_marks() {
        all.extend(super::failures::tables(facts));
    }
    all.push(groups(facts, "families", "family", "Success by task family"));
    if facts.has_incidents() {
        all.push(groups(facts, "services", "service", "Success by service at fault"));
    }
    all.push(figures(facts));
    all
}

/// The metric of problems in a cluster whose cause was named.
const DIAGNOSED: &str = "root_cause_identification_rate";

fn headline(facts: &Facts) -> Table {
    let has_ceiling = !facts.ceilings.is_empty();
    let mut columns = vec![Column::words("rank", "Rank"), Column::words("agent", "Agent")];
    for (column, name) in metrics(facts, PageTable::Headline) {
        columns.push(column_of(column, name));
        if column.name == "success_rate" {
            columns.push(Column::percent("success_of_planned", "Of planned"));
            columns.extend(facts.is_of_clusters().then(|| Column::percent(DIAGNOSED, "Diagnosed")));
            columns.extend(has_ceiling.then(|| Column::decimals("skill_above_blind", "Above blind", 2)));
        }
    }
    columns.extend([
        Column::count("counted", "Counted"),
        Column::count("planned", "Planned"),
        Column::percent("coverage", "Coverage"),
    ]);
    let mut table = Table::new("headline", "Results with 95 % intervals", columns);
    for agent in &facts.agents {
        let rank = agent.rank.map_or("not ranked".to_owned(), |rank| rank.to_string());
        table.push(headline_row(facts, agent, rank, agent.agent.clone(), has_ceiling));
    }
    for ceiling in &facts.ceilings {
        let best = facts.agents.iter().find(|agent| agent.agent == ceiling.shown);
        let name = format!("blind ceiling ({})", ceiling.shown);
        best.into_iter().for_each(|best| table.push(headline_row(facts, best, String::new(), name.clone(), true)));
    }
    table
}

fn headline_row(facts: &Facts, agent: &AgentFacts, rank: String, name: String, has_ceiling: bool) -> Vec<Cell> {
    let mut row = vec![Cell::Words(rank), Cell::Words(name)];
    for (column, _) in metrics(facts, PageTable::Headline) {
        row.push(cell_of(column, agent));
        if column.name == "success_rate" {
            row.push(agent.success_of_planned.into());
            row.extend(facts.is_of_clusters().then(|| Cell::estimate(agent.estimate(DIAGNOSED))));
            row.extend(has_ceiling.then(|| Cell::maybe(agent.skill_above_blind)));
        }
    }
    let coverage = &agent.coverage;
    row.extend([coverage.counted.into(), coverage.planned.into(), coverage.share.into()]);
    row
}

/// The metrics of a table with their headings.
fn metrics(facts: &Facts, of: PageTable) -> impl Iterator<Item = (&'static MetricColumn, &'static str)> {
    columns::ALL.iter().filter(|column| facts.shows(column)).filter_map(move |column| match column.page {
        Some((table, name)) if table == of => Some((*column, name)),
        _ => None,
    })
}

fn column_of(column: &MetricColumn, name: &str) -> Column {
    match column.unit {
        MetricUnit::Share => Column::percent(column.name, name),
        MetricUnit::Decimals(decimals) => Column::decimals(column.name, name, decimals),
        MetricUnit::Minutes => Column::decimals(column.name, &format!("{name}, minutes"), 1),
    }
}

fn cell_of(column: &MetricColumn, agent: &AgentFacts) -> Cell {
    if column.has_interval {
        Cell::estimate(agent.estimate(column.name))
    } else {
        Cell::maybe(column.of(&agent.metrics).filter(|_| !agent.in_clusters || clusters::measures(column)))
    }
}

fn coverage(facts: &Facts) -> Table {
    let faults: BTreeSet<&String> = facts.agents.iter().flat_map(|agent| agent.provider_faults.keys()).collect();
    let mut columns = vec![
        Column::words("agent", "Agent"),
        Column::count("planned", "Planned"),
        Column::count("counted", "Counted"),
        Column::count("provider_failures", "Provider failed"),
        Column::count("missing", "Not played"),
        Column::percent("coverage", "Coverage"),
        Column::words("ranked", "Ranked"),
    ];
    columns
        .extend(faults.iter().map(|fault| Column::count(&format!("provider_{fault}"), &format!("Provider: {fault}"))));
    let mut table = Table::new("coverage", "Coverage: what counts, and what does not", columns);
    for agent in &facts.agents {
        let coverage = &agent.coverage;
        let mut row = vec![
            Cell::Words(agent.agent.clone()),
            coverage.planned.into(),
            coverage.counted.into(),
            coverage.provider_failures.into(),
            coverage.missing().into(),
            coverage.share.into(),
            Cell::Words(if agent.is_ranked() { "yes" } else { "no" }.to_owned()),
        ];
        row.extend(faults.iter().map(|fault| Cell::from(agent.provider_faults.get(*fault).copied().unwrap_or(0))));
        table.push(row);
    }
    table
}

fn diagnosis(facts: &Facts) -> Table {
    let found = metrics(facts, PageTable::Diagnosis).map(|(column, name)| column_of(column, name));
    let columns = [Column::words("agent", "Agent")].into_iter().chain(found).collect();
    let mut table = Table::new("diagnosis", "Diagnosis, remediation and recovery", columns);
    for agent in &facts.agents {
        let cells = metrics(facts, PageTable::Diagnosis).map(|(column, _)| cell_of(column, agent));
        table.push([Cell::Words(agent.agent.clone())].into_iter().chain(cells).collect());
    }
    table
}

/// The comparisons behind the ranks; nothing with fewer than two ranked agents.
fn contests(facts: &Facts) -> Option<Table> {
    let columns = vec![
        Column::words("better", "Better"),
        Column::words("worse", "Worse"),
        Column::count("pairs", "Pairs"),
        Column::percent("difference", "Difference in success"),
        Column::chance("p_holm", "p (Holm)"),
        Column::words("told_apart", "Told apart"),
    ];
    let mut table = Table::new("comparisons", "Comparisons behind the ranks", columns);
    for contest in &facts.contests {
        table.push(vec![
            Cell::Words(contest.better.clone()),
            Cell::Words(contest.worse.clone()),
            contest.pairs.into(),
            Cell::estimate(contest.difference.map(|found| found.interval.into())),
            contest.p_holm.into(),
            Cell::Words(if contest.is_significant() { "yes" } else { "no" }.to_owned()),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Success by group, one column per agent.
fn groups(facts: &Facts, id: &'static str, kind: &'static str, title: &str) -> Table {
    let of = |agent: &AgentFacts| agent.groups.get(kind).cloned().unwrap_or_default();
    let names: BTreeSet<String> = facts.agents.iter().flat_map(|agent| of(agent).into_keys()).collect();
    let mut columns = vec![Column::words(kind, if kind == "family" { "Family" } else { "Service" })];
    columns.extend(facts.agents.iter().map(|agent| Column::percent(&agent.agent, &agent.agent)));
    let mut table = Table::new(id, title, columns);
    let all: Vec<_> = facts.agents.iter().map(of).collect();
    for name in names {
        let mut row = vec![Cell::Words(name.clone())];
        row.extend(all.iter().map(|groups| Cell::estimate(groups.get(&name).and_then(|group| group.success))));
        table.push(row);
    }
    table
}

/// Every figure with an interval, in long form.
fn figures(facts: &Facts) -> Table {
    let columns = vec![
        Column::words("agent", "Agent"),
        Column::words("figure", "Figure"),
        Column { key: "value".into(), name: "Value".into(), form: Form::Decimals(3) },
        Column::words("method", "Method of the interval"),
    ];
    let mut table = Table::new("figures", "All figures and how their intervals were made", columns);
    for agent in &facts.agents {
        for (name, estimate) in &agent.estimates {
            let method = agent.methods.get(name).map_or("", |method| method.words());
            table.push(vec![
                Cell::Words(agent.agent.clone()),
                Cell::Words((*name).to_owned()),
                Cell::Estimate(*estimate),
                Cell::Words(method.to_owned()),
            ]);
        }
    }
    table
}
