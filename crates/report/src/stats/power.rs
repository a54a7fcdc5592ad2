//! Before a run: how small a difference it can show, and how large it has to be to show one.

use serde::{Deserialize, Serialize};

use super::clusters::Clusters;
use super::dist::{student_cdf, student_quantile};

/// A run that is being planned: two agents, or one against a fixed rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// Task families, the clusters.
    pub families: u32,
    /// Tasks, over all families.
    pub tasks: u32,
    /// How unlike the families are in size: the size of the family of a task drawn at random over the mean size; 1 if all
    /// are alike.
    pub unevenness: f64,
    /// The share of the degrees of freedom that unlike sizes leave; 1 if all are alike.
    pub df_share: f64,
    /// Episodes of each task and agent.
    pub episodes: u32,
    /// The success rate of the agent that is known.
    pub baseline: f64,
    /// How alike one agent's results within a family are: the intra-cluster correlation, from 0 to 1.
    pub icc: f64,
    /// The same of the differences between two agents: what pairs are left with.
    pub pair_icc: f64,
    /// How alike two agents' results on the same incident are, from -1 to 1.
    pub correlation: f64,
    /// The two-sided level of the test, after any adjustment for many comparisons.
    pub alpha: f64,
    /// The wanted chance of showing a difference that is there.
    pub power: f64,
}

impl Default for Design {
    fn default() -> Design {
        Design {
            families: 40,
            tasks: 40,
            unevenness: 1.0,
            df_share: 1.0,
            episodes: 5,
            baseline: 0.5,
            icc: 0.2,
            pair_icc: 0.2,
            correlation: 0.3,
            alpha: 0.05,
            power: 0.8,
        }
    }
}

impl Design {
    /// The same with families of these sizes, in tasks: a few large ones tell less than as many of one size.
    pub fn with_sizes(self, sizes: &[u32]) -> Design {
        let values = sizes.iter().enumerate().flat_map(|(at, size)| (0..*size).map(move |_| (at, 0.0)));
        let clusters = Clusters::of(values);
        let (tasks, families) = (sizes.iter().sum::<u32>(), sizes.len() as u32);
        let squares: f64 = sizes.iter().map(|size| f64::from(*size) * f64::from(*size)).sum();
        let unevenness = squares * f64::from(families) / (f64::from(tasks) * f64::from(tasks));
        // The test takes no correlation into its degrees of freedom, and neither does this.
        let df_share = clusters.satterthwaite(0.0).map_or(1.0, |(df, _)| df / (f64::from(families) - 1.0));
        Design { families, tasks, unevenness, df_share, ..self }
    }

    /// Episodes of one agent.
    pub fn all_episodes(&self) -> f64 {
        f64::from(self.tasks) * f64::from(self.episodes)
    }

    /// So many independent episodes would tell as much of one agent.
    pub fn effective_episodes(&self) -> f64 {
        self.effective(self.icc)
    }

    /// So many independent pairs would tell as much of two agents.
    pub fn effective_pairs(&self) -> f64 {
        self.effective(self.pair_icc)
    }

    /// Half of the width of the interval around one agent's rate.
    pub fn half_width(&self) -> f64 {
        let variance = self.baseline * (1.0 - self.baseline) / self.effective_episodes();
        student_quantile(1.0 - self.alpha / 2.0, self.df()) * libm::sqrt(variance)
    }

    /// The chance of showing that a second agent, better by `effect`, is better: compared pair by pair on
    /// the same incidents.
    pub fn power_of(&self, effect: f64) -> f64 {
        self.chance(effect, self.pair_variance(effect) / self.effective_pairs())
    }

    /// The same for two agents that met different incidents.
    pub fn unpaired_power_of(&self, effect: f64) -> f64 {
        let other = self.baseline + effect;
        self.chance(effect, (spread(self.baseline) + spread(other)) / self.effective_episodes())
    }

    /// The smallest gain over the baseline that pairs show with the wanted power; `None` if even an
    /// agent that always succeeds would not stand out.
    pub fn detectable(&self) -> Option<f64> {
        smallest(1.0 - self.baseline, |effect| self.power_of(effect) >= self.power)
    }

    /// The same without pairs.
    pub fn unpaired_detectable(&self) -> Option<f64> {
        smallest(1.0 - self.baseline, |effect| self.unpaired_power_of(effect) >= self.power)
    }

    /// The fewest episodes of each task that show the effect; `None` if no number does, because the
    /// families are too few.
    pub fn episodes_for(&self, effect: f64) -> Option<u32> {
        fewest(MOST, |episodes| Design { episodes, ..*self }.power_of(effect) >= self.power)
    }

    /// The fewest tasks that show the effect, with as many tasks to a family as now.
    pub fn tasks_for(&self, effect: f64) -> Option<u32> {
        fewest(MOST, |tasks| {
            let families = (tasks * self.families).div_ceil(self.tasks).max(1);
            Design { tasks, families, ..*self }.power_of(effect) >= self.power
        })
    }

    /// Kish's design effect: clusters swell the variance by 1 + (size - 1) x correlation.
    fn effective(&self, icc: f64) -> f64 {
        let size = self.all_episodes() / f64::from(self.families) * self.unevenness;
        self.all_episodes() / (1.0 + (size - 1.0).max(0.0) * icc)
    }

    fn df(&self) -> f64 {
        ((f64::from(self.families) - 1.0) * self.df_share).max(1.0)
    }

    /// The variance of the difference within one pair.
    fn pair_variance(&self, effect: f64) -> f64 {
        let (one, other) = (self.baseline, self.baseline + effect);
        let shared = self.correlation * libm::sqrt(spread(one) * spread(other));
        // Two rates that differ cannot agree on everything: some pairs must differ.
        let least = effect.abs() * (1.0 - effect.abs());
        (spread(one) + spread(other) - 2.0 * shared).max(least)
    }

    fn chance(&self, effect: f64, variance: f64) -> f64 {
        let error = libm::sqrt(variance);
        if error <= 0.0 {
            return if effect == 0.0 { self.alpha } else { 1.0 };
        }
        let (far, bar) = (effect.abs() / error, student_quantile(1.0 - self.alpha / 2.0, self.df()));
        student_cdf(far - bar, self.df()) + student_cdf(-far - bar, self.df())
    }
}

/// No run plays more than this.
const MOST: u32 = 1_000_000;

/// The variance of a result that is 0 or 1.
fn spread(rate: f64) -> f64 {
    (rate * (1.0 - rate)).max(0.0)
}

/// The smallest effect up to `most` that is enough, to the last bit.
fn smallest(most: f64, enough: impl Fn(f64) -> bool) -> Option<f64> {
    if !enough(most) {
        return None;
    }
    let (mut low, mut high) = (0.0, most);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if enough(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// The smallest whole number up to `most` that is enough.
fn fewest(most: u32, enough: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut low, mut high) = (0, most);
    if !enough(high) {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if enough(middle) { high = middle } else { low = middle }
    }
    Some(high)
}
