//! `blind-odd-config`: the setting whose value is likeliest wrong, by the values of a thousand other places.

use harness::{Example, Memory};

use super::deeds::{Decision, Deed};
use super::norms::Norms;
use super::seen::Seen;
use super::transfer::Remembered;
use super::{BlindPolicy, Reads};
use crate::cause::of_setting;

/// The policy.
pub struct OddConfig;

impl BlindPolicy for OddConfig {
    fn name(&self) -> &'static str {
        "blind-odd-config"
    }

    fn about(&self) -> &'static str {
        "sets the value that is likeliest wrong by the values of remembered incidents to what is usual"
    }

    fn reads(&self) -> Reads {
        Reads::All
    }

    fn decide(&self, seen: &Seen, memory: &Memory) -> Decision {
        let norms = memory.lesson("norms", |examples: &[Example]| {
            Norms::learn(&examples.iter().map(Remembered::of).collect::<Vec<_>>())
        });
        let size = norms.size(seen);
        let mut best: Option<(f64, Decision)> = None;
        for (at, own) in seen.config.iter().enumerate() {
            for (key, now) in own.iter().flatten() {
                let Some(norm) = norms.of(&seen.services[at], key) else { continue };
                let odds = norm.odds(now, size);
                let Some(usual) = norm.usual(size, now).filter(|usual| usual != now) else { continue };
                if best.as_ref().is_none_or(|(most, _)| odds > *most) {
                    best = Some((odds, set(&seen.services[at], key, now, usual)));
                }
            }
        }
        best.map_or_else(Decision::nothing, |(_, decision)| decision)
    }
}

/// Sets a key, and calls its old value the cause.
pub fn set(service: &str, key: &str, now: &str, usual: String) -> Decision {
    let than = match (now.parse::<f64>(), usual.parse::<f64>()) {
        (Ok(now), Ok(usual)) if now < usual => "too low",
        (Ok(_), Ok(_)) => "too high",
        _ => "wrong",
    };
    let cause = format!("{key} of {service} is {than}: it was {now}");
    let exact = of_setting(service, key, now, &usual);
    Decision::of(vec![Deed::Set(service.to_string(), key.to_string(), usual)], cause).exactly(exact)
}
