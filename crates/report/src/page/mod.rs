//! The report of one or more runs: facts computed once, shown as a page, as Markdown and as files for
//! other programs.

mod failures;
mod html;
mod markdown;
mod questions;
mod sections;
mod style;
mod summary;
mod words;

use serde_json::{Value, json};

use crate::facts::{Clash, EpisodeSource, Facts};
use crate::plots::{ReportFigure, figures};
use crate::rounding::rounded;
use crate::tables::{self, Table};

/// A report: its numbers, its figures and its tables.
pub struct Report {
    /// All numbers.
    pub facts: Facts,
    /// The figures, each with a table of its own.
    pub figures: Vec<ReportFigure>,
    /// The tables without a figure.
    pub tables: Vec<Table>,
    /// Tables whose files have other columns than the page.
    chosen: Vec<Table>,
}

/// A file of a report: its path below the report's folder, and its text.
pub struct ReportFile {
    /// With `/` between its parts.
    pub path: String,
    /// What it holds.
    pub text: String,
}

impl Report {
    /// The report of some folders; runs of another version of the world than this are told apart.
    pub fn of(sources: &[EpisodeSource], world_version: u32) -> Result<Report, Clash> {
        let facts = Facts::of(sources, world_version)?;
        Ok(Report { figures: figures(&facts), tables: sections::tables(&facts), facts, chosen: Vec::new() })
    }

    /// Gives the files of a table these columns alone, in this order; the page keeps them all.
    pub fn choose(&mut self, table: &str, columns: &[String]) -> Result<(), String> {
        let known: Vec<&str> = self.all_tables().map(|table| table.id).collect();
        let found = self.all_tables().find(|known| known.id == table);
        let found = found.ok_or_else(|| format!("there is no table `{table}`; there are {}", known.join(", ")))?;
        let chosen = found.with_columns(columns)?;
        self.chosen.push(chosen);
        Ok(())
    }

    /// All files of the report, the page first.
    pub fn files(&self) -> Vec<ReportFile> {
        let file = |path: String, text: String| ReportFile { path, text };
        let mut files = vec![
            file("index.html".into(), self.html()),
            file("report.md".into(), self.markdown()),
            file("report.json".into(), self.json()),
        ];
        for table in self.all_tables() {
            let table = self.chosen.iter().rfind(|chosen| chosen.id == table.id).unwrap_or(table);
            let name = format!("tables/{}", table.id);
            files.push(file(format!("{name}.csv"), tables::csv(table)));
            files.push(file(format!("{name}.tex"), tables::latex(table)));
            files.push(file(format!("{name}.json"), written(&tables::json(table))));
            files.push(file(format!("{name}.md"), tables::markdown(table)));
        }
        files.extend(self.figures.iter().map(|figure| file(format!("plots/{}.svg", figure.id), figure.chart.file())));
        files
    }

    /// The page: one file that needs no other.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The same as Markdown, with links to the plots beside it.
    pub fn markdown(&self) -> String {
        markdown::document(self)
    }

    /// Every number that the report shows.
    pub fn json(&self) -> String {
        let mut value = serde_json::to_value(&self.facts).unwrap_or(Value::Null);
        if let Some(map) = value.as_object_mut() {
            map.insert("tables".into(), self.all_tables().map(tables::json).collect());
            map.insert("summary".into(), json!(summary::verdicts(&self.facts)));
        }
        written(&value)
    }

    fn all_tables(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().chain(self.figures.iter().map(|figure| &figure.table))
    }

    fn table(&self, id: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.id == id)
    }
}

fn written(value: &Value) -> String {
    serde_json::to_string_pretty(&rounded(value.clone())).unwrap_or_default() + "\n"
}

#[cfg(test)]
pub(crate) mod stage;
#[cfg(test)]
mod tests;
