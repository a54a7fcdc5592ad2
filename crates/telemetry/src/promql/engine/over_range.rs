//! Functions of range vectors: cut the windows, ask the function.

use crate::labels::Labels;
use crate::promql::ast::{Extension, FunctionCall, PromqlExpr, ValueType};
use crate::promql::functions::over_time::{Window, over_time};
use crate::promql::functions::rates::{self, RateKind};

use super::block::{Block, Row, Steps};
use super::eval::Evaluator;
use super::select::{RangeInput, Samples};
use super::{EvalError, Evaluated};

impl<'a> Evaluator<'a> {
    pub fn range_call(&mut self, call: &FunctionCall, steps: Steps) -> Result<Evaluated<'a>, EvalError> {
        let name = call.function.name;
        let place = call.args.iter().position(|a| a.value_type() == ValueType::Matrix).expect("its table says so");
        let mut params = Vec::new();
        for (i, arg) in call.args.iter().enumerate().filter(|(i, _)| *i != place) {
            let values = self.scalar(arg, steps)?;
            self.check_param(name, i, &values)?;
            params.push(values);
        }
        let input = self.range_input(&call.args[place], steps)?;
        if name == "absent_over_time" {
            return self.absent_over_time(&call.args[place], &input, steps);
        }
        self.check_size(input.series.len(), steps.count)?;
        let counter_position = call.args[place].position();
        let is_counted = matches!(name, "rate" | "irate" | "increase");
        let mut block = Block::new(steps.count);
        block.one_name = input.one_name;
        block.rows.reserve(input.series.len());
        block.values.reserve(input.series.len() * steps.count);
        let mut row_params = vec![0.0; params.len()];
        for (n, series) in input.series.iter().enumerate() {
            if n % AT_ONCE == 0 {
                fetch(&input.series[n..input.series.len().min(n + AT_ONCE)]);
            }
            let mut any = false;
            let mut visited = 0;
            block.push(series.row.clone());
            let at = block.rows.len() - 1;
            let (times, values) = (&*series.times, &*series.values);
            let (mut low, mut high) = (0, 0);
            for (i, now) in steps.times().enumerate() {
                let end = input.shift.apply(now);
                let start = end.saturating_sub(input.range);
                low = advance(times, low, start);
                high = advance(times, high.max(low), end);
                visited += high - low + 1;
                if low == high && input.extension.is_none() {
                    continue;
                }
                for (param, given) in row_params.iter_mut().zip(&params) {
                    *param = given[i];
                }
                let window = Window {
                    times: &times[low..high],
                    values: &values[low..high],
                    start,
                    end,
                    now,
                    falls: series.falls,
                    around: (times, values, low, high),
                };
                if let Some(value) = windowed(name, &window, &row_params, &input, self.engine.lookback) {
                    block.row_mut(at)[i] = value;
                    any = true;
                }
            }
            self.spend(visited)?;
            if !any {
                block.rows.pop();
                block.values.truncate(at * steps.count);
            } else if is_counted && !(input.one_name && at > 0) {
                self.check_counter(series.row.get("__name__", self.delayed()), counter_position);
            }
        }
        if name == "quantile_over_time" && !block.rows.is_empty() {
            self.check_quantile(&params[0], &call.args[0]);
        }
        if matches!(name, "last_over_time" | "first_over_time") {
            return Ok(Evaluated::Vector(block));
        }
        block.without_names(self.delayed()).map(Evaluated::Vector)
    }

    fn check_counter(&mut self, metric: &str, position: crate::promql::ast::Position) {
        let counts = ["_total", "_sum", "_count", "_bucket"].iter().any(|suffix| metric.ends_with(suffix));
        if !metric.is_empty() && !counts {
            self.annotations.info(
                format!(
                    "metric might not be a counter, name does not end in _total/_sum/_count/_bucket: {}",
                    crate::go::quote(metric)
                ),
                position,
            );
        }
    }

    fn check_param(&self, name: &str, at: usize, values: &[f64]) -> Result<(), EvalError> {
        let (what, short) = if at == 1 { ("smoothing", "sf") } else { ("trend", "tf") };
        match values.iter().find(|v| **v <= 0.0 || **v >= 1.0) {
            Some(bad) if name == "double_exponential_smoothing" => {
                Err(EvalError::Execution(format!("invalid {what} factor. Expected: 0 < {short} < 1, got: {bad:.6}")))
            }
            _ => Ok(()),
        }
    }

    pub fn check_quantile(&mut self, values: &[f64], arg: &PromqlExpr) {
        for value in values {
            if value.is_nan() || *value < 0.0 || *value > 1.0 {
                let shown = crate::go::number::general(*value);
                self.annotations.warn(format!("quantile value should be between 0 and 1, got {shown}"), arg.position());
            }
        }
    }

    fn absent_over_time(
        &mut self,
        arg: &PromqlExpr,
        input: &RangeInput<'_>,
        steps: Steps,
    ) -> Result<Evaluated<'a>, EvalError> {
        let mut seen = vec![false; steps.count];
        for series in &input.series {
            self.spend(steps.count)?;
            for (seen, now) in seen.iter_mut().zip(steps.times()) {
                let end = input.shift.apply(now);
                let high = series.times.partition_point(|t| *t <= end);
                *seen |= high > 0 && series.times[high - 1] > end.saturating_sub(input.range);
            }
        }
        Ok(Evaluated::Vector(absence(arg, &seen, steps)))
    }
}

