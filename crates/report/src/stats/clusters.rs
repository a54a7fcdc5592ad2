//! Means of values that come in clusters: the episodes of one task family fail and succeed together, so
//! two hundred of them tell less than two hundred independent ones would.

use std::collections::BTreeMap;

use super::dist::student_quantile;
use super::interval::{Interval, Method};
use super::proportion::wilson_ends;

/// The correlation within a family where the data cannot tell: what the shipped agents show on the forty tasks.
pub const TAKEN: f64 = 0.2;
/// From so many episodes on that differ from the rest, the data tell.
const ENOUGH: f64 = 10.0;
/// The same as a share of all, for small runs.
const NEAR: f64 = 0.1;

/// Values by cluster, boiled down to what means and variances need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clusters {
    clusters: Vec<ClusterSums>,
}

/// One cluster: how many values, their sum and the sum of their squares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ClusterSums {
    n: f64,
    sum: f64,
    squares: f64,
}

/// A cluster-robust variance of a mean, by its usual name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Robust {
    /// The plain sandwich; too small with few clusters.
    Cr0,
    /// Scaled by G/(G-1), as most packages do.
    Cr1,
    /// Bell and McCaffrey's: free of bias if clusters do not matter, close to it if they do.
    Cr2,
}

impl Clusters {
    /// Groups values by the name of their cluster.
    pub fn of<K: Ord>(values: impl IntoIterator<Item = (K, f64)>) -> Clusters {
        let mut clusters: BTreeMap<K, ClusterSums> = BTreeMap::new();
        for (name, value) in values {
            let cluster = clusters.entry(name).or_default();
            cluster.n += 1.0;
            cluster.sum += value;
            cluster.squares += value * value;
        }
        Clusters { clusters: clusters.into_values().collect() }
    }

    /// How many clusters.
    pub fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// How many values.
    pub fn values(&self) -> f64 {
        self.clusters.iter().map(|cluster| cluster.n).sum()
    }

    /// The mean of all values.
    pub fn mean(&self) -> f64 {
        self.clusters.iter().map(|cluster| cluster.sum).sum::<f64>() / self.values()
    }

    /// The variance of the mean; `None` with fewer than two clusters.
    pub fn variance(&self, robust: Robust) -> Option<f64> {
        let (n, mean) = (self.values(), self.mean());
        let square = |cluster: &ClusterSums| {
            let miss = cluster.sum - cluster.n * mean;
            let held = if robust == Robust::Cr2 { 1.0 - cluster.n / n } else { 1.0 };
            miss * miss / held
        };
        let groups = self.len() as f64;
        let scale = if robust == Robust::Cr1 { groups / (groups - 1.0) } else { 1.0 };
        (self.len() > 1).then(|| scale * self.clusters.iter().map(square).sum::<f64>() / (n * n))
    }

    /// The intra-cluster correlation, by analysis of variance, from 0 to 1: the share of the variance
    /// that lies between clusters.
    pub fn icc(&self) -> f64 {
        let (between, within) = self.components();
        let all = between + within;
        if all > 0.0 { between / all } else { 0.0 }
    }

    /// The variance between clusters and within them, by analysis of variance, neither below 0.
    pub fn components(&self) -> (f64, f64) {
        let (n, groups, mean) = (self.values(), self.len() as f64, self.mean());
        if groups < 2.0 || n <= groups {
            return (0.0, self.total_variance());
        }
        let spread = |cluster: &ClusterSums| {
            let miss = cluster.sum / cluster.n - mean;
            cluster.n * miss * miss
        };
        let between = self.clusters.iter().map(spread).sum::<f64>() / (groups - 1.0);
        let inside = |cluster: &ClusterSums| (cluster.squares - cluster.sum * cluster.sum / cluster.n).max(0.0);
        let within = self.clusters.iter().map(inside).sum::<f64>() / (n - groups);
        let squares: f64 = self.clusters.iter().map(|cluster| cluster.n * cluster.n).sum();
        let size = (n - squares / n) / (groups - 1.0);
        (((between - within) / size).max(0.0), within)
    }

    /// Student's interval for the mean, with robust errors; `None` without a value.
    pub fn interval(&self, level: f64) -> Option<Interval> {
        let Some(error) = self.error() else { return self.independent(level) };
        let half = error.quantile(level) * libm::sqrt(error.variance);
        let method = if error.variance > 0.0 { Method::ClusterStudent } else { Method::Constant };
        Some(self.around(self.mean() - half, self.mean() + half, method))
    }

