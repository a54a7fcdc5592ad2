//! LaTeX tables with the rules of the package `booktabs`.

use super::{Form, Table};

/// A table for `\input`; it needs `\usepackage{booktabs}` and no other package.
pub fn latex(table: &Table) -> String {
    let layout: String =
        table.columns.iter().map(|column| if column.form == Form::Words { 'l' } else { 'r' }).collect();
    let heads: Vec<String> = table.columns.iter().map(|column| escaped(&column.name)).collect();
    let rows: String = table
        .rows
        .iter()
        .map(|row| {
            let cells: Vec<String> =
                row.iter().zip(&table.columns).map(|(cell, column)| escaped(&cell.show(column.form))).collect();
            format!("    {} \\\\\n", cells.join(" & "))
        })
        .collect();
    format!(
        "% Needs \\usepackage{{booktabs}}.\n\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n  \\label{{tab:{}}}\n  \
         \\begin{{tabular}}{{{layout}}}\n    \\toprule\n    {} \\\\\n    \\midrule\n{rows}    \\bottomrule\n  \
         \\end{{tabular}}\n\\end{{table}}\n",
        escaped(&table.title),
        table.id,
        heads.join(" & "),
    )
}

/// Text that LaTeX sets as it is. What its usual fonts cannot show becomes a question mark.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("{\\char34}"),
            '`' => out.push_str("\\textasciigrave{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            // A bracket after a line break would be taken for its argument.
            '[' => out.push_str("{[}"),
            ']' => out.push_str("{]}"),
            '\u{2013}' => out.push_str("--"),
            '\u{2026}' => out.push_str("\\dots{}"),
            '\u{b7}' => out.push_str("\\textperiodcentered{}"),
            '\u{a0}' => out.push('~'),
            '\u{202f}' => out.push_str("\\,"),
            ' '..='~' => out.push(c),
            other if other.is_alphabetic() && other < '\u{180}' => out.push(other),
            _ => out.push('?'),
        }
    }
    out
}
