//! Durations, which may be computed where that is switched on.

use crate::promql::ast::{DurationExpr, Position, PromqlOperator};
use crate::promql::lex::Kind;

use super::{Fault, Parsed, Parser};

impl Parser<'_> {
    pub(super) fn starts_duration(&self) -> bool {
        match self.kind() {
            Kind::Number | Kind::Duration | Kind::Symbol("-" | "+" | "(") => true,
            Kind::Keyword("step" | "range") => true,
            Kind::Identifier => matches!(self.text(), "min_of" | "max_of"),
            _ => false,
        }
    }

    /// The length of a range or a step.
    pub(super) fn positive_duration(&mut self) -> Parsed<DurationExpr> {
        let start = self.position();
        let expr = self.duration_sum()?;
        self.check_enabled(&expr, start)?;
        match expr {
            DurationExpr::Seconds(seconds) if seconds <= 0.0 || seconds.is_nan() => {
                Err(Fault("duration must be greater than 0".to_owned(), start))
            }
            expr => in_range(expr, start),
        }
    }

    /// What stands behind `offset`: without parentheses it ends at the next operator.
    pub(super) fn offset_duration(&mut self) -> Parsed<DurationExpr> {
        let start = self.position();
        let expr = self.duration_sign()?;
        self.check_enabled(&expr, start)?;
        in_range(expr, start)
    }

    fn check_enabled(&self, expr: &DurationExpr, start: Position) -> Parsed<()> {
        if matches!(expr, DurationExpr::Seconds(_)) || self.features.duration_expressions {
            return Ok(());
        }
        Err(Fault("experimental duration expression is not enabled".to_owned(), start))
    }

    fn duration_sum(&mut self) -> Parsed<DurationExpr> {
        self.deeper()?;
        let mut left = self.duration_product()?;
        loop {
            let op = match self.kind() {
                Kind::Symbol("+") => PromqlOperator::Add,
                Kind::Symbol("-") => PromqlOperator::Sub,
                _ => break,
            };
            self.deeper()?;
            self.advance();
            let right = self.duration_product()?;
            left = DurationExpr::Computed(op, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn duration_product(&mut self) -> Parsed<DurationExpr> {
        let mut left = self.duration_sign()?;
        loop {
            let op = match self.kind() {
                Kind::Symbol("*") => PromqlOperator::Mul,
                Kind::Symbol("/") => PromqlOperator::Div,
                Kind::Symbol("%") => PromqlOperator::Mod,
                Kind::Symbol("^") => PromqlOperator::Pow,
                _ => return Ok(left),
            };
            self.deeper()?;
            self.advance();
            let right = self.duration_sign()?;
            left = DurationExpr::Computed(op, Box::new(left), Box::new(right));
        }
    }

    fn duration_sign(&mut self) -> Parsed<DurationExpr> {
        self.deeper()?;
        if self.accept("+") {
            return self.duration_sign();
        }
        if self.accept("-") {
            return Ok(match self.duration_sign()? {
                DurationExpr::Seconds(seconds) => DurationExpr::Seconds(-seconds),
                expr => DurationExpr::Negative(Box::new(expr)),
            });
        }
        self.depth -= 1;
        match self.kind() {
            Kind::Number | Kind::Duration => Ok(DurationExpr::Seconds(self.number()?.value)),
            Kind::Symbol("(") => {
                self.advance();
                let inner = self.duration_sum()?;
                self.expect(")")?;
                Ok(DurationExpr::Paren(Box::new(inner)))
            }
            Kind::Keyword(word @ ("step" | "range")) => {
                let expr = if *word == "step" { DurationExpr::Step } else { DurationExpr::Range };
                self.advance();
                self.expect("(")?;
                self.expect(")")?;
                Ok(expr)
            }
            Kind::Identifier if matches!(self.text(), "min_of" | "max_of") => {
                let smaller = self.text() == "min_of";
                self.advance();
                self.expect("(")?;
                let left = Box::new(self.duration_sum()?);
                self.expect(",")?;
                let right = Box::new(self.duration_sum()?);
                self.expect(")")?;
                Ok(if smaller { DurationExpr::Smaller(left, right) } else { DurationExpr::Larger(left, right) })
            }
            _ => Err(self.unexpected("", "")),
        }
    }
}

fn in_range(expr: DurationExpr, start: Position) -> Parsed<DurationExpr> {
    match expr {
        DurationExpr::Seconds(seconds) if seconds.is_nan() || seconds.abs() > 9.2e9 => {
            Err(Fault("duration out of range".to_owned(), start))
        }
        expr => Ok(expr),
    }
}
