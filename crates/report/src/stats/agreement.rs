//! Do graders agree? Cohen's kappa for two of them, Krippendorff's alpha for any number with gaps.

use std::collections::BTreeMap;

/// How far apart two grades are, for Cohen's kappa.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Any two different grades are equally far apart.
    None,
    /// By the distance of their places in the order of grades.
    Linear,
    /// By its square.
    Quadratic,
}

/// What kind of scale grades are on, for Krippendorff's alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Names: different or not.
    Nominal,
    /// An order.
    Ordinal,
    /// Numbers whose differences mean something.
    Interval,
}

/// Cohen's kappa of two graders over the same items: 1 is agreement, 0 is chance. Grades that neither
/// gave do not count as places in the order. `None` without an item, or if chance alone explains all.
pub fn cohens_kappa<T: Ord>(grades: &[(T, T)], weights: Weights) -> Option<f64> {
    let mut places: BTreeMap<&T, usize> = grades.iter().flat_map(|(one, other)| [(one, 0), (other, 0)]).collect();
    places.values_mut().enumerate().for_each(|(at, place)| *place = at);
    let (n, size) = (grades.len() as f64, places.len());
    let (mut rows, mut columns) = (vec![0.0; size], vec![0.0; size]);
    let mut observed = 0.0;
    for (one, other) in grades {
        let (row, column) = (places[one], places[other]);
        rows[row] += 1.0;
        columns[column] += 1.0;
        observed += weights.distance(row, column);
    }
    let by_chance = |row: usize, column: usize| rows[row] * columns[column] * weights.distance(row, column) / n;
    let expected: f64 =
        (0..size).flat_map(|row| (0..size).map(move |column| (row, column))).map(|(r, c)| by_chance(r, c)).sum();
    (expected > 0.0).then(|| 1.0 - observed / expected)
}

impl Weights {
    fn distance(self, row: usize, column: usize) -> f64 {
        let apart = row.abs_diff(column) as f64;
        match self {
            Weights::None => f64::from(u8::from(row != column)),
            Weights::Linear => apart,
            Weights::Quadratic => apart * apart,
        }
    }
}

/// Krippendorff's alpha of any number of graders; one row per item, with `None` where a grader gave no
/// grade. 1 is agreement, 0 is chance. `None` if no item has two grades, or if all grades are the same.
pub fn krippendorffs_alpha(items: &[Vec<Option<f64>>], scale: Scale) -> Option<f64> {
    let mut values: Vec<f64> = items.iter().flatten().flatten().copied().collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let coincidences = coincidences(items, &values);
    let margins: Vec<f64> = coincidences.iter().map(|row| row.iter().sum()).collect();
    let n: f64 = margins.iter().sum();
    let (mut observed, mut expected) = (0.0, 0.0);
    for (one, row) in coincidences.iter().enumerate() {
        for (other, count) in row.iter().enumerate() {
            let apart = scale.distance(&values, &margins, one, other);
            observed += count * apart;
            expected += margins[one] * margins[other] * apart;
        }
    }
    (expected > 0.0).then(|| 1.0 - (n - 1.0) * observed / expected)
}

/// How often each two values stand beside each other within an item; an item weighs as much as it has
/// grades, and one with a single grade nothing.
fn coincidences(items: &[Vec<Option<f64>>], values: &[f64]) -> Vec<Vec<f64>> {
    let mut found = vec![vec![0.0; values.len()]; values.len()];
    let place = |value: &f64| values.iter().position(|known| known.total_cmp(value).is_eq());
    for item in items {
        let grades: Vec<usize> = item.iter().flatten().filter_map(place).collect();
        for (at, one) in grades.iter().enumerate() {
            for (_, other) in grades.iter().enumerate().filter(|(other_at, _)| *other_at != at) {
                found[*one][*other] += 1.0 / (grades.len() - 1) as f64;
            }
        }
    }
    found
}

impl Scale {
    fn distance(self, values: &[f64], margins: &[f64], one: usize, other: usize) -> f64 {
        let apart = match self {
            Scale::Nominal => f64::from(u8::from(one != other)),
            Scale::Interval => values[one] - values[other],
            // So many grades lie between the two, counting half of each.
            Scale::Ordinal if one == other => 0.0,
            Scale::Ordinal => {
                let (low, high) = (one.min(other), one.max(other));
                margins[low..=high].iter().sum::<f64>() - (margins[low] + margins[high]) / 2.0
            }
        };
        apart * apart
    }
}
