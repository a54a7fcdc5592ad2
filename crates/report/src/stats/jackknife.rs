//! Delete one family at a time: an interval for figures that are no mean, from their own values.

use std::collections::BTreeSet;

use super::clusters::Clusters;
use super::dist::student_quantile;
use super::interval::{Interval, Method};

/// The interval of a figure over items that fall into clusters; `None` if the figure has no value.
pub fn interval<T: Copy, K: Ord + Copy>(
    items: &[T],
    cluster: impl Fn(&T) -> K,
    figure: impl Fn(&[T]) -> Option<f64>,
    level: f64,
) -> Option<Interval> {
    let point = figure(items)?;
    let names: BTreeSet<K> = items.iter().map(&cluster).collect();
    let whole = |low, high, method| {
        let (episodes, families) = (items.len() as u32, names.len() as u32);
        Interval { point, low, high, method, episodes, families }
    };
    let left_out = |name: &K| {
        let rest: Vec<T> = items.iter().filter(|item| cluster(item) != *name).copied().collect();
        figure(&rest)
    };
    let without: Vec<f64> = names.iter().filter_map(left_out).collect();
    let shape = Clusters::of(items.iter().map(|item| (cluster(item), 0.0)));
    let Some((df, _)) = shape.satterthwaite(1.0).filter(|_| without.len() > 1) else {
        return Some(whole(point, point, Method::Constant));
    };
    let groups = without.len() as f64;
    let square: f64 = without.iter().map(|value| (value - point) * (value - point)).sum();
    let half = student_quantile(0.5 + level / 2.0, df) * libm::sqrt((groups - 1.0) / groups * square);
    let method = if half > 0.0 { Method::ClusterJackknife } else { Method::Constant };
    Some(whole(point - half, point + half, method))
}
