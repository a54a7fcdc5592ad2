//! How an episode failed, in one word.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::EndReason;

/// The one thing that best says how an episode went, in the order in which they are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureMode {
    /// Resolved, and it was over.
    Success,
    /// The agent's provider failed; no failure of the agent.
    #[serde(rename = "agent_provider_error")]
    ProviderError,
    /// Something was changed that brought the fix no nearer.
    WrongRemediation,
    /// Resolved while it was not over.
    PrematureResolution,
    /// No step was left.
    StepBudgetExhausted,
    /// At least half of the steps were no valid action.
    InvalidAction,
    /// Escalated, gave up, and the like.
    Other,
}

/// What the choice depends on.
pub(super) struct FailureSigns {
    pub end: EndReason,
    pub success: bool,
    pub wrong: bool,
    pub steps: u32,
    pub invalid: u32,
}

impl FailureMode {
    /// All of them, in order.
    pub const ALL: [FailureMode; 7] = [
        FailureMode::Success,
        FailureMode::ProviderError,
        FailureMode::WrongRemediation,
        FailureMode::PrematureResolution,
        FailureMode::StepBudgetExhausted,
        FailureMode::InvalidAction,
        FailureMode::Other,
    ];

    /// Its name in summaries.
    pub fn name(self) -> &'static str {
        match self {
            FailureMode::Success => "success",
            FailureMode::ProviderError => "agent_provider_error",
            FailureMode::WrongRemediation => "wrong_remediation",
            FailureMode::PrematureResolution => "premature_resolution",
            FailureMode::StepBudgetExhausted => "step_budget_exhausted",
            FailureMode::InvalidAction => "invalid_action",
            FailureMode::Other => "other",
        }
    }

    pub(super) fn of(signs: &FailureSigns) -> FailureMode {
        match signs.end {
            EndReason::ProviderFailed => FailureMode::ProviderError,
            _ if signs.success => FailureMode::Success,
            _ if signs.wrong => FailureMode::WrongRemediation,
            EndReason::Resolved => FailureMode::PrematureResolution,
            // Out of steps because most were not understood is a failure of its own kind.
            _ if signs.steps > 0 && 2 * signs.invalid >= signs.steps => FailureMode::InvalidAction,
            EndReason::BudgetSpent => FailureMode::StepBudgetExhausted,
            EndReason::Escalated | EndReason::GaveUp | EndReason::Answered => FailureMode::Other,
        }
    }
}

impl fmt::Display for FailureMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_fits_is_taken() {
        use EndReason::{BudgetSpent, Escalated, GaveUp, ProviderFailed, Resolved};
        let cases = [
            (Resolved, true, true, 5, 1, FailureMode::Success),
            (ProviderFailed, false, true, 5, 5, FailureMode::ProviderError),
            (Resolved, false, true, 5, 0, FailureMode::WrongRemediation),
            (BudgetSpent, false, true, 8, 8, FailureMode::WrongRemediation),
            (Resolved, false, false, 5, 0, FailureMode::PrematureResolution),
            (BudgetSpent, false, false, 8, 3, FailureMode::StepBudgetExhausted),
            (BudgetSpent, false, false, 8, 4, FailureMode::InvalidAction),
            (Escalated, false, false, 2, 0, FailureMode::Other),
            (GaveUp, false, false, 0, 0, FailureMode::Other),
        ];
        for (end, success, wrong, steps, invalid, expect) in cases {
            let signs = FailureSigns { end, success, wrong, steps, invalid };
            assert_eq!(FailureMode::of(&signs), expect, "{end:?} {success} {wrong} {steps} {invalid}");
        }
    }
}
