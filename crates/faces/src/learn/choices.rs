//! What can be picked, for parameters that several tools share.

use world::config::KeyType;

use super::{Choices, KnownToLearner, Vocabulary};

/// There is nothing to pick.
pub const NO_CHOICE: &dyn Choices = &Always("");
/// One of the metrics that were shown.
pub const METRICS: &dyn Choices = &Metrics;
/// One of the settings that were shown, and a way to change it.
pub const SETTINGS: &dyn Choices = &Settings;
/// One of the latest changes that were shown.
pub const SHOWN_CHANGE: &dyn Choices = &Latest { what: "change", latest_first: true };
/// One of the latest alerts that were shown.
pub const SHOWN_ALERT: &dyn Choices = &Latest { what: "alert", latest_first: true };
/// One of the first routes that were shown.
pub const SHOWN_ROUTE: &dyn Choices = &Latest { what: "route", latest_first: false };

/// The same arguments every time.
pub struct Always(pub &'static str);

impl Choices for Always {
    fn names(&self, _: &Vocabulary) -> Vec<String> {
        vec![String::new()]
    }

    fn args(&self, _: usize, _: usize, _: &dyn KnownToLearner) -> String {
        self.0.to_string()
    }
}

/// One of a few.
pub struct OneOf {
    /// What they are.
    pub what: &'static str,
    /// Which there are.
    pub of: &'static [&'static str],
}

impl Choices for OneOf {
    fn names(&self, _: &Vocabulary) -> Vec<String> {
        self.of.iter().map(ToString::to_string).collect()
    }

    fn args(&self, _: usize, choice: usize, _: &dyn KnownToLearner) -> String {
        self.of.get(choice).map_or_else(|| format!("no_such_{}", self.what), ToString::to_string)
    }
}

/// How many of the names that were shown can be picked.
const SHOWN: usize = 8;

struct Latest {
    what: &'static str,
    latest_first: bool,
}

impl Choices for Latest {
    fn names(&self, _: &Vocabulary) -> Vec<String> {
        (0..SHOWN).map(|n| format!("{} {n}", self.what)).collect()
    }

    fn args(&self, _: usize, choice: usize, known: &dyn KnownToLearner) -> String {
        let shown = known.shown(self.what);
        let found = if self.latest_first { shown.iter().rev().nth(choice) } else { shown.get(choice) };
        found.cloned().unwrap_or_else(|| format!("{}_{choice}", self.what))
    }

    fn mark(&self, _: usize, known: &dyn KnownToLearner, out: &mut [u8]) {
        let count = known.shown(self.what).len().min(out.len());
        out[..count].fill(1);
    }

    fn opens(&self) -> bool {
        true
    }
}

struct Metrics;

impl Choices for Metrics {
    fn names(&self, all: &Vocabulary) -> Vec<String> {
        all.metrics.iter().map(ToString::to_string).collect()
    }

    fn args(&self, _: usize, choice: usize, known: &dyn KnownToLearner) -> String {
        known.vocabulary().metrics.get(choice).unwrap_or(&"no_such_metric").to_string()
    }

    fn mark(&self, service: usize, known: &dyn KnownToLearner, out: &mut [u8]) {
        out.fill(0);
        out.iter_mut().zip(known.metrics(service)).for_each(|(cell, shown)| *cell = *shown);
    }

    fn opens(&self) -> bool {
        true
    }
}

/// Ways to give a setting another value. A learner picks a direction, not a number.
const WAYS: [&str; 6] = ["default", "half", "double", "tenth", "tenfold", "toggle"];

struct Settings;

impl Choices for Settings {
    fn names(&self, all: &Vocabulary) -> Vec<String> {
        all.keys.iter().flat_map(|key| WAYS.map(|way| format!("{key} {way}"))).collect()
    }

    fn args(&self, service: usize, choice: usize, known: &dyn KnownToLearner) -> String {
        let (at, way) = (choice / WAYS.len(), choice % WAYS.len());
        let key = known.vocabulary().keys.get(at).copied().unwrap_or("NO_SUCH_KEY");
        let shown = known.settings(service).iter().find(|shown| shown.key == key);
        let value = shown.and_then(|shown| changed(known, service, key, &shown.value, way));
        format!("{key}, {}", value.unwrap_or_else(|| WAYS[way].to_string()))
    }

    fn mark(&self, service: usize, known: &dyn KnownToLearner, out: &mut [u8]) {
        for shown in known.settings(service) {
            let takes = known.key(service, shown.key).map(|key| key.takes);
            let ways = &mut out[shown.rank * WAYS.len()..(shown.rank + 1) * WAYS.len()];
            ways.iter_mut().zip(WAYS).for_each(|(cell, way)| *cell = u8::from(takes.is_some_and(|t| fits(way, t))));
        }
    }

    fn opens(&self) -> bool {
        true
    }
}

/// Whether a setting of this type can be changed in this way.
fn fits(way: &str, takes: KeyType) -> bool {
    match takes {
        KeyType::Int { .. } => way != "toggle",
        KeyType::Bool => way == "toggle" || way == "default",
        KeyType::Path | KeyType::Host => way == "default",
    }
}

/// The value that a setting gets, if there is such a way to change it.
fn changed(known: &dyn KnownToLearner, service: usize, key: &str, value: &str, way: usize) -> Option<String> {
    let key = known.key(service, key).filter(|key| fits(WAYS[way], key.takes))?;
    match (WAYS[way], key.takes) {
        ("default", _) => Some(key.default.to_string()),
        ("toggle", KeyType::Bool) => Some(if value == "true" { "false" } else { "true" }.to_string()),
        (_, KeyType::Int { min, max, .. }) => {
            let value: i64 = value.parse().ok()?;
            let scaled = match WAYS[way] {
                "half" => value / 2,
                "double" => value.saturating_mul(2),
                "tenth" => value / 10,
                "tenfold" => value.saturating_mul(10),
                _ => return None,
            };
            Some(scaled.clamp(min, max).to_string())
        }
        _ => None,
    }
}
