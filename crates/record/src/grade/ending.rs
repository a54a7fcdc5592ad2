//! How an episode ended: whose doing it was, and one word for it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::model::ProviderFault;
use crate::{AgentFault, EndReason, Step};

/// How an episode ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ending {
    /// Whose doing it was.
    pub class: EndingClass,
    /// `resolved`, `escalated`, `budget`, `gave_up`, `unparsable`, `invalid_action` or the name of an
    /// [`AgentFault`] of an agent; the name of a [`ProviderFault`] of a provider.
    pub word: Cow<'static, str>,
}

/// Whose doing an ending was. What the harness itself could not play has no record and stands in
/// `failures.jsonl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndingClass {
    /// The agent's.
    Agent,
    /// Its provider's: the episode is missing data.
    Provider,
}

impl Ending {
    pub(super) fn of(
        end: EndReason,
        cause: Option<ProviderFault>,
        fault: Option<AgentFault>,
        steps: &[&Step],
    ) -> Ending {
        let word = match end {
            EndReason::ProviderFailed => {
                let word = cause.map_or("unknown", ProviderFault::name);
                return Ending { class: EndingClass::Provider, word: word.into() };
            }
            EndReason::Resolved => "resolved",
            EndReason::Answered => "answered",
            EndReason::Escalated => "escalated",
            EndReason::BudgetSpent => fumbled(steps).unwrap_or("budget"),
            EndReason::GaveUp => fault.map(AgentFault::name).or(fumbled(steps)).unwrap_or("gave_up"),
        };
        Ending { class: EndingClass::Agent, word: word.into() }
    }
}

/// The word for an episode in which at least half of the steps were no valid action.
fn fumbled(steps: &[&Step]) -> Option<&'static str> {
    let invalid = steps.iter().filter(|step| step.invalid.is_some()).count();
    let unparsable = steps.iter().filter(|step| step.model.as_ref().is_some_and(|turn| turn.unparsable)).count();
    let most = invalid > 0 && 2 * invalid >= steps.len();
    most.then_some(if 2 * unparsable >= invalid { "unparsable" } else { "invalid_action" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelTurn;

    #[test]
    fn the_word_says_what_stopped_it() {
        use EndReason::{BudgetSpent, Escalated, GaveUp, ProviderFailed, Resolved};
        // Steps in short: `.` is valid, `x` invalid, `?` without any action in it.
        let check_with = |end, cause, fault, steps: &str, expect: &str| {
            let step = |c| Step {
                invalid: (c != '.').then(|| "no".to_string()),
                model: Some(ModelTurn { unparsable: c == '?', ..ModelTurn::default() }),
                ..Step::default()
            };
            let steps: Vec<Step> = steps.chars().map(step).collect();
            let found = Ending::of(end, cause, fault, &steps.iter().collect::<Vec<_>>());
            assert_eq!(found.word, expect, "{end:?} {steps:?}");
            assert_eq!(found.class == EndingClass::Provider, end == ProviderFailed);
        };
        let check = |end, cause, steps: &str, expect: &str| check_with(end, cause, None, steps, expect);
        check_with(GaveUp, None, Some(AgentFault::TimedOut), "..", "timed_out");
        check_with(GaveUp, None, Some(AgentFault::Crashed), "xx", "crashed");
        check_with(GaveUp, None, Some(AgentFault::Flooded), "", "flooded");
        check(Resolved, None, "xx.", "resolved");
        check(Escalated, None, ".", "escalated");
        check(BudgetSpent, None, "...x", "budget");
        check(BudgetSpent, None, "..xx", "invalid_action");
        check(BudgetSpent, None, "..x?", "unparsable");
        check(GaveUp, None, "", "gave_up");
        check(GaveUp, None, "??", "unparsable");
        check(ProviderFailed, Some(ProviderFault::Timeout), "..", "timeout");
        check(ProviderFailed, None, "..", "unknown");
    }
}