    /// Wilson's interval for values from 0 to 1, with as many episodes as would give the robust error if
    /// they were independent; `None` without a value. It leans away from 0 and 1 as the data do.
    ///
    /// How alike episodes of a family are cannot be learnt where hardly any of them differ. There the correlation is taken
    /// to be at least [`TAKEN`], so that a worse result never has the tighter interval.
    pub fn rate(&self, level: f64) -> Option<Interval> {
        let (n, rate) = (self.values(), self.mean());
        if n == 0.0 {
            return None;
        }
        let uniform = rate <= 0.0 || rate >= 1.0;
        match self.wary_error() {
            // Values beyond 0 and 1 are no shares: their mean is one like any other.
            Some(error) if error.variance > 0.0 && uniform => self.interval(level),
            Some(error) if error.variance > 0.0 => {
                let effective = (rate * (1.0 - rate) / error.variance).min(self.wary_episodes());
                let (low, high) = wilson_ends(rate, effective, error.quantile(level));
                Some(self.around(low, high, Method::ClusterWilson))
            }
            // Every episode the same: Clopper and Pearson's ends for so many trials, which need not be a whole number.
            _ if uniform => {
                let far = 1.0 - libm::pow(0.5 - level / 2.0, 1.0 / self.wary_episodes());
                let (low, high) = if rate > 0.5 { (1.0 - far, 1.0) } else { (0.0, far) };
                Some(self.around(low, high, Method::FamiliesAgree))
            }
            _ => {
                let z = super::dist::normal_quantile(0.5 + level / 2.0);
                let (low, high) = wilson_ends(rate, n, z);
                Some(self.around(low, high, Method::Wilson))
            }
        }
    }

    /// So many independent episodes at most, as long as few of them differ from the rest: with none that differs the
    /// correlation within families is taken to be [`TAKEN`], and from [`ENOUGH`] or a share of [`NEAR`] on what the data say
    /// counts alone.
    fn wary_episodes(&self) -> f64 {
        let (n, doubt) = (self.values(), self.doubt());
        if doubt <= 0.0 {
            return f64::INFINITY;
        }
        let size = self.clusters.iter().map(|cluster| cluster.n * cluster.n).sum::<f64>() / n;
        n / (doubt * (1.0 + (size - 1.0).max(0.0) * TAKEN))
    }

    /// How little the data can tell of how alike the episodes of a family are: 1 if all of them are the same, 0 if enough of them
    /// differ from the rest.
    pub(super) fn doubt(&self) -> f64 {
        let (n, sum) = (self.values(), self.mean() * self.values());
        let few = sum.min(n - sum);
        let seen = (few / ENOUGH.min(NEAR * n)).clamp(0.0, 1.0);
        // Slowly at first: one failure more must not buy a tighter interval.
        1.0 - seen * seen * seen
    }

    /// The robust error of the mean; `None` with fewer than two clusters.
    pub(super) fn error(&self) -> Option<RobustError> {
        let (df, _) = self.satterthwaite(0.0)?;
        Some(RobustError { variance: self.variance(Robust::Cr2)?, df })
    }

    /// The same with the bias and the degrees of freedom that the correlation found within clusters gives.
    fn wary_error(&self) -> Option<RobustError> {
        let (df, bias) = self.satterthwaite(self.icc())?;
        Some(RobustError { variance: self.variance(Robust::Cr2)? / bias, df })
    }

    /// Satterthwaite's degrees of freedom of the CR2 variance, and the factor by which it is off on
    /// average, if values of one cluster correlate by `icc`. `None` with fewer than two clusters.
    pub fn satterthwaite(&self, icc: f64) -> Option<(f64, f64)> {
        if self.len() < 2 {
            return None;
        }
        let n = self.values();
        let spread = |cluster: &ClusterSums| cluster.n * (1.0 - icc) + icc * cluster.n * cluster.n;
        let all: f64 = self.clusters.iter().map(spread).sum();
        let (mut mean, mut square) = (0.0, 0.0);
        for (at, one) in self.clusters.iter().enumerate() {
            for (other_at, other) in self.clusters.iter().enumerate() {
                let shared = if at == other_at { spread(one) } else { 0.0 };
                let covariance =
                    shared - (other.n * spread(one) + one.n * spread(other)) / n + one.n * other.n * all / (n * n);
                let weighted = covariance / libm::sqrt((1.0 - one.n / n) * (1.0 - other.n / n));
                square += weighted * weighted;
                mean += if at == other_at { weighted } else { 0.0 };
            }
        }
        Some(((mean * mean / square).max(1.0), mean / all))
    }

    /// One cluster says nothing of the difference between clusters: what is left is the spread of the
    /// values themselves.
    fn independent(&self, level: f64) -> Option<Interval> {
        let (n, mean) = (self.values(), self.mean());
        if n == 0.0 {
            return None;
        }
        let variance = self.total_variance() / n;
        if n < 2.0 || variance <= 0.0 {
            return Some(self.around(mean, mean, Method::Constant));
        }
        let half = student_quantile(0.5 + level / 2.0, n - 1.0) * libm::sqrt(variance);
        Some(self.around(mean - half, mean + half, Method::Student))
    }

    fn total_variance(&self) -> f64 {
        let (n, mean) = (self.values(), self.mean());
        let squares: f64 = self.clusters.iter().map(|cluster| cluster.squares).sum();
        if n > 1.0 { ((squares - n * mean * mean) / (n - 1.0)).max(0.0) } else { 0.0 }
    }

    fn around(&self, low: f64, high: f64, method: Method) -> Interval {
        let (episodes, families) = (self.values() as u32, self.len() as u32);
        Interval { point: self.mean(), low, high, method, episodes, families }
    }
}

/// What is known of the error of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RobustError {
    pub variance: f64,
    pub df: f64,
}

impl RobustError {
    /// So many standard errors reach to the ends of an interval.
    pub fn quantile(&self, level: f64) -> f64 {
        student_quantile(0.5 + level / 2.0, self.df)
    }
}
