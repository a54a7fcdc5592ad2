//! A task file as it is written, before anything in it is believed.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Value;

use crate::record::Fix;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub id: String,
    pub title: String,
    pub difficulty: super::Difficulty,
    pub split: super::Split,
    #[serde(default)]
    pub suites: Vec<String>,
    pub steps: u32,
    #[serde(default)]
    pub noise: u8,
    #[serde(default)]
    pub tools: faces::ToolSet,
    pub measured: Option<crate::task::Figures>,
    #[serde(default)]
    pub world: WorldPart,
    pub fault: Vec<BTreeMap<String, Value>>,
    #[serde(default)]
    pub decoy: Vec<DecoyPart>,
    #[serde(default)]
    pub responder: Vec<ResponderPart>,
    pub diagnosis: DiagnosisPart,
    pub grading: GradingPart,
    pub solution: SolutionPart,
}

/// How the world differs from the one it is based on.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorldPart {
    pub base: Option<String>,
    pub spec: Option<world::Spec>,
    #[serde(default)]
    pub load: BTreeMap<String, f64>,
    #[serde(default)]
    pub enlarge: BTreeMap<String, f64>,
    #[serde(default)]
    pub config: BTreeMap<String, Value>,
    #[serde(default)]
    pub params: BTreeMap<String, f64>,
    #[serde(default)]
    pub tickets: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DecoyPart {
    pub service: String,
    pub minutes_before: u64,
    pub author: String,
    pub summary: String,
}

/// What an earlier responder did about the incident, and should not have done.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResponderPart {
    pub service: String,
    pub key: Option<String>,
    pub value: Option<Value>,
    #[serde(default)]
    pub restart: bool,
    pub minutes_after_onset: u64,
    pub author: Option<String>,
    pub summary: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DiagnosisPart {
    pub component: String,
    pub concepts: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GradingPart {
    pub evidence: Vec<String>,
    /// Left out, it is what the faults say.
    #[serde(default)]
    pub fix: Vec<Fix>,
    #[serde(default)]
    pub distractors: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SolutionPart {
    pub calls: Vec<String>,
}

/// A string, number or truth value as text; nothing else is one value.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(n) => Some(n.to_string()),
        Value::Float(n) => Some(n.to_string()),
        Value::Boolean(b) => Some(b.to_string()),
        _ => None,
    }
}
