//! Metric queries: values out of lines, then PromQL's engine for what stands around them.

use std::collections::BTreeMap;

use crate::labels::{Labels, METRIC_NAME};
use crate::matcher::{MatchOp, Matcher};
use crate::promql::ast::{
    Aggregate, Binary, FunctionCall, Modifiers, NumberLiteral, Position, PromqlExpr, ValueType, VectorSelector,
};
use crate::promql::{Engine, EvalError, QueryValue, functions};
use crate::store::SeriesStore;

use super::ast::{Grouping, LogQuery, MetricQuery, RangeAggregation, VectorOp};
use super::pipeline::{ERROR, Entry};

/// Why a metric query has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MetricError(pub String);

/// Gives the entries of a query's selector and first filters between two moments, oldest first.
pub(crate) type LineSource<'l> = dyn Fn(&LogQuery, i64, i64) -> Vec<Entry> + 'l;

/// A sample of a line.
#[derive(Clone, Copy, Debug)]
struct Sample {
    time: i64,
    value: f64,
}

/// The moments of a query, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    pub start: i64,
    pub end: i64,
    /// Zero for a single moment.
    pub step: i64,
}

impl Moments {
    fn list(self) -> Vec<i64> {
        if self.step == 0 {
            return vec![self.start];
        }
        (0..=(self.end - self.start) / self.step).map(|i| self.start + i * self.step).collect()
    }
}

impl MetricQuery {
    /// The value of the query.
    pub fn evaluate(&self, moments: Moments, lines: &LineSource<'_>) -> Result<QueryValue<'static>, MetricError> {
        let mut build = Build { moments, lines, store: SeriesStore::default(), leaves: 0 };
        let expr = build.expr(self)?;
        let mut engine = Engine::new(&build.store);
        // A value is good for its own moment only: there is no staleness in logs.
        engine.lookback = 1;
        let millis = |nanos: i64| nanos.div_euclid(1_000_000);
        let result = match moments.step {
            0 => engine.instant(&expr, millis(moments.start)),
            step => engine.range(&expr, millis(moments.start), millis(moments.end), millis(step)),
        };
        let nameless = |labels: &Labels| labels.filtered(|name| name != METRIC_NAME);
        Ok(match result.map_err(|e: EvalError| MetricError(e.to_string()))?.value {
            QueryValue::Vector(vector) => QueryValue::Vector(vector.relabelled(nameless)),
            QueryValue::Matrix(mut series) => {
                series.iter_mut().for_each(|one| one.labels = nameless(&one.labels));
                QueryValue::Matrix(series)
            }
            QueryValue::Scalar(value) => QueryValue::Scalar(value),
            QueryValue::Text(text) => QueryValue::Text(text),
        })
    }
}

/// Turns a query into an expression over series that hold the values of its ranges.
struct Build<'b> {
    moments: Moments,
    lines: &'b LineSource<'b>,
    store: SeriesStore,
    leaves: usize,
}

