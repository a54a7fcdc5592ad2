//! Vectors with vectors: who meets whom.

use std::collections::BTreeMap;

use crate::labels::{Labels, METRIC_NAME};
use crate::promql::ast::{Binary, Cardinality, Matching, PromqlOperator};

use super::EvalError;
use super::binary::number;
use super::block::{ABSENT, Block, Row, Steps, is_absent, same_labels};
use super::eval::Evaluator;
use super::grouping::{GroupKey, Groups, group_all};

const NONE: u32 = u32::MAX;

impl Matching {
    fn key(&self) -> GroupKey<'_> {
        if self.on { GroupKey::By(&self.labels) } else { GroupKey::Without(&self.labels) }
    }
}

impl<'a> Evaluator<'a> {
    /// `and`, `or`, `unless`.
    pub fn set_operation(
        &mut self,
        op: PromqlOperator,
        matching: &Matching,
        left: Block<'a>,
        right: Block<'a>,
    ) -> Result<Block<'a>, EvalError> {
        self.check_size(left.rows.len() + right.rows.len(), left.width)?;
        let sides = group_all(&[&left.rows, &right.rows], matching.key(), self.delayed());
        let (lefts, rights) = (&sides[0], &sides[1]);
        let groups = group_count(&sides);
        let width = left.width;
        let (source, target, mut kept) = match op {
            PromqlOperator::Or => ((&left, lefts), rights, right.clone()),
            _ => ((&right, rights), lefts, left.clone()),
        };
        // Which groups have a value on the other side, step by step.
        let mut present = vec![false; groups * width];
        for (i, group) in source.1.of_row.iter().enumerate() {
            for (step, value) in source.0.row(i).iter().enumerate() {
                present[*group as usize * width + step] |= !is_absent(*value);
            }
        }
        let wanted = op == PromqlOperator::And;
        for (i, group) in target.of_row.iter().enumerate() {
            let start = *group as usize * width;
            for (step, value) in kept.row_mut(i).iter_mut().enumerate() {
                if present[start + step] != wanted {
                    *value = ABSENT;
                }
            }
        }
        if op != PromqlOperator::Or {
            return Ok(kept);
        }
        let mut out = left;
        for (i, row) in kept.rows.iter().enumerate() {
            if kept.row(i).iter().any(|v| !is_absent(*v)) {
                out.push(row.clone()).copy_from_slice(kept.row(i));
            }
        }
        out.one_name = false;
        if self.delayed() { Ok(out) } else { out.merged() }
    }

    /// Arithmetic and comparisons.
    pub fn matched(
        &mut self,
        binary: &Binary,
        matching: &Matching,
        left: Block<'a>,
        right: Block<'a>,
        steps: Steps,
    ) -> Result<Block<'a>, EvalError> {
        let swapped = matching.cardinality == Cardinality::OneToMany;
        let (many, one) = if swapped { (&right, &left) } else { (&left, &right) };
        // Filling happens after the sides were swapped: `fill_left` is always about the side with many.
        let (fill_many, fill_one) = (matching.fill_left, matching.fill_right);
        self.check_size(many.rows.len().max(1), steps.count)?;
        let sides = group_all(&[&many.rows, &one.rows], matching.key(), self.delayed());
        let mut join = Join {
            binary,
            matching,
            many,
            one,
            sides: &sides,
            swapped,
            delayed: self.delayed(),
            out: Block::new(steps.count),
            places: BTreeMap::new(),
            last: vec![(NONE, NONE); many.rows.len()],
        };
        let groups = group_count(&sides);
        let mut partner = vec![NONE; groups];
        let mut matched_by = vec![NONE; groups];
        for step in 0..steps.count {
            // Nothing meets nothing: then even two alike on the other side do no harm.
            let any = |block: &Block<'a>| (0..block.rows.len()).any(|i| !is_absent(block.row(i)[step]));
            if (!any(many) && fill_many.is_none()) || (!any(one) && fill_one.is_none()) {
                continue;
            }
            partner.fill(NONE);
            matched_by.fill(NONE);
            join.index_ones(step, &mut partner)?;
            for i in 0..many.rows.len() {
                let value = many.row(i)[step];
                if is_absent(value) {
                    continue;
                }
                let group = sides[0].of_row[i] as usize;
                let (other, other_value) = match (partner[group], fill_one) {
                    (NONE, None) => continue,
                    (NONE, Some(fill)) => (NONE, fill),
                    (row, _) => (row, one.row(row as usize)[step]),
                };
                join.emit(step, (i as u32, value), (other, other_value), &mut matched_by[group])?;
            }
            if let Some(fill) = fill_many {
                join.fill_unmatched(step, fill, &partner, &matched_by)?;
            }
        }
        Ok(join.out)
    }
}

fn group_count(sides: &[Groups]) -> usize {
    sides.iter().flat_map(|s| s.of_row.iter()).max().map_or(0, |g| *g as usize + 1)
}

/// One operator at work on two blocks.
struct Join<'j, 's> {
    binary: &'j Binary,
    matching: &'j Matching,
    many: &'j Block<'s>,
    one: &'j Block<'s>,
    sides: &'j [Groups],
    swapped: bool,
    delayed: bool,
    out: Block<'s>,
    places: BTreeMap<(Labels, bool), u32>,
    /// For each row of the many side its latest partner and where their result goes.
    last: Vec<(u32, u32)>,
}

