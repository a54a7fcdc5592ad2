//! From selectors and subqueries to values and samples.

use std::borrow::Cow;

use crate::labels::METRIC_NAME;
use crate::matcher::{MatchOp, Matcher};
use crate::promql::ast::{Extension, PromqlExpr, Subquery, VectorSelector};
use crate::promql::functions::rates::interpolated;
use crate::store::{SeriesStore, is_stale};

use super::block::{Block, Row, Steps, is_absent};
use super::eval::{Evaluator, Shift};
use super::{EvalError, Point, ResultSeries};

/// The samples of one series, markers left out.
pub(super) struct Samples<'s> {
    pub row: Row<'s>,
    pub times: Cow<'s, [i64]>,
    pub values: Cow<'s, [f64]>,
    /// Whether any value may lie below the one before it; without, no window holds a reset.
    pub falls: bool,
}

/// A range vector before its windows are cut.
pub(super) struct RangeInput<'s> {
    pub series: Vec<Samples<'s>>,
    pub range: i64,
    pub shift: Shift,
    pub one_name: bool,
    pub extension: Option<Extension>,
}

impl<'a> Evaluator<'a> {
    pub fn vector_selector(&mut self, selector: &VectorSelector, steps: Steps) -> Result<Block<'a>, EvalError> {
        if selector.extension == Some(Extension::Smoothed) {
            return self.smoothed_selector(selector, steps);
        }
        self.instant_values(selector, steps, |_, value| value)
    }

    /// The time of each newest sample instead of its value.
    pub fn selector_timestamps(&mut self, selector: &VectorSelector, steps: Steps) -> Result<Block<'a>, EvalError> {
        self.instant_values(selector, steps, |time, _| time as f64 / 1000.0)
    }

    fn instant_values(
        &mut self,
        selector: &VectorSelector,
        steps: Steps,
        read: impl Fn(i64, f64) -> f64,
    ) -> Result<Block<'a>, EvalError> {
        let shift = self.shift(&selector.modifiers)?;
        let lookback = self.engine.lookback;
        let store = self.engine.store;
        let selected = store.select_places(&selector.matchers);
        self.check_size(selected.len(), steps.count)?;
        let mut block = Block::new(steps.count);
        block.one_name = has_one_name(&selector.matchers);
        block.rows.reserve(selected.len());
        block.values.reserve(selected.len() * steps.count);
        for place in selected {
            if steps.count == 1
                && let Some(found) = newest_at(store, place, shift.apply(steps.start), lookback)
            {
                if let Some((time, value)) = found {
                    block.push(Row::stored(store, place))[0] = read(time, value);
                }
                continue;
            }
            let series = store.at(place);
            let (times, values) = (series.times(), series.values());
            let first = shift.apply(steps.start);
            let last = shift.apply(steps.last());
            // Series without a sample in reach are left out at once.
            let mut after = times.partition_point(|t| *t <= first);
            if after == times.len() && times.last().is_none_or(|t| *t <= first - lookback) {
                continue;
            }
            if after == 0 && times[0] > last {
                continue;
            }
            let row = block.push(Row::stored(store, place));
            let mut any = false;
            for (place, time) in row.iter_mut().zip(steps.times()) {
                let moment = shift.apply(time);
                while after < times.len() && times[after] <= moment {
                    after += 1;
                }
                if after > 0 && times[after - 1] > moment - lookback && !is_stale(values[after - 1]) {
                    *place = read(times[after - 1], values[after - 1]);
                    any = true;
                }
            }
            if !any {
                block.rows.pop();
                let length = block.rows.len() * block.width;
                block.values.truncate(length);
            }
        }
        Ok(block)
    }

    fn smoothed_selector(&mut self, selector: &VectorSelector, steps: Steps) -> Result<Block<'a>, EvalError> {
        let shift = self.shift(&selector.modifiers)?;
        let selected = self.engine.store.select_places(&selector.matchers);
        self.check_size(selected.len(), steps.count)?;
        let mut block = Block::new(steps.count);
        block.one_name = has_one_name(&selector.matchers);
        for place in selected {
            let samples = samples_of(self.engine.store, place);
            let lookback = self.engine.lookback;
            let row = block.push(samples.row);
            for (place, time) in row.iter_mut().zip(steps.times()) {
                if let Some(value) = interpolated(&samples.times, &samples.values, shift.apply(time), lookback) {
                    *place = value;
                }
            }
        }
        Ok(block)
    }

    pub fn range_input(&mut self, expr: &PromqlExpr, steps: Steps) -> Result<RangeInput<'a>, EvalError> {
        match expr.unwrapped() {
            PromqlExpr::Matrix(matrix) => {
                let store = self.engine.store;
                let places = store.select_places(&matrix.selector.matchers);
                let series = places.into_iter().map(|place| samples_of(store, place)).collect();
                Ok(RangeInput {
                    series,
                    range: self.positive_millis(&matrix.range)?,
                    shift: self.shift(&matrix.selector.modifiers)?,
                    one_name: has_one_name(&matrix.selector.matchers),
                    extension: matrix.selector.extension,
                })
            }
            PromqlExpr::Subquery(subquery) => self.subquery(subquery, steps),
            other => unreachable!("types were checked: {:?}", other.value_type()),
        }
    }

    fn subquery(&mut self, subquery: &Subquery, steps: Steps) -> Result<RangeInput<'a>, EvalError> {
        let range = self.positive_millis(&subquery.range)?;
        let shift = self.shift(&subquery.modifiers)?;
        let step = match &subquery.step {
            Some(step) => self.positive_millis(step)?,
            None => self.engine.default_step,
        };
        let earliest = shift.apply(steps.start).saturating_sub(range);
        let latest = shift.apply(steps.last());
        // Absolute multiples of the step, the first one after the left end.
        let first = (earliest.div_euclid(step) + 1).saturating_mul(step);
        let count = if latest < first { 0 } else { ((latest - first) / step + 1) as usize };
        self.check_size(1, count)?;
        let inner = Steps { start: first, step, count };
        let block = self.vector(&subquery.expr, inner)?;
        let mut series = Vec::with_capacity(block.rows.len());
        for (i, row) in block.rows.iter().enumerate() {
            let values = block.row(i);
            let seen = values.iter().zip(inner.times()).filter(|(v, _)| !is_absent(**v));
            let (values, times): (Vec<f64>, Vec<i64>) = seen.unzip();
            let falls = any_fall(&values);
            series.push(Samples { row: row.clone(), times: Cow::Owned(times), values: Cow::Owned(values), falls });
        }
        Ok(RangeInput { series, range, shift, one_name: block.one_name, extension: None })
    }

    /// The samples of a range vector at a moment, as an instant query gives them.
    pub fn range_samples(&mut self, expr: &PromqlExpr, time: i64) -> Result<Vec<ResultSeries>, EvalError> {
        let input = self.range_input(expr, Steps { start: time, step: 1, count: 1 })?;
        let end = input.shift.apply(time);
        let mut out = Vec::new();
        for series in &input.series {
            let low = series.times.partition_point(|t| *t <= end - input.range);
            let high = series.times.partition_point(|t| *t <= end);
            self.spend(high - low)?;
            let points = (low..high).map(|i| Point { time: series.times[i], value: series.values[i] });
            out.push(ResultSeries { labels: series.row.shown_labels(), points: points.collect() });
        }
        out.retain(|series| !series.points.is_empty());
        out.sort_by(|a, b| a.labels.cmp(&b.labels));
        Ok(out)
    }
}

