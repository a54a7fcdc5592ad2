//! Evaluation: a tree and a store of series in, values out.

mod aggregate;
mod binary;
mod block;
mod call;
mod eval;
mod grouping;
mod histogram;
mod info;
mod matching;
mod over_range;
mod select;
mod vector;

use crate::labels::Labels;
use crate::store::SeriesStore;

use super::annotations::Annotations;
use super::ast::{PromqlExpr, ValueType};
use super::parse::Features;

use block::{Evaluated, Steps, is_absent};
use eval::Evaluator;
pub use vector::InstantVector;

/// Settings of a server and the series it looks at.
#[derive(Clone, Copy, Debug)]
pub struct Engine<'a> {
    /// Where samples come from.
    pub store: &'a SeriesStore,
    /// How long a sample is good for, in milliseconds.
    pub lookback: i64,
    /// The step of subqueries that name none, in milliseconds.
    pub default_step: i64,
    /// How many values one result inside a query may hold.
    pub max_samples: usize,
    /// How many samples a query may look at before it is stopped. It stands for the time limit of a real server: the same
    /// query is always stopped at the same place.
    pub max_work: u64,
    /// What is switched on.
    pub features: Features,
}

impl<'a> Engine<'a> {
    /// An engine with the defaults of a real server.
    pub fn new(store: &'a SeriesStore) -> Self {
        Self {
            store,
            lookback: 300_000,
            default_step: 60_000,
            max_samples: 25_000_000,
            max_work: 400_000_000,
            features: Features::default(),
        }
    }

    /// The value of an expression at a moment, in milliseconds.
    pub fn instant(&self, expr: &PromqlExpr, time: i64) -> Result<QueryResult<'a>, EvalError> {
        let steps = Steps { start: time, step: 1, count: 1 };
        let mut evaluator = Evaluator::new(*self, time, time, 0);
        if expr.value_type() == ValueType::Matrix {
            let series = evaluator.range_samples(expr, time)?;
            return Ok(QueryResult { value: QueryValue::Matrix(series), annotations: evaluator.annotations });
        }
        let value = match evaluator.eval(expr, steps)? {
            Evaluated::Scalar(values) => QueryValue::Scalar(values[0]),
            Evaluated::Text(text) => QueryValue::Text(text),
            Evaluated::Vector(block) => {
                let block = block.finished(self.features.delayed_name_removal)?;
                QueryValue::Vector(InstantVector::new(time, block))
            }
        };
        Ok(QueryResult { value, annotations: evaluator.annotations })
    }

    /// The values of an expression at `start`, `start + step`, … up to `end`, in milliseconds.
    pub fn range(&self, expr: &PromqlExpr, start: i64, end: i64, step: i64) -> Result<QueryResult<'a>, EvalError> {
        let count = usize::try_from((end - start) / step + 1).unwrap_or(0);
        let steps = Steps { start, step, count };
        let mut evaluator = Evaluator::new(*self, start, end, step);
        evaluator.is_range = true;
        let mut series = match evaluator.eval(expr, steps)? {
            Evaluated::Text(_) => Vec::new(),
            Evaluated::Scalar(values) => {
                let points = steps.times().zip(values).map(|(time, value)| Point { time, value }).collect();
                vec![ResultSeries { labels: Labels::default(), points }]
            }
            Evaluated::Vector(block) => {
                let block = block.finished(self.features.delayed_name_removal)?;
                let rows = block.rows.iter().enumerate();
                rows.map(|(i, row)| ResultSeries {
                    labels: row.shown_labels(),
                    points: steps
                        .times()
                        .zip(block.row(i))
                        .filter(|(_, value)| !is_absent(**value))
                        .map(|(time, value)| Point { time, value: *value })
                        .collect(),
                })
                .filter(|series: &ResultSeries| !series.points.is_empty())
                .collect()
            }
        };
        series.sort_by(|a, b| a.labels.cmp(&b.labels));
        Ok(QueryResult { value: QueryValue::Matrix(series), annotations: evaluator.annotations })
    }
}

/// A value at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Milliseconds.
    pub time: i64,
    /// The value.
    pub value: f64,
}

/// A series of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultSeries {
    /// What names it.
    pub labels: Labels,
    /// Its values, sorted by time.
    pub points: Vec<Point>,
}

/// What a query gives.
#[derive(Clone, Debug)]
pub enum QueryValue<'s> {
    /// One number.
    Scalar(f64),
    /// A text.
    Text(String),
    /// One value per series.
    Vector(InstantVector<'s>),
    /// Several values per series.
    Matrix(Vec<ResultSeries>),
}

/// A value with what the evaluation has to say about it.
#[derive(Clone, Debug)]
pub struct QueryResult<'s> {
    /// The value.
    pub value: QueryValue<'s>,
    /// Warnings and hints.
    pub annotations: Annotations,
}

/// Why a query has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// The expression cannot be evaluated on these series.
    Execution(String),
    /// It looked at too much.
    Timeout,
}

impl EvalError {
    pub(crate) fn too_many_samples() -> Self {
        Self::Execution("query processing would load too many samples into memory in expression evaluation".to_owned())
    }
}

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Execution(text) => f.write_str(text),
            Self::Timeout => f.write_str("query timed out in expression evaluation"),
        }
    }
}

impl std::error::Error for EvalError {}
