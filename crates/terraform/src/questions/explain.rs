//! Says why a requirement does not hold, by showing the sides of the comparison that failed.

use std::cell::Cell;

use super::Applied;
use crate::datum::Datum;
use crate::eval::{Evaluator, FUEL};
use crate::functions::EvalHost;
use crate::syntax::{BinaryOp, Expr, ExprKind};

/// The longest explanation.
const LONGEST: usize = 400;

pub(super) fn explain(applied: &Applied, test: &Expr) -> String {
    let mut text = reason(applied, test);
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        text.truncate(end);
        text.push_str(" ...");
    }
    text
}

fn reason(applied: &Applied, test: &Expr) -> String {
    let ExprKind::Binary { op, left, right } = &test.kind else { return "it does not hold".to_owned() };
    match op {
        BinaryOp::And => match value(applied, left) {
            Some(Datum::Bool(true)) => reason(applied, right),
            _ => reason(applied, left),
        },
        BinaryOp::Eq => format!("found {}, expected {}", show(applied, left), show(applied, right)),
        BinaryOp::NotEq => format!("found {} on both sides", show(applied, left)),
        _ => format!("found {} and {}", show(applied, left), show(applied, right)),
    }
}

fn value(applied: &Applied, expr: &Expr) -> Option<Datum> {
    let fuel = Cell::new(FUEL);
    Evaluator::new(applied, &EvalHost::default(), &fuel).eval(expr).ok()
}

fn show(applied: &Applied, expr: &Expr) -> String {
    value(applied, expr).map_or_else(|| "nothing".to_owned(), |v| v.to_string())
}
