//! The page: one file with everything in it, which asks no server for anything and runs nothing but
//! the few lines of its own that sort tables and turn the light off.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::Report;
use super::style::{SCRIPT, STYLE, policy};
use super::summary::{method, ran, verdicts};
use super::words::{in_words, kinds};
use crate::analysis::Category;
use crate::facts::{AgentFacts, ExampleFacts, Facts, SourceFacts, hardness};
use crate::plots::ReportFigure;
use crate::tables::guard::slug;
use crate::tables::{Cell, Column, Form, Table};
use crate::viewer;

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
            p.tagline { (tagline(facts)) }
            dl.numbers { @for (number, name) in numbers { div { dt { (name) } dd { (number) } } } }
        }
    }
}

fn tagline(facts: &Facts) -> &'static str {
    match (facts.has_marks(), facts.is_of_clusters()) {
        (true, _) => "How well agents respond to production incidents: evidence, safe action, resolution.",
        (_, true) => "How well agents respond to problems in a cluster: diagnosis, mitigation.",
        _ => "How well agents answer questions about changes and write Terraform.",
    }
}

fn contents(report: &Report) -> Markup {
    html! {
        nav aria-label="Contents" {
            ol {
                li { a href="#headline" { "Results" } }
                @if report.facts.has_incidents() { li { a href="#words" { "In words" } } }
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
            ul.verdicts { @for sentence in verdicts(&report.facts) { li { (soft(sentence.as_ref())) } } }
            @if let Some(headline) = report.table("headline") { (table_linking(headline, &report.facts)) }
            p.note { "Brackets are 95 % intervals. A name leads to what the agent did. " (links("headline", false)) }
        }
        @if report.facts.has_incidents() { (words_section(&report.facts)) }
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

/// Why agents fail, one after the other.
fn words_section(facts: &Facts) -> Markup {
    let told = facts.agents.iter().enumerate().map(|(at, agent)| (at, agent, in_words(agent)));
    html! {
        section id="words" {
            h2 { "In words" }
            ul.words {
                @for (at, agent, sentences) in told.filter(|(.., sentences)| !sentences.is_empty()) {
                    li { a href=(format!("#{}", anchor(at, agent))) { (soft(&agent.agent)) } ": " (sentences.join(" ")) }
                }
            }
        }
    }
}

/// Where an agent's own part begins. Two names may have the same letters, so that its place is part of it.
fn anchor(at: usize, agent: &AgentFacts) -> String {
    format!("agent-{at}-{}", slug(&agent.agent))
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
    table_with(found, &|cell, column| td(cell, column))
}

/// A table in which the names of agents lead to their parts of the page.
fn table_linking(found: &Table, facts: &Facts) -> Markup {
    table_with(found, &|cell, column| {
        let agent = facts.agents.iter().enumerate().find(|(_, agent)| *cell == Cell::Words(agent.agent.clone()));
        match agent {
            Some((at, agent)) if column.key == "agent" => {
                html! { td.w { a href=(format!("#{}", anchor(at, agent))) { (soft(&agent.agent)) } } }
            }
            _ => td(cell, column),
        }
    })
}

fn table_with(found: &Table, td: &dyn Fn(&Cell, &Column) -> Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(found.title) {
            table {
                caption { (found.title) }
                thead { tr { @for column in &found.columns { th scope="col" class=(side(column)) { (soft(&column.name)) } } } }
                tbody { @for row in &found.rows { tr { @for (cell, column) in row.iter().zip(&found.columns) { (td(cell, column)) } } } }
            }
        }
    }
}

/// A text whose names may be broken behind their separators, and nowhere else as long as there is room.
fn soft(text: &str) -> Markup {
    html! { @for part in text.split_inclusive(['@', '/', '_']) { (part) @if part.ends_with(['@', '/', '_']) { wbr; } } }
}

fn side(column: &Column) -> &'static str {
    if column.form == Form::Words { "w" } else { "n" }
}

/// A cell; numbers carry their full value for sorting.
fn td(cell: &Cell, column: &Column) -> Markup {
    match cell {
        Cell::Words(text) => html! { td class=(side(column)) { (soft(text)) } },
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
            @for (at, agent) in report.facts.agents.iter().enumerate() { (agent_details(at, agent, figures)) }
            p.note { (links("figures", false)) }
        }
    }
}

