//! Tables: the numbers of a report as plain data, and one file per format that writes them.
//! A table is computed once; page, Markdown, CSV, LaTeX and JSON all show the same cells.

mod csv;
pub mod guard;
mod json;
mod latex;
mod markdown;

use serde::Serialize;

pub use csv::csv;
pub use json::json;
pub use latex::latex;
pub use markdown::{cell as markdown_cell, markdown};

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// A name for files and anchors.
    pub id: &'static str,
    /// What it shows.
    pub title: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, each as long as the columns.
    pub rows: Vec<Vec<Cell>>,
}

/// A column: what stands in it, and in which form.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The name for programs.
    pub key: String,
    /// The heading, with the unit if there is one.
    pub name: String,
    /// The form of its numbers.
    pub form: Form,
}

/// How the numbers of a column are shown to people; programs get them as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Words.
    Words,
    /// Whole numbers.
    Count,
    /// So many decimals.
    Decimals(usize),
    /// A share, as percent with one decimal.
    Percent,
    /// A p-value: four decimals, and never nothing.
    Chance,
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words, made visible already.
    Words(String),
    /// A number.
    Number(f64),
    /// A number with its interval.
    Estimate(Estimate),
    /// There was nothing to measure.
    Nothing,
}

/// A number with its 95 % interval, where one can be given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The lower and the upper end of the interval.
    pub interval: Option<(f64, f64)>,
}

impl Table {
    /// A table without rows.
    pub fn new(id: &'static str, title: impl Into<String>, columns: Vec<Column>) -> Table {
        Table { id, title: title.into(), columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "a row of `{}` has a cell for each column", self.id);
        self.rows.push(row);
    }

    /// The same with these columns alone, in this order.
    pub fn with_columns(&self, keys: &[String]) -> Result<Table, String> {
        let place = |key: &String| {
            self.columns.iter().position(|column| column.key == *key).ok_or_else(|| {
                let known: Vec<&str> = self.columns.iter().map(|column| column.key.as_str()).collect();
                format!("the table `{}` has no column `{key}`; it has {}", self.id, known.join(", "))
            })
        };
        let places = keys.iter().map(place).collect::<Result<Vec<usize>, String>>()?;
        Ok(Table {
            columns: places.iter().map(|at| self.columns[*at].clone()).collect(),
            rows: self.rows.iter().map(|row| places.iter().map(|at| row[*at].clone()).collect()).collect(),
            ..Table::new(self.id, self.title.clone(), Vec::new())
        })
    }
}

impl Column {
    /// A column of words.
    pub fn words(key: &str, name: &str) -> Column {
        Column::new(key, name, Form::Words)
    }

    /// A column of whole numbers.
    pub fn count(key: &str, name: &str) -> Column {
        Column::new(key, name, Form::Count)
    }

    /// A column of shares.
    pub fn percent(key: &str, name: &str) -> Column {
        Column::new(key, name, Form::Percent)
    }

    /// A column of p-values.
    pub fn chance(key: &str, name: &str) -> Column {
        Column::new(key, name, Form::Chance)
    }

    /// A column of numbers with so many decimals.
    pub fn decimals(key: &str, name: &str, decimals: usize) -> Column {
        Column::new(key, name, Form::Decimals(decimals))
    }

    fn new(key: &str, name: &str, form: Form) -> Column {
        Column { key: key.to_owned(), name: name.to_owned(), form }
    }
}

impl Form {
    /// A number as people read it; zero has no sign.
    pub fn show(self, value: f64) -> String {
        let fixed = |value: f64, decimals: usize| {
            let scale = 10f64.powi(i32::try_from(decimals).unwrap_or(0));
            format!("{:.decimals$}", (value * scale).round() / scale + 0.0)
        };
        match self {
            Form::Words | Form::Count => grouped(value),
            Form::Decimals(decimals) => fixed(value, decimals),
            Form::Chance if value > 0.0 && value < 0.000_1 => "< 0.0001".to_owned(),
            Form::Chance => fixed(value, 4),
            Form::Percent => format!("{}\u{a0}%", fixed(value * 100.0, 1)),
        }
    }

    fn show_interval(self, (low, high): (f64, f64)) -> String {
        let bare = |value: f64| self.show(value).trim_end_matches("\u{a0}%").to_owned();
        format!("[{}, {}]", bare(low), bare(high))
    }
}

/// Whole numbers with thin spaces between thousands.
fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 && digits.len() > 4 {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    if value.round() < 0.0 { format!("-{out}") } else { out }
}

impl Cell {
    /// A cell of words; the words are made visible first.
    pub fn words(text: &str) -> Cell {
        Cell::Words(guard::shown(text))
    }

    /// A number, or nothing.
    pub fn maybe(value: Option<f64>) -> Cell {
        value.map_or(Cell::Nothing, Cell::Number)
    }

    /// An estimate, or nothing.
    pub fn estimate(value: Option<Estimate>) -> Cell {
        value.map_or(Cell::Nothing, Cell::Estimate)
    }

    /// The cell as people read it.
    pub fn show(&self, form: Form) -> String {
        match self {
            Cell::Words(text) => text.clone(),
            Cell::Number(value) => form.show(*value),
            Cell::Estimate(Estimate { value, interval: None }) => form.show(*value),
            Cell::Estimate(Estimate { value, interval: Some(ends) }) => {
                format!("{} {}", form.show(*value), form.show_interval(*ends))
            }
            Cell::Nothing => "\u{2013}".to_owned(),
        }
    }
}

impl From<u32> for Cell {
    fn from(count: u32) -> Cell {
        Cell::Number(f64::from(count))
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        Cell::Number(value)
    }
}

#[cfg(test)]
mod tests;
