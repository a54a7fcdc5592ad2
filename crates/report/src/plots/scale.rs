//! From numbers to places on paper.

use crate::tables::Form;

/// An axis: what is measured, in which form, from where to where.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// With its unit.
    pub label: String,
    pub form: Form,
    pub low: f64,
    pub high: f64,
}

impl Axis {
    /// An axis for shares.
    pub(super) fn shares(label: &str) -> Axis {
        Axis { label: label.to_owned(), form: Form::Percent, low: 0.0, high: 1.0 }
    }

    /// An axis from zero, or from below it, that holds all values.
    pub(super) fn around(label: &str, form: Form, values: impl IntoIterator<Item = f64>) -> Axis {
        let (low, high) =
            values.into_iter().filter(|v| v.is_finite()).fold((0.0f64, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
        let high = if high <= low { low + 1.0 } else { high };
        let step = step(high - low, PARTS);
        Axis { label: label.to_owned(), form, low: (low / step).floor() * step, high: (high / step).ceil() * step }
    }

    /// The place of a value between two ends; values beyond the axis stay at its end.
    pub(super) fn at(&self, value: f64, from: f64, to: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        from + share.clamp(0.0, 1.0) * (to - from)
    }

    /// Round values along the axis, in at most so many parts.
    pub(super) fn ticks(&self, parts: usize) -> Vec<f64> {
        let step = step(self.high - self.low, parts);
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|at| at as f64 * step).collect()
    }

    /// A tick in few letters.
    pub(super) fn tick(&self, value: f64) -> String {
        let step = step(self.high - self.low, PARTS);
        match self.form {
            Form::Percent => format!("{:.0}\u{a0}%", value * 100.0 + 0.0),
            _ if self.high >= 10_000.0 && value == 0.0 => "0".to_owned(),
            _ if step >= 1_000_000.0 => format!("{:.0}M", value / 1_000_000.0 + 0.0),
            _ if self.high >= 1_000_000.0 => format!("{:.1}M", value / 1_000_000.0 + 0.0),
            _ if self.high >= 10_000.0 => format!("{:.0}k", value / 1000.0 + 0.0),
            _ if step >= 1.0 => format!("{:.0}", value + 0.0),
            _ if step >= 0.1 => format!("{:.1}", value + 0.0),
            _ if step >= 0.01 => format!("{:.2}", value + 0.0),
            _ => format!("{value:.4}"),
        }
    }
}

/// Where there is room, an axis has about so many parts.
pub(super) const PARTS: usize = 5;

/// A round step that gives at most so many parts.
fn step(range: f64, parts: usize) -> f64 {
    let rough = range.max(1e-9) / parts.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let lead = rough / power * (1.0 - 1e-9);
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|round| lead <= *round);
    power * round.unwrap_or(10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[f64], expect: &[&str]) {
        let axis = Axis::around("x", Form::Decimals(1), values.iter().copied());
        let ticks: Vec<String> = axis.ticks(PARTS).into_iter().map(|tick| axis.tick(tick)).collect();
        assert_eq!(ticks, expect);
    }

    #[test]
    fn ticks_are_round() {
        check(&[93.0], &["0", "20", "40", "60", "80", "100"]);
        check(&[0.7], &["0.0", "0.2", "0.4", "0.6", "0.8"]);
        check(&[-0.06, 0.75], &["-0.2", "0.0", "0.2", "0.4", "0.6", "0.8"]);
        check(&[164_419.8], &["0", "50k", "100k", "150k", "200k"]);
        check(&[2_300_000.0], &["0", "0.5M", "1.0M", "1.5M", "2.0M", "2.5M"]);
        check(&[9_300_000.0], &["0", "2M", "4M", "6M", "8M", "10M"]);
        check(&[], &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn what_is_beyond_an_axis_stays_at_its_end() {
        let axis = Axis::shares("share");
        assert_eq!((axis.at(2.0, 10.0, 20.0), axis.at(-1.0, 10.0, 20.0), axis.at(0.5, 10.0, 20.0)), (20.0, 10.0, 15.0));
    }
}
