//! `blind-page`: what most often ended incidents with the same page.

use std::collections::BTreeMap;

use harness::{Example, Memory};

use super::deeds::Decision;
use super::seen::Seen;
use super::transfer::Remembered;
use super::{BlindPolicy, Reads};

/// The policy.
pub struct ByPage;

impl BlindPolicy for ByPage {
    fn name(&self) -> &'static str {
        "blind-page"
    }

    fn about(&self) -> &'static str {
        "does what most often ended remembered incidents with the same page"
    }

    fn reads(&self) -> Reads {
        Reads::Changes
    }

    fn decide(&self, seen: &Seen, memory: &Memory) -> Decision {
        let rules = memory.lesson(self.name(), learn);
        let usual = rules.get(&seen.rule()).or_else(|| rules.get(""));
        usual.map_or_else(Decision::nothing, |one| one.apply(seen))
    }
}

/// An incident with the most frequent kind of solution, for each rule that pages; under the empty rule for all.
fn learn(examples: &[Example]) -> BTreeMap<String, Remembered> {
    let all: Vec<Remembered> = examples.iter().map(Remembered::of).collect();
    let mut votes: BTreeMap<String, BTreeMap<String, (usize, usize)>> = BTreeMap::new();
    for (at, one) in all.iter().enumerate() {
        for rule in [one.seen.rule(), String::new()] {
            votes.entry(rule).or_default().entry(one.kind()).or_insert((0, at)).0 += 1;
        }
    }
    let best = |kinds: BTreeMap<String, (usize, usize)>| {
        let most = kinds.into_values().max_by_key(|(count, at)| (*count, std::cmp::Reverse(*at)));
        most.map(|(_, at)| Remembered::of(&examples[at])).expect("a rule was seen at least once")
    };
    votes.into_iter().map(|(rule, kinds)| (rule, best(kinds))).collect()
}
