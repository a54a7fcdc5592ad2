//! A tree as text over several lines: a piece that is longer than a line is broken at its parts.

use super::ast::PromqlExpr;
use super::print::{aggregate_head, modifiers_text, operator_text, subquery_text};

/// A piece longer than this is broken.
const LINE: usize = 100;

/// An expression as `format_query` answers it.
pub fn pretty(expr: &PromqlExpr) -> String {
    render(expr, 0)
}

fn indent(level: usize) -> String {
    "  ".repeat(level)
}

fn is_long(expr: &PromqlExpr) -> bool {
    expr.to_string().chars().count() > LINE
}

/// The text of a piece at a level; the first line is indented too.
fn render(expr: &PromqlExpr, level: usize) -> String {
    let space = indent(level);
    if !is_long(expr) {
        return format!("{space}{expr}");
    }
    match expr {
        PromqlExpr::Number(_) | PromqlExpr::Text(..) | PromqlExpr::Vector(_) | PromqlExpr::Matrix(_) => {
            format!("{space}{expr}")
        }
        PromqlExpr::Paren(inner, _) => format!("{space}(\n{}\n{space})", render(inner, level + 1)),
        PromqlExpr::Call(call) => {
            format!("{space}{}(\n{}\n{space})", call.function.name, arguments(call.args.iter(), level + 1))
        }
        PromqlExpr::Aggregate(aggregate) => {
            let args = aggregate.param.iter().chain([&aggregate.expr]);
            format!("{space}{}(\n{}\n{space})", aggregate_head(aggregate), arguments(args, level + 1))
        }
        PromqlExpr::Binary(binary) => format!(
            "{}\n{space}{}\n{}",
            render(&binary.left, level + 1),
            operator_text(binary),
            render(&binary.right, level + 1)
        ),
        PromqlExpr::Unary(unary) => {
            let sign = if unary.negative { "-" } else { "+" };
            // The operand keeps its own lines and loses the blanks before its first one.
            format!("{space}{sign}{}", render(&unary.expr, level).trim_start())
        }
        PromqlExpr::Subquery(subquery) => format!(
            "{}{}{}",
            render(&subquery.expr, level),
            subquery_text(&subquery.range, subquery.step.as_ref()),
            modifiers_text(&subquery.modifiers)
        ),
    }
}

fn arguments<'e>(args: impl Iterator<Item = &'e PromqlExpr>, level: usize) -> String {
    args.map(|arg| render(arg, level)).collect::<Vec<_>>().join(",\n")
}
