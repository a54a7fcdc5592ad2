//! The page: one file with everything in it, which asks no server for anything and runs nothing but
//! the few lines of its own that sort tables and turn the light off.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::Report;
use super::style::{SCRIPT, STYLE, policy};
use super::summary::{method, ran, verdicts};
use crate::facts::{AgentFacts, Facts, SourceFacts};
use crate::plots::ReportFigure;
use crate::tables::guard::slug;
use crate::tables::{Cell, Column, Form, Table};

/// Longer tables are folded away.
const LONG: usize = 24;

/// So many damaged lines are told on the page; `report.json` has them all.
const TOLD: usize = 20;

pub(super) fn page(report: &Report) -> String {
    let facts = &report.facts;
    let title = title(facts);
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#results" { "Skip to the results" }
                (banner(facts, &title))
                div.layout {
                    (contents(report))
                    main id="results" { (body(report)) }
                }
                footer { "Written by sre-zero. Every number is in report.json and can be recomputed from episodes.jsonl." }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    markup.into_string()
}

fn title(facts: &Facts) -> String {
    let suites: Vec<&str> = facts.settings.iter().map(|setting| setting.rules.suite.as_str()).collect();
    match suites[..] {
        [suite] => format!("SRE-Zero report: {suite}"),
        _ => format!("SRE-Zero report: {} settings", suites.len()),
    }
}

fn banner(facts: &Facts, title: &str) -> Markup {
    let counted: u32 = facts.agents.iter().map(|agent| agent.coverage.counted).sum();
    let planned: u32 = facts.agents.iter().map(|agent| agent.coverage.planned).sum();
    let tasks = facts.tasks().len();
    let share = f64::from(counted) / f64::from(planned.max(1));
    let numbers = [
        (facts.agents.len().to_string(), if facts.agents.len() == 1 { "agent" } else { "agents" }),
        (Form::Count.show(tasks as f64), if tasks == 1 { "task" } else { "tasks" }),
        (
            format!("{} of {}", Form::Count.show(counted.into()), Form::Count.show(planned.into())),
            "planned episodes count",
        ),
        (Form::Percent.show(share), "coverage"),
    ];
    html! {
        header {
            h1 { (title) }
            p.tagline { "How well agents respond to production incidents: evidence, safe action, resolution." }
            dl.numbers { @for (number, name) in numbers { div { dt { (name) } dd { (number) } } } }
        }
    }
}

fn contents(report: &Report) -> Markup {
    html! {
        nav aria-label="Contents" {
            ol {
                li { a href="#headline" { "Results" } }
                li { a href="#ran" { "What was run" } }
                @for figure in &report.figures { li { a href=(format!("#{}", figure.id)) { (figure.title) } } }
                @for table in rest(report) { li { a href=(format!("#{}", table.id)) { (table.title) } } }
                li { a href="#agents" { "Agent by agent" } }
                li { a href="#method" { "How the numbers were made" } }
            }
        }
    }
}

/// Tables that get a section of their own.
fn rest(report: &Report) -> impl Iterator<Item = &Table> {
    report.tables.iter().filter(|table| !matches!(table.id, "headline" | "figures"))
}

fn body(report: &Report) -> Markup {
    html! {
        section id="headline" {
            h2 { "Results" }
            ul.verdicts { @for sentence in verdicts(&report.facts) { li { (sentence) } } }
            @if let Some(headline) = report.table("headline") { (table(headline)) }
            p.note { "Brackets are 95 % intervals. " (links("headline", false)) }
        }
        (ran_section(&report.facts))
        @for figure in &report.figures { (figure_section(figure)) }
        @for found in rest(report) {
            section id=(found.id) {
                h2 { (found.title) }
                (folded(found))
                p.note { (links(found.id, false)) }
            }
        }
        (agents(report))
        section id="method" {
            h2 { "How the numbers were made" }
            dl.method { @for (name, text) in method(&report.facts) { dt { (name) } dd { (text) } } }
        }
    }
}

fn ran_section(facts: &Facts) -> Markup {
    html! {
        section id="ran" {
            h2 { "What was run" }
            div.settings {
                @for setting in &facts.settings {
                    dl.facts { @for (name, value) in ran(setting) { div { dt { (name) } dd { (value) } } } }
                }
            }
            ul.sources { @for source in &facts.sources { (source_line(source)) } }
        }
    }
}

