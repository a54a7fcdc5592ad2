//! Delete one family at a time: an interval for figures that are no mean, from their own values.

use std::collections::BTreeSet;

use super::clusters::Clusters;
use super::dist::student_quantile;
use super::interval::{Interval, Method};
use super::proportion::wilson_ends;

/// Figures that are no mean cannot tell how alike results within a cluster are. Half of what real runs
/// showed: the jackknife is wary by itself.
const TYPICAL_ICC: f64 = 0.05;

/// The interval of a figure over items that fall into clusters; `None` if the figure has no value. Given
/// bounds that the figure cannot leave, it takes Wilson's form and leans away from them as the data do.
pub fn interval<T: Copy, K: Ord + Copy>(
    items: &[T],
    cluster: impl Fn(&T) -> K,
    figure: impl Fn(&[T]) -> Option<f64>,
    bounds: Option<(f64, f64)>,
    level: f64,
) -> Option<Interval> {
    let point = figure(items)?;
    let shape = Clusters::of(items.iter().map(|item| (cluster(item), 0.0)));
    let whole = |low, high, method| {
        let (episodes, families) = (items.len() as u32, shape.len() as u32);
        Interval { point, low, high, method, episodes, families }
    };
    let variance = variance(items, cluster, figure, point).filter(|variance| *variance > 0.0);
    let Some((variance, (df, _))) = variance.zip(shape.satterthwaite(TYPICAL_ICC)) else {
        return Some(whole(point, point, Method::Constant));
    };
    let reach = student_quantile(0.5 + level / 2.0, df);
    let inside = bounds.filter(|(low, high)| *low < point && point < *high && (high - low).is_finite());
    let (low, high) = match inside {
        Some((low, high)) => {
            let (size, share) = (high - low, (point - low) / (high - low));
            let effective = share * (1.0 - share) * size * size / variance;
            let ends = wilson_ends(share, effective, reach);
            (low + size * ends.0, low + size * ends.1)
        }
        None => (point - reach * libm::sqrt(variance), point + reach * libm::sqrt(variance)),
    };
    Some(whole(low, high, Method::ClusterJackknife))
}

/// The jackknife's variance of a figure; `None` if it cannot do without a cluster.
fn variance<T: Copy, K: Ord + Copy>(
    items: &[T],
    cluster: impl Fn(&T) -> K,
    figure: impl Fn(&[T]) -> Option<f64>,
    point: f64,
) -> Option<f64> {
    let names: BTreeSet<K> = items.iter().map(&cluster).collect();
    let left_out = |name: &K| {
        let rest: Vec<T> = items.iter().filter(|item| cluster(item) != *name).copied().collect();
        figure(&rest)
    };
    let without: Vec<f64> = names.iter().filter_map(left_out).collect();
    let groups = without.len() as f64;
    let square: f64 = without.iter().map(|value| (value - point) * (value - point)).sum();
    (without.len() > 1).then(|| (groups - 1.0) / groups * square)
}
