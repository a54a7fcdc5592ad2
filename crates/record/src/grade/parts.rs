//! The score, taken apart: five parts that are earned, and penalties in hundredths.

use serde::{Deserialize, Serialize};

const EVIDENCE: f64 = 0.20;
const ROOT_CAUSE: f64 = 0.25;
const REMEDIATION: f64 = 0.25;
const RESOLUTION: f64 = 0.20;
const EFFICIENCY: f64 = 0.10;

/// The raw score, part by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parts {
    /// Share of the evidence that was seen.
    pub coverage: f64,
    /// Whether the diagnosis was right.
    pub root_cause: bool,
    /// Whether the fix holds through the agent's doing.
    pub remediation: bool,
    /// Whether the agent resolved the incident and it was over.
    pub resolution: bool,
    /// Share of the budget left at a success, else 0.
    pub efficiency: f64,
    /// All penalties, in hundredths.
    pub penalty: u32,
}

impl Parts {
    /// The unclipped score.
    pub fn raw(&self) -> f64 {
        let earned = |part: bool, worth: f64| if part { worth } else { 0.0 };
        EVIDENCE * self.coverage
            + earned(self.root_cause, ROOT_CAUSE)
            + earned(self.remediation, REMEDIATION)
            + earned(self.resolution, RESOLUTION)
            + EFFICIENCY * self.efficiency
            - f64::from(self.penalty) / 100.0
    }
}
