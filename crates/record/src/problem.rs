//! What a record says of a problem in a cluster: where it stands among others, and what came of its stages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a task's card says beside the family, if the task is a problem in a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemCard {
    /// The version of setting and grading problems.
    pub version: u32,
    /// Where the defect is.
    pub layer: String,
    /// How the failure comes about.
    pub mode: String,
    /// The applications that run.
    pub applications: Vec<String>,
    /// When it was set up, if it was played by clients with a clock of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveTimes>,
}

/// When a problem was set up for clients with a clock of their own, in microseconds since 1970: with these it can be set up
/// again to the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveTimes {
    /// When the applications were deployed.
    pub start: i64,
    /// When the fault began.
    pub fault: i64,
}

/// What came of the stages of a problem.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageVerdict {
    /// The diagnosis; `None` if none was submitted or that stage was switched off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<SubmittedDiagnosis>,
    /// When the agent said that it is done, in milliseconds of world time; `None` if it never did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<u64>,
    /// Steps until the diagnosis, and from there to the end.
    pub steps: (u32, u32),
}

/// A diagnosis, graded when it was submitted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubmittedDiagnosis {
    /// When, in milliseconds of world time.
    pub time: u64,
    /// What it says.
    pub text: String,
    /// The structured answer as it was given; empty if there was none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// Whether the structured answer is right; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<bool>,
    /// Whether it is right by its words.
    pub words: bool,
}

impl SubmittedDiagnosis {
    /// Whether it counts as right: by the structured answer where there is one, else by its words.
    pub fn is_right(&self) -> bool {
        self.structured.unwrap_or(self.words)
    }
}

/// The stages of a problem as a score keeps them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageScore {
    /// Where the defect is.
    pub layer: String,
    /// How the failure comes about.
    pub mode: String,
    /// Whether the diagnosis was right; `None` without one.
    pub diagnosed: Option<bool>,
    /// Whether it was mitigated when the agent said so.
    pub mitigated: bool,
    /// Simulated minutes from the page to the diagnosis.
    pub minutes_to_diagnosis: Option<f64>,
    /// Simulated minutes from the page to a mitigation that held.
    pub minutes_to_mitigation: Option<f64>,
    /// Steps until the diagnosis, and from there to the end.
    pub steps: (u32, u32),
    /// The applications that run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applications: Vec<String>,
    /// How often each kind of tool was used: `kubectl get`, `promql`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub uses: BTreeMap<String, u32>,
}
