//! Which episodes are exported, and why the others are not.

use std::fmt;
use std::str::FromStr;

use record::Split;
use record::grade::Score;

/// Which episodes are wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportFilter {
    /// By how they went.
    pub only: Only,
    /// By the split of their task; `None` for all.
    pub split: Option<Split>,
    /// The least reward; `None` for any.
    pub min_reward: Option<f64>,
}

/// Episodes by how they went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Only {
    /// The incident was resolved.
    Success,
    /// It was not. A provider's failure is neither.
    Failure,
    /// However they went.
    #[default]
    All,
}

/// Why an episode is not exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// Its task is of another split.
    Split,
    /// Its provider failed: it says nothing of the agent.
    ProviderFailed,
    /// It was a success, and failures are wanted, or the other way round.
    Outcome,
    /// Its reward is too small.
    Reward,
}

impl ExportFilter {
    /// Why an episode is not wanted, if it is not.
    pub fn leaves_out(&self, score: &Score, takes_provider_failures: bool) -> Option<LeftOut> {
        let bare = self.only == Only::All && self.min_reward.is_none() && takes_provider_failures;
        let outcome = match self.only {
            Only::Success => score.success,
            Only::Failure => !score.success,
            Only::All => true,
        };
        if self.split.is_some_and(|split| split.text() != score.split) {
            Some(LeftOut::Split)
        } else if !score.counts() {
            (!bare).then_some(LeftOut::ProviderFailed)
        } else if !outcome {
            Some(LeftOut::Outcome)
        } else {
            self.min_reward.is_some_and(|least| score.reward < least).then_some(LeftOut::Reward)
        }
    }
}

impl LeftOut {
    /// All reasons, in the order in which they are told.
    pub const ALL: [LeftOut; 4] = [LeftOut::Split, LeftOut::ProviderFailed, LeftOut::Outcome, LeftOut::Reward];
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LeftOut::Split => "of another split (see --split)",
            LeftOut::ProviderFailed => "whose provider failed",
            LeftOut::Outcome => "that went the other way (see --only)",
            LeftOut::Reward => "below --min-reward",
        })
    }
}

impl FromStr for Only {
    type Err = String;

    fn from_str(text: &str) -> Result<Only, String> {
        match text {
            "success" => Ok(Only::Success),
            "failure" => Ok(Only::Failure),
            "all" => Ok(Only::All),
            _ => Err(format!("there is no `{text}`; there are success, failure and all")),
        }
    }
}
