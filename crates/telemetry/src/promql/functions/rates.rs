//! rate, increase, delta and their kin: what a window says about its ends.

use super::over_time::Window;
use crate::promql::ast::Extension;

/// Which of the three a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateKind {
    /// Falling values are resets.
    pub counter: bool,
    /// Per second.
    pub per_second: bool,
}

impl RateKind {
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "rate" => Some(Self { counter: true, per_second: true }),
            "increase" => Some(Self { counter: true, per_second: false }),
            "delta" => Some(Self { counter: false, per_second: false }),
            _ => None,
        }
    }
}

/// The difference between the ends of a window, extrapolated to them where samples come near enough.
pub(crate) fn extrapolated(window: &Window<'_>, kind: RateKind) -> Option<f64> {
    let (times, values) = (window.times, window.values);
    let (first, last) = (*times.first()?, *times.last()?);
    if times.len() < 2 {
        return None;
    }
    let raw = difference(values, kind.counter && window.falls);
    let sampled = (last - first) as f64 / 1000.0;
    let average = sampled / (times.len() - 1) as f64;
    let threshold = average * 1.1;
    let mut to_start = (first - window.start) as f64 / 1000.0;
    let mut to_end = (window.end - last) as f64 / 1000.0;
    if to_start >= threshold {
        to_start = average / 2.0;
    }
    if kind.counter && raw > 0.0 && values[0] >= 0.0 {
        // A counter was never below zero.
        to_start = to_start.min(sampled * (values[0] / raw));
    }
    if to_end >= threshold {
        to_end = average / 2.0;
    }
    let mut factor = (sampled + to_start + to_end) / sampled;
    if kind.per_second {
        factor /= (window.end - window.start) as f64 / 1000.0;
    }
    Some(raw * factor)
}

fn difference(values: &[f64], counter: bool) -> f64 {
    let mut raw = values[values.len() - 1] - values[0];
    if counter {
        raw += values.windows(2).filter(|pair| pair[1] < pair[0]).map(|pair| pair[0]).sum::<f64>();
    }
    raw
}

/// irate and idelta: the last two samples.
pub(crate) fn instant(window: &Window<'_>, per_second: bool) -> Option<f64> {
    let n = window.values.len();
    let (before, last) = (*window.values.get(n.checked_sub(2)?)?, window.values[n - 1]);
    let distance = window.times[n - 1] - window.times[n - 2];
    if distance == 0 {
        return None;
    }
    let change = if per_second && last < before { last } else { last - before };
    Some(if per_second { change / (distance as f64 / 1000.0) } else { change })
}

/// rate, increase and delta of a window whose ends are filled in from the samples around it.
pub(crate) fn extended(window: &Window<'_>, kind: RateKind, extension: Extension) -> Option<f64> {
    let values = match extension {
        Extension::Anchored => anchored(window)?,
        Extension::Smoothed => smoothed(window, kind.counter)?,
    };
    let change = difference(&values, kind.counter);
    let seconds = (window.end - window.start) as f64 / 1000.0;
    Some(if kind.per_second { change / seconds } else { change })
}

/// The values of the window with the last one at or before its start put at its front.
pub(crate) fn anchored(window: &Window<'_>) -> Option<Vec<f64>> {
    let (_, all, low, high) = window.around;
    if low == high {
        return None;
    }
    let from = if low > 0 { low - 1 } else { low };
    let mut values = all[from..high].to_vec();
    if low == 0 {
        // Nothing before the window: its first sample stands for the start.
        values.insert(0, all[0]);
    }
    Some(values)
}

/// The values at both ends, interpolated between the samples beside them, with those inside.
fn smoothed(window: &Window<'_>, counter: bool) -> Option<Vec<f64>> {
    let (times, all, low, high) = window.around;
    if times.is_empty() || (low == high && (low == 0 || high == times.len())) {
        return None;
    }
    let at = |moment: i64, after: usize, leaving: bool| -> f64 {
        if after == 0 {
            return all[0];
        }
        if after == times.len() || times[after - 1] == moment {
            return all[after - 1];
        }
        let (t0, t1, v0, v1) = (times[after - 1], times[after], all[after - 1], all[after]);
        // Across a reset the counter began again from zero.
        let (v0, v1) = match (counter && v1 < v0, leaving) {
            (true, true) => (0.0, v1),
            (true, false) => (0.0, v1),
            _ => (v0, v1),
        };
        v0 + (v1 - v0) * (moment - t0) as f64 / (t1 - t0) as f64
    };
    let mut values = vec![at(window.start, low, true)];
    values.extend_from_slice(&all[low..high]);
    values.push(at(window.end, high, false));
    Some(values)
}

/// The value of a series at a moment, interpolated between the samples around it.
pub(crate) fn interpolated(times: &[i64], values: &[f64], moment: i64, lookback: i64) -> Option<f64> {
    let after = times.partition_point(|t| *t <= moment);
    let before = after.checked_sub(1)?;
    if times[before] <= moment - lookback {
        return None;
    }
    if times[before] == moment || after == times.len() || times[after] > moment + lookback {
        return Some(values[before]);
    }
    let share = (moment - times[before]) as f64 / (times[after] - times[before]) as f64;
    Some(values[before] + (values[after] - values[before]) * share)
}