impl<'s> Join<'_, 's> {
    /// The row of the side with one that stands for each group at a step; two are an error.
    fn index_ones(&self, step: usize, partner: &mut [u32]) -> Result<(), EvalError> {
        if self.index_in(0..self.one.rows.len(), step, partner).is_ok() {
            return Ok(());
        }
        // The error names the first two in the order in which a server stores series: by their labels.
        let mut order: Vec<usize> = (0..self.one.rows.len()).collect();
        order.sort_by(|a, b| self.one.rows[*a].labels.cmp(&self.one.rows[*b].labels));
        partner.fill(NONE);
        self.index_in(order.into_iter(), step, partner)
    }

    fn index_in(&self, rows: impl Iterator<Item = usize>, step: usize, partner: &mut [u32]) -> Result<(), EvalError> {
        for i in rows {
            if is_absent(self.one.row(i)[step]) {
                continue;
            }
            let place = &mut partner[self.sides[1].of_row[i] as usize];
            if *place != NONE {
                let side = if self.swapped { "left" } else { "right" };
                let group = self.matching.key().labels(&self.one.rows[i], self.delayed).in_braces();
                let [second, first] =
                    [i, *place as usize].map(|row| self.one.rows[row].seen_labels(self.delayed).in_braces());
                return Err(EvalError::Execution(format!(
                    "found duplicate series for the match group {group} on the {side} hand-side of the operation: \
                     [{second}, {first}];many-to-many matching not allowed: matching labels must be unique on one side"
                )));
            }
            *place = i as u32;
        }
        Ok(())
    }

    fn emit(
        &mut self,
        step: usize,
        (many, many_value): (u32, f64),
        (one, one_value): (u32, f64),
        matched: &mut u32,
    ) -> Result<(), EvalError> {
        let (left, right) = if self.swapped { (one_value, many_value) } else { (many_value, one_value) };
        let Some(value) = self.result(left, right) else { return Ok(()) };
        let one_to_one = self.matching.cardinality == Cardinality::OneToOne;
        if one_to_one && *matched != NONE {
            return Err(EvalError::Execution(
                "multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)"
                    .to_owned(),
            ));
        }
        let group_was_matched = *matched != NONE;
        *matched = many;
        let place = self.place(many, one);
        let target = &mut self.out.row_mut(place)[step];
        if !is_absent(*target) {
            if group_was_matched {
                return Err(EvalError::Execution(
                    "multiple matches for labels: grouping labels must ensure unique matches".to_owned(),
                ));
            }
            return Err(same_labels());
        }
        *target = value;
        Ok(())
    }

    fn result(&self, left: f64, right: f64) -> Option<f64> {
        let value = number(self.binary.op, left, right);
        if self.binary.op.is_comparison() && !self.binary.returns_bool {
            return (value != 0.0).then_some(left);
        }
        Some(value)
    }

    /// Where the result of two rows goes.
    fn place(&mut self, many: u32, one: u32) -> usize {
        if let Some((partner, place)) = self.last.get(many as usize)
            && *partner == one
            && *place != NONE
        {
            return *place as usize;
        }
        let row = self.result_row(&self.many.rows[many as usize], self.one.rows.get(one as usize));
        let place = self.place_of(row);
        self.last[many as usize] = (one, place);
        place as usize
    }

    fn place_of(&mut self, row: Row<'s>) -> u32 {
        // With delayed removal the name still tells rows apart.
        let key =
            (if self.delayed { Labels::clone(&row.labels) } else { row.shown_labels() }, row.nameless && self.delayed);
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        let place = self.out.rows.len() as u32;
        self.out.push(row);
        self.places.insert(key, place);
        place
    }

    fn result_row(&self, many: &Row<'s>, one: Option<&Row<'s>>) -> Row<'s> {
        let drops_name = !self.binary.op.is_comparison() || self.binary.returns_bool;
        let mut nameless = many.nameless || drops_name;
        let labels = if nameless && !self.delayed { many.labels.without_name() } else { Labels::clone(&many.labels) };
        let mut labels = match (self.matching.cardinality, self.matching.on) {
            (Cardinality::OneToOne, true) => {
                nameless = nameless && self.matching.labels.iter().any(|l| l == METRIC_NAME);
                labels.filtered(|name| self.matching.labels.iter().any(|l| l == name))
            }
            (Cardinality::OneToOne, false) => labels.filtered(|name| !self.matching.labels.iter().any(|l| l == name)),
            _ => labels,
        }
        .edit();
        if let Some(one) = one {
            for name in &self.matching.include {
                labels.set(name.as_str(), one.get(name, self.delayed));
            }
        }
        Row { nameless: nameless && self.delayed, ..Row::new(labels.finish()) }
    }

    /// Rows of the side with one that met nothing, beside a filled-in value.
    fn fill_unmatched(&mut self, step: usize, fill: f64, partner: &[u32], matched: &[u32]) -> Result<(), EvalError> {
        for (group, row) in partner.iter().enumerate() {
            let met = (0..self.many.rows.len())
                .any(|i| self.sides[0].of_row[i] as usize == group && !is_absent(self.many.row(i)[step]));
            if *row == NONE || matched[group] != NONE || met {
                continue;
            }
            let value = self.one.row(*row as usize)[step];
            let (left, right) = if self.swapped { (value, fill) } else { (fill, value) };
            let Some(result) = self.result(left, right) else { continue };
            let labels = self.matching.key().labels(&self.one.rows[*row as usize], self.delayed).without_name();
            let place = self.place_of(Row::new(labels)) as usize;
            let target = &mut self.out.row_mut(place)[step];
            if !is_absent(*target) {
                return Err(same_labels());
            }
            *target = result;
        }
        Ok(())
    }
}
