//! Alerting and recording rules: what a server evaluates on its own, every interval.

mod alerts;
mod annotations;
mod evaluate;
mod told;

pub use alerts::{ActiveAlert, AlertState};

use std::collections::BTreeMap;

use crate::labels::Labels;
use crate::promql::{Features, ParseError, PromqlExpr, parse};

/// Rules that are evaluated together, in order.
#[derive(Clone, Debug)]
pub struct RuleGroup {
    /// Its name.
    pub name: String,
    /// Where it was written.
    pub file: String,
    /// How often it runs, in milliseconds.
    pub interval: i64,
    /// The rules.
    pub rules: Vec<LoadedRule>,
    last_evaluation: Option<i64>,
}

impl RuleGroup {
    /// A group that was not evaluated yet.
    pub fn new(name: impl Into<String>, file: impl Into<String>, interval: i64, rules: Vec<LoadedRule>) -> Self {
        assert!(interval > 0, "a group runs every so many milliseconds");
        Self { name: name.into(), file: file.into(), interval, rules, last_evaluation: None }
    }
}

/// A rule with what it found last.
#[derive(Clone, Debug)]
pub struct LoadedRule {
    name: String,
    expr: PromqlExpr,
    labels: Labels,
    kind: RuleKind,
    last_error: Option<String>,
    last_evaluation: Option<i64>,
    /// The series that the last evaluation wrote, so that those that vanish get a marker.
    written: Vec<Labels>,
}

#[derive(Clone, Debug)]
enum RuleKind {
    Recording,
    Alerting {
        /// How long it must hold, in milliseconds.
        hold: i64,
        /// How long it goes on firing, in milliseconds.
        keep_firing: i64,
        annotations: BTreeMap<String, String>,
        active: BTreeMap<Labels, ActiveAlert>,
    },
}

impl LoadedRule {
    /// A rule that writes the value of an expression as a new series.
    pub fn recording(name: impl Into<String>, expr: &str, labels: Labels) -> Result<Self, ParseError> {
        Self::new(name.into(), expr, labels, RuleKind::Recording)
    }

    /// A rule that fires for each element of its expression that stays for `hold` milliseconds.
    pub fn alerting(
        name: impl Into<String>,
        expr: &str,
        hold: i64,
        keep_firing: i64,
        labels: Labels,
        annotations: BTreeMap<String, String>,
    ) -> Result<Self, ParseError> {
        let kind = RuleKind::Alerting { hold, keep_firing, annotations, active: BTreeMap::new() };
        Self::new(name.into(), expr, labels, kind)
    }

    fn new(name: String, expr: &str, labels: Labels, kind: RuleKind) -> Result<Self, ParseError> {
        let expr = parse(expr, Features::default())?;
        Ok(Self { name, expr, labels, kind, last_error: None, last_evaluation: None, written: Vec::new() })
    }

    /// Its name: of the alert or of the new series.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The alerts that are pending or firing; none of a recording rule.
    pub fn active(&self) -> impl Iterator<Item = &ActiveAlert> {
        let active = match &self.kind {
            RuleKind::Recording => None,
            RuleKind::Alerting { active, .. } => Some(active),
        };
        active.into_iter().flat_map(BTreeMap::values).filter(|a| a.state != AlertState::Resolved)
    }
}

/// All groups of a server.
#[derive(Clone, Debug, Default)]
pub struct RuleBook {
    /// The groups.
    pub groups: Vec<RuleGroup>,
}

impl RuleBook {
    /// All alerts that are pending or firing.
    pub fn active(&self) -> impl Iterator<Item = &ActiveAlert> {
        self.groups.iter().flat_map(|g| &g.rules).flat_map(LoadedRule::active)
    }
}
