//! Functions of the samples of a window.

use super::values::{KahanSum, Mean, quantile};

/// The samples of one series in a window that is open at its left end.
#[derive(Clone, Copy)]
pub(crate) struct Window<'a> {
    pub times: &'a [i64],
    pub values: &'a [f64],
    /// The left end, in milliseconds.
    pub start: i64,
    /// The right end.
    pub end: i64,
    /// The time of the evaluation, which `@` and `offset` do not move.
    pub now: i64,
    /// Whether any value of the series lies below the one before it; without, no window holds a reset.
    pub falls: bool,
    /// All samples of the series, and where the window begins and ends in them: widened windows look around.
    pub around: (&'a [i64], &'a [f64], usize, usize),
}

/// The value of a function for a window with at least one sample; none where it needs more.
pub(crate) fn over_time(name: &str, window: &Window<'_>, params: &[f64]) -> Option<f64> {
    let values = window.values;
    Some(match name {
        "sum_over_time" => {
            let mut sum = KahanSum::default();
            values.iter().for_each(|v| sum.add(*v));
            sum.value()
        }
        "avg_over_time" => {
            let mut mean = Mean::default();
            values.iter().for_each(|v| mean.add(*v));
            mean.value()
        }
        "count_over_time" => values.len() as f64,
        "min_over_time" => values.iter().fold(f64::NAN, |m, v| if *v < m || m.is_nan() { *v } else { m }),
        "max_over_time" => values.iter().fold(f64::NAN, |m, v| if *v > m || m.is_nan() { *v } else { m }),
        "last_over_time" => *values.last()?,
        "first_over_time" => *values.first()?,
        "present_over_time" => 1.0,
        "stdvar_over_time" => variance(values),
        "stddev_over_time" => variance(values).sqrt(),
        "quantile_over_time" => quantile(params[0], &mut values.to_vec()),
        "mad_over_time" => {
            let median = quantile(0.5, &mut values.to_vec());
            quantile(0.5, &mut values.iter().map(|v| (v - median).abs()).collect::<Vec<_>>())
        }
        "changes" => pairs(values, |a, b| a != b && !(a.is_nan() && b.is_nan())),
        "resets" => pairs(values, |a, b| b < a),
        "deriv" => {
            if values.len() < 2 {
                return None;
            }
            regression(window, window.times[0]).0
        }
        "predict_linear" => {
            if values.len() < 2 {
                return None;
            }
            let (slope, intercept) = regression(window, window.now);
            slope * params[0] + intercept
        }
        "double_exponential_smoothing" => return smoothed(values, params[0], params[1]),
        "ts_of_first_over_time" => *window.times.first()? as f64 / 1000.0,
        "ts_of_last_over_time" => *window.times.last()? as f64 / 1000.0,
        "ts_of_min_over_time" => extreme(window, |v, best| v <= best),
        "ts_of_max_over_time" => extreme(window, |v, best| v >= best),
        _ => return None,
    })
}

fn extreme(window: &Window<'_>, better: fn(f64, f64) -> bool) -> f64 {
    let mut best = 0;
    for (i, value) in window.values.iter().enumerate() {
        if better(*value, window.values[best]) || window.values[best].is_nan() {
            best = i;
        }
    }
    window.times[best] as f64 / 1000.0
}

fn pairs(values: &[f64], differ: impl Fn(f64, f64) -> bool) -> f64 {
    values.windows(2).filter(|pair| differ(pair[0], pair[1])).count() as f64
}

/// Population variance by Welford's method with compensated sums.
fn variance(values: &[f64]) -> f64 {
    let (mut mean, mut squares) = (KahanSum::default(), KahanSum::default());
    let mut count = 0.0;
    for value in values {
        count += 1.0;
        let delta = value - (mean.sum + mean.rest);
        mean.add(delta / count);
        squares.add(delta * (value - (mean.sum + mean.rest)));
    }
    (squares.sum + squares.rest) / count
}

/// Slope and value at a moment of the least-squares line.
fn regression(window: &Window<'_>, at: i64) -> (f64, f64) {
    let first = window.values[0];
    if window.values.iter().all(|v| *v == first) {
        return if first.is_infinite() { (f64::NAN, f64::NAN) } else { (0.0, first) };
    }
    let [mut x_sum, mut y_sum, mut xy_sum, mut x2_sum] = [KahanSum::default(); 4];
    for (time, y) in window.times.iter().zip(window.values) {
        let x = (time - at) as f64 / 1000.0;
        x_sum.add(x);
        y_sum.add(*y);
        xy_sum.add(x * y);
        x2_sum.add(x * x);
    }
    let n = window.values.len() as f64;
    let [x, y, xy, x2] = [x_sum, y_sum, xy_sum, x2_sum].map(|s| s.sum + s.rest);
    let slope = (xy - x * y / n) / (x2 - x * x / n);
    (slope, y / n - slope * x / n)
}

fn smoothed(values: &[f64], smoothing: f64, trend: f64) -> Option<f64> {
    let mut level = *values.first()?;
    let mut slope = values.get(1)? - level;
    let mut before = 0.0;
    for (i, value) in values.iter().enumerate().skip(1) {
        if i > 1 {
            slope = trend * (level - before) + (1.0 - trend) * slope;
        }
        let next = smoothing * value + (1.0 - smoothing) * (level + slope);
        (before, level) = (level, next);
    }
    Some(level)
}
