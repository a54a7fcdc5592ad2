//! `blind-hedge`: configurations are read and nothing is done; what most often was the cause under this page is said in
//! several sentences.

use std::collections::BTreeMap;

use harness::{Example, Memory};

use super::deeds::{Decision, cause_of};
use super::seen::Seen;
use super::{BlindPolicy, Reads};

/// The policy.
pub struct Hedge;

/// How many guesses go into a text.
const GUESSES: usize = 4;

impl BlindPolicy for Hedge {
    fn name(&self) -> &'static str {
        "blind-hedge"
    }

    fn about(&self) -> &'static str {
        "fixes nothing and writes down the four likeliest causes, each as a sentence"
    }

    fn reads(&self) -> Reads {
        Reads::All
    }

    fn decide(&self, seen: &Seen, memory: &Memory) -> Decision {
        let causes = memory.lesson(self.name(), learn);
        let usual = causes.get(&seen.rule()).or_else(|| causes.get(""));
        let said: Vec<String> = usual.into_iter().flatten().take(GUESSES).map(|cause| format!("{cause}.")).collect();
        Decision { cause: said.join(" "), ..Decision::nothing() }
    }
}

/// The causes under each page, the most frequent first; under the empty page those of all.
fn learn(examples: &[Example]) -> BTreeMap<String, Vec<String>> {
    let mut count: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for example in examples {
        let cause = cause_of(&example.solution).unwrap_or_default();
        for rule in [Seen::of_brief(&example.brief).rule(), String::new()] {
            *count.entry(rule).or_default().entry(cause.clone()).or_default() += 1;
        }
    }
    let sorted = |causes: BTreeMap<String, usize>| {
        let mut all: Vec<(String, usize)> = causes.into_iter().collect();
        all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        all.into_iter().map(|(cause, _)| cause).collect()
    };
    count.into_iter().map(|(rule, causes)| (rule, sorted(causes))).collect()
}
