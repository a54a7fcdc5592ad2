//! Aggregations: sum, avg, topk and the others.

mod fused;

use std::collections::BTreeMap;

use crate::labels::{Labels, METRIC_NAME};
use crate::promql::ast::{Aggregate, AggregateOp};
use crate::promql::functions::values::{KahanSum, Mean, quantile};

use super::EvalError;
use super::block::{ABSENT, Block, Row, Steps, is_absent};
use super::call::value_order;
use super::eval::Evaluator;
use super::grouping::{GroupKey, Groups, group};

impl<'a> Evaluator<'a> {
    pub fn aggregate(&mut self, aggregate: &Aggregate, steps: Steps) -> Result<Block<'a>, EvalError> {
        let params = match &aggregate.param {
            Some(param) if aggregate.op != AggregateOp::CountValues => self.scalar(param, steps)?,
            _ => Vec::new(),
        };
        self.check_parameter(aggregate, &params)?;
        if let Some(block) = fused::aggregate(self, aggregate, steps)? {
            return Ok(block);
        }
        let block = self.vector(&aggregate.expr, steps)?;
        self.spend(block.values.len())?;
        let key = match aggregate.without {
            true => GroupKey::Without(&aggregate.grouping),
            false => GroupKey::By(&aggregate.grouping),
        };
        let groups = group(self.engine.store, &block.rows, key, self.delayed());
        match aggregate.op {
            AggregateOp::Topk | AggregateOp::Bottomk => Ok(ranked(aggregate.op, &block, &groups, &params)),
            AggregateOp::Limitk => Ok(limited(&block, &groups, &params)),
            AggregateOp::LimitRatio => Ok(sampled(&block, &params)),
            AggregateOp::CountValues => {
                let label = self.text(aggregate.param.as_ref().expect("it has a label"));
                let labels = self.group_rows(&block, &groups, key);
                self.count_values(&block, &groups, &labels, &label)
            }
            op => {
                let rows = self.group_rows(&block, &groups, key);
                let mut out = Block::new(block.width);
                self.check_size(rows.len(), block.width)?;
                for row in rows {
                    out.push(row);
                }
                fold(op, &block, &groups, &params, &mut out.values);
                Ok(out)
            }
        }
    }

    fn check_parameter(&mut self, aggregate: &Aggregate, params: &[f64]) -> Result<(), EvalError> {
        let fail = |text: String| Err(EvalError::Execution(text));
        match aggregate.op {
            AggregateOp::Topk | AggregateOp::Bottomk | AggregateOp::Limitk => {
                if params.iter().any(|p| p.is_nan()) {
                    return fail("Parameter value is NaN".to_owned());
                }
                if let Some(bad) = params.iter().find(|p| p.abs() >= 9.223_372_036_854_775e18) {
                    return fail(format!("Scalar value {} overflows int64", crate::go::number::general(*bad)));
                }
            }
            AggregateOp::LimitRatio if params.iter().any(|p| p.is_nan()) => {
                return fail("Ratio value is NaN".to_owned());
            }
            AggregateOp::Quantile => {
                self.check_quantile(params, aggregate.param.as_ref().expect("it has a quantile"));
            }
            _ => {}
        }
        Ok(())
    }

    /// One row per group, with the labels that tell it apart.
    fn group_rows(&self, block: &Block<'a>, groups: &Groups, key: GroupKey<'_>) -> Vec<Row<'a>> {
        let delayed = self.delayed();
        let mut rows: Vec<Row<'a>> = groups
            .first_row
            .iter()
            .map(|first| {
                let labels = key.labels(&block.rows[*first], delayed);
                let labels = if matches!(key, GroupKey::Without(_)) { labels.without_name() } else { labels };
                Row::new(labels)
            })
            .collect();
        if delayed && matches!(key, GroupKey::By(by) if by.iter().any(|l| l == METRIC_NAME)) {
            for (i, group) in groups.of_row.iter().enumerate() {
                rows[*group as usize].nameless |= block.rows[i].nameless;
            }
        }
        rows
    }

    fn count_values(
        &mut self,
        block: &Block<'a>,
        groups: &Groups,
        rows: &[Row<'a>],
        label: &str,
    ) -> Result<Block<'a>, EvalError> {
        let mut out = Block::new(block.width);
        let mut places: BTreeMap<Labels, usize> = BTreeMap::new();
        for (i, group) in groups.of_row.iter().enumerate() {
            for (step, value) in block.row(i).iter().enumerate().filter(|(_, v)| !is_absent(**v)) {
                let mut labels = rows[*group as usize].labels.edit();
                labels.set(label, crate::go::format_float(*value));
                let labels = labels.finish();
                let place = match places.get(&labels) {
                    Some(place) => *place,
                    None => {
                        if (out.rows.len() + 1).saturating_mul(block.width) > self.engine.max_samples {
                            return Err(EvalError::too_many_samples());
                        }
                        self.spend(block.width)?;
                        out.push(Row::new(labels.clone()));
                        places.insert(labels, out.rows.len() - 1);
                        out.rows.len() - 1
                    }
                };
                let count = &mut out.row_mut(place)[step];
                *count = if is_absent(*count) { 1.0 } else { *count + 1.0 };
            }
        }
        Ok(out)
    }
}

