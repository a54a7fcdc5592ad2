//! Functions of instant vectors and scalars.

use crate::go::{Anchoring, Regexp};
use crate::labels::Labels;
use crate::promql::ast::{FunctionCall, PromqlExpr, ValueType};
use crate::promql::functions::values::{is_calendar, larger, pointwise, round, smaller};

use super::block::{ABSENT, Block, Evaluated, Row, RowLabels, Steps, is_absent};
use super::eval::Evaluator;
use super::over_range::absence;
use super::{EvalError, info};

impl<'a> Evaluator<'a> {
    pub fn call(&mut self, call: &FunctionCall, steps: Steps) -> Result<Evaluated<'a>, EvalError> {
        if call.args.iter().any(|a| a.value_type() == ValueType::Matrix) {
            return self.range_call(call, steps);
        }
        let name = call.function.name;
        let args = &call.args;
        if let Some(function) = pointwise(name) {
            if args.is_empty() && is_calendar(name) {
                return Ok(Evaluated::Vector(constant_row(steps, |time| function(time as f64 / 1000.0))));
            }
            return self.mapped(&args[0], steps, |value, _| Some(function(value)));
        }
        match name {
            "time" => Ok(Evaluated::Scalar(steps.times().map(|t| t as f64 / 1000.0).collect())),
            "pi" => self.constant(std::f64::consts::PI, steps).map(Evaluated::Scalar),
            "start" => self.constant(self.query_start as f64 / 1000.0, steps).map(Evaluated::Scalar),
            "end" => self.constant(self.query_end as f64 / 1000.0, steps).map(Evaluated::Scalar),
            "step" => self.constant(self.query_step as f64 / 1000.0, steps).map(Evaluated::Scalar),
            "range" => {
                let range = (self.query_end - self.query_start) as f64 / 1000.0;
                self.constant(range, steps).map(Evaluated::Scalar)
            }
            "min_of" | "max_of" => {
                let choose = if name == "min_of" { smaller } else { larger };
                let (a, b) = (self.scalar(&args[0], steps)?, self.scalar(&args[1], steps)?);
                Ok(Evaluated::Scalar(a.iter().zip(&b).map(|(a, b)| choose(*a, *b)).collect()))
            }
            "vector" => {
                let values = self.scalar(&args[0], steps)?;
                let mut block = Block::new(steps.count);
                block.push(Row::new(Default::default())).copy_from_slice(&values);
                Ok(Evaluated::Vector(block))
            }
            "scalar" => {
                let block = self.vector(&args[0], steps)?;
                Ok(Evaluated::Scalar((0..steps.count).map(|i| only_value(&block, i)).collect()))
            }
            "timestamp" => self.timestamp(&args[0], steps),
            "absent" => {
                let block = self.vector(&args[0], steps)?;
                let seen: Vec<bool> =
                    (0..steps.count).map(|i| (0..block.rows.len()).any(|row| !is_absent(block.row(row)[i]))).collect();
                Ok(Evaluated::Vector(absence(&args[0], &seen, steps)))
            }
            "round" => {
                let to = match args.get(1) {
                    Some(arg) => self.scalar(arg, steps)?,
                    None => vec![1.0; steps.count],
                };
                self.mapped(&args[0], steps, |value, i| Some(round(value, to[i])))
            }
            "clamp" | "clamp_min" | "clamp_max" => self.clamp(name, args, steps),
            "label_replace" => self.label_replace(args, steps).map(Evaluated::Vector),
            "label_join" => self.label_join(args, steps).map(Evaluated::Vector),
            "sort" | "sort_desc" | "sort_by_label" | "sort_by_label_desc" => self.sort(call, steps),
            "histogram_quantile" | "histogram_quantiles" | "histogram_fraction" => self.histogram_call(call, steps),
            "info" => info::info(self, args, steps).map(Evaluated::Vector),
            // What is left is about native histograms, and there are none: every sample is a float.
            _ => {
                self.vector(&args[0], steps)?;
                Ok(Evaluated::Vector(Block::new(steps.count)))
            }
        }
    }

    fn mapped(
        &mut self,
        arg: &PromqlExpr,
        steps: Steps,
        function: impl Fn(f64, usize) -> Option<f64>,
    ) -> Result<Evaluated<'a>, EvalError> {
        let mut block = self.vector(arg, steps)?.without_names(self.delayed())?;
        let width = block.width;
        for (i, value) in block.values.iter_mut().enumerate().filter(|(_, v)| !is_absent(**v)) {
            *value = function(*value, i % width).unwrap_or(ABSENT);
        }
        Ok(Evaluated::Vector(block))
    }

    fn clamp(&mut self, name: &str, args: &[PromqlExpr], steps: Steps) -> Result<Evaluated<'a>, EvalError> {
        let least = match name {
            "clamp_max" => vec![f64::NEG_INFINITY; steps.count],
            _ => self.scalar(&args[1], steps)?,
        };
        let most = match name {
            "clamp_min" => vec![f64::INFINITY; steps.count],
            "clamp_max" => self.scalar(&args[1], steps)?,
            _ => self.scalar(&args[2], steps)?,
        };
        self.mapped(&args[0], steps, |value, i| {
            (least[i] <= most[i] || least[i].is_nan() || most[i].is_nan())
                .then(|| larger(least[i], smaller(most[i], value)))
        })
    }

    fn timestamp(&mut self, arg: &PromqlExpr, steps: Steps) -> Result<Evaluated<'a>, EvalError> {
        if let PromqlExpr::Vector(selector) = arg.unwrapped() {
            let block = self.selector_timestamps(selector, steps)?;
            return block.without_names(self.delayed()).map(Evaluated::Vector);
        }
        self.mapped(arg, steps, |_, i| Some(steps.at(i) as f64 / 1000.0))
    }

    fn label_replace(&mut self, args: &[PromqlExpr], steps: Steps) -> Result<Block<'a>, EvalError> {
        let mut block = self.vector(&args[0], steps)?;
        let [target, template, source, pattern] = [1, 2, 3, 4].map(|i| self.text(&args[i]));
        let regexp = Regexp::new(&pattern, Anchoring::Whole)
            .map_err(|_| EvalError::Execution(format!("invalid regular expression in label_replace(): {pattern}")))?;
        if target.is_empty() {
            return Err(EvalError::Execution(format!("invalid destination label name in label_replace(): {target}")));
        }
        let delayed = self.delayed();
        self.spend(block.rows.len() * 4)?;
        for row in &mut block.rows {
            let value = row.get(&source, delayed).to_owned();
            let Some(captures) = regexp.compiled().captures(&value) else { continue };
            let mut replaced = String::new();
            captures.expand(&template, &mut replaced);
            set_label(row, &target, replaced, delayed);
        }
        block.one_name = false;
        block.merged_when_alike(delayed)
    }

    fn label_join(&mut self, args: &[PromqlExpr], steps: Steps) -> Result<Block<'a>, EvalError> {
        let mut block = self.vector(&args[0], steps)?;
        let (target, separator) = (self.text(&args[1]), self.text(&args[2]));
        let sources: Vec<String> = args[3..].iter().map(|a| self.text(a)).collect();
        if target.is_empty() {
            return Err(EvalError::Execution(format!("invalid destination label name in label_join(): {target}")));
        }
        let delayed = self.delayed();
        for row in &mut block.rows {
            let joined = sources.iter().map(|s| row.get(s, delayed)).collect::<Vec<_>>().join(&separator);
            set_label(row, &target, joined, delayed);
        }
        block.one_name = false;
        block.merged_when_alike(delayed)
    }

    fn sort(&mut self, call: &FunctionCall, steps: Steps) -> Result<Evaluated<'a>, EvalError> {
        let block = self.vector(&call.args[0], steps)?;
        if self.is_range {
            self.annotations.warn(
                "sort is ineffective for range queries since results are always ordered by labels",
                call.args[0].position(),
            );
            return Ok(Evaluated::Vector(block));
        }
        if steps.count != 1 {
            return Ok(Evaluated::Vector(block));
        }
        let mut order: Vec<usize> = (0..block.rows.len()).collect();
        let descending = call.function.name.ends_with("_desc");
        if call.function.name.starts_with("sort_by_label") {
            let names: Vec<String> = call.args[1..].iter().map(|a| self.text(a)).collect();
            order.sort_by(|a, b| {
                let (a, b): (&Labels, &Labels) = (&block.rows[*a].labels, &block.rows[*b].labels);
                let by_name = names.iter().map(|n| natural_order(a.get(n), b.get(n))).find(|o| o.is_ne());
                by_name.unwrap_or_else(|| a.cmp(b))
            });
            if descending {
                order.reverse();
            }
        } else {
            order.sort_by(|a, b| value_order(block.values[*a], block.values[*b], descending));
        }
        let mut sorted = Block::new(1);
        sorted.one_name = block.one_name;
        for i in order {
            sorted.push(block.rows[i].clone())[0] = block.values[i];
        }
        Ok(Evaluated::Vector(sorted))
    }
}

