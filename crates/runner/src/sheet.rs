//! Rows under a heading, without lines: easy to read and to cut apart with other programs.

use comfy_table::{ContentArrangement, Table, presets};

/// One line per row, however long.
pub fn wide<const N: usize>(heading: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    text(&mut table(heading, rows))
}

/// Long cells are broken so that no line is longer than `width`.
pub fn within<const N: usize>(width: u16, heading: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut table = table(heading, rows);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    text(&mut table)
}

fn table<const N: usize>(heading: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(heading).add_rows(rows);
    table
}

fn text(table: &mut Table) -> String {
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
