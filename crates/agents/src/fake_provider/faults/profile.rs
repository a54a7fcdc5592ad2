//! How much goes wrong: named profiles, and your own files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::FailureKind;

/// How much goes wrong, and in which ways.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FailureProfile {
    /// Of 1000 different requests, so many fail at first and are answered later.
    pub struck: u32,
    /// Such a request fails at most so many times in a row.
    pub in_a_row: u32,
    /// Of 1000, so many fail at every try.
    pub lost: u32,
    /// Of 1000, so many are refused for good: filtered, too long, not allowed.
    pub refused: u32,
    /// What a 429 says of when to come back: one of these, in seconds.
    pub retry_after_seconds: Vec<u32>,
    /// How long a slow body takes.
    pub slow_ms: u32,
    /// How often each way to fail is drawn, against the others; one that is not named is not drawn.
    pub weights: BTreeMap<FailureKind, u32>,
}

/// The names of the profiles.
pub const NAMES: [&str; 4] = ["none", "light", "heavy", "storm"];

impl FailureProfile {
    /// The profile of that name.
    pub fn named(name: &str) -> Option<FailureProfile> {
        let text = match name {
            "none" => return Some(FailureProfile::default()),
            "light" => include_str!("light.toml"),
            "heavy" => include_str!("heavy.toml"),
            "storm" => include_str!("storm.toml"),
            _ => return None,
        };
        Some(FailureProfile::parse(text).expect("tests read the profiles that are shipped"))
    }

    /// The names of all profiles, from the mildest.
    pub fn names() -> [&'static str; 4] {
        NAMES
    }

    /// A profile from a file; what is wrong with it otherwise.
    pub fn parse(text: &str) -> Result<FailureProfile, String> {
        let profile: FailureProfile = toml::from_str(text).map_err(|e| e.to_string())?;
        profile.problem().map_or(Ok(profile), Err)
    }

    fn problem(&self) -> Option<String> {
        let drawn = |passes: bool| self.weights.iter().any(|(kind, weight)| *weight > 0 && kind.passes() == passes);
        let share = u64::from(self.struck) + u64::from(self.lost) + u64::from(self.refused);
        if share > 1000 {
            return Some(format!("struck, lost and refused are shares of 1000 and make {share}; lower one of them"));
        }
        if self.struck > 0 && self.in_a_row == 0 {
            return Some("in_a_row is 0, so that nothing can be struck; set it to 1 or more".to_string());
        }
        if self.struck + self.lost > 0 && !drawn(true) {
            return Some("no weight is given to a fault that passes; add one such as `server_error = 1`".to_string());
        }
        if self.refused > 0 && !drawn(false) {
            let kinds = "filtered, context_too_long or unauthorized";
            return Some(format!("`refused` needs a weight for {kinds}; add one, or set it to 0"));
        }
        None
    }

    /// Kinds that pass, or those that do not, with their weights, in a fixed order.
    pub(super) fn kinds(&self, passes: bool) -> impl Iterator<Item = (FailureKind, u32)> {
        let kinds = self.weights.iter().map(|(kind, weight)| (*kind, *weight));
        kinds.filter(move |(kind, weight)| *weight > 0 && kind.passes() == passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_profile_and_each_is_worse_than_the_one_before() {
        let share = |name: &str| {
            let profile = FailureProfile::named(name).expect("it has that name");
            profile.struck * profile.in_a_row + profile.lost + profile.refused
        };
        assert!(NAMES.windows(2).all(|pair| share(pair[0]) < share(pair[1])));
        assert_eq!(FailureProfile::named("none"), Some(FailureProfile::default()));
        assert_eq!(FailureProfile::named("calm"), None);
    }

    #[test]
    fn the_storm_has_everything() {
        let storm = FailureProfile::named("storm").expect("it has that name");
        assert!(FailureKind::ALL.iter().all(|kind| storm.weights.contains_key(kind)));
        assert!(storm.in_a_row <= 5, "a client that tries five times more is answered");
    }

    #[test]
    fn a_wrong_profile_says_what_to_do() {
        let check = |text: &str, expect: &str| {
            let problem = FailureProfile::parse(text).expect_err("it is wrong");
            assert!(problem.contains(expect), "{problem}");
        };
        check("struck = 900\nlost = 90\nrefused = 11", "make 1001; lower one of them");
        check("struck = 1", "set it to 1 or more");
        check("struck = 1\nin_a_row = 1", "add one such as `server_error = 1`");
        check("lost = 1\n[weights]\nfiltered = 1", "add one such as `server_error = 1`");
        check("refused = 1\n[weights]\ntimeout = 1", "filtered, context_too_long or unauthorized");
        check("stuck = 1", "unknown field `stuck`");
        check("[weights]\nflood = 1", "unknown variant `flood`");
        check("struck = -1", "invalid value");
    }
}
