//! A sum over a bare selector at one moment, without a row per series: the question that dashboards ask most.

use crate::labels::Labels;
use crate::promql::ast::{Aggregate, AggregateOp, PromqlExpr};
use crate::promql::functions::values::{KahanSum, Mean};

use super::super::EvalError;
use super::super::block::{Block, Row, Steps};
use super::super::eval::Evaluator;
use super::super::grouping::NumberTable;
use super::super::select::value_at;

/// Smaller selections are as quick the common way.
const WORTH_IT: usize = 256;

#[derive(Clone, Copy, Default)]
struct State {
    count: f64,
    sum: KahanSum,
    mean: Mean,
    least: f64,
    most: f64,
}

/// The aggregation, where it is one of those that can be computed so.
pub(super) fn aggregate<'a>(
    evaluator: &mut Evaluator<'a>,
    aggregate: &Aggregate,
    steps: Steps,
) -> Result<Option<Block<'a>>, EvalError> {
    use AggregateOp::{Avg, Count, Group, Max, Min, Sum};
    let PromqlExpr::Vector(selector) = aggregate.expr.unwrapped() else { return Ok(None) };
    let fit = matches!(aggregate.op, Sum | Avg | Count | Group | Min | Max);
    if steps.count != 1 || !fit || aggregate.without || selector.extension.is_some() || evaluator.delayed() {
        return Ok(None);
    }
    let store = evaluator.engine.store;
    let places = store.select_places(&selector.matchers);
    if places.len() < WORTH_IT {
        return Ok(None);
    }
    let mut numbers = Vec::new();
    for label in &aggregate.grouping {
        match store.value_numbers(label, places.len() * 4) {
            Some(found) => numbers.push(found),
            None => return Ok(None),
        }
    }
    evaluator.spend(places.len())?;
    let moment = evaluator.shift(&selector.modifiers)?.apply(steps.start);
    let lookback = evaluator.engine.lookback;
    let mut table = NumberTable::new(&numbers);
    let mut states: Vec<State> = Vec::new();
    for place in places {
        let Some(value) = value_at(store, place, moment, lookback) else { continue };
        let group = if numbers.is_empty() && !states.is_empty() { 0 } else { table.group_of(place) };
        if group as usize == states.len() {
            states.push(State { least: value, most: value, ..State::default() });
        }
        states[group as usize].add(aggregate.op, value);
    }
    let mut out = Block::new(1);
    for (state, first) in states.iter().zip(&table.firsts) {
        let labels = group_labels(store.at(*first).labels(), aggregate);
        out.push(Row::new(labels))[0] = state.value(aggregate.op);
    }
    Ok(Some(out))
}

fn group_labels(labels: &Labels, aggregate: &Aggregate) -> Labels {
    labels.filtered(|name| aggregate.grouping.iter().any(|g| g == name))
}

impl State {
    fn add(&mut self, op: AggregateOp, value: f64) {
        self.count += 1.0;
        match op {
            AggregateOp::Sum => self.sum.add(value),
            AggregateOp::Avg => self.mean.add(value),
            AggregateOp::Min if value < self.least || self.least.is_nan() => self.least = value,
            AggregateOp::Max if value > self.most || self.most.is_nan() => self.most = value,
            _ => {}
        }
    }

    fn value(&self, op: AggregateOp) -> f64 {
        match op {
            AggregateOp::Sum => self.sum.value(),
            AggregateOp::Avg => self.mean.value(),
            AggregateOp::Count => self.count,
            AggregateOp::Min => self.least,
            AggregateOp::Max => self.most,
            _ => 1.0,
        }
    }
}
