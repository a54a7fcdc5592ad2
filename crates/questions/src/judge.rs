//! What a judge would be asked, for the families that were published with one.
//!
//! No judge is called here. Any provider may answer; which one did belongs into the record, and the score stays beside
//! ours, never in its place.

use serde::{Deserialize, Serialize};

use crate::{Expected, Question, QuestionPrompt, Skill};

/// A question to a judge, and the scale that its number is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeRequest {
    /// What the judge is shown.
    pub prompt: QuestionPrompt,
    /// The best mark: 10 for likeness, 1 for a yes.
    pub top: u32,
    /// Whether a high mark is a bad one. The published hallucination figure is a rate: high is bad.
    pub high_is_bad: bool,
}

impl Question {
    /// What to ask a judge about a reply; none for families that need none.
    pub fn judge_request(&self, reply: &str) -> Option<JudgeRequest> {
        let reference = match &self.expected {
            Expected::Region(region) => region.lines.join("\n"),
            Expected::Account(account) => account.reference.clone(),
            Expected::Choice(_) | Expected::Places(_) => return None,
        };
        let extra = self.skill == Skill::ReverseGrounded;
        let system = if extra {
            "Compare the text with the change. Answer 1 if the text claims anything that the change does not show, else 0. \
             Answer with the number alone."
        } else {
            "Compare the answer with the reference. Answer with a whole number from 0 (unlike) to 10 (the same in meaning), \
             and nothing else."
        };
        let reference = if extra || reference.is_empty() { self.text.clone() } else { reference };
        let user = format!("Reference:\n{}\n\nAnswer:\n{}\n", reference.trim_end(), reply.trim_end());
        let prompt = QuestionPrompt { system: system.into(), user };
        Some(JudgeRequest { prompt, top: if extra { 1 } else { 10 }, high_is_bad: extra })
    }
}

impl JudgeRequest {
    /// The judge's mark as a share from 0 to 1 where 1 is good; none if there is no mark in the reply.
    pub fn points(&self, reply: &str) -> Option<f64> {
        let digits = reply.split(|c: char| !c.is_ascii_digit());
        let mark: u32 = digits.filter(|piece| !piece.is_empty()).find_map(|piece| piece.parse().ok())?;
        let share = f64::from(mark) / f64::from(self.top);
        (share <= 1.0).then_some(if self.high_is_bad { 1.0 - share } else { share })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read() {
        let prompt = QuestionPrompt { system: String::new(), user: String::new() };
        let judge = JudgeRequest { prompt, top: 10, high_is_bad: false };
        let check = |reply, expected| assert_eq!(judge.points(reply), expected, "{reply}");
        check("7", Some(0.7));
        check("Score: 10/10", Some(1.0));
        check("eleven", None);
        check("11", None);
        let inverted = JudgeRequest { top: 1, high_is_bad: true, ..judge };
        assert_eq!(inverted.points("1"), Some(0.0));
    }
}
