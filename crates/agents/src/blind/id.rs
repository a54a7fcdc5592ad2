//! `blind-id`: what ended the incident whose id begins most alike.

use harness::Memory;

use super::deeds::Decision;
use super::seen::Seen;
use super::transfer::Remembered;
use super::{BlindPolicy, Reads};

/// The policy.
pub struct ById;

impl BlindPolicy for ById {
    fn name(&self) -> &'static str {
        "blind-id"
    }

    fn about(&self) -> &'static str {
        "does what ended the remembered incident with the most similar id"
    }

    fn reads(&self) -> Reads {
        Reads::Changes
    }

    fn decide(&self, seen: &Seen, memory: &Memory) -> Decision {
        let alike = |id: &str| id.bytes().zip(seen.incident.bytes()).take_while(|(a, b)| a == b).count();
        let nearest = memory.examples().iter().rev().max_by_key(|example| alike(&example.brief.incident));
        nearest.map_or_else(Decision::nothing, |example| Remembered::of(example).apply(seen))
    }
}
