//! pass@k and pass^k: whether one of k attempts succeeds, and whether all of them do.

use std::collections::BTreeMap;

use record::grade::Score;
use serde::{Deserialize, Serialize};

use super::by::{TaskCluster, cluster};
use super::clusters::Clusters;
use super::interval::{Interval, LEVEL};

/// The chance that at least one of `k` attempts succeeds, from `hits` of `n`: unbiased (Chen et al.
/// 2021). `None` if there are fewer than `k` attempts.
pub fn pass_at_k(n: u32, hits: u32, k: u32) -> Option<f64> {
    Some(1.0 - draw_all(n, n.checked_sub(hits)?, k)?)
}

/// The chance that all of `k` attempts succeed, from `hits` of `n`: unbiased (Yao et al. 2024). `None`
/// if there are fewer than `k` attempts.
pub fn pass_all_k(n: u32, hits: u32, k: u32) -> Option<f64> {
    draw_all(n, (hits <= n).then_some(hits)?, k)
}

/// C(good, k) / C(n, k): the chance that k draws without replacement are all good.
fn draw_all(n: u32, good: u32, k: u32) -> Option<f64> {
    if k == 0 || k > n {
        return None;
    }
    let step = |i: u32| f64::from(good.saturating_sub(i)) / f64::from(n - i);
    Some((0..k).map(step).product())
}

/// How reliable an agent is over `k` attempts, averaged over tasks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// How many attempts.
    pub k: u32,
    /// At least one of them succeeds: pass@k.
    pub at_least_one: Interval,
    /// All of them succeed: pass^k.
    pub all: Interval,
    /// Tasks with fewer than `k` attempts, which are left out.
    pub left_out: u32,
}

/// How reliable an agent is over `k` attempts at a task; `None` if no task was tried so often.
pub fn reliability<'a>(scores: impl IntoIterator<Item = &'a Score>, k: u32) -> Option<Reliability> {
    let mut tasks: BTreeMap<&str, (TaskCluster<'_>, u32, u32)> = BTreeMap::new();
    for score in scores.into_iter().filter(|score| score.counts()) {
        let task = tasks.entry(&score.task).or_insert((cluster(score), 0, 0));
        task.1 += 1;
        task.2 += u32::from(score.success);
    }
    let mean = |pass: fn(u32, u32, u32) -> Option<f64>| {
        let values = tasks.values().filter_map(|(cluster, n, hits)| Some((*cluster, pass(*n, *hits, k)?)));
        Clusters::of(values).rate(LEVEL)
    };
    let left_out = tasks.values().filter(|(_, n, _)| *n < k).count() as u32;
    Some(Reliability { k, at_least_one: mean(pass_at_k)?, all: mean(pass_all_k)?, left_out })
}
