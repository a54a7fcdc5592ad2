//! What two sides have in common, and whether comparing it means anything.

use std::collections::BTreeMap;
use std::fmt;

use record::EpisodeLine;
use serde::{Deserialize, Serialize};

use super::{Pair, Side};
use crate::stats::pair_key;

/// What two sides have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Common {
    /// Pairs that are compared.
    pub pairs: u32,
    /// Their tasks.
    pub tasks: u32,
    /// Common pairs that are not compared, because a provider failed.
    pub provider_failed: u32,
    /// Episodes of the first side without a partner.
    pub only_first: u32,
    /// Episodes of the second side without a partner.
    pub only_second: u32,
}

/// Why two sides cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incomparable {
    /// They have no episode in common.
    NothingCommon {
        /// The first side.
        first: String,
        /// The second side.
        second: String,
    },
    /// Of no common pair do both episodes count.
    NothingCounts,
    /// One side was shown rewards.
    RewardsShown(String),
    /// What they have in common was not the same incident.
    Different {
        /// What differs: a version, a dial, a task file.
        what: String,
        /// As it was on the first side.
        first: String,
        /// As it was on the second side.
        second: String,
        /// How many pairs differ in it.
        pairs: usize,
    },
}

impl fmt::Display for Incomparable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incomparable::NothingCommon { first, second } => write!(
                f,
                "{first} and {second} have no task and seed in common; run both with the same --suite or --tasks, \
                 --seed and --episodes"
            ),
            Incomparable::NothingCounts => {
                write!(f, "in every common pair a provider failed, so nothing can be compared; run the episodes again")
            }
            Incomparable::RewardsShown(side) => write!(
                f,
                "{side} was shown rewards while it played, which give the answer away: that is training, and nothing is \
                 compared with it; serve without --rewards, or run the agent with `sre-zero run`"
            ),
            Incomparable::Different { what, first, second, pairs } => write!(
                f,
                "these are not the same incidents: {what} is {first} on one side and {second} on the other, in {pairs} \
                 common pairs; run one of them again as the other was"
            ),
        }
    }
}

impl std::error::Error for Incomparable {}

/// The pairs that count, in the order of tasks and seeds.
pub(super) fn pairs<'a>(
    first: &Side<'a>,
    second: &Side<'a>,
    across_noise: bool,
) -> Result<(Common, Vec<Pair<'a>>), Incomparable> {
    let (one, other) = (by_key(first), by_key(second));
    let both: Vec<(&EpisodeLine, &EpisodeLine)> =
        one.iter().filter_map(|(key, line)| Some((*line, *other.get(key)?))).collect();
    if both.is_empty() {
        return Err(Incomparable::NothingCommon { first: first.name.clone(), second: second.name.clone() });
    }
    refuse_different(&both, across_noise)?;
    let counted: Vec<Pair<'a>> = both
        .iter()
        .map(|(one, other)| (&one.score, &other.score))
        .filter(|(one, other)| one.counts() && other.counts())
        .collect();
    let mut tasks: Vec<&str> = counted.iter().map(|(one, _)| &*one.task).collect();
    tasks.dedup();
    let common = Common {
        pairs: counted.len() as u32,
        tasks: tasks.len() as u32,
        provider_failed: (both.len() - counted.len()) as u32,
        only_first: (one.len() - both.len()) as u32,
        only_second: (other.len() - both.len()) as u32,
    };
    if counted.is_empty() { Err(Incomparable::NothingCounts) } else { Ok((common, counted)) }
}

fn by_key<'a>(side: &Side<'a>) -> BTreeMap<(&'a str, u64, u32), &'a EpisodeLine> {
    side.lines.iter().map(|line| (pair_key(&line.score), *line)).collect()
}

/// Something about an episode, in words.
type EpisodeFact = (&'static str, fn(&EpisodeLine) -> String);

/// What messages call the noise dial.
const NOISE: &str = "noise";

/// What makes two episodes of the same task and seed the same incident.
const SAME: [EpisodeFact; 5] = [
    ("the world version", |line| line.world_version.to_string()),
    ("the suite version", |line| line.suite_version.to_string()),
    (NOISE, |line| line.noise.to_string()),
    ("the tool set", |line| line.tools.to_string()),
    ("the task file", |line| format!("{} ({:.8})", line.score.task, line.task_digest)),
];

fn refuse_different(both: &[(&EpisodeLine, &EpisodeLine)], across_noise: bool) -> Result<(), Incomparable> {
    for (what, of) in SAME.into_iter().filter(|(what, _)| *what != NOISE || !across_noise) {
        let mut differing = both.iter().filter(|(one, other)| of(one) != of(other));
        if let Some((one, other)) = differing.next() {
            let (first, second, pairs) = (of(one), of(other), 1 + differing.count());
            return Err(Incomparable::Different { what: what.to_owned(), first, second, pairs });
        }
    }
    Ok(())
}
