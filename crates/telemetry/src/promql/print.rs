//! A tree as text on one line, as the API prints expressions.

use crate::go::{duration, format_float, quote};
use crate::labels::{METRIC_NAME, is_plain_name};

use super::ast::{Aggregate, At, Binary, DurationExpr, Extension, Modifiers, PromqlExpr, VectorSelector};

impl std::fmt::Display for PromqlExpr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) if number.is_duration => {
                f.write_str(&duration::format_prometheus((number.value * 1000.0).round() as i64))
            }
            Self::Number(number) => f.write_str(&format_float(number.value)),
            Self::Text(text, _) => f.write_str(&quote(text)),
            Self::Vector(selector) => f.write_str(&selector_text(selector, "")),
            Self::Matrix(matrix) => {
                f.write_str(&selector_text(&matrix.selector, &format!("[{}]", duration_text(&matrix.range))))
            }
            Self::Subquery(subquery) => write!(
                f,
                "{}{}{}",
                subquery.expr,
                subquery_text(&subquery.range, subquery.step.as_ref()),
                modifiers_text(&subquery.modifiers)
            ),
            Self::Call(call) => {
                let args: Vec<String> = call.args.iter().map(ToString::to_string).collect();
                write!(f, "{}({})", call.function.name, args.join(", "))
            }
            Self::Aggregate(aggregate) => {
                write!(f, "{}(", aggregate_head(aggregate))?;
                if let Some(param) = &aggregate.param {
                    write!(f, "{param}, ")?;
                }
                write!(f, "{})", aggregate.expr)
            }
            Self::Binary(binary) => write!(f, "{} {} {}", binary.left, operator_text(binary), binary.right),
            Self::Unary(unary) => write!(f, "{}{}", if unary.negative { "-" } else { "+" }, unary.expr),
            Self::Paren(inner, _) => write!(f, "({inner})"),
        }
    }
}

/// `sum by (a, b) ` with a blank where a clause stands.
pub(super) fn aggregate_head(aggregate: &Aggregate) -> String {
    let name = aggregate.op.name();
    let labels = label_list(&aggregate.grouping);
    match (aggregate.without, aggregate.grouping.is_empty()) {
        (true, _) => format!("{name} without ({labels}) "),
        (false, false) => format!("{name} by ({labels}) "),
        (false, true) => name.to_owned(),
    }
}

/// `== bool on (a) group_left (b)`.
pub(super) fn operator_text(binary: &Binary) -> String {
    let mut out = binary.op.symbol().to_owned();
    if binary.returns_bool {
        out.push_str(" bool");
    }
    let Some(matching) = &binary.matching else { return out };
    if !matching.labels.is_empty() || matching.on || matching.grouped {
        let word = if matching.on { "on" } else { "ignoring" };
        out.push_str(&format!(" {word} ({})", label_list(&matching.labels)));
    }
    if matching.grouped {
        let word = if matching.cardinality == super::ast::Cardinality::ManyToOne { "left" } else { "right" };
        out.push_str(&format!(" group_{word} ({})", label_list(&matching.include)));
    }
    let fill = |value: f64| format_float(value);
    match (matching.fill_left, matching.fill_right) {
        (None, None) => {}
        (Some(l), Some(r)) if l == r => out.push_str(&format!(" fill ({})", fill(l))),
        (l, r) => {
            if let Some(l) = l {
                out.push_str(&format!(" fill_left ({})", fill(l)));
            }
            if let Some(r) = r {
                out.push_str(&format!(" fill_right ({})", fill(r)));
            }
        }
    }
    out
}

fn label_list(labels: &[String]) -> String {
    let shown: Vec<String> = labels.iter().map(|l| if is_plain_name(l) { l.clone() } else { quote(l) }).collect();
    shown.join(", ")
}

fn selector_text(selector: &VectorSelector, range: &str) -> String {
    let mut matchers: Vec<String> = Vec::new();
    let mut outside = "";
    for matcher in &selector.matchers {
        let is_the_name = selector.name.as_ref().is_some_and(|name| {
            matcher.name == METRIC_NAME && matcher.op == crate::matcher::MatchOp::Equal && matcher.value == *name
        });
        if !is_the_name {
            matchers.push(matcher.text());
        }
    }
    matchers.sort();
    if let Some(name) = &selector.name {
        if name.split(':').all(|part| part.is_empty() || is_metric_part(part)) && !starts_with_digit(name) {
            outside = name;
        } else {
            matchers.insert(0, quote(name));
        }
    }
    let braces = if matchers.is_empty() { String::new() } else { format!("{{{}}}", matchers.join(",")) };
    let extension = match selector.extension {
        None => "",
        Some(Extension::Anchored) => " anchored",
        Some(Extension::Smoothed) => " smoothed",
    };
    format!("{outside}{braces}{range}{extension}{}", modifiers_text(&selector.modifiers))
}

fn is_metric_part(part: &str) -> bool {
    part.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

fn starts_with_digit(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit())
}

/// `[5m:1m]`.
pub(super) fn subquery_text(range: &DurationExpr, step: Option<&DurationExpr>) -> String {
    format!("[{}:{}]", duration_text(range), step.map(duration_text).unwrap_or_default())
}

/// ` @ 12.000 offset 5m`.
pub(super) fn modifiers_text(modifiers: &Modifiers) -> String {
    let mut out = String::new();
    match modifiers.at {
        None => {}
        Some(At::Time(time)) => out.push_str(&format!(" @ {:.3}", time as f64 / 1000.0)),
        Some(At::Start) => out.push_str(" @ start()"),
        Some(At::End) => out.push_str(" @ end()"),
    }
    if let Some(offset) = &modifiers.offset {
        out.push_str(&format!(" offset {}", duration_text(offset)));
    }
    out
}

fn duration_text(duration: &DurationExpr) -> String {
    match duration {
        DurationExpr::Seconds(seconds) => duration::format_prometheus((seconds * 1000.0).round() as i64),
        DurationExpr::Step => "step()".to_owned(),
        DurationExpr::Range => "range()".to_owned(),
        DurationExpr::Negative(inner) => format!("-{}", duration_text(inner)),
        DurationExpr::Paren(inner) => format!("({})", duration_text(inner)),
        DurationExpr::Smaller(a, b) => format!("min_of({}, {})", duration_text(a), duration_text(b)),
        DurationExpr::Larger(a, b) => format!("max_of({}, {})", duration_text(a), duration_text(b)),
        DurationExpr::Computed(op, a, b) => format!("{} {} {}", duration_text(a), op.symbol(), duration_text(b)),
    }
}
