//! Why an episode failed, in sentences: what a reader would otherwise put together from a dozen figures.

use record::grade::Score;
use record::{EndReason, StageScore};

use super::autopsy::Autopsy;
use super::wrong_turn::{Why, WrongTurn};
use crate::tables::guard::shown;

/// Why an episode is no success, in a few sentences; none of a success, nor of a question, whose verdict says it. What is
/// broken is not told, only what the agent did about it.
pub fn reasons(score: &Score, autopsy: Option<&Autopsy>) -> Vec<String> {
    if score.success || score.question.is_some() {
        return Vec::new();
    }
    let ended = ended(score);
    if !score.counts() {
        return vec![ended];
    }
    match &score.stages {
        Some(stages) => vec![diagnosis(stages).to_owned(), ended],
        None => {
            let turn = autopsy.and_then(|autopsy| autopsy.first_wrong_turn.as_ref());
            let turn = turn.and_then(|turn| wrong_turn(turn, score));
            [Some(ended), turn, Some(evidence(score, autopsy)), left_undone(score)].into_iter().flatten().collect()
        }
    }
}

fn ended(score: &Score) -> String {
    let word = score.ending.word.replace('_', " ");
    match score.end {
        EndReason::ProviderFailed => format!("Its provider failed ({word}), so it says nothing of the agent."),
        EndReason::Resolved if score.stages.is_some() => {
            "It said that the problem was solved, and the checks found that it was not.".to_owned()
        }
        EndReason::Resolved => {
            "It said that the incident was over, and after the verification window it was not.".to_owned()
        }
        EndReason::Escalated => format!("It handed over to another engineer at step {}.", score.steps),
        EndReason::BudgetSpent => format!("Its {} steps ran out.", score.budget),
        EndReason::GaveUp | EndReason::Answered => match &*score.ending.word {
            "crashed" | "timed_out" | "flooded" => {
                format!("The agent's program failed ({word}) after step {}.", score.steps)
            }
            _ => format!("It stopped after {} steps.", score.steps),
        },
    }
}

fn diagnosis(stages: &StageScore) -> &'static str {
    match stages.diagnosed {
        Some(true) => "Its diagnosis was right.",
        Some(false) => "Its diagnosis was wrong.",
        None => "It gave no diagnosis.",
    }
}

/// The first wrong turn; nothing if the ending says the same.
fn wrong_turn(turn: &WrongTurn, score: &Score) -> Option<String> {
    let WrongTurn { step, why, about } = turn;
    let about = shown(about);
    match why {
        Why::Invalid => {
            // What was wrong with it; the hints that follow were for the agent.
            let wrong = about.split("; ").next().unwrap_or_default();
            Some(format!("It first went wrong at step {step}, which was no valid action: {wrong}."))
        }
        Why::Distractor => {
            Some(format!("It first went wrong at step {step}: it changed {about}, which only looked guilty."))
        }
        Why::WrongFix => {
            Some(format!("It first went wrong at step {step}: it changed {about}, which brought the fix no nearer."))
        }
        Why::NothingNew => {
            Some(format!("It first went wrong at step {step}: it asked again for what it had seen ({about})."))
        }
        Why::Dithered => Some(format!("All evidence had been seen before step {step}, and it still looked on.")),
        Why::Premature if !score.root_cause_identified => {
            Some(format!("It took \u{201c}{about}\u{201d} for the cause, which is not right."))
        }
        Why::Premature | Why::Escalated => None,
    }
}

fn evidence(score: &Score, autopsy: Option<&Autopsy>) -> String {
    let Some(autopsy) = autopsy else {
        return format!("It saw {:.0} % of the evidence.", score.evidence_coverage * 100.0);
    };
    let (seen, all) = (autopsy.evidence_seen.len(), autopsy.evidence_seen.len() + autopsy.evidence_missed.len());
    match autopsy.first_evidence {
        None => "It saw no sign of the cause.".to_owned(),
        Some(first) => {
            let unused = if autopsy.evidence_unused { ", and acted on something else" } else { "" };
            format!("It saw {seen} of {all} signs of the cause, the first at step {}{unused}.", first.step)
        }
    }
}

/// What was nearly right.
fn left_undone(score: &Score) -> Option<String> {
    let text = match (score.root_cause_identified, score.correct_remediation) {
        (_, true) => "The right change was made and held, but that was not all: the checks say what was left.",
        (true, false) => "It named the cause, and did not make the change that ends it.",
        (false, false) => return None,
    };
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::category::Category;
    use super::super::tool_use::ToolUse;
    use super::*;
    use crate::analysis::Moment;

    fn failed() -> Score {
        Score { success: false, ..crate::stage::scores().remove(2) }
    }

    fn autopsy(turn: Option<WrongTurn>) -> Autopsy {
        Autopsy {
            agent: "a".into(),
            suite: "s".into(),
            task: "t".into(),
            family: "f".into(),
            service: "cache".into(),
            difficulty: "easy".into(),
            noise: 0,
            category: Category::WrongFix,
            first_wrong_turn: turn,
            first_evidence: Some(Moment { step: 2, minutes: 1.0 }),
            evidence_seen: vec!["one".into()],
            evidence_missed: vec!["two".into(), "three".into()],
            evidence_unused: true,
            wrong_fix: true,
            recovered: Some(false),
            tools: ToolUse::default(),
        }
    }

    fn check(score: &Score, turn: Option<WrongTurn>, expect: &str) {
        assert_eq!(reasons(score, Some(&autopsy(turn))).join(" "), expect);
    }

    #[test]
    fn a_failure_has_its_reasons_and_a_success_has_none() {
        let score =
            Score { end: EndReason::Resolved, root_cause_identified: false, correct_remediation: false, ..failed() };
        let turn = |why| Some(WrongTurn { step: 3, why, about: "cache".into() });
        check(
            &score,
            turn(Why::WrongFix),
            "It said that the incident was over, and after the verification window it was not. It first went wrong at step 3: it \
             changed cache, which brought the fix no nearer. It saw 1 of 3 signs of the cause, the first at step 2, and acted on \
             something else.",
        );
        check(
            &Score { end: EndReason::BudgetSpent, budget: 8, root_cause_identified: true, ..score.clone() },
            turn(Why::NothingNew),
            "Its 8 steps ran out. It first went wrong at step 3: it asked again for what it had seen (cache). It saw 1 of 3 signs \
             of the cause, the first at step 2, and acted on something else. It named the cause, and did not make the change \
             that ends it.",
        );
        assert!(reasons(&Score { success: true, ..score.clone() }, None).is_empty());
        let missing = Score { end: EndReason::ProviderFailed, ..score };
        assert_eq!(reasons(&missing, None).len(), 1, "a provider's failure says nothing of the agent");
    }

    #[test]
    fn a_stranger_stays_one_short_line() {
        let about = format!("x\n\u{202e}{}", "y".repeat(500));
        let score = Score { end: EndReason::Resolved, ..failed() };
        let said = reasons(&score, Some(&autopsy(Some(WrongTurn { step: 1, why: Why::WrongFix, about })))).join(" ");
        assert!(!said.contains('\n') && !said.contains('\u{202e}') && said.len() < 500, "{said}");
    }
}