/// So many series are fetched at once.
const AT_ONCE: usize = 32;

/// Reads the ends of some series. They lie far apart in memory, and the processor waits for many of them no longer than
/// for one, if nothing else is done in between: a query over 50,000 series takes two thirds of the time.
fn fetch(series: &[Samples<'_>]) {
    let mut read = 0;
    for one in series {
        let (Some(first), Some(last)) = (one.times.first(), one.times.last()) else { continue };
        let (Some(from), Some(to)) = (one.values.first(), one.values.last()) else { continue };
        read ^= (first ^ last) as u64 ^ from.to_bits() ^ to.to_bits();
    }
    std::hint::black_box(read);
}

/// The first place from `from` on whose time lies after a moment; moments only grow, except before the first step.
fn advance(times: &[i64], from: usize, moment: i64) -> usize {
    // Most questions are about the present, which is behind the last sample.
    if times.last().is_none_or(|t| *t <= moment) {
        return times.len();
    }
    if times.get(from).is_none_or(|t| *t > moment) && (from == 0 || times[from - 1] <= moment) {
        return from;
    }
    if from + 8 < times.len() && times[from + 8] <= moment {
        return from + times[from..].partition_point(|t| *t <= moment);
    }
    let mut at = from;
    while times.get(at).is_some_and(|t| *t <= moment) {
        at += 1;
    }
    at
}

fn windowed(name: &str, window: &Window<'_>, params: &[f64], input: &RangeInput<'_>, lookback: i64) -> Option<f64> {
    let rate = RateKind::of(name);
    if let Some(extension) = input.extension {
        return match rate {
            Some(kind) => rates::extended(&nearby(window, lookback), kind, extension),
            None => widened(name, &nearby(window, lookback), params, extension),
        };
    }
    match (rate, name) {
        (Some(kind), _) => rates::extrapolated(window, kind),
        (None, "irate") => rates::instant(window, true),
        (None, "idelta") => rates::instant(window, false),
        _ => over_time(name, window, params),
    }
}

/// changes and resets with the sample before the window put to its front.
fn widened(name: &str, window: &Window<'_>, params: &[f64], extension: Extension) -> Option<f64> {
    assert_eq!(extension, Extension::Anchored, "checked before evaluation");
    let values = rates::anchored(window)?;
    over_time(name, &Window { values: &values, ..*window }, params)
}

/// Samples further away than the lookback do not stand for the ends of a window.
fn nearby<'w>(window: &Window<'w>, lookback: i64) -> Window<'w> {
    let (times, values, low, high) = window.around;
    let from = times.partition_point(|t| *t <= window.start - lookback);
    let to = times.partition_point(|t| *t <= window.end + lookback);
    let around = (&times[from..to], &values[from..to], low - from.min(low), high.max(from) - from);
    Window { around, ..*window }
}

/// One series with the labels that the selector asks for, at steps where nothing was seen.
pub(super) fn absence<'s>(arg: &PromqlExpr, seen: &[bool], steps: Steps) -> Block<'s> {
    let mut block = Block::new(steps.count);
    let row = block.push(Row::new(absent_labels(arg)));
    for (place, seen) in row.iter_mut().zip(seen) {
        if !seen {
            *place = 1.0;
        }
    }
    block
}

fn absent_labels(arg: &PromqlExpr) -> Labels {
    let matchers = match arg.unwrapped() {
        PromqlExpr::Vector(selector) => &selector.matchers,
        PromqlExpr::Matrix(matrix) => &matrix.selector.matchers,
        _ => return Labels::default(),
    };
    let mut labels = Labels::default().edit();
    let mut named: Vec<&str> = Vec::new();
    for matcher in matchers.iter().filter(|m| m.name != "__name__") {
        let first = !named.contains(&matcher.name.as_str());
        if matcher.op == crate::matcher::MatchOp::Equal && first {
            labels.set(matcher.name.as_str(), matcher.value.as_str());
            named.push(&matcher.name);
        } else {
            labels.remove(&matcher.name);
        }
    }
    labels.finish()
}
