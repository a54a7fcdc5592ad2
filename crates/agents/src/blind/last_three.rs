//! `blind-last-three`: the last three changes are taken back, whatever they are.

use harness::Memory;

use super::deeds::Decision;
use super::seen::Seen;
use super::{BlindPolicy, Reads, seconds::undo};

/// The policy.
pub struct LastThree;

impl BlindPolicy for LastThree {
    fn name(&self) -> &'static str {
        "blind-last-three"
    }

    fn about(&self) -> &'static str {
        "takes the last three changes back and calls the oldest of them the cause"
    }

    fn reads(&self) -> Reads {
        Reads::Changes
    }

    fn decide(&self, seen: &Seen, _: &Memory) -> Decision {
        undo(seen.rows.iter().rev().take(3))
    }
}