fn source_line(source: &SourceFacts) -> Markup {
    html! {
        li {
            code { (source.name) } ": " (Form::Count.show(source.episodes.into())) " episodes"
            @if source.unproven > 0 {
                span.warning { " (" (source.unproven) " have no record and are believed unchecked)" }
            }
            @if source.corrected > 0 {
                span.warning { " (" (source.corrected) " lines did not say what their records say; the records count)" }
            }
            @if !source.damaged.is_empty() {
                details.warning {
                    summary { "Damaged lines, left out: " (source.damaged.len()) }
                    ul {
                        @for line in source.damaged.iter().take(TOLD) { li { (line) } }
                        @if source.damaged.len() > TOLD { li { "and " (source.damaged.len() - TOLD) " more" } }
                    }
                }
            }
        }
    }
}

fn figure_section(figure: &ReportFigure) -> Markup {
    let long = figure.table.rows.len() > LONG;
    html! {
        section id=(figure.id) {
            div.keep {
                h2 { (figure.title) }
                p.lead { (figure.lead) }
                figure { div.plot { (PreEscaped(figure.chart.inline())) } }
            }
            details.data.long[long] {
                summary { "The same numbers as a table" }
                (table(&figure.table))
            }
            p.note { (links(figure.id, true)) }
        }
    }
}

/// Where the same can be had for other programs.
fn links(id: &str, plot: bool) -> Markup {
    let endings = ["csv", "tex", "json", "md"].map(|ending| (ending, format!("tables/{id}.{ending}")));
    html! {
        span.links {
            "Files: "
            @for (ending, path) in &endings { a href=(path) { (ending) } " " }
            @if plot { a href=(format!("plots/{id}.svg")) { "svg" } }
        }
    }
}

fn folded(found: &Table) -> Markup {
    if found.rows.len() <= LONG {
        return table(found);
    }
    html! { details.data.long { summary { (found.rows.len()) " rows" } (table(found)) } }
}

fn table(found: &Table) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(found.title) {
            table {
                caption { (found.title) }
                thead { tr { @for column in &found.columns { th scope="col" class=(side(column)) { (column.name) } } } }
                tbody { @for row in &found.rows { tr { @for (cell, column) in row.iter().zip(&found.columns) { (td(cell, column)) } } } }
            }
        }
    }
}

fn side(column: &Column) -> &'static str {
    if column.form == Form::Words { "w" } else { "n" }
}

/// A cell; numbers carry their full value for sorting.
fn td(cell: &Cell, column: &Column) -> Markup {
    match cell {
        Cell::Words(text) => html! { td class=(side(column)) { (text) } },
        Cell::Nothing => html! { td.n { span.none { "\u{2013}" } } },
        Cell::Number(value) => html! { td.n data-v=(value) { (column.form.show(*value)) } },
        Cell::Estimate(estimate) => {
            let value = column.form.show(estimate.value);
            let whole = cell.show(column.form);
            let interval = whole.strip_prefix(&value).unwrap_or_default().trim();
            html! { td.n data-v=(estimate.value) { (value) @if !interval.is_empty() { " " span.ci { (interval) } } } }
        }
    }
}

fn agents(report: &Report) -> Markup {
    let figures = report.table("figures");
    html! {
        section id="agents" {
            h2 { "Agent by agent" }
            @for agent in &report.facts.agents { (agent_details(agent, figures)) }
            p.note { (links("figures", false)) }
        }
    }
}

fn agent_details(agent: &AgentFacts, figures: Option<&Table>) -> Markup {
    let coverage = &agent.coverage;
    let rank = agent.rank.map_or("not ranked".to_owned(), |rank| format!("rank {rank}"));
    let facts = [
        ("model", agent.model.clone().unwrap_or_else(|| "none".into())),
        ("planned episodes", coverage.planned.to_string()),
        ("counted", coverage.counted.to_string()),
        ("provider failed", coverage.provider_failures.to_string()),
        ("not played", coverage.missing().to_string()),
        ("coverage", Form::Percent.show(coverage.share)),
        ("success of planned", Form::Percent.show(agent.success_of_planned)),
    ];
    let own = figures.map(|all| Table {
        title: format!("All figures of {}", agent.agent),
        columns: all.columns[1..].to_vec(),
        rows: all
            .rows
            .iter()
            .filter(|row| row[0] == Cell::Words(agent.agent.clone()))
            .map(|row| row[1..].to_vec())
            .collect(),
        ..all.clone()
    });
    html! {
        details.agent id=(format!("agent-{}", slug(&agent.agent))) {
            summary { strong { (agent.agent) } " " span.badge { (rank) } }
            @if let Some(why) = &agent.refused { p.warning { (why) "." } }
            dl.facts { @for (name, value) in facts { div { dt { (name) } dd { (value) } } } }
            @if let Some(own) = own { (table(&own)) }
        }
    }
}
