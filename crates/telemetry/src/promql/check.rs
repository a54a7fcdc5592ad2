//! Types of a tree, checked in Prometheus' order, so that the first error is the same one.

use crate::go::quote;
use crate::labels::METRIC_NAME;

use super::ast::{
    Aggregate, AggregateOp, Binary, Cardinality, Extension, FunctionCall, Position, PromqlExpr, ValueType,
    VectorSelector,
};
use super::parse::{Fault, Parsed};

/// Checks a tree; sides of set operators become many-to-many, and scalars lose their matching.
pub(super) fn check(query: &str, expr: &mut PromqlExpr) -> Parsed<()> {
    match expr {
        PromqlExpr::Number(_) | PromqlExpr::Text(..) => Ok(()),
        PromqlExpr::Vector(selector) => check_selector(selector),
        PromqlExpr::Matrix(matrix) => check_selector(&matrix.selector),
        PromqlExpr::Paren(inner, _) => check(query, inner),
        PromqlExpr::Aggregate(aggregate) => check_aggregate(query, aggregate),
        PromqlExpr::Binary(binary) => check_binary(query, binary),
        PromqlExpr::Call(call) => check_call(query, call),
        PromqlExpr::Unary(unary) => {
            check(query, &mut unary.expr)?;
            match unary.expr.value_type() {
                ValueType::Scalar | ValueType::Vector => Ok(()),
                other => fault(
                    unary.position,
                    format!(
                        "unary expression only allowed on expressions of type scalar or instant vector, got {}",
                        quote(other.documented())
                    ),
                ),
            }
        }
        PromqlExpr::Subquery(subquery) => {
            check(query, &mut subquery.expr)?;
            match subquery.expr.value_type() {
                ValueType::Vector => Ok(()),
                other => fault(
                    subquery.position,
                    format!("subquery is only allowed on instant vector, got {} instead", other.name()),
                ),
            }
        }
    }
}

fn fault<T>(position: Position, text: String) -> Parsed<T> {
    Err(Fault(text, position))
}

fn expect_type(query: &str, expr: &mut PromqlExpr, wanted: ValueType, context: &str) -> Parsed<()> {
    check(query, expr)?;
    let found = expr.value_type();
    if found == wanted {
        return Ok(());
    }
    fault(expr.position(), format!("expected type {} in {context}, got {}", wanted.documented(), found.documented()))
}

fn check_aggregate(query: &str, aggregate: &mut Aggregate) -> Parsed<()> {
    expect_type(query, &mut aggregate.expr, ValueType::Vector, "aggregation expression")?;
    if let Some(param) = &mut aggregate.param {
        let wanted = if aggregate.op == AggregateOp::CountValues { ValueType::String } else { ValueType::Scalar };
        expect_type(query, param, wanted, "aggregation parameter")?;
    }
    Ok(())
}

fn check_selector(selector: &VectorSelector) -> Parsed<()> {
    if let Some(name) = &selector.name {
        let others = &selector.matchers[..selector.matchers.len() - 1];
        return match others.iter().find(|m| m.name == METRIC_NAME) {
            Some(twice) => fault(
                selector.position,
                format!("metric name must not be set twice: {} or {}", quote(name), quote(&twice.value)),
            ),
            None => Ok(()),
        };
    }
    if selector.matchers.iter().all(|m| m.matches("")) {
        return fault(selector.position, "vector selector must contain at least one non-empty matcher".to_owned());
    }
    Ok(())
}

