//! The first step that took an episode off the way to its fix.

use std::fmt;

use record::grade::{Score, Scorer};
use record::{EndReason, Header, Step, Touch};
use serde::{Deserialize, Serialize};

/// What a wrong change costs, in hundredths of the reward: less is charged for lesser things.
const WRONG_CHANGE: u32 = 15;

/// A wrong turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongTurn {
    /// The step, from 1.
    pub step: u32,
    /// What was wrong with it.
    pub why: Why,
    /// What it was about: the service, the setting or the text.
    pub about: String,
}

/// What was wrong with a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It was no valid action.
    Invalid,
    /// It changed something on a service that was made to look guilty.
    Distractor,
    /// It changed something that brought the fix no nearer.
    WrongFix,
    /// It asked again for what had been seen and did not change.
    NothingNew,
    /// It said that the incident was over while it was not.
    Premature,
    /// It handed over to another engineer.
    Escalated,
    /// All evidence had been seen, and it still looked on; the steps ran out.
    Dithered,
}

impl Why {
    /// All of them, in order.
    pub const ALL: [Why; 7] =
        [Why::Invalid, Why::Distractor, Why::WrongFix, Why::NothingNew, Why::Premature, Why::Escalated, Why::Dithered];

    /// Its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Why::Invalid => "invalid",
            Why::Distractor => "distractor",
            Why::WrongFix => "wrong_fix",
            Why::NothingNew => "nothing_new",
            Why::Premature => "premature",
            Why::Escalated => "escalated",
            Why::Dithered => "dithered",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The first wrong turn of an episode: the first step that the grader charges for, or the one that ended
/// it wrongly. `None` if there was none, or if the provider failed before.
pub(super) fn first_wrong_turn(header: &Header, steps: &[&Step], score: &Score) -> Option<WrongTurn> {
    let mut grader = Scorer::new(&header.task);
    let mut covered_at = None;
    for (at, step) in steps.iter().enumerate() {
        let before = grader.parts().penalty;
        grader.feed(step);
        let charged = grader.parts().penalty - before;
        // The last word is the verification's: a wrong value that ended the incident was right after all.
        let forgiven = charged >= WRONG_CHANGE && score.wrong_remediations == 0;
        if charged > 0 && !forgiven {
            return Some(turn(header, step, charged));
        }
        if grader.parts().coverage >= 1.0 {
            covered_at.get_or_insert(at);
        }
    }
    let last = steps.last()?;
    match score.end {
        EndReason::Resolved if !score.success => Some(last_turn(last, Why::Premature, "root_cause")),
        EndReason::Escalated => Some(last_turn(last, Why::Escalated, "reason")),
        EndReason::BudgetSpent if !score.correct_remediation => {
            let next = steps.get(covered_at? + 1)?;
            Some(WrongTurn { step: next.index, why: Why::Dithered, about: next.text.clone() })
        }
        _ => None,
    }
}

fn turn(header: &Header, step: &Step, charged: u32) -> WrongTurn {
    let on: Vec<&str> = step.touched.iter().map(Touch::target).collect();
    let distracted = header.task.distractors.iter().any(|service| on.iter().any(|name| *name == service));
    let (why, about) = match &step.invalid {
        Some(problem) => (Why::Invalid, problem.clone()),
        None if charged < WRONG_CHANGE => (Why::NothingNew, step.text.clone()),
        None if distracted => (Why::Distractor, on.join(", ")),
        None => (Why::WrongFix, on.join(", ")),
    };
    WrongTurn { step: step.index, why, about }
}

fn last_turn(step: &Step, why: Why, arg: &str) -> WrongTurn {
    WrongTurn { step: step.index, why, about: step.args.get(arg).cloned().unwrap_or_default() }
}
