//! A question as a challenge of one step. The seed permutes the options.

use questions::{Expected, ModelReply, PublishedScore, QUESTIONS_VERSION, Question, QuestionOutcome, ask};

use crate::brief::Messages;
use crate::one_step::OneStep;
use crate::record::{QuestionCard, QuestionVerdict, ReplyReading, sha256};

/// A question that is put to players.
pub(crate) struct AskedQuestion {
    question: Question,
    digest: String,
}

impl AskedQuestion {
    /// The question with its digest.
    pub(crate) fn new(question: Question) -> AskedQuestion {
        let text = serde_json::to_string(&question).expect("a question is plain data");
        AskedQuestion { digest: sha256(text.as_bytes()), question }
    }
}

impl OneStep for AskedQuestion {
    fn id(&self) -> &str {
        &self.question.id
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn family(&self) -> &str {
        self.question.skill.name()
    }

    fn card(&self) -> QuestionCard {
        QuestionCard { version: QUESTIONS_VERSION, clusters: self.question.clusters.clone() }
    }

    fn kind(&self) -> &'static str {
        "questions"
    }

    fn messages(&self, seed: u64) -> Messages {
        let prompt = self.question.prompt(seed);
        Messages { system: prompt.system, user: prompt.user }
    }

    fn grade(&self, reply: &str, cut: bool, seed: u64) -> QuestionVerdict {
        verdict(self.question.grade(ModelReply { text: reply, cut }, seed))
    }

    /// A description has no key that could be written down.
    fn solution(&self, seed: u64) -> Option<String> {
        match &self.question.expected {
            Expected::Choice(_) => Some(ask::letter(self.question.shown_key(seed)?).to_string()),
            Expected::Places(places) => Some(places.files.join("\n")),
            Expected::Region(region) => Some(format!("```diff\n{}\n```", region.lines.join("\n"))),
            Expected::Account(_) => None,
        }
    }
}

fn verdict(outcome: QuestionOutcome) -> QuestionVerdict {
    use questions::AnswerReading;
    let published = match outcome.published {
        PublishedScore::Points(points) => Some(points),
        PublishedScore::NeedsJudge | PublishedScore::Unknown => None,
    };
    QuestionVerdict {
        reading: match outcome.reading {
            AnswerReading::Answered => ReplyReading::Answered,
            AnswerReading::Unparsed => ReplyReading::Unparsed,
            AnswerReading::Refused => ReplyReading::Refused,
            AnswerReading::Truncated => ReplyReading::Truncated,
        },
        answer: outcome.answer,
        chosen: outcome.chosen,
        correct: outcome.correct,
        score: outcome.score,
        published,
        remarks: outcome.remarks.into_iter().chain(outcome.unfounded).collect(),
        lifecycle: None,
    }
}