impl Block<'_> {
    /// After labels were changed: rows that became alike are one series, unless they overlap.
    fn merged_when_alike(self, delayed: bool) -> Result<Self, EvalError> {
        if delayed && self.rows.iter().any(|r| r.nameless) { Ok(self) } else { self.merged() }
    }
}

fn set_label(row: &mut Row<'_>, target: &str, value: String, delayed: bool) {
    let mut labels = row.seen_labels(delayed).edit();
    labels.set(target, value);
    row.labels = RowLabels::Own(labels.finish());
    // A name that was set anew stays.
    row.nameless = row.nameless && delayed && target != "__name__";
}

fn constant_row<'s>(steps: Steps, value: impl Fn(i64) -> f64) -> Block<'s> {
    let mut block = Block::new(steps.count);
    for (place, time) in block.push(Row::new(Default::default())).iter_mut().zip(steps.times()) {
        *place = value(time);
    }
    block
}

fn only_value(block: &Block<'_>, step: usize) -> f64 {
    let mut found = f64::NAN;
    let mut count = 0;
    for row in 0..block.rows.len() {
        let value = block.row(row)[step];
        if !is_absent(value) {
            count += 1;
            found = value;
        }
    }
    if count == 1 { found } else { f64::NAN }
}

/// NaN comes last in both directions.
pub(super) fn value_order(a: f64, b: f64, descending: bool) -> std::cmp::Ordering {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => std::cmp::Ordering::Equal,
        (true, false) => std::cmp::Ordering::Greater,
        (false, true) => std::cmp::Ordering::Less,
        _ if descending => b.partial_cmp(&a).unwrap_or(std::cmp::Ordering::Equal),
        _ => a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal),
    }
}

/// Runs of digits compare as numbers: `4m5` before `4m600`.
fn natural_order(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let (Some(x), Some(y)) = (a.first(), b.first()) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let digits = |text: &[u8]| text.iter().take_while(|c| c.is_ascii_digit()).count();
            let (n, m) = (digits(a), digits(b));
            let trim = |text: &[u8]| text.iter().position(|c| *c != b'0').unwrap_or(text.len());
            let (left, right) = (&a[trim(&a[..n])..n], &b[trim(&b[..m])..m]);
            let order = left.len().cmp(&right.len()).then_with(|| left.cmp(right));
            if order.is_ne() {
                return order;
            }
            (a, b) = (&a[n..], &b[m..]);
        } else if x == y {
            (a, b) = (&a[1..], &b[1..]);
        } else {
            return x.cmp(y);
        }
    }
    a.len().cmp(&b.len())
}