fn agent_details(at: usize, agent: &AgentFacts, figures: Option<&Table>) -> Markup {
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
    html! {
        details.agent id=(anchor(at, agent)) {
            summary { strong { (soft(&agent.agent)) } " " span.badge { (rank) } }
            @if let Some(why) = &agent.refused { p.warning { (why) "." } }
            p.words { (in_words(agent).join(" ")) }
            dl.facts { @for (name, value) in facts { div { dt { (name) } dd { (value) } } } }
            (failures(agent))
            h3 { "Success by group" }
            (table(&groups(agent)))
            (tasks(agent))
            @if let Some(all) = figures {
                details { summary { "All figures of this agent" } (table(&own_figures(agent, all))) }
            }
        }
    }
}

/// The kinds of failure, each with an episode that shows it.
fn failures(agent: &AgentFacts) -> Markup {
    let kinds = kinds(agent);
    let failed: u32 = kinds.iter().map(|(_, count)| count).sum();
    let example = |category: Category| agent.examples.iter().find(|example| example.category == category);
    html! {
        @if failed > 0 {
            h3 { "How its failures came about" }
            ul.words {
                @for (category, count) in &kinds {
                    li {
                        strong { (category.title()) } ": " (count) " of " (failed) ". "
                        @if let Some(example) = example(*category) {
                            "For example " a href=(episode(example)) target="_blank" rel="noopener" { (soft(&example.task)) ", seed " (example.seed) }
                            ": " (example.why.join(" "))
                        }
                    }
                }
            }
        }
    }
}

/// An example in the viewer, if that shows the run.
fn episode(example: &ExampleFacts) -> String {
    let seed = example.seed.to_string();
    viewer::episodes(&[("agent", &example.agent), ("task", &example.task), ("seed", &seed)])
}

fn groups(agent: &AgentFacts) -> Table {
    let columns = vec![
        Column::words("by", "By"),
        Column::words("group", "Group"),
        Column::count("successes", "Resolved"),
        Column::count("counted", "Counted"),
        Column::percent("success", "Success"),
    ];
    let mut table = Table::new("groups", format!("Success of {} by group", agent.agent), columns);
    for (by, groups) in &agent.groups {
        let mut groups: Vec<_> = groups.iter().filter(|(_, group)| group.counted > 0).collect();
        groups.sort_by_key(|(name, _)| hardness(name));
        for (name, group) in groups {
            let words = [(*by).to_owned(), name.clone()].map(Cell::Words);
            let numbers = [group.successes.into(), group.counted.into(), Cell::estimate(group.success)];
            table.push(words.into_iter().chain(numbers).collect());
        }
    }
    table
}

/// The tasks that it never resolves, and how many it always does.
fn tasks(agent: &AgentFacts) -> Markup {
    let counted = || agent.tasks.iter().filter(|(_, task)| task.counted > 0);
    let always = counted().filter(|(_, task)| task.successes == task.counted).count();
    let never: Vec<&str> = counted().filter(|(_, task)| task.successes == 0).map(|(name, _)| name.as_str()).collect();
    let sometimes = counted().count() - always - never.len();
    html! {
        p.words {
            "Of " (counted().count()) " tasks it always resolves " (always) ", sometimes " (sometimes) " and never " (never.len())
            @if !never.is_empty() && always + sometimes > 0 {
                ": " (never[..never.len().min(TOLD)].join(", "))
                @if never.len() > TOLD { " and " (never.len() - TOLD) " more" }
            }
            "."
        }
    }
}

fn own_figures(agent: &AgentFacts, all: &Table) -> Table {
    let own = all.rows.iter().filter(|row| row[0] == Cell::Words(agent.agent.clone()));
    Table {
        title: format!("All figures of {}", agent.agent),
        columns: all.columns[1..].to_vec(),
        rows: own.map(|row| row[1..].to_vec()).collect(),
        ..all.clone()
    }
}
