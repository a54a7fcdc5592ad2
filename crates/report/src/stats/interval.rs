//! A figure with the range that the data allow for it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The confidence level of every interval that is shown.
pub const LEVEL: f64 = 0.95;

/// A figure with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The figure itself.
    pub point: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How it was made.
    pub method: Method,
    /// The episodes, or pairs of episodes, that it stands on.
    pub episodes: u32,
    /// The families that they fall into.
    pub families: u32,
}

impl Interval {
    /// Whether the interval holds the value.
    pub fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The same within bounds that the figure cannot leave.
    pub fn within(self, low: f64, high: f64) -> Interval {
        Interval { low: self.low.clamp(low, high), high: self.high.clamp(low, high), ..self }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(2);
        write!(f, "{:.digits$} [{:.digits$}, {:.digits$}]", self.point, self.low, self.high)
    }
}

/// How an interval was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Wilson's score interval; takes episodes as independent.
    Wilson,
    /// Clopper and Pearson's exact interval; takes episodes as independent.
    ClopperPearson,
    /// Student's t; takes episodes as independent.
    Student,
    /// Wilson's form with the effective number of episodes, from the cluster-robust variance.
    ClusterWilson,
    /// Student's t with the cluster-robust variance and Satterthwaite's degrees of freedom.
    ClusterStudent,
    /// Delete one family at a time: for figures that are no mean.
    ClusterJackknife,
    /// Percentiles of a bootstrap that draws whole families.
    ClusterBootstrap,
    /// The same, corrected for bias and skew.
    ClusterBca,
    /// Every episode is the same: exact, with a correlation within families that is taken and not measured.
    FamiliesAgree,
    /// All values are the same: nothing is known of their spread.
    Constant,
}

impl Method {
    /// In words, for a footnote.
    pub fn words(self) -> &'static str {
        match self {
            Method::Wilson => "Wilson, episodes taken as independent",
            Method::ClopperPearson => "Clopper-Pearson, episodes taken as independent",
            Method::Student => "Student's t, episodes taken as independent",
            Method::ClusterWilson => "Wilson with cluster-robust (CR2) errors by task family",
            Method::ClusterStudent => "Student's t with cluster-robust (CR2) errors by task family",
            Method::ClusterJackknife => "jackknife over task families",
            Method::ClusterBootstrap => "bootstrap over task families",
            Method::ClusterBca => "BCa bootstrap over task families",
            Method::FamiliesAgree => "exact, with a correlation of 0.2 within task families",
            Method::Constant => "all values are equal",
        }
    }
}
