//! A judgement as a challenge of one step: a model is shown a reply beside what it is held against and gives a mark.
//!
//! The published scoring of some families is a judge's. Here the judge is an agent like any other, so that any provider can be
//! one, and what it said is recorded, resumed and replayed as any episode. Its marks stand beside our grading, never in its
//! place.

use std::collections::BTreeMap;

use questions::Question;
use questions::judge::JudgeRequest;

use crate::brief::Messages;
use crate::one_step::OneStep;
use crate::record::{QuestionCard, QuestionVerdict, Record, ReplyReading, sha256};

/// The version of how judges are asked.
const JUDGE_VERSION: u32 = 1;

/// A reply that a judge is asked about.
pub struct JudgedReply {
    id: String,
    digest: String,
    family: String,
    judged: String,
    request: JudgeRequest,
}

impl JudgedReply {
    /// What a judge is asked about a record of this question; nothing if the family needs no judge or there was no reply.
    pub fn of(record: &Record, question: &Question) -> Option<JudgedReply> {
        let (header, step) = (record.header()?, record.steps().next()?);
        let request = question.judge_request(&step.text)?;
        let plain = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        Some(JudgedReply {
            id: format!("judge-{}-{}-{}-{}", plain(&header.agent), header.task.id, header.seed, header.repeat),
            digest: sha256(format!("{}\n{}", request.prompt.system, request.prompt.user).as_bytes()),
            family: header.task.family.clone(),
            judged: header.agent.clone(),
            request,
        })
    }
}

impl OneStep for JudgedReply {
    fn id(&self) -> &str {
        &self.id
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn family(&self) -> &str {
        &self.family
    }

    fn card(&self) -> QuestionCard {
        QuestionCard { version: JUDGE_VERSION, clusters: BTreeMap::from([("judged".to_string(), self.judged.clone())]) }
    }

    fn kind(&self) -> &'static str {
        "judgements"
    }

    fn messages(&self, _: u64) -> Messages {
        Messages { system: self.request.prompt.system.clone(), user: self.request.prompt.user.clone() }
    }

    /// The mark as a share from 0 to 1 where 1 is good: it is the published score of the reply.
    fn grade(&self, reply: &str, cut: bool, _: u64) -> QuestionVerdict {
        let Some(points) = self.request.points(reply) else {
            let reading = if cut { ReplyReading::Truncated } else { ReplyReading::Unparsed };
            return QuestionVerdict::unread(reading);
        };
        QuestionVerdict {
            answer: reply.trim().chars().take(80).collect(),
            correct: points >= 1.0,
            score: points,
            published: Some(points),
            ..QuestionVerdict::unread(ReplyReading::Answered)
        }
    }

    fn solution(&self, _: u64) -> Option<String> {
        None
    }
}
