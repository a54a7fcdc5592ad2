//! Functions of single values.

use crate::go::time::Civil;

/// A function of one value, by the name it has in the language; none where it is of another kind.
pub(in crate::promql) fn pointwise(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "abs" => f64::abs,
        "ceil" => f64::ceil,
        "floor" => f64::floor,
        "exp" => libm::exp,
        "sqrt" => f64::sqrt,
        "ln" => libm::log,
        "log2" => libm::log2,
        "log10" => libm::log10,
        "sin" => libm::sin,
        "cos" => libm::cos,
        "tan" => libm::tan,
        "asin" => libm::asin,
        "acos" => libm::acos,
        "atan" => libm::atan,
        "sinh" => libm::sinh,
        "cosh" => libm::cosh,
        "tanh" => libm::tanh,
        "asinh" => libm::asinh,
        "acosh" => libm::acosh,
        "atanh" => libm::atanh,
        "rad" => |v| v * std::f64::consts::PI / 180.0,
        "deg" => |v| v * 180.0 / std::f64::consts::PI,
        "sgn" => |v| {
            if v < 0.0 {
                -1.0
            } else if v > 0.0 {
                1.0
            } else {
                v
            }
        },
        "day_of_month" => |v| f64::from(civil(v).day),
        "day_of_week" => |v| f64::from(civil(v).weekday()),
        "day_of_year" => |v| f64::from(civil(v).day_of_year()),
        "days_in_month" => |v| f64::from(civil(v).days_in_month()),
        "hour" => |v| f64::from(civil(v).hour),
        "minute" => |v| f64::from(civil(v).minute),
        "month" => |v| f64::from(civil(v).month),
        "year" => |v| civil(v).year as f64,
        _ => return None,
    })
}

/// Whether a function reads the calendar, and the evaluation time where it has no argument.
pub(in crate::promql) fn is_calendar(name: &str) -> bool {
    matches!(
        name,
        "day_of_month" | "day_of_week" | "day_of_year" | "days_in_month" | "hour" | "minute" | "month" | "year"
    )
}

fn civil(seconds: f64) -> Civil {
    /// Seconds between the first moment of Go's calendar and the epoch.
    const FIRST: i128 = 9_223_372_028_715_321_600;
    // What is no number, or too large for one, becomes the smallest whole number on common machines; before the first
    // moment of the calendar it starts again from its end.
    let whole = if seconds.is_nan() || seconds.abs() >= 9.223_372_036_854_776e18 { i64::MIN } else { seconds as i64 };
    let whole = i128::from(whole);
    Civil::of_wide(if whole < -FIRST { whole + (1 << 64) } else { whole })
}

/// Go's `math.Max`: not a number where either is not.
pub(in crate::promql) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// Go's `math.Min`.
pub(in crate::promql) fn smaller(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }
}

/// Rounds to multiples of `to`, ties upwards.
pub(in crate::promql) fn round(value: f64, to: f64) -> f64 {
    let inverse = 1.0 / to;
    (value * inverse + 0.5).floor() / inverse
}

/// The quantile of values in any order, linear between ranks; NaN sorts first.
pub(in crate::promql) fn quantile(q: f64, values: &mut [f64]) -> f64 {
    if values.is_empty() || q.is_nan() {
        return f64::NAN;
    }
    if q < 0.0 {
        return f64::NEG_INFINITY;
    }
    if q > 1.0 {
        return f64::INFINITY;
    }
    values.sort_by(|a, b| nan_first(*a, *b));
    let n = values.len() as f64;
    let rank = q * (n - 1.0);
    let low = rank.floor().max(0.0);
    let high = (low + 1.0).min(n - 1.0);
    let weight = rank - rank.floor();
    values[low as usize] * (1.0 - weight) + values[high as usize] * weight
}

fn nan_first(a: f64, b: f64) -> std::cmp::Ordering {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => std::cmp::Ordering::Equal,
        (true, false) => std::cmp::Ordering::Less,
        (false, true) => std::cmp::Ordering::Greater,
        _ => a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal),
    }
}

/// Neumaier's sum: small terms beside large ones are not lost.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::promql) struct KahanSum {
    pub sum: f64,
    pub rest: f64,
}

impl KahanSum {
    pub fn add(&mut self, value: f64) {
        let total = self.sum + value;
        if total.is_infinite() {
            self.rest = 0.0;
        } else if self.sum.abs() >= value.abs() {
            self.rest += (self.sum - total) + value;
        } else {
            self.rest += (value - total) + self.sum;
        }
        self.sum = total;
    }

    pub fn value(self) -> f64 {
        if self.sum.is_infinite() { self.sum } else { self.sum + self.rest }
    }
}

/// A mean: of the sum as long as that is finite, incremental from then on.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::promql) struct Mean {
    sum: KahanSum,
    count: f64,
    incremental: bool,
}

impl Mean {
    pub fn add(&mut self, value: f64) {
        self.count += 1.0;
        if self.count == 1.0 {
            self.sum = KahanSum { sum: value, rest: 0.0 };
            return;
        }
        if !self.incremental {
            let mut next = self.sum;
            next.add(value);
            if !next.sum.is_infinite() {
                self.sum = next;
                return;
            }
            self.incremental = true;
            self.sum.sum /= self.count - 1.0;
            self.sum.rest /= self.count - 1.0;
        }
        let weight = (self.count - 1.0) / self.count;
        self.sum.sum *= weight;
        self.sum.rest *= weight;
        self.sum.add(value / self.count);
    }

    pub fn value(&self) -> f64 {
        if self.incremental {
            return self.sum.sum + self.sum.rest;
        }
        self.sum.sum / self.count + self.sum.rest / self.count
    }
}
