//! The report as Markdown: the same sentences and tables, with the plots beside it.

use super::Report;
use super::summary::{method, ran, verdicts};
use super::words::in_words;
use crate::tables::{Table, markdown, markdown_cell};

pub(super) fn document(report: &Report) -> String {
    let mut out = String::from("# SRE-Zero report\n\n");
    for sentence in verdicts(&report.facts) {
        out.push_str(&format!("- {}\n", markdown_cell(&sentence)));
    }
    out.push('\n');
    report.table("headline").iter().for_each(|table| section(&mut out, table));
    if report.facts.has_incidents() {
        out.push_str("## In words\n\n");
        let told = report.facts.agents.iter().map(|agent| (agent, in_words(agent)));
        for (agent, sentences) in told.filter(|(_, sentences)| !sentences.is_empty()) {
            let text = format!("{}: {}", agent.agent, sentences.join(" "));
            out.push_str(&format!("- {}\n", markdown_cell(&text)));
        }
        out.push('\n');
    }
    out.push_str("## What was run\n\n");
    for setting in &report.facts.settings {
        for (name, value) in ran(setting) {
            out.push_str(&format!("- {name}: {}\n", markdown_cell(&value)));
        }
        out.push('\n');
    }
    for source in &report.facts.sources {
        out.push_str(&format!("- folder {}: {} episodes\n", markdown_cell(&source.name), source.episodes));
        if source.unproven > 0 {
            out.push_str(&format!("  - {} have no record and are believed unchecked\n", source.unproven));
        }
        if source.corrected > 0 {
            out.push_str(&format!(
                "  - {} lines did not say what their records say; the records count\n",
                source.corrected
            ));
        }
        for damaged in &source.damaged {
            out.push_str(&format!("  - left out: {}\n", markdown_cell(damaged)));
        }
    }
    out.push('\n');
    for figure in &report.figures {
        out.push_str(&format!("## {}\n\n{}\n\n", figure.title, markdown_cell(&figure.lead)));
        out.push_str(&format!("![{}](plots/{}.svg)\n\n{}\n", figure.title, figure.id, markdown(&figure.table)));
    }
    for table in report.tables.iter().filter(|table| table.id != "headline") {
        section(&mut out, table);
    }
    out.push_str("## How the numbers were made\n\n");
    for (name, text) in method(&report.facts) {
        out.push_str(&format!("- **{name}.** {}\n", markdown_cell(&text)));
    }
    out
}

fn section(out: &mut String, table: &Table) {
    out.push_str(&format!("## {}\n\n{}\n", markdown_cell(&table.title), markdown(table)));
}
