//! A linear discriminant: kinds differ in the means of their numbers, and share how these vary together. It sees through
//! the size of a place, because sizes move all numbers alike.

use std::collections::BTreeMap;

/// For each kind, the weights and the constant of its score.
pub struct Discriminant {
    kinds: BTreeMap<String, (Vec<f64>, f64)>,
    width: usize,
}

/// How many incidents' worth of doubt there is about a mean.
const DOUBT: f64 = 3.0;

impl Discriminant {
    /// Learns from kinds and numbers. Nothing if incidents differ in how many numbers they have.
    pub fn learn(rows: &[(String, Vec<f64>)]) -> Option<Discriminant> {
        let width = rows.first()?.1.len();
        if width == 0 || rows.iter().any(|(_, row)| row.len() != width) {
            return None;
        }
        let mut sums: BTreeMap<&str, (f64, Vec<f64>)> = BTreeMap::new();
        let mut all = vec![0.0; width];
        for (kind, row) in rows {
            let sum = sums.entry(kind).or_insert_with(|| (0.0, vec![0.0; width]));
            sum.0 += 1.0;
            for at in 0..width {
                sum.1[at] += row[at];
                all[at] += row[at] / rows.len() as f64;
            }
        }
        let means: BTreeMap<&str, Vec<f64>> = sums
            .into_iter()
            .map(|(kind, (n, sum))| (kind, (0..width).map(|at| (sum[at] + DOUBT * all[at]) / (n + DOUBT)).collect()))
            .collect();
        let mut spread = vec![vec![0.0; width]; width];
        for (kind, row) in rows {
            let mean: &Vec<f64> = &means[kind.as_str()];
            for a in 0..width {
                for b in 0..width {
                    spread[a][b] += (row[a] - mean[a]) * (row[b] - mean[b]) / rows.len() as f64;
                }
            }
        }
        for (at, row) in spread.iter_mut().enumerate() {
            row[at] = row[at] * 1.05 + 1e-4;
        }
        let weigh = |(kind, mean): (&str, Vec<f64>)| {
            let weights = solve(spread.clone(), mean.clone());
            let constant = -0.5 * weights.iter().zip(&mean).map(|(w, m)| w * m).sum::<f64>();
            (kind.to_string(), (weights, constant))
        };
        Some(Discriminant { kinds: means.into_iter().map(weigh).collect(), width })
    }

    /// The logarithm of how well numbers fit a kind, but for what all kinds have in common.
    pub fn score(&self, kind: &str, numbers: &[f64]) -> f64 {
        let known = self.kinds.get(kind).filter(|_| numbers.len() == self.width);
        known.map_or(0.0, |(weights, constant)| {
            constant + weights.iter().zip(numbers).map(|(weight, number)| weight * number).sum::<f64>()
        })
    }
}

/// Solves a system of linear equations by elimination with pivots.
fn solve(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for at in 0..n {
        let pivot = (at..n).max_by(|a, b| rows[*a][at].abs().total_cmp(&rows[*b][at].abs())).unwrap_or(at);
        rows.swap(at, pivot);
        right.swap(at, pivot);
        for below in at + 1..n {
            let factor = rows[below][at] / rows[at][at];
            let (upper, lower) = rows.split_at_mut(below);
            for (cell, above) in lower[0].iter_mut().zip(&upper[at]).skip(at) {
                *cell -= factor * above;
            }
            right[below] -= factor * right[at];
        }
    }
    for at in (0..n).rev() {
        let known: f64 = (at + 1..n).map(|other| rows[at][other] * right[other]).sum();
        right[at] = (right[at] - known) / rows[at][at];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved() {
        let found = solve(vec![vec![0.0, 2.0], vec![3.0, 1.0]], vec![4.0, 5.0]);
        assert!((found[0] - 1.0).abs() < 1e-9 && (found[1] - 2.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn it_sees_through_what_moves_all_numbers_alike() {
        // The second number follows the first, but for incidents of kind `low`.
        let row = |n: usize| {
            let (size, low) = ((n % 17) as f64 / 3.0, n.is_multiple_of(2));
            let noise = (n % 5) as f64 / 50.0;
            let kind = if low { "low" } else { "fine" };
            (kind.to_string(), vec![size, size + noise - if low { 1.0 } else { 0.0 }])
        };
        let rows: Vec<(String, Vec<f64>)> = (0..200).map(row).collect();
        let model = Discriminant::learn(&rows).expect("all rows are alike");
        let is_low = |numbers: &[f64]| model.score("low", numbers) > model.score("fine", numbers);
        assert!(is_low(&[4.0, 3.05]) && !is_low(&[4.0, 4.05]) && !is_low(&[0.5, 0.55]));
        assert!(Discriminant::learn(&[("a".into(), vec![1.0]), ("a".into(), vec![])]).is_none());
    }
}