/// What the newest sample of a series says about a moment: a sample, that there is none, or nothing where the moment
/// lies before it.
pub(super) fn newest_at(store: &SeriesStore, place: u32, moment: i64, lookback: i64) -> Option<Option<(i64, f64)>> {
    let (time, value) = store.newest(place);
    if time > moment {
        return None;
    }
    Some((time > moment - lookback && !is_stale(value)).then_some((time, value)))
}

/// The newest value of a series at a moment.
pub(super) fn value_at(store: &SeriesStore, place: u32, moment: i64, lookback: i64) -> Option<f64> {
    if let Some(found) = newest_at(store, place, moment, lookback) {
        return found.map(|(_, value)| value);
    }
    let series = store.at(place);
    let at = series.times().partition_point(|t| *t <= moment).checked_sub(1)?;
    let value = series.values()[at];
    (series.times()[at] > moment - lookback && !is_stale(value)).then_some(value)
}

/// Whether all that fits has the same metric name.
pub(super) fn has_one_name(matchers: &[Matcher]) -> bool {
    matchers.iter().any(|m| m.op == MatchOp::Equal && m.name == METRIC_NAME)
}

fn samples_of(store: &SeriesStore, place: u32) -> Samples<'_> {
    let (row, series) = (Row::stored(store, place), store.at(place));
    if !series.has_markers() {
        let (times, values) = (Cow::Borrowed(series.times()), Cow::Borrowed(series.values()));
        return Samples { row, times, values, falls: series.falls() };
    }
    let seen = series.times().iter().zip(series.values()).filter(|(_, v)| !is_stale(**v));
    let (times, values): (Vec<i64>, Vec<f64>) = seen.map(|(t, v)| (*t, *v)).unzip();
    let falls = any_fall(&values);
    Samples { row, times: Cow::Owned(times), values: Cow::Owned(values), falls }
}

fn any_fall(values: &[f64]) -> bool {
    values.windows(2).any(|pair| pair[1] < pair[0])
}
