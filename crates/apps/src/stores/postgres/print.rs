//! Tables as `psql` prints them.

use crate::stores::sql::SqlValue;

/// How a client wants its tables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout {
    /// Without names and counts.
    pub(super) is_bare: bool,
    /// Without alignment.
    pub(super) is_unaligned: bool,
    /// One line for each column.
    pub(super) is_expanded: bool,
}

/// A table.
pub(super) fn table(title: &str, names: &[String], rows: &[Vec<SqlValue>], layout: Layout) -> String {
    if layout.is_unaligned {
        return unaligned(names, rows, layout.is_bare);
    }
    if layout.is_expanded {
        return expanded(names, rows);
    }
    let cells: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(SqlValue::shown).collect()).collect();
    let width = |at: usize| {
        let widest = cells.iter().map(|row| row.get(at).map_or(0, |cell| cell.chars().count())).max().unwrap_or(0);
        widest.max(if layout.is_bare { 0 } else { names[at].chars().count() })
    };
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    let mut out = String::new();
    if !layout.is_bare {
        let total: usize = widths.iter().sum::<usize>() + 3 * widths.len() - 1;
        if !title.is_empty() {
            let pad = total.saturating_sub(title.len()) / 2;
            out.push_str(&format!("{}{title}\n", " ".repeat(pad)));
        }
        let head = names.iter().zip(&widths).map(|(name, width)| format!(" {name:^width$} "));
        out.push_str(&head.collect::<Vec<_>>().join("|"));
        out.push('\n');
        out.push_str(&widths.iter().map(|width| "-".repeat(width + 2)).collect::<Vec<_>>().join("+"));
        out.push('\n');
    }
    for (row, shown) in rows.iter().zip(&cells) {
        let line = shown.iter().enumerate().map(|(at, cell)| match row[at].is_number() {
            true => format!(" {cell:>width$} ", width = widths[at]),
            false => format!(" {cell:<width$} ", width = widths[at]),
        });
        let line = line.collect::<Vec<_>>().join("|");
        // The last column is not filled up.
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if !layout.is_bare {
        out.push_str(&count(rows.len()));
        out.push('\n');
    }
    out.push('\n');
    out
}

fn count(rows: usize) -> String {
    if rows == 1 { "(1 row)".into() } else { format!("({rows} rows)") }
}

fn unaligned(names: &[String], rows: &[Vec<SqlValue>], is_bare: bool) -> String {
    let mut out = String::new();
    if !is_bare {
        out.push_str(&format!("{}\n", names.join("|")));
    }
    for row in rows {
        out.push_str(&format!("{}\n", row.iter().map(SqlValue::shown).collect::<Vec<_>>().join("|")));
    }
    if !is_bare {
        out.push_str(&format!("{}\n", count(rows.len())));
    }
    out
}

fn expanded(names: &[String], rows: &[Vec<SqlValue>]) -> String {
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        out.push_str(&format!("-[ RECORD {} ]{}\n", number + 1, "-".repeat(width)));
        for (name, value) in names.iter().zip(row) {
            out.push_str(&format!("{name:<width$} | {}\n", value.shown()));
        }
    }
    out.push('\n');
    out
}
