//! CSV as in RFC 4180: numbers as they are, an estimate as three columns.

use super::{Cell, Column, Table};

/// A table as CSV, with a line of names.
pub fn csv(table: &Table) -> String {
    let spread: Vec<bool> = (0..table.columns.len()).map(|at| has_intervals(table, at)).collect();
    let names: Vec<String> =
        table.columns.iter().zip(&spread).flat_map(|(column, wide)| names(column, *wide)).collect();
    let rows = table.rows.iter().map(|row| {
        let cells: Vec<String> = row.iter().zip(&spread).flat_map(|(cell, wide)| fields(cell, *wide)).collect();
        cells.join(",")
    });
    std::iter::once(names.join(",")).chain(rows).map(|line| line + "\r\n").collect()
}

fn has_intervals(table: &Table, at: usize) -> bool {
    table.rows.iter().any(|row| matches!(&row[at], Cell::Estimate(estimate) if estimate.interval.is_some()))
}

fn names(column: &Column, wide: bool) -> Vec<String> {
    let own = guarded(&column.key);
    let name = quoted(&own);
    if wide { vec![name, quoted(&format!("{own}_low")), quoted(&format!("{own}_high"))] } else { vec![name] }
}

fn fields(cell: &Cell, wide: bool) -> Vec<String> {
    let (value, ends) = match cell {
        Cell::Words(text) => (quoted(&guarded(text)), None),
        Cell::Number(value) => (number(*value), None),
        Cell::Estimate(estimate) => (number(estimate.value), estimate.interval),
        Cell::Nothing => (String::new(), None),
    };
    let end = |end: Option<f64>| end.map(number).unwrap_or_default();
    if wide { vec![value, end(ends.map(|e| e.0)), end(ends.map(|e| e.1))] } else { vec![value] }
}

/// Six decimals, without zeros at the end.
pub(super) fn number(value: f64) -> String {
    let text = format!("{:.6}", (value * 1e6).round() / 1e6 + 0.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A spreadsheet would run a text that begins like this.
fn guarded(text: &str) -> String {
    let risky =
        text.trim_start().starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '|', '%']);
    if risky { format!("'{text}") } else { text.to_owned() }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r', '\'', ';', ' ']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
