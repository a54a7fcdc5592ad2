//! When a request fails: a pure function of the seed, the request, and how often it was seen.

use super::{FailureKind, FailureProfile};
use crate::dice::Dice;

/// A profile and a seed: everything that is needed to know the fate of any request.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    profile: FailureProfile,
    seed: u64,
}

/// What is in store for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is answered at once.
    Served,
    /// It fails so many times, then it is answered.
    Struck(u32),
    /// It fails at every try, each time in its own way.
    Lost,
    /// It is refused at every try, always in the same way.
    Refused(FailureKind),
}

impl Schedule {
    /// The schedule of a profile under a seed.
    pub fn new(profile: FailureProfile, seed: u64) -> Schedule {
        Schedule { profile, seed }
    }

    /// The profile.
    pub fn profile(&self) -> &FailureProfile {
        &self.profile
    }

    /// How a request fails that was seen so many times before; `None` if it is answered. The model is
    /// named apart because some formats name it in the address and not in the body.
    pub fn fault(&self, model: &str, body: &str, seen: u32) -> Option<FailureKind> {
        match self.fate(model, body) {
            Fate::Served => None,
            Fate::Refused(kind) => Some(kind),
            Fate::Struck(times) if seen >= times => None,
            Fate::Struck(_) | Fate::Lost => self.draw(true, &mut self.dice("kind", model, body, seen)),
        }
    }

    /// What is in store for a request.
    pub fn fate(&self, model: &str, body: &str) -> Fate {
        let FailureProfile { struck, lost, refused, in_a_row, .. } = self.profile;
        let mut dice = self.dice("fate", model, body, 0);
        let at = dice.below(1000) as u32;
        if at < refused {
            return self.draw(false, &mut dice).map_or(Fate::Served, Fate::Refused);
        }
        if at < refused + lost {
            return Fate::Lost;
        }
        if at < refused + lost + struck { Fate::Struck(1 + dice.below(in_a_row as usize) as u32) } else { Fate::Served }
    }

    /// When a rate limit says to come back, in seconds.
    pub fn retry_after(&self, model: &str, body: &str, seen: u32) -> u32 {
        let among = &self.profile.retry_after_seconds;
        let at = self.dice("retry after", model, body, seen).below(among.len());
        among.get(at).copied().unwrap_or(1)
    }

    /// How long an answer takes, in milliseconds: between half of the mean and one and a half of it.
    pub fn latency(&self, mean: u32, model: &str, body: &str) -> u32 {
        mean / 2 + self.dice("latency", model, body, 0).below(mean as usize + 1) as u32
    }

    fn draw(&self, passes: bool, dice: &mut Dice) -> Option<FailureKind> {
        let total: u32 = self.profile.kinds(passes).map(|(_, weight)| weight).sum();
        let mut at = dice.below(total as usize) as u32;
        self.profile.kinds(passes).find_map(|(kind, weight)| match at.checked_sub(weight) {
            None => Some(kind),
            Some(rest) => {
                at = rest;
                None
            }
        })
    }

    /// Dice with an address: two purposes, two streams.
    fn dice(&self, purpose: &str, model: &str, body: &str, seen: u32) -> Dice {
        Dice::new(address(&[
            &self.seed.to_le_bytes(),
            purpose.as_bytes(),
            model.as_bytes(),
            body.as_bytes(),
            &seen.to_le_bytes(),
        ]))
    }
}

/// One number for several texts (FNV-1a, with a separator that is in none of them).
pub(in crate::fake_provider) fn address(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter().copied().chain([0xFF]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