/// Aggregations whose result is one number per group and step.
fn fold(op: AggregateOp, block: &Block<'_>, groups: &Groups, params: &[f64], out: &mut [f64]) {
    match op {
        AggregateOp::Sum => states::<KahanSum>(block, groups, out, |s, v| s.add(v), |s| s.value()),
        AggregateOp::Avg => states::<Mean>(block, groups, out, |s, v| s.add(v), |s| s.value()),
        AggregateOp::Count => states::<f64>(block, groups, out, |s, _| *s += 1.0, |s| *s),
        AggregateOp::Group => states::<f64>(block, groups, out, |s, _| *s = 1.0, |s| *s),
        AggregateOp::Min => states::<Option<f64>>(
            block,
            groups,
            out,
            |s, v| *s = Some(s.map_or(v, |m| if v < m || m.is_nan() { v } else { m })),
            |s| s.unwrap_or(ABSENT),
        ),
        AggregateOp::Max => states::<Option<f64>>(
            block,
            groups,
            out,
            |s, v| *s = Some(s.map_or(v, |m| if v > m || m.is_nan() { v } else { m })),
            |s| s.unwrap_or(ABSENT),
        ),
        AggregateOp::Stdvar => states::<Welford>(block, groups, out, Welford::add, Welford::variance),
        AggregateOp::Stddev => states::<Welford>(block, groups, out, Welford::add, |s| s.variance().sqrt()),
        AggregateOp::Quantile => {
            for step in 0..block.width {
                let mut values: Vec<Vec<f64>> = vec![Vec::new(); groups.first_row.len()];
                for (i, group) in groups.of_row.iter().enumerate() {
                    let value = block.row(i)[step];
                    if !is_absent(value) {
                        values[*group as usize].push(value);
                    }
                }
                for (group, mut values) in values.into_iter().enumerate().filter(|(_, v)| !v.is_empty()) {
                    out[group * block.width + step] = quantile(params[step], &mut values);
                }
            }
        }
        _ => unreachable!("the others keep their elements"),
    }
}

fn states<S: Default + Clone>(
    block: &Block<'_>,
    groups: &Groups,
    out: &mut [f64],
    add: impl Fn(&mut S, f64),
    finish: impl Fn(&S) -> f64,
) {
    let mut states: Vec<(S, bool)> = vec![(S::default(), false); groups.first_row.len() * block.width];
    for (i, group) in groups.of_row.iter().enumerate() {
        let start = *group as usize * block.width;
        for (state, value) in states[start..start + block.width].iter_mut().zip(block.row(i)) {
            if !is_absent(*value) {
                add(&mut state.0, *value);
                state.1 = true;
            }
        }
    }
    for (place, (state, any)) in out.iter_mut().zip(&states) {
        *place = if *any { finish(state) } else { ABSENT };
    }
}

