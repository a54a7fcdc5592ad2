//! How to sample. Part of every record: results are comparable only at the same settings.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Settings of a model. What is `None` is left to the provider and is not sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sampling {
    /// Randomness, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// The longest answer, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// A seed, where the provider takes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How hard a reasoning model should think.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// How many tokens it may think, for models that take a number in place of a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_tokens: Option<u32>,
    /// Whether reasoning is left out of the reply (it is still done, and paid).
    #[serde(skip_serializing_if = "is_false")]
    pub exclude_reasoning: bool,
    /// Whether the model is told not to reason at all.
    #[serde(skip_serializing_if = "is_false")]
    pub no_think: bool,
    /// Further fields of the request's body, as the provider names them; they win over ours.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Value>,
}

/// How hard a reasoning model should think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Hardly.
    Minimal,
    /// A little.
    Low,
    /// As usual.
    Medium,
    /// Hard.
    High,
    /// Harder.
    XHigh,
    /// As hard as it can.
    Max,
}

impl Effort {
    /// All, from the least.
    pub const ALL: &'static [Effort] =
        &[Effort::Minimal, Effort::Low, Effort::Medium, Effort::High, Effort::XHigh, Effort::Max];

    /// The word that providers take.
    pub fn word(self) -> &'static str {
        match self {
            Effort::Minimal => "minimal",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::XHigh => "xhigh",
            Effort::Max => "max",
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Effort {
    type Err = String;

    fn from_str(text: &str) -> Result<Effort, String> {
        let found = Effort::ALL.iter().copied().find(|e| e.word().eq_ignore_ascii_case(text.trim()));
        let words = || Effort::ALL.iter().map(|e| e.word()).collect::<Vec<_>>().join(", ");
        found.ok_or_else(|| format!("there is no effort `{text}`; there are {}", words()))
    }
}

impl Sampling {
    /// The settings that are given, by name: what a record keeps.
    pub fn to_map(&self) -> BTreeMap<String, Value> {
        match serde_json::to_value(self).expect("settings are plain data") {
            Value::Object(fields) => fields.into_iter().collect(),
            _ => BTreeMap::new(),
        }
    }

    /// Refuses numbers that no provider takes: they would be sent as nothing at all.
    pub(crate) fn check(&self) -> Result<(), String> {
        let outside = |given: Option<f64>, most: f64| given.is_some_and(|n| !(0.0..=most).contains(&n));
        match () {
            () if outside(self.temperature, 10.0) => Err("the temperature is a number from 0 up, such as 0.7".into()),
            () if outside(self.top_p, 1.0) => Err("top_p is a number from 0 to 1".into()),
            () => Ok(()),
        }
    }

    /// These settings, and those of `usual` where these say nothing.
    pub fn or(self, usual: &Sampling) -> Sampling {
        let mut extra = usual.extra.clone();
        extra.extend(self.extra);
        Sampling {
            temperature: self.temperature.or(usual.temperature),
            top_p: self.top_p.or(usual.top_p),
            max_tokens: self.max_tokens.or(usual.max_tokens),
            seed: self.seed.or(usual.seed),
            effort: self.effort.or(usual.effort),
            thinking_tokens: self.thinking_tokens.or(usual.thinking_tokens),
            exclude_reasoning: self.exclude_reasoning || usual.exclude_reasoning,
            no_think: self.no_think || usual.no_think,
            extra,
        }
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}