fn check_binary(query: &str, binary: &mut Binary) -> Parsed<()> {
    check(query, &mut binary.left)?;
    check(query, &mut binary.right)?;
    let (left, right) = (binary.left.value_type(), binary.right.value_type());
    let operator = operator_position(query, binary);
    let scalars = left == ValueType::Scalar && right == ValueType::Scalar;
    if binary.returns_bool && !binary.op.is_comparison() {
        return fault(operator, "bool modifier can only be used on comparison operators".to_owned());
    }
    if binary.op.is_comparison() && !binary.returns_bool && scalars {
        return fault(operator, "comparisons between scalars must use BOOL modifier".to_owned());
    }
    if let Some(matching) = &binary.matching
        && matching.on
        && let Some(twice) = matching.labels.iter().find(|l| matching.include.contains(l))
    {
        return fault(operator, format!("label {} must not occur in ON and GROUP clause at once", quote(twice)));
    }
    for (side, found) in [(&binary.left, left), (&binary.right, right)] {
        if !matches!(found, ValueType::Scalar | ValueType::Vector) {
            return fault(
                side.position(),
                "binary expression must contain only scalar and instant vector types".to_owned(),
            );
        }
    }
    let both_vectors = left == ValueType::Vector && right == ValueType::Vector;
    let matching = binary.matching.as_ref();
    if !both_vectors {
        if matching.is_some_and(|m| !m.labels.is_empty()) {
            return fault(binary.position, "vector matching only allowed between instant vectors".to_owned());
        }
        binary.matching = None;
    } else if binary.op.is_set() && matching.is_some_and(|m| m.cardinality != Cardinality::ManyToMany) {
        return fault(binary.position, format!("no grouping allowed for {} operation", quote(binary.op.symbol())));
    }
    if binary.op.is_set() && !both_vectors {
        return fault(
            binary.position,
            format!("set operator {} not allowed in binary scalar expression", quote(binary.op.symbol())),
        );
    }
    Ok(())
}

/// From the end of the left side to the start of the right one, without blanks.
fn operator_position(query: &str, binary: &Binary) -> Position {
    let bytes = query.as_bytes();
    let mut start = binary.left.position().end;
    while bytes.get(start).is_some_and(u8::is_ascii_whitespace) {
        start += 1;
    }
    Position { start, end: binary.right.position().start }
}

fn check_call(query: &str, call: &mut FunctionCall) -> Parsed<()> {
    let function = call.function;
    let given = call.args.len();
    let (least, most) = function.arity();
    let name = quote(function.name);
    if most == Some(least) && given != least {
        return fault(call.position, format!("expected {least} argument(s) in call to {name}, got {given}"));
    }
    if given < least {
        return fault(call.position, format!("expected at least {least} argument(s) in call to {name}, got {given}"));
    }
    if let Some(most) = most.filter(|most| given > *most) {
        return fault(call.position, format!("expected at most {most} argument(s) in call to {name}, got {given}"));
    }
    if function.name == "info"
        && let Some(PromqlExpr::Vector(selector)) = call.args.get(1)
        && selector.name.is_some()
    {
        return fault(selector.position, "expected label selectors only, got vector selector instead".to_owned());
    }
    let context = format!("call to function {name}");
    for (i, arg) in call.args.iter_mut().enumerate() {
        if function.name == "info" && i == 1 {
            // Its matchers pick labels of info metrics, so they may all match the empty value.
            continue;
        }
        let wanted = function.args[i.min(function.args.len() - 1)];
        expect_type(query, arg, wanted, &context)?;
    }
    check_extension(call)
}

/// Only functions that know what a widened window means may have one.
fn check_extension(call: &FunctionCall) -> Parsed<()> {
    const ANCHORED: [&str; 5] = ["changes", "delta", "increase", "rate", "resets"];
    const SMOOTHED: [&str; 3] = ["delta", "increase", "rate"];
    for arg in &call.args {
        let PromqlExpr::Matrix(matrix) = arg.unwrapped() else { continue };
        let (word, allowed): (&str, &[&str]) = match matrix.selector.extension {
            None => continue,
            Some(Extension::Anchored) => ("anchored", &ANCHORED),
            Some(Extension::Smoothed) => ("smoothed", &SMOOTHED),
        };
        if !allowed.contains(&call.function.name) {
            return fault(
                matrix.position,
                format!(
                    "{word} modifier can only be used with: {} - not with {}",
                    allowed.join(", "),
                    call.function.name
                ),
            );
        }
    }
    Ok(())
}
