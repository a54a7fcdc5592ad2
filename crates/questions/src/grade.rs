//! What a reply is worth: by the published scoring, and by ours beside it.

use serde::{Deserialize, Serialize};

use crate::reading::{self, ChoiceReading};
use crate::reply::{AnswerReading, ModelReply};
use crate::{ChoiceSet, Expected, Question};

/// What the published scoring says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublishedScore {
    /// From 0 to 1. A reply that its splitter cannot read is 0, as published.
    Points(f64),
    /// A judge scores this family: see [`Question::judge_request`].
    NeedsJudge,
    /// The published benchmark does not have this family.
    Unknown,
}

/// A reply, read and graded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionOutcome {
    /// Whether an answer could be read.
    pub reading: AnswerReading,
    /// The answer as it was understood: a letter as shown, the lines under the mask, the files.
    pub answer: String,
    /// The option chosen, in the set's own order: the same under every permutation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<usize>,
    /// Whether it is right as a whole.
    pub correct: bool,
    /// Our score from 0 to 1, with credit for parts where a family has parts.
    pub score: f64,
    /// The published scoring.
    pub published: PublishedScore,
    /// What is claimed but not shown by the change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfounded: Vec<String>,
    /// What the chosen option breaks, or what is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl Question {
    /// Reads a reply to the prompt of the same seed and grades it.
    pub fn grade<'a>(&self, reply: impl Into<ModelReply<'a>>, seed: u64) -> QuestionOutcome {
        let reply = reply.into();
        let mut outcome = match &self.expected {
            Expected::Choice(choice) => self.grade_choice(choice, reply, seed),
            Expected::Region(region) => region.grade(reply),
            Expected::Account(account) => account.grade(reply, &self.text, self.skill),
            Expected::Places(places) => places.grade(reply),
        };
        if outcome.reading != AnswerReading::Answered {
            (outcome.correct, outcome.score) = (false, 0.0);
        }
        outcome
    }

    fn grade_choice(&self, choice: &ChoiceSet, reply: ModelReply, seed: u64) -> QuestionOutcome {
        let order = self.order(seed);
        let shown: Vec<&str> = order.iter().map(|option| choice.options[*option].as_str()).collect();
        let published = self.published_choice(choice, &order, reply.text);
        let place = match reading::choice(reply, &shown) {
            ChoiceReading::Place(place) => place,
            ChoiceReading::None(reading) => return QuestionOutcome::unanswered(reading, published),
        };
        let option = order[place];
        let correct = option == choice.key;
        let broken = choice.breaks.get(option).filter(|words| !words.is_empty());
        QuestionOutcome {
            answer: crate::ask::letter(place).into(),
            chosen: Some(option),
            correct,
            score: f64::from(correct),
            remarks: broken.cloned().into_iter().collect(),
            ..QuestionOutcome::answered(published)
        }
    }

    fn published_choice(&self, choice: &ChoiceSet, order: &[usize], reply: &str) -> PublishedScore {
        use crate::Skill::{GmcqEasy, GmcqHard};
        if !(matches!(self.skill, GmcqEasy | GmcqHard) || self.skill.is_terraform()) {
            return PublishedScore::Unknown;
        }
        let place = reading::published::letter(reply).map(|letter| (letter as u8 - b'A') as usize);
        let right = place.and_then(|place| order.get(place)) == Some(&choice.key);
        PublishedScore::Points(f64::from(right))
    }
}

impl QuestionOutcome {
    pub(crate) fn unanswered(reading: AnswerReading, published: PublishedScore) -> Self {
        QuestionOutcome { reading, ..Self::answered(published) }
    }

    pub(crate) fn answered(published: PublishedScore) -> Self {
        QuestionOutcome {
            reading: AnswerReading::Answered,
            answer: String::new(),
            chosen: None,
            correct: false,
            score: 0.0,
            published,
            unfounded: Vec::new(),
            remarks: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::four;

    #[test]
    fn the_shown_letter_counts() {
        let question = four(1);
        for seed in 0..20 {
            let key = crate::ask::letter(question.shown_key(seed).expect("a choice"));
            let right = question.grade(format!("The answer is {key}.").as_str(), seed);
            assert!(right.correct && right.score == 1.0 && right.chosen == Some(1), "{right:?}");
            assert_eq!(right.published, PublishedScore::Points(0.0), "the published splitter loses this layout");
            let bare = question.grade(key.to_string().as_str(), seed);
            assert_eq!(bare.published, PublishedScore::Points(1.0));
        }
    }

    #[test]
    fn no_answer_is_not_a_wrong_answer() {
        let check = |reply: ModelReply, reading| {
            let outcome = four(1).grade(reply, 3);
            assert_eq!((outcome.reading, outcome.score), (reading, 0.0), "{reply:?}");
        };
        check("".into(), AnswerReading::Unparsed);
        check("Each of them has merits.".into(), AnswerReading::Unparsed);
        check("I'm sorry, but I can't help with that.".into(), AnswerReading::Refused);
        check(ModelReply { text: "Let me compare. Choice A breaks", cut: true }, AnswerReading::Truncated);
        check("<think>Choice A seems".into(), AnswerReading::Truncated);
    }
}
