//! `blind-memory`: the remembered incident that agrees in most values, done again to the letter.

use harness::{Example, Memory};

use super::deeds::Decision;
use super::seen::Seen;
use super::transfer::Remembered;
use super::{BlindPolicy, Reads};

/// The policy.
pub struct ByMemory;

impl BlindPolicy for ByMemory {
    fn name(&self) -> &'static str {
        "blind-memory"
    }

    fn about(&self) -> &'static str {
        "recognises page and configuration from other seeds and does what ended that incident"
    }

    fn reads(&self) -> Reads {
        Reads::All
    }

    fn decide(&self, seen: &Seen, memory: &Memory) -> Decision {
        let all = memory.lesson("remembered", |examples: &[Example]| {
            examples.iter().map(Remembered::of).collect::<Vec<Remembered>>()
        });
        let rule = seen.rule();
        let same = all.iter().rev().max_by_key(|one| agreement(&one.seen, seen, &rule));
        same.map_or_else(Decision::nothing, |one| one.apply(seen))
    }
}

/// In how many values two incidents agree; the page counts as several.
fn agreement(there: &Seen, here: &Seen, rule: &str) -> usize {
    let mut same = if there.rule() == rule { 8 } else { 0 };
    for (at, service) in here.services.iter().enumerate() {
        let (Some(own), Some(other)) = (&here.config[at], there.find(service)) else { continue };
        same += own.iter().filter(|(key, value)| there.value(other, key) == Some(value)).count();
    }
    same
}
