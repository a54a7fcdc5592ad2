//! Markdown tables whose columns stand in line as plain text too.

use super::{Form, Table};

/// A table as Markdown.
pub fn markdown(table: &Table) -> String {
    let heads: Vec<String> = table.columns.iter().map(|column| cell(&column.name)).collect();
    let rows: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|row| row.iter().zip(&table.columns).map(|(c, column)| cell(&c.show(column.form))).collect())
        .collect();
    let width = |at: usize| rows.iter().chain([&heads]).map(|row| row[at].chars().count()).max().unwrap_or(0).max(3);
    let right: Vec<bool> = table.columns.iter().map(|column| column.form != Form::Words).collect();
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let line = |cells: &[String]| -> String {
        let padded = cells.iter().enumerate().map(|(at, text)| padded(text, widths[at], right[at]));
        format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
    };
    let rule: Vec<String> = widths
        .iter()
        .zip(&right)
        .map(|(w, right)| if *right { "-".repeat(w - 1) + ":" } else { "-".repeat(*w) })
        .collect();
    let body: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{}{body}", line(&heads), line(&rule))
}

fn padded(text: &str, width: usize, right: bool) -> String {
    let space = " ".repeat(width.saturating_sub(text.chars().count()));
    if right { space + text } else { text.to_owned() + &space }
}

/// Text that Markdown shows as it is.
pub fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '!' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            other => out.push(other),
        }
    }
    // Addresses would become links.
    out.replace("://", "&#58;//").replace("www.", "www&#46;")
}
