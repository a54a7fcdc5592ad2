//! What values are usual, learned from remembered incidents: for each key the values of incidents in which it was
//! not what had to be set, and those in which it was. Places differ in size, so numbers are compared with what this
//! place has elsewhere.

use std::collections::BTreeMap;

use super::deeds::Deed;
use super::seen::{Seen, role};
use super::transfer::Remembered;

/// What is known of all keys, by role and key.
#[derive(Default)]
pub struct Norms {
    keys: BTreeMap<(String, String), KeyNorm>,
}

/// What is known of one key.
#[derive(Default)]
pub struct KeyNorm {
    /// Values where something else was wrong, and values that it was set to.
    pub healthy: Vec<String>,
    /// Values that had to be changed.
    pub faulty: Vec<String>,
    /// The middle of the logarithms of the healthy numbers.
    middle: Option<f64>,
    /// How far they are from it, usually.
    spread: f64,
}

impl Norms {
    /// Learns from remembered incidents.
    pub fn learn(all: &[Remembered]) -> Norms {
        let mut norms = Norms::default();
        for one in all {
            let wrong = wrong_settings(one);
            for (at, own) in one.seen.config.iter().enumerate() {
                for (key, value) in own.iter().flatten() {
                    let norm = norms.keys.entry((one.seen.role(at).to_string(), key.clone())).or_default();
                    match wrong.iter().any(|(service, of)| service == &one.seen.services[at] && of == key) {
                        true => norm.faulty.push(value.clone()),
                        false => norm.healthy.push(value.clone()),
                    }
                }
            }
        }
        norms.keys.values_mut().for_each(KeyNorm::measure);
        norms
    }

    /// What is known of a key.
    pub fn of(&self, service: &str, key: &str) -> Option<&KeyNorm> {
        self.keys.get(&(role(service).to_string(), key.to_string()))
    }

    /// How large a place is, as the logarithm of a factor: the middle of how far its numbers are from usual.
    pub fn size(&self, seen: &Seen) -> f64 {
        let mut all = Vec::new();
        for (at, own) in seen.config.iter().enumerate() {
            for (key, value) in own.iter().flatten() {
                all.extend(self.of(&seen.services[at], key).and_then(|norm| norm.offset(value)));
            }
        }
        middle(&mut all).unwrap_or(0.0)
    }
}

impl KeyNorm {
    fn measure(&mut self) {
        let mut logs: Vec<f64> = self.healthy.iter().filter_map(|v| log(v)).collect();
        self.middle = middle(&mut logs);
        let Some(at) = self.middle else { return };
        let mut far: Vec<f64> = logs.iter().map(|log| (log - at).abs()).collect();
        self.spread = middle(&mut far).unwrap_or(0.0).max(0.05);
    }

    /// How far a number is from the middle, as a logarithm.
    pub fn offset(&self, value: &str) -> Option<f64> {
        Some(log(value)? - self.middle?)
    }

    /// The same for a place of a size, in usual distances.
    pub fn oddness(&self, value: &str, size: f64) -> Option<f64> {
        Some((self.offset(value)? - size) / self.spread)
    }

    /// How likely a value is wrong rather than healthy, by how often either was seen near it: a logarithm of odds.
    pub fn odds(&self, value: &str, size: f64) -> f64 {
        let near = |of: &Vec<String>| {
            let close = |other: &&String| match (log(value), log(other)) {
                (Some(own), Some(other)) => (own - other).abs() < 0.2,
                _ => value == other.as_str(),
            };
            of.iter().filter(close).count() as f64
        };
        let told = (near(&self.faulty) + 0.02) / (near(&self.healthy) + 0.5);
        libm::log(told) + 0.2 * self.oddness(value, size).map_or(0.0, f64::abs).min(20.0)
    }

    /// A value that would be usual in a place of this size; for what is no number the most frequent one.
    pub fn usual(&self, size: f64, now: &str) -> Option<String> {
        if let (Some(middle), Some(_)) = (self.middle, log(now)) {
            return Some(format!("{:.0}", libm::exp(middle + size).max(1.0)));
        }
        let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
        self.healthy.iter().filter(|value| *value != now).for_each(|value| *votes.entry(value).or_default() += 1);
        votes.into_iter().max_by_key(|(_, count)| *count).map(|(value, _)| value.to_string())
    }
}

/// The settings that a remembered incident was about.
pub fn wrong_settings(one: &Remembered) -> Vec<(String, String)> {
    let of = |deed: &Deed| match deed {
        Deed::Set(service, key, _) => Some((service.clone(), key.clone())),
        Deed::Undo(id) => {
            let row = one.seen.rows.iter().find(|row| row.id == *id)?;
            Some((row.service.clone(), row.setting()?.0.to_string()))
        }
        Deed::Restart(_) => None,
    };
    one.deeds.iter().filter_map(of).collect()
}

/// The logarithm of a number; nothing of what is none.
fn log(value: &str) -> Option<f64> {
    value.parse::<f64>().ok().filter(|n| *n >= 0.0).map(|n| libm::log(n + 0.5))
}

fn middle(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn norm(healthy: &[&str], faulty: &[&str]) -> KeyNorm {
        let own = |values: &[&str]| values.iter().map(|v| v.to_string()).collect();
        let mut norm = KeyNorm { healthy: own(healthy), faulty: own(faulty), ..KeyNorm::default() };
        norm.measure();
        norm
    }

    #[test]
    fn what_was_wrong_before_is_odd_again() {
        let ttl = norm(&["300", "320", "300", "480"], &["5", "5"]);
        assert!(ttl.odds("5", 0.0) > 0.0 && ttl.odds("310", 0.0) < 0.0);
        assert_eq!(ttl.usual(0.0, "5").as_deref(), Some("320"));
        let switch = norm(&["true", "true", "false"], &["false"]);
        assert_eq!(switch.usual(0.0, "false").as_deref(), Some("true"));
    }
}
