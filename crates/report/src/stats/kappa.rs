//! Agreement beyond chance with an interval: Cohen's kappa of two graders, Fleiss' of any number.

use std::collections::BTreeMap;

use super::dist::normal_quantile;

/// Agreement beyond chance, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// 1 is agreement, 0 is chance.
    pub kappa: f64,
    /// Its standard error for large numbers of items.
    pub error: f64,
    /// Items that were graded by all.
    pub items: usize,
}

impl Agreement {
    /// The interval of a level such as 0.95: the normal one of the standard error.
    pub fn interval(&self, level: f64) -> (f64, f64) {
        let reach = normal_quantile(0.5 + level / 2.0) * self.error;
        (self.kappa - reach, self.kappa + reach)
    }
}

/// Cohen's kappa of two graders over the same items, with the error of Fleiss, Cohen and Everitt (1969). `None` without an
/// item, or if chance alone explains all.
pub fn cohen<T: Ord>(grades: &[(T, T)]) -> Option<Agreement> {
    let table = Table::of(grades)?;
    let (n, agreed) = (grades.len() as f64, table.diagonal());
    let by_chance: f64 = table.rows.iter().zip(&table.columns).map(|(row, column)| row * column).sum();
    if by_chance >= 1.0 {
        return None;
    }
    let kappa = (agreed - by_chance) / (1.0 - by_chance);
    let square = |x: f64| x * x;
    let (mut on, mut off) = (0.0, 0.0);
    for (row, cells) in table.cells.iter().enumerate() {
        for (column, share) in cells.iter().enumerate() {
            if row == column {
                on += share * square(1.0 - (table.rows[row] + table.columns[row]) * (1.0 - kappa));
            } else {
                off += share * square(table.columns[row] + table.rows[column]);
            }
        }
    }
    let spread = on + square(1.0 - kappa) * off - square(kappa - by_chance * (1.0 - kappa));
    let variance = spread.max(0.0) / square(1.0 - by_chance) / n;
    Some(Agreement { kappa, error: libm::sqrt(variance), items: grades.len() })
}

/// Fleiss' kappa of several graders; a row per item with the grade of each, and an item counts only if all graded it. The
/// error is that of Gwet (2008), from what each item adds. `None` without two items and two graders, or if chance explains
/// all.
pub fn fleiss<T: Ord>(items: &[Vec<Option<T>>]) -> Option<Agreement> {
    let complete: Vec<Vec<&T>> = items.iter().filter_map(|row| row.iter().map(Option::as_ref).collect()).collect();
    let graders = complete.first()?.len();
    if graders < 2 || complete.len() < 2 || complete.iter().any(|row| row.len() != graders) {
        return None;
    }
    let (n, r) = (complete.len() as f64, graders as f64);
    let places: BTreeMap<&T, usize> = complete.iter().flatten().map(|grade| (*grade, 0)).collect();
    let places: BTreeMap<&T, usize> = places.into_keys().enumerate().map(|(at, grade)| (grade, at)).collect();
    let counts = |row: &Vec<&T>| {
        let mut found = vec![0.0; places.len()];
        row.iter().for_each(|grade| found[places[grade]] += 1.0);
        found
    };
    let counted: Vec<Vec<f64>> = complete.iter().map(counts).collect();
    let shares: Vec<f64> =
        (0..places.len()).map(|at| counted.iter().map(|row| row[at]).sum::<f64>() / (n * r)).collect();
    let by_chance: f64 = shares.iter().map(|share| share * share).sum();
    if by_chance >= 1.0 {
        return None;
    }
    let agreed = |row: &Vec<f64>| row.iter().map(|count| count * (count - 1.0)).sum::<f64>() / (r * (r - 1.0));
    let observed = counted.iter().map(agreed).sum::<f64>() / n;
    let kappa = (observed - by_chance) / (1.0 - by_chance);
    // What an item adds: its own agreement, and how it moves what chance would give.
    let adds = |row: &Vec<f64>| {
        let own_chance: f64 = row.iter().zip(&shares).map(|(count, share)| count / r * share).sum();
        (agreed(row) - by_chance) / (1.0 - by_chance)
            - 2.0 * (1.0 - kappa) * (own_chance - by_chance) / (1.0 - by_chance)
    };
    let spread: f64 = counted.iter().map(|row| (adds(row) - kappa) * (adds(row) - kappa)).sum();
    let error = libm::sqrt(spread / (n * (n - 1.0)));
    Some(Agreement { kappa, error, items: complete.len() })
}

/// How often each two grades met, as shares.
struct Table {
    cells: Vec<Vec<f64>>,
    rows: Vec<f64>,
    columns: Vec<f64>,
}

impl Table {
    fn of<T: Ord>(grades: &[(T, T)]) -> Option<Table> {
        let mut places: BTreeMap<&T, usize> = grades.iter().flat_map(|(one, other)| [(one, 0), (other, 0)]).collect();
        places.values_mut().enumerate().for_each(|(at, place)| *place = at);
        let (n, size) = (grades.len() as f64, places.len());
        let mut cells = vec![vec![0.0; size]; size];
        for (one, other) in grades {
            cells[places[one]][places[other]] += 1.0;
        }
        cells.iter_mut().flatten().for_each(|cell| *cell /= n);
        let rows = cells.iter().map(|row| row.iter().sum()).collect();
        let columns = (0..size).map(|at| cells.iter().map(|row| row[at]).sum()).collect();
        (size > 0).then_some(Table { cells, rows, columns })
    }

    fn diagonal(&self) -> f64 {
        self.cells.iter().enumerate().map(|(at, row)| row[at]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_to_measure_is_no_figure() {
        assert_eq!(cohen::<u8>(&[]), None);
        assert_eq!(cohen(&[(1, 1), (1, 1)]), None);
        assert_eq!(fleiss::<u8>(&[]), None);
        assert_eq!(fleiss(&[vec![Some(1), Some(1)], vec![Some(1), Some(1)]]), None);
        assert_eq!(fleiss(&[vec![Some(1)], vec![Some(2)]]), None);
    }

    #[test]
    fn full_agreement_is_one_and_sure() {
        let found = cohen(&[(1, 1), (2, 2), (1, 1)]).expect("grades vary");
        assert!((found.kappa - 1.0).abs() < 1e-12 && found.error < 1e-6);
        let rows: Vec<Vec<Option<u8>>> = vec![vec![Some(1); 3], vec![Some(2); 3], vec![None, Some(1), Some(1)]];
        let found = fleiss(&rows).expect("grades vary");
        assert!((found.kappa - 1.0).abs() < 1e-12);
        assert_eq!(found.items, 2, "an item counts only if all graded it");
    }
}
