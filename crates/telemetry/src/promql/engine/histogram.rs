//! Quantiles and fractions of classic histograms: series with the label `le`.

use crate::go::{parse_float, quote};
use crate::labels::METRIC_NAME;
use crate::promql::annotations::Monotonicity;
use crate::promql::ast::{FunctionCall, PromqlExpr};

use super::EvalError;
use super::block::{Block, Evaluated, Row, Steps, is_absent, same_labels};
use super::eval::Evaluator;
use super::grouping::{GroupKey, group};

/// Differences below this share of the value are float noise.
const NOISE: f64 = 1e-12;

#[derive(Clone, Copy, Debug)]
struct Bucket {
    bound: f64,
    count: f64,
}

impl<'a> Evaluator<'a> {
    pub fn histogram_call(&mut self, call: &FunctionCall, steps: Steps) -> Result<Evaluated<'a>, EvalError> {
        let args = &call.args;
        match call.function.name {
            "histogram_quantile" => {
                let quantiles = self.scalar(&args[0], steps)?;
                self.check_quantile(&quantiles, &args[0]);
                self.of_buckets(&args[1], steps, |step, buckets| quantile(quantiles[step], buckets))
            }
            "histogram_fraction" => {
                let (low, high) = (self.scalar(&args[0], steps)?, self.scalar(&args[1], steps)?);
                self.of_buckets(&args[2], steps, |step, buckets| (fraction(low[step], high[step], buckets), None))
            }
            _ => self.quantiles(args, steps),
        }
    }

    fn quantiles(&mut self, args: &[PromqlExpr], steps: Steps) -> Result<Evaluated<'a>, EvalError> {
        let label = self.text(&args[1]);
        let mut out = Block::new(steps.count);
        for arg in &args[2..] {
            let quantiles = self.scalar(arg, steps)?;
            self.check_quantile(&quantiles, arg);
            let shown = crate::go::format_float(quantiles.first().copied().unwrap_or(f64::NAN));
            let Evaluated::Vector(block) =
                self.of_buckets(&args[0], steps, |step, buckets| quantile(quantiles[step], buckets))?
            else {
                continue;
            };
            for (i, row) in block.rows.iter().enumerate() {
                let mut labels = row.shown_labels().edit();
                labels.set(label.as_str(), shown.as_str());
                out.push(Row::new(labels.finish())).copy_from_slice(block.row(i));
            }
        }
        Ok(Evaluated::Vector(out))
    }

    /// Gathers the buckets of each histogram at each step and asks `value` about them.
    fn of_buckets(
        &mut self,
        arg: &PromqlExpr,
        steps: Steps,
        value: impl Fn(usize, &mut Vec<Bucket>) -> (f64, Option<(f64, f64, f64)>),
    ) -> Result<Evaluated<'a>, EvalError> {
        let input = self.vector(arg, steps)?;
        let delayed = self.delayed();
        let position = arg.position();
        let bounds: Vec<Option<f64>> = input.rows.iter().map(|row| parse_float(row.get("le", delayed))).collect();
        for (i, row) in input.rows.iter().enumerate().filter(|(i, _)| bounds[*i].is_none()) {
            if input.row(i).iter().any(|v| !is_absent(*v)) {
                // The name is told only while it still belongs to the series.
                let metric = if delayed { row.labels.get(METRIC_NAME) } else { "" };
                let named =
                    if metric.is_empty() { String::new() } else { format!(" for metric name {}", quote(metric)) };
                self.annotations.warn(
                    format!(
                        "bucket label \"le\" is missing or has a malformed value of {}{named}",
                        quote(row.get("le", delayed))
                    ),
                    position,
                );
            }
        }
        let ignored = ["le".to_owned()];
        let key = GroupKey::Without(&ignored);
        let groups = group(self.engine.store, &input.rows, key, false);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); groups.first_row.len()];
        for (i, group) in groups.of_row.iter().enumerate().filter(|(i, _)| bounds[*i].is_some()) {
            members[*group as usize].push(i);
        }
        let mut out = Block::new(steps.count);
        for (group, rows) in members.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            if !input.one_name {
                check_one_metric(&input, rows, &bounds, delayed)?;
            }
            let first = &input.rows[groups.first_row[group]];
            let metric = if delayed { first.labels.get(METRIC_NAME).to_owned() } else { String::new() };
            out.push(Row::new(key.labels(first, false).without_name()));
            let place = out.rows.len() - 1;
            for step in 0..steps.count {
                let mut buckets: Vec<Bucket> = rows
                    .iter()
                    .filter(|i| !is_absent(input.row(**i)[step]))
                    .map(|i| Bucket { bound: bounds[*i].unwrap_or(f64::NAN), count: input.row(*i)[step] })
                    .collect();
                if buckets.is_empty() {
                    continue;
                }
                let (result, bent) = value(step, &mut buckets);
                out.row_mut(place)[step] = result;
                if let Some((lowest, highest, largest_difference)) = bent {
                    let time = steps.at(step);
                    let found = Monotonicity {
                        lowest,
                        highest,
                        largest_difference,
                        samples: 1,
                        first: time,
                        last: time,
                        position,
                    };
                    self.annotations.bent(&metric, found);
                }
            }
        }
        Ok(Evaluated::Vector(out))
    }
}

