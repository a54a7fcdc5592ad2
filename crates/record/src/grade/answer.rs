//! The score of a question: right or not, our points, and how the reply could be read. Figures that only an incident
//! has stay at nothing.

use super::ending::{Ending, EndingClass};
use super::failure::FailureMode;
use super::more::NamedFigures;
use super::reward::Scorer;
use super::score::{EpisodeStory, Score};
use crate::EndReason;
use crate::question::{QuestionVerdict, ReplyReading};

impl EpisodeStory<'_> {
    /// Grades a question by its sealed verdict. One that was not replied to has none.
    pub(super) fn question_score(&self) -> Score {
        let unfed = self.score(&Scorer::new(&self.header.task));
        let Some(verdict) = self.seal.question.clone().filter(|_| self.end == EndReason::Answered) else {
            let question = Some(Box::new(QuestionVerdict::missing()));
            return Score { steps: self.steps.len() as u32, more: NamedFigures::default(), question, ..unfed };
        };
        Score {
            ending: Ending { class: EndingClass::Agent, word: verdict.reading.name().into() },
            failure_mode: failure_mode(&verdict),
            success: verdict.correct,
            reward: verdict.score,
            steps: self.steps.len() as u32,
            invalid_actions: u32::from(verdict.reading == ReplyReading::Unparsed),
            more: NamedFigures::default(),
            question: Some(Box::new(verdict)),
            ..unfed
        }
    }
}

fn failure_mode(verdict: &QuestionVerdict) -> FailureMode {
    match verdict.reading {
        _ if verdict.correct => FailureMode::Success,
        ReplyReading::Unparsed => FailureMode::InvalidAction,
        _ => FailureMode::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::QuestionCard;
    use crate::{Event, Header, Seal, Step, TaskCard};

    fn score(verdict: Option<(ReplyReading, bool)>, end: EndReason) -> Score {
        let task = TaskCard {
            id: "q1".into(),
            family: "gmcq-easy".into(),
            steps: 1,
            question: Some(QuestionCard::default()),
            ..TaskCard::default()
        };
        let verdict = verdict.map(|(reading, correct)| QuestionVerdict {
            reading,
            correct,
            score: f64::from(u8::from(correct)),
            ..QuestionVerdict::missing()
        });
        let mut events = vec![Event::Started(Box::new(Header { task, ..Header::default() }))];
        events.extend(verdict.iter().map(|_| Event::Stepped(Box::new(Step { index: 1, ..Step::default() }))));
        events.push(Event::Ended { time: 0, reason: end, cause: None, fault: None });
        events.push(Event::Sealed(Box::new(Seal { question: verdict, ..Seal::default() })));
        Score::of(&events).expect("a whole record")
    }

    #[test]
    fn a_reply_is_right_wrong_or_told_apart() {
        let check = |verdict, end, expect: (bool, f64, &str, FailureMode, u32)| {
            let found = score(verdict, end);
            let shown =
                (found.success, found.reward, found.ending.word.as_ref(), found.failure_mode, found.invalid_actions);
            assert_eq!(shown, expect);
            assert_eq!((found.impact, found.evidence_coverage, found.premature_resolution), (0.0, 0.0, false));
            assert_eq!((found.harm_avoided, found.minutes_to_resolution, found.recovery), (None, None, None));
        };
        use FailureMode::{InvalidAction, Other, ProviderError, Success};
        use ReplyReading::{Answered, Refused, Truncated, Unparsed};
        let end = EndReason::Answered;
        check(Some((Answered, true)), end, (true, 1.0, "answered", Success, 0));
        check(Some((Answered, false)), end, (false, 0.0, "answered", Other, 0));
        check(Some((Unparsed, false)), end, (false, 0.0, "unparsed", InvalidAction, 1));
        check(Some((Refused, false)), end, (false, 0.0, "refused", Other, 0));
        check(Some((Truncated, false)), end, (false, 0.0, "truncated", Other, 0));
        check(None, EndReason::GaveUp, (false, 0.0, "gave_up", Other, 0));
        check(None, EndReason::ProviderFailed, (false, 0.0, "unknown", ProviderError, 0));
    }
}