#[derive(Clone, Default)]
struct Welford {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Welford {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        if self.count == 1.0 {
            self.mean = value;
            self.squares = if value.is_finite() { 0.0 } else { f64::NAN };
            return;
        }
        let delta = value - self.mean;
        self.mean += delta / self.count;
        self.squares += delta * (value - self.mean);
    }

    fn variance(&self) -> f64 {
        self.squares / self.count
    }
}

/// topk and bottomk: elements stay as they are; an instant result is ordered inside each group.
fn ranked<'s>(op: AggregateOp, block: &Block<'s>, groups: &Groups, params: &[f64]) -> Block<'s> {
    let descending = op == AggregateOp::Topk;
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); groups.first_row.len()];
    for (i, group) in groups.of_row.iter().enumerate() {
        members[*group as usize].push(i);
    }
    let mut chosen: Vec<Vec<usize>> = Vec::new();
    for (step, param) in params.iter().enumerate() {
        let mut picked = Vec::new();
        let k = param.max(0.0) as usize;
        for rows in &members {
            let mut present: Vec<usize> = rows.iter().copied().filter(|i| !is_absent(block.row(*i)[step])).collect();
            // Of equal values the one that came first stands first.
            let order =
                |a: &usize, b: &usize| value_order(block.row(*a)[step], block.row(*b)[step], descending).then(a.cmp(b));
            if k > 0 && k < present.len() {
                present.select_nth_unstable_by(k - 1, order);
            }
            present.truncate(k);
            present.sort_unstable_by(order);
            picked.extend(present);
        }
        chosen.push(picked);
    }
    picked_block(block, &chosen)
}

/// limitk: the first k of each group.
fn limited<'s>(block: &Block<'s>, groups: &Groups, params: &[f64]) -> Block<'s> {
    let mut chosen = Vec::new();
    for (step, param) in params.iter().enumerate() {
        let k = param.max(0.0) as usize;
        let mut taken = vec![0; groups.first_row.len()];
        let mut picked = Vec::new();
        for (i, group) in groups.of_row.iter().enumerate() {
            let count = &mut taken[*group as usize];
            if !is_absent(block.row(i)[step]) && *count < k {
                *count += 1;
                picked.push(i);
            }
        }
        chosen.push(picked);
    }
    picked_block(block, &chosen)
}

/// limit_ratio: a share of the series, chosen by their labels; a negative share is the rest of the positive one.
fn sampled<'s>(block: &Block<'s>, params: &[f64]) -> Block<'s> {
    let mut chosen = vec![Vec::new(); block.width];
    for (i, row) in block.rows.iter().enumerate() {
        let place = row.labels.stable_hash() as f64 / u64::MAX as f64;
        for (step, picked) in chosen.iter_mut().enumerate() {
            let ratio = params[step].clamp(-1.0, 1.0);
            let inside = if ratio >= 0.0 { place < ratio } else { place >= 1.0 + ratio };
            if inside && !is_absent(block.row(i)[step]) {
                picked.push(i);
            }
        }
    }
    picked_block(block, &chosen)
}

fn picked_block<'s>(block: &Block<'s>, chosen: &[Vec<usize>]) -> Block<'s> {
    let mut out = Block::new(block.width);
    out.one_name = block.one_name;
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for (step, rows) in chosen.iter().enumerate() {
        for row in rows {
            let place = *places.entry(*row).or_insert_with(|| {
                out.push(block.rows[*row].clone());
                out.rows.len() - 1
            });
            out.row_mut(place)[step] = block.row(*row)[step];
        }
    }
    out
}