/// Two histograms that differ in their name alone would be one.
fn check_one_metric(input: &Block<'_>, rows: &[usize], bounds: &[Option<f64>], delayed: bool) -> Result<(), EvalError> {
    let name = |i: &usize| input.rows[*i].get(METRIC_NAME, delayed);
    let first = &rows[0];
    if rows.iter().any(|i| name(i) != name(first)) {
        let overlapping = rows.iter().any(|i| {
            rows.iter().any(|j| {
                name(i) != name(j)
                    && bounds[*i].is_some()
                    && input.row(*i).iter().zip(input.row(*j)).any(|(a, b)| !is_absent(*a) && !is_absent(*b))
            })
        });
        if overlapping {
            return Err(same_labels());
        }
    }
    Ok(())
}

/// Sorts, joins equal bounds and tells whether the last bound is infinite.
fn prepare(buckets: &mut Vec<Bucket>) -> bool {
    buckets.sort_by(|a, b| a.bound.partial_cmp(&b.bound).unwrap_or(std::cmp::Ordering::Equal));
    if buckets.last().is_none_or(|b| b.bound != f64::INFINITY) {
        return false;
    }
    buckets.dedup_by(|next, kept| {
        let same = next.bound == kept.bound;
        if same {
            kept.count += next.count;
        }
        same
    });
    true
}

/// Makes counts grow; tells between which bounds and by how much they were bent.
fn make_monotonic(buckets: &mut [Bucket]) -> Option<(f64, f64, f64)> {
    let mut previous = buckets[0].count;
    let mut bent: Option<(f64, f64, f64)> = None;
    for bucket in &mut buckets[1..] {
        let current = bucket.count;
        if current == previous {
            continue;
        }
        let difference = (current - previous).abs();
        if difference / (current.abs() + previous.abs()) < NOISE {
            bucket.count = previous;
            continue;
        }
        if current < previous {
            bucket.count = previous;
            let known = bent.get_or_insert((bucket.bound, bucket.bound, 0.0));
            known.0 = known.0.min(bucket.bound);
            known.1 = known.1.max(bucket.bound);
            known.2 = known.2.max(difference);
            continue;
        }
        previous = current;
    }
    bent
}

fn quantile(q: f64, buckets: &mut Vec<Bucket>) -> (f64, Option<(f64, f64, f64)>) {
    if q.is_nan() {
        return (f64::NAN, None);
    }
    if q < 0.0 {
        return (f64::NEG_INFINITY, None);
    }
    if q > 1.0 {
        return (f64::INFINITY, None);
    }
    if !prepare(buckets) {
        return (f64::NAN, None);
    }
    let bent = make_monotonic(buckets);
    let last = buckets.len() - 1;
    let total = buckets[last].count;
    if buckets.len() < 2 || total == 0.0 || total.is_nan() {
        return (f64::NAN, bent);
    }
    let mut rank = q * total;
    let found = buckets[..last].partition_point(|b| b.count < rank);
    if found == last {
        return (buckets[last - 1].bound, bent);
    }
    let end = buckets[found].bound;
    if found == 0 && end <= 0.0 {
        return (end, bent);
    }
    let (mut start, mut count) = (0.0, buckets[found].count);
    if found > 0 {
        start = buckets[found - 1].bound;
        count -= buckets[found - 1].count;
        rank -= buckets[found - 1].count;
    }
    (start + (end - start) * (rank / count), bent)
}

fn fraction(low: f64, high: f64, buckets: &mut Vec<Bucket>) -> f64 {
    if !prepare(buckets) || buckets.len() < 2 {
        return f64::NAN;
    }
    make_monotonic(buckets);
    let total = buckets[buckets.len() - 1].count;
    if total == 0.0 || low.is_nan() || high.is_nan() {
        return f64::NAN;
    }
    if low >= high {
        return 0.0;
    }
    (rank_of(high, buckets) - rank_of(low, buckets)).min(total) / total
}

/// How many observations lie below a value.
fn rank_of(value: f64, buckets: &[Bucket]) -> f64 {
    let mut below = 0.0;
    for (i, bucket) in buckets.iter().enumerate() {
        let start = match i {
            0 if bucket.bound > 0.0 => 0.0,
            0 => f64::NEG_INFINITY,
            _ => buckets[i - 1].bound,
        };
        if start >= value {
            return below;
        }
        if bucket.bound > value {
            if start == f64::NEG_INFINITY {
                return bucket.count;
            }
            // In the last bucket nothing is known of where observations lie.
            return below + (bucket.count - below) * ((value - start) / (bucket.bound - start));
        }
        below = bucket.count;
    }
    below
}
