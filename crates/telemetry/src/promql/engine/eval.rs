//! The walk over the tree.

use crate::promql::annotations::Annotations;
use crate::promql::ast::{At, DurationExpr, Modifiers, PromqlExpr, PromqlOperator, ValueType};

use super::block::{Block, Evaluated, Steps, is_absent};
use super::{Engine, EvalError};

/// One evaluation: what the whole query asks for, and what was spent so far.
pub(super) struct Evaluator<'a> {
    pub engine: Engine<'a>,
    /// The ends and the step of the query, which subqueries do not change.
    pub query_start: i64,
    pub query_end: i64,
    pub query_step: i64,
    pub is_range: bool,
    pub annotations: Annotations,
    work: u64,
}

/// How a selector's moment follows from the step's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    pub at: Option<i64>,
    pub offset: i64,
}

impl Shift {
    pub fn apply(self, time: i64) -> i64 {
        self.at.unwrap_or(time).saturating_sub(self.offset)
    }
}

impl<'a> Evaluator<'a> {
    pub fn new(engine: Engine<'a>, start: i64, end: i64, step: i64) -> Self {
        Self {
            engine,
            query_start: start,
            query_end: end,
            query_step: step,
            is_range: false,
            annotations: Annotations::default(),
            work: 0,
        }
    }

    pub fn delayed(&self) -> bool {
        self.engine.features.delayed_name_removal
    }

    /// Counts samples that were looked at; too many end the query.
    pub fn spend(&mut self, samples: usize) -> Result<(), EvalError> {
        self.work += samples as u64;
        if self.work > self.engine.max_work { Err(EvalError::Timeout) } else { Ok(()) }
    }

    /// Refuses results that would not fit, before they are made.
    pub fn check_size(&mut self, rows: usize, width: usize) -> Result<(), EvalError> {
        let size = rows.saturating_mul(width);
        if size > self.engine.max_samples {
            return Err(EvalError::too_many_samples());
        }
        self.spend(size)
    }

    pub fn eval(&mut self, expr: &PromqlExpr, steps: Steps) -> Result<Evaluated<'a>, EvalError> {
        match expr {
            PromqlExpr::Number(number) => Ok(Evaluated::Scalar(self.constant(number.value, steps)?)),
            PromqlExpr::Text(text, _) => Ok(Evaluated::Text(text.clone())),
            PromqlExpr::Paren(inner, _) => self.eval(inner, steps),
            PromqlExpr::Vector(selector) => self.vector_selector(selector, steps).map(Evaluated::Vector),
            PromqlExpr::Matrix(_) | PromqlExpr::Subquery(_) => {
                Err(EvalError::Execution("range vectors are evaluated inside functions only".to_owned()))
            }
            PromqlExpr::Call(call) => self.call(call, steps),
            PromqlExpr::Aggregate(aggregate) => self.aggregate(aggregate, steps).map(Evaluated::Vector),
            PromqlExpr::Binary(binary) => self.binary(binary, steps),
            PromqlExpr::Unary(unary) => match self.eval(&unary.expr, steps)? {
                value if !unary.negative => Ok(value),
                Evaluated::Scalar(values) => Ok(Evaluated::Scalar(values.iter().map(|v| -v).collect())),
                Evaluated::Vector(block) => {
                    let mut block = block.without_names(self.delayed())?;
                    block.values.iter_mut().filter(|v| !is_absent(**v)).for_each(|v| *v = -*v);
                    Ok(Evaluated::Vector(block))
                }
                text => Ok(text),
            },
        }
    }

    pub fn constant(&mut self, value: f64, steps: Steps) -> Result<Vec<f64>, EvalError> {
        self.check_size(1, steps.count)?;
        Ok(vec![value; steps.count])
    }

    pub fn vector(&mut self, expr: &PromqlExpr, steps: Steps) -> Result<Block<'a>, EvalError> {
        match self.eval(expr, steps)? {
            Evaluated::Vector(block) => Ok(block),
            _ => unreachable!("types were checked: {:?}", expr.value_type()),
        }
    }

    pub fn scalar(&mut self, expr: &PromqlExpr, steps: Steps) -> Result<Vec<f64>, EvalError> {
        match self.eval(expr, steps)? {
            Evaluated::Scalar(values) => Ok(values),
            _ => unreachable!("types were checked: {:?}", expr.value_type()),
        }
    }

    pub fn text(&self, expr: &PromqlExpr) -> String {
        match expr.unwrapped() {
            PromqlExpr::Text(text, _) => text.clone(),
            other => {
                assert_ne!(other.value_type(), ValueType::String, "only literals are strings");
                String::new()
            }
        }
    }

    pub fn shift(&self, modifiers: &Modifiers) -> Result<Shift, EvalError> {
        let at = modifiers.at.map(|at| match at {
            At::Time(time) => time,
            At::Start => self.query_start,
            At::End => self.query_end,
        });
        let offset = modifiers.offset.as_ref().map_or(Ok(0), |offset| self.millis(offset))?;
        Ok(Shift { at, offset })
    }

    /// The length of a range or step, which must be above zero.
    pub fn positive_millis(&self, duration: &DurationExpr) -> Result<i64, EvalError> {
        match self.millis(duration)? {
            millis if millis > 0 => Ok(millis),
            _ => Err(EvalError::Execution("duration must be greater than 0".to_owned())),
        }
    }

    pub fn millis(&self, duration: &DurationExpr) -> Result<i64, EvalError> {
        let seconds = self.seconds(duration);
        if !seconds.is_finite() || seconds.abs() > 9.2e9 {
            return Err(EvalError::Execution("duration out of range".to_owned()));
        }
        Ok((seconds * 1000.0).round() as i64)
    }

    fn seconds(&self, duration: &DurationExpr) -> f64 {
        match duration {
            DurationExpr::Seconds(seconds) => *seconds,
            DurationExpr::Step => self.query_step as f64 / 1000.0,
            DurationExpr::Range => (self.query_end - self.query_start) as f64 / 1000.0,
            DurationExpr::Negative(inner) => -self.seconds(inner),
            DurationExpr::Paren(inner) => self.seconds(inner),
            DurationExpr::Smaller(a, b) => self.seconds(a).min(self.seconds(b)),
            DurationExpr::Larger(a, b) => self.seconds(a).max(self.seconds(b)),
            DurationExpr::Computed(op, a, b) => {
                let (a, b) = (self.seconds(a), self.seconds(b));
                match op {
                    PromqlOperator::Add => a + b,
                    PromqlOperator::Sub => a - b,
                    PromqlOperator::Mul => a * b,
                    PromqlOperator::Div => a / b,
                    PromqlOperator::Mod => a % b,
                    _ => libm::pow(a, b),
                }
            }
        }
    }
}
