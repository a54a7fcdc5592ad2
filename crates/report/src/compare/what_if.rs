//! What would change the verdict: pairs going the other way, more episodes, or one family less.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Pair;
use crate::stats::{Clusters, LEVEL, McNemar, PairedDifference, Robust, cluster, dist, rate_difference};

/// The wanted chance of showing a difference that is there.
const POWER: f64 = 0.8;

/// What would change a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhatIf {
    /// How many pairs that differ would have to go the other way for McNemar's test to cross the level;
    /// `None` if even all of them are not enough.
    pub flips: Option<u32>,
    /// For a difference that is not shown: what would show one of the size observed.
    pub enough: Option<Enough>,
    /// Families without which the verdict is another one.
    pub turning_families: Vec<String>,
}

/// What would show a difference of the size observed, with a chance of 80 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enough {
    /// Episodes of each agent on the same tasks; `None` if no number is enough, because the families
    /// differ too much among each other.
    pub episodes: Option<u64>,
    /// Tasks of the same kinds, with as many episodes each as now.
    pub tasks: u64,
}

pub(super) fn what_if(pairs: &[Pair<'_>], difference: &PairedDifference, mcnemar: &McNemar) -> WhatIf {
    WhatIf {
        flips: mcnemar.flips_to_cross(1.0 - LEVEL),
        enough: enough(pairs, difference),
        turning_families: turning_families(pairs, difference),
    }
}

/// The variance of the mean difference is one part between families, which more episodes do not touch,
/// and one part within, which they divide.
fn enough(pairs: &[Pair<'_>], difference: &PairedDifference) -> Option<Enough> {
    let effect = difference.interval.point.abs();
    if effect == 0.0 || difference.is_significant() {
        return None;
    }
    let worth = |won: bool| if won { 1.0 } else { 0.0 };
    let clusters =
        Clusters::of(pairs.iter().map(|(one, other)| (cluster(one), worth(one.success) - worth(other.success))));
    let (df, _) = clusters.satterthwaite(0.0)?;
    let reach = dist::student_quantile(0.5 + LEVEL / 2.0, df) + dist::student_quantile(POWER, df);
    let wanted = (effect / reach) * (effect / reach);
    let (n, (_, within)) = (clusters.values(), clusters.components());
    let now = clusters.variance(Robust::Cr2)?;
    let (inner, outer) = ((within / n).min(now), (now - within / n).max(0.0));
    let tasks = pairs.iter().map(|(one, _)| &*one.task).collect::<BTreeSet<_>>().len() as f64;
    let episodes = (wanted > outer).then(|| libm::ceil(n * inner / (wanted - outer)).max(n) as u64);
    Some(Enough { episodes, tasks: libm::ceil(tasks * now / wanted).max(tasks) as u64 })
}

/// Families without which the difference is shown no more, is shown at last, or points the other way.
fn turning_families(pairs: &[Pair<'_>], difference: &PairedDifference) -> Vec<String> {
    let side = |found: &PairedDifference| found.is_significant().then_some(found.interval.point > 0.0);
    let families: BTreeSet<_> = pairs.iter().map(|(one, _)| cluster(one)).collect();
    let turns = |family: &crate::stats::TaskCluster<'_>| {
        let rest: Vec<Pair<'_>> = pairs.iter().filter(|(one, _)| cluster(one) != *family).copied().collect();
        rate_difference(&rest, |score| score.success).is_some_and(|found| side(&found) != side(difference))
    };
    families.into_iter().filter(turns).map(|family| family.to_string()).collect()
}