impl Build<'_> {
    fn expr(&mut self, query: &MetricQuery) -> Result<PromqlExpr, MetricError> {
        let position = Position::default();
        Ok(match query {
            MetricQuery::Number(value) => {
                PromqlExpr::Number(NumberLiteral { value: *value, is_duration: false, position })
            }
            MetricQuery::Constant(value) => {
                let arg = PromqlExpr::Number(NumberLiteral { value: *value, is_duration: false, position });
                call("vector", vec![arg])
            }
            MetricQuery::Paren(inner) => PromqlExpr::Paren(Box::new(self.expr(inner)?), position),
            MetricQuery::Range(range) => self.leaf(range)?,
            MetricQuery::Vector { op: VectorOp::Sort { descending }, inner, .. } => {
                call(if *descending { "sort_desc" } else { "sort" }, vec![self.expr(inner)?])
            }
            MetricQuery::Vector { op: VectorOp::Aggregate(op), param, grouping, inner } => {
                let (without, grouping) = match grouping {
                    Some(Grouping { without, labels }) => (*without, labels.clone()),
                    None => (false, Vec::new()),
                };
                let param =
                    param.map(|value| PromqlExpr::Number(NumberLiteral { value, is_duration: false, position }));
                let expr = self.expr(inner)?;
                PromqlExpr::Aggregate(Box::new(Aggregate { op: *op, grouping, without, param, expr, position }))
            }
            MetricQuery::LabelReplace { inner, target, template, source, pattern } => {
                let texts = [target, template, source, pattern].map(|t| PromqlExpr::Text(t.clone(), position));
                let mut args = vec![self.expr(inner)?];
                args.extend(texts);
                call("label_replace", args)
            }
            MetricQuery::Binary { op, returns_bool, matching, left, right } => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                let vectors = [&left, &right].iter().all(|e| e.value_type() == ValueType::Vector);
                let scalars = [&left, &right].iter().all(|e| e.value_type() == ValueType::Scalar);
                PromqlExpr::Binary(Box::new(Binary {
                    op: *op,
                    left,
                    right,
                    // Two numbers compare to 0 or 1.
                    returns_bool: *returns_bool || (scalars && op.is_comparison()),
                    matching: vectors.then(|| matching.clone()),
                    position,
                }))
            }
        })
    }

    /// Computes a range aggregation at every moment and stores it under a name of its own.
    fn leaf(&mut self, range: &RangeAggregation) -> Result<PromqlExpr, MetricError> {
        let name = format!("leaf_{}", self.leaves);
        self.leaves += 1;
        let moments = self.moments.list();
        let first = self.moments.start - range.offset - range.range;
        let last = moments.last().copied().unwrap_or(self.moments.start) - range.offset;
        let series = self.samples(range, first, last)?;
        if range.op == "absent_over_time" {
            self.absent(range, &name, &moments, &series);
        } else {
            for (labels, samples) in &series {
                for moment in &moments {
                    let end = moment - range.offset;
                    let low = samples.partition_point(|s| s.time <= end - range.range);
                    let high = samples.partition_point(|s| s.time <= end);
                    if low < high {
                        let value = aggregated(range, &samples[low..high], end);
                        self.put(&name, labels, *moment, value);
                    }
                }
            }
        }
        Ok(PromqlExpr::Vector(VectorSelector {
            matchers: vec![Matcher::equal(METRIC_NAME, name.as_str())],
            name: Some(name),
            modifiers: Modifiers::default(),
            extension: None,
            position: Position::default(),
        }))
    }

    fn put(&mut self, name: &str, labels: &Labels, moment: i64, value: f64) {
        let mut labels = labels.edit();
        labels.set(METRIC_NAME, name);
        self.store.append(&labels.finish(), moment.div_euclid(1_000_000), value);
    }

    fn absent(
        &mut self,
        range: &RangeAggregation,
        name: &str,
        moments: &[i64],
        series: &BTreeMap<Labels, Vec<Sample>>,
    ) {
        let asked = range.log.matchers.iter().filter(|m| m.op == MatchOp::Equal);
        let labels = Labels::new(asked.map(|m| (m.name.as_str(), m.value.as_str())));
        for moment in moments {
            let end = moment - range.offset;
            let seen = series.values().flatten().any(|s| s.time > end - range.range && s.time <= end);
            if !seen {
                self.put(name, &labels, *moment, 1.0);
            }
        }
    }

    /// The samples of each series, oldest first.
    fn samples(
        &self,
        range: &RangeAggregation,
        first: i64,
        last: i64,
    ) -> Result<BTreeMap<Labels, Vec<Sample>>, MetricError> {
        let mut out: BTreeMap<Labels, Vec<Sample>> = BTreeMap::new();
        // The left end is open and the right one belongs to the range.
        for mut entry in (self.lines)(&range.log, first + 1, last + 1) {
            if !entry.run(&range.log.stages) {
                continue;
            }
            let value = match (&range.unwrap, range.op) {
                (Some(unwrap), _) => match entry.unwrapped(unwrap) {
                    Some(value) => value,
                    None => continue,
                },
                (None, "bytes_over_time" | "bytes_rate") => entry.line.len() as f64,
                (None, _) => 1.0,
            };
            if let Some(error) = entry.labels.get(ERROR).filter(|e| !e.is_empty()) {
                return Err(pipeline_error(error, &entry));
            }
            let labels = grouped(&entry.labels(), range.grouping.as_ref());
            out.entry(labels).or_default().push(Sample { time: entry.time, value });
        }
        for samples in out.values_mut() {
            samples.sort_by_key(|s| s.time);
        }
        Ok(out)
    }
}

fn call(name: &str, args: Vec<PromqlExpr>) -> PromqlExpr {
    let function = functions::find(name).expect("the table has it");
    PromqlExpr::Call(FunctionCall { function, args, position: Position::default() })
}

fn grouped(labels: &Labels, grouping: Option<&Grouping>) -> Labels {
    match grouping {
        None => labels.clone(),
        Some(Grouping { without, labels: names }) => {
            labels.filtered(|name| names.iter().any(|n| n == name) != *without)
        }
    }
}

fn pipeline_error(error: &str, entry: &Entry) -> MetricError {
    MetricError(format!(
        "pipeline error: '{error}' for series: '{}'.\nUse a label filter to intentionally skip this error. (e.g | \
         __error__!=\"{error}\").\nTo skip all potential errors you can match empty errors.(e.g __error__=\"\")\nThe label \
         filter can also be specified after unwrap. (e.g | unwrap latency | __error__=\"\" )\n",
        entry.labels().in_braces()
    ))
}

/// The value of a window that holds at least one sample.
fn aggregated(range: &RangeAggregation, samples: &[Sample], end: i64) -> f64 {
    let seconds = range.range as f64 / 1e9;
    let values: Vec<f64> = samples.iter().map(|s| s.value).collect();
    let times: Vec<i64> = samples.iter().map(|s| s.time.div_euclid(1_000_000)).collect();
    let window = functions::over_time::Window {
        times: &times,
        values: &values,
        start: (end - range.range).div_euclid(1_000_000),
        end: end.div_euclid(1_000_000),
        now: end.div_euclid(1_000_000),
        falls: true,
        around: (&times, &values, 0, times.len()),
    };
    let over = |name: &str, params: &[f64]| functions::over_time::over_time(name, &window, params).unwrap_or(f64::NAN);
    match range.op {
        "count_over_time" => values.len() as f64,
        "rate" if range.unwrap.is_none() => values.len() as f64 / seconds,
        "rate" | "bytes_rate" => values.iter().sum::<f64>() / seconds,
        "bytes_over_time" | "sum_over_time" => values.iter().sum(),
        "rate_counter" => {
            let kind = functions::rates::RateKind { counter: true, per_second: true };
            functions::rates::extrapolated(&window, kind).unwrap_or(0.0)
        }
        name => over(name, range.param.as_slice()),
    }
}
