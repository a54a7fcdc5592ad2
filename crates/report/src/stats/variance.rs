//! Where the variance of a figure comes from: the task, the world's seed, or the agent's own dice.

use std::collections::BTreeMap;

use record::grade::Score;
use serde::{Deserialize, Serialize};

/// The variance of one episode's value, split by its sources. With one repetition of each task and seed,
/// seed and sampling cannot be told apart: `seed` is `None`, and `sampling` holds both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VarianceSplit {
    /// Between tasks.
    pub task: f64,
    /// Between the seeds of one task.
    pub seed: Option<f64>,
    /// Between repetitions of one task and seed.
    pub sampling: f64,
}

impl VarianceSplit {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.task + self.seed.unwrap_or(0.0) + self.sampling
    }

    /// A part's share of all of it, from 0 to 1.
    pub fn share(&self, part: f64) -> f64 {
        if self.total() > 0.0 { part / self.total() } else { 0.0 }
    }
}

/// Splits the variance of a value over one agent's episodes; `None` with fewer than two tasks or no
/// task with two episodes.
pub fn variance_split<'a>(
    scores: impl IntoIterator<Item = &'a Score>,
    value: impl Fn(&Score) -> Option<f64>,
) -> Option<VarianceSplit> {
    let mut cells: BTreeMap<(&str, u64), Vec<f64>> = BTreeMap::new();
    for score in scores.into_iter().filter(|score| score.counts()) {
        if let Some(value) = value(score) {
            cells.entry((&score.task, score.seed)).or_default().push(value);
        }
    }
    nested(cells.into_iter().map(|((task, _), values)| (task, values)))
}

/// Splits values that are nested: cells within groups, repetitions within cells. Henderson's method for
/// unequal numbers: mean squares set equal to what they are on average; what comes out below 0 is 0.
pub fn nested<'a>(cells: impl IntoIterator<Item = (&'a str, Vec<f64>)>) -> Option<VarianceSplit> {
    let mut groups: BTreeMap<&str, Vec<Vec<f64>>> = BTreeMap::new();
    for (group, values) in cells.into_iter().filter(|(_, values)| !values.is_empty()) {
        groups.entry(group).or_default().push(values);
    }
    let groups: Vec<Vec<Vec<f64>>> = groups.into_values().collect();
    let all: Vec<f64> = groups.iter().flatten().flatten().copied().collect();
    let (n, cells, count) = (all.len(), groups.iter().map(Vec::len).sum::<usize>(), groups.len());
    if count < 2 || n == count {
        return None;
    }
    let (repeated, seeds) = (n > cells, cells > count);
    let sums = Sums::of(&groups, mean(&all));
    let mean_square = |sum: f64, df: usize| if df > 0 { sum / df as f64 } else { 0.0 };
    // Without repetitions the cells themselves are the last level.
    let (sampling, seed) = match (repeated, seeds) {
        (true, true) => {
            let sampling = mean_square(sums.within_cells, n - cells);
            let size = (n as f64 - sums.cell_share) / (cells - count) as f64;
            (sampling, Some(((mean_square(sums.between_cells, cells - count) - sampling) / size).max(0.0)))
        }
        (true, false) => (mean_square(sums.within_cells, n - cells), None),
        (false, _) => (mean_square(sums.between_cells, cells - count), None),
    };
    let between = mean_square(sums.between_groups, count - 1);
    let per_seed = (sums.cell_share - sums.cell_squares / n as f64) / (count - 1) as f64;
    let size = (n as f64 - sums.group_squares / n as f64) / (count - 1) as f64;
    let task = ((between - sampling - per_seed * seed.unwrap_or(0.0)) / size).max(0.0);
    Some(VarianceSplit { task, seed, sampling })
}

/// Sums of squares and of sizes.
#[derive(Default)]
struct Sums {
    between_groups: f64,
    between_cells: f64,
    within_cells: f64,
    /// Sum of squared group sizes.
    group_squares: f64,
    /// Sum of squared cell sizes.
    cell_squares: f64,
    /// Sum of squared cell sizes, each over the size of its group.
    cell_share: f64,
}

impl Sums {
    fn of(groups: &[Vec<Vec<f64>>], grand: f64) -> Sums {
        let mut sums = Sums::default();
        for group in groups {
            let values: Vec<f64> = group.iter().flatten().copied().collect();
            let (size, middle) = (values.len() as f64, mean(&values));
            sums.between_groups += size * square(middle - grand);
            sums.group_squares += size * size;
            for cell in group {
                let (n, own) = (cell.len() as f64, mean(cell));
                sums.between_cells += n * square(own - middle);
                sums.within_cells += cell.iter().map(|value| square(value - own)).sum::<f64>();
                sums.cell_squares += n * n;
                sums.cell_share += n * n / size;
            }
        }
        sums
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn square(value: f64) -> f64 {
    value * value
}
