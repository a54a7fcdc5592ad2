//! `info()`: labels of info metrics, such as `target_info`, joined to other series of the same target.

use std::collections::BTreeMap;

use crate::labels::{Labels, METRIC_NAME};
use crate::matcher::Matcher;
use crate::promql::ast::PromqlExpr;
use crate::store::is_stale;

use super::EvalError;
use super::block::{Block, Row, Steps, is_absent};
use super::eval::Evaluator;

/// The labels that name a target.
const IDENTIFYING: [&str; 2] = ["instance", "job"];

pub(super) fn info<'a>(
    evaluator: &mut Evaluator<'a>,
    args: &[PromqlExpr],
    steps: Steps,
) -> Result<Block<'a>, EvalError> {
    let base = evaluator.vector(&args[0], steps)?;
    let mut matchers: Vec<Matcher> = match args.get(1).map(PromqlExpr::unwrapped) {
        Some(PromqlExpr::Vector(selector)) => selector.matchers.clone(),
        _ => Vec::new(),
    };
    if !matchers.iter().any(|m| m.name == METRIC_NAME) {
        matchers.push(Matcher::equal(METRIC_NAME, "target_info"));
    }
    let (names, data): (Vec<Matcher>, Vec<Matcher>) = matchers.iter().cloned().partition(|m| m.name == METRIC_NAME);
    let infos = infos_at(evaluator, args, &matchers, steps)?;
    let mut out = Block::new(steps.count);
    let mut places: BTreeMap<Labels, usize> = BTreeMap::new();
    for (i, row) in base.rows.iter().enumerate() {
        let is_info = names.iter().all(|m| m.matches(row.labels.metric_name()));
        let target = identity(&row.labels);
        for step in 0..steps.count {
            let value = base.row(i)[step];
            if is_absent(value) {
                continue;
            }
            let found = if is_info { None } else { infos.get(&(step, target.clone())) };
            if !is_info && found.is_none() && data.iter().any(|m| !m.matches("")) {
                continue;
            }
            let labels = enriched(&row.labels, found, &data);
            let place = *places.entry(labels.clone()).or_insert_with(|| {
                out.push(Row { nameless: row.nameless, ..Row::new(labels) });
                out.rows.len() - 1
            });
            out.row_mut(place)[step] = value;
        }
    }
    out.one_name = base.one_name;
    Ok(out)
}

type Target = [String; 2];
/// For each info metric the time and the labels of its newest series.
type Newest = BTreeMap<String, (i64, Labels)>;

fn identity(labels: &Labels) -> Target {
    IDENTIFYING.map(|name| labels.get(name).to_owned())
}

/// For each step and target the newest series of each info metric.
fn infos_at(
    evaluator: &mut Evaluator<'_>,
    args: &[PromqlExpr],
    matchers: &[Matcher],
    steps: Steps,
) -> Result<BTreeMap<(usize, Target), Newest>, EvalError> {
    // Info series are read at the moment at which the base series are read.
    let shift = match args[0].unwrapped() {
        PromqlExpr::Vector(selector) => evaluator.shift(&selector.modifiers)?,
        _ => evaluator.shift(&Default::default())?,
    };
    let lookback = evaluator.engine.lookback;
    let mut out: BTreeMap<(usize, Target), Newest> = BTreeMap::new();
    for series in evaluator.engine.store.select(matchers) {
        evaluator.spend(steps.count)?;
        for (step, time) in steps.times().enumerate() {
            let moment = shift.apply(time);
            let after = series.times().partition_point(|t| *t <= moment);
            let Some(at) = after.checked_sub(1) else { continue };
            let seen = series.times()[at];
            if seen <= moment - lookback || is_stale(series.values()[at]) {
                continue;
            }
            let labels = series.labels();
            let known = out.entry((step, identity(labels))).or_default();
            let entry = known.entry(labels.metric_name().to_owned()).or_insert((i64::MIN, labels.clone()));
            if seen > entry.0 {
                *entry = (seen, labels.clone());
            }
        }
    }
    Ok(out)
}

fn enriched(base: &Labels, found: Option<&Newest>, data: &[Matcher]) -> Labels {
    let mut labels = base.edit();
    for (_, info) in found.into_iter().flat_map(|f| f.values()) {
        for (name, value) in info.iter() {
            let wanted = data.is_empty() || data.iter().any(|m| m.name == name);
            if name != METRIC_NAME && !IDENTIFYING.contains(&name) && wanted && base.find(name).is_none() {
                labels.set(name, value);
            }
        }
    }
    labels.finish()
}
