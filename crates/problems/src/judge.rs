//! A model as judge of a diagnosis: nine questions, three each on place, mechanism and scope, answered yes or no with a quote.
//!
//! The judge is an agent of one step, so any provider can be one and what it said is recorded and replayed. An answer that
//! cannot be read whole is a missing judgement, never a failed diagnosis.

use std::collections::BTreeMap;

use harness::{Messages, OneStep};
use record::{Event, QuestionCard, QuestionVerdict, Record, ReplyReading, sha256};
use serde::Deserialize;

use crate::problem::ClusterProblem;

/// The version of how judges are asked.
const JUDGE_VERSION: u32 = 1;
/// The least score of a diagnosis that passes.
const PASSES: f64 = 0.70;

/// The questions of a dimension, each with its id.
type DimensionQuestions = [(&'static str, &'static str); 3];

/// The three dimensions: their weight, and the questions with their ids.
const CHECKLIST: [(&str, f64, DimensionQuestions); 3] = [
    (
        "place",
        0.33,
        [
            ("P1", "Does it name the component or object that is at fault?"),
            (
                "P2",
                "Is what it names as the cause the origin of the trouble, and not something that merely suffers from it?",
            ),
            ("P3", "Does it leave everything that is sound free of blame?"),
        ],
    ),
    (
        "mechanism",
        0.33,
        [
            ("M1", "Does it say what kind of defect this is, in whatever words?"),
            ("M2", "Does it say where in the object or state the defect is, so that an operator would find it?"),
            ("M3", "Is everything that it says of how the defect works true?"),
        ],
    ),
    (
        "scope",
        0.34,
        [
            ("S1", "Does it cover every cause that there is?"),
            ("S2", "Does it commit itself to one account, rather than list what might be?"),
            ("S3", "Is it as wide as the defect: neither one instance of many nor more than is affected?"),
        ],
    ),
];

/// A diagnosis that a judge is asked about.
pub struct JudgedDiagnosis {
    id: String,
    digest: String,
    family: String,
    judged: String,
    said: String,
    messages: Messages,
}

#[derive(Deserialize)]
struct JudgeAnswer {
    id: String,
    answer: String,
    #[serde(default)]
    evidence: String,
    #[serde(default)]
    confidence: Option<f64>,
}

impl JudgedDiagnosis {
    /// What a judge is asked about a record of this problem; nothing if no diagnosis was submitted.
    pub fn of(record: &Record, problem: &ClusterProblem) -> Option<JudgedDiagnosis> {
        let header = record.header()?;
        let sealed = record.events.iter().find_map(|event| match event {
            Event::Sealed(seal) => seal.stages.as_ref(),
            _ => None,
        })?;
        let said = sealed.diagnosis.as_ref()?.text.clone();
        let messages = ask(problem, &said);
        let plain = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        Some(JudgedDiagnosis {
            id: format!("judge-{}-{}-{}-{}", plain(&header.agent), header.task.id, header.seed, header.repeat),
            digest: sha256(format!("{}\n{}", messages.system, messages.user).as_bytes()),
            family: header.task.family.clone(),
            judged: header.agent.clone(),
            said,
            messages,
        })
    }

    /// The answers of a reply, if all nine questions are answered.
    fn read(reply: &str) -> Option<Vec<JudgeAnswer>> {
        let (from, to) = (reply.find('[')?, reply.rfind(']')?);
        let answers: Vec<JudgeAnswer> = serde_json::from_str(reply.get(from..=to)?).ok()?;
        let wanted = CHECKLIST.iter().flat_map(|(_, _, questions)| questions.iter().map(|(id, _)| *id));
        let is_answered = |id: &str| {
            let mut own = answers.iter().filter(|one| one.id == id);
            own.next().is_some_and(|one| one.yes().is_some()) && own.next().is_none()
        };
        wanted.into_iter().all(is_answered).then_some(answers)
    }
}

impl JudgeAnswer {
    fn yes(&self) -> Option<bool> {
        match self.answer.trim().to_ascii_lowercase().as_str() {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        }
    }
}

/// How a judge is asked about a diagnosis.
fn ask(problem: &ClusterProblem, said: &str) -> Messages {
    let causes: String = problem
        .file
        .cause
        .iter()
        .map(|cause| {
            format!("- {} ({}, {}): {}\n", cause.component, cause.object, cause.kind.replace('_', " "), cause.about)
        })
        .collect();
    let questions: String =
        CHECKLIST.iter().flat_map(|(_, _, own)| own).map(|(id, question)| format!("{id}: {question}\n")).collect();
    Messages {
        system: "You compare a diagnosis of an incident with what is known to be true of it. Judge the meaning, never the wording: \
                 other words for the same thing are right. Answer each question of the checklist with yes or no. Reply with a JSON \
                 array of nine objects and nothing else: {\"id\": .., \"answer\": \"yes\" or \"no\", \"evidence\": a quote from the \
                 diagnosis of at most 30 words, \"confidence\": a number from 0 to 1}."
            .to_string(),
        user: format!("What is true:\n{causes}\nDiagnosis:\n{}\n\nChecklist:\n{questions}", said.trim()),
    }
}

/// The score of answers: the share of yes in each dimension, by weight, to two decimals.
fn score(answers: &[JudgeAnswer]) -> f64 {
    let share = |questions: &DimensionQuestions| {
        let yes = |id: &str| answers.iter().any(|one| one.id == id && one.yes() == Some(true));
        questions.iter().filter(|(id, _)| yes(id)).count() as f64 / 3.0
    };
    let sum: f64 = CHECKLIST.iter().map(|(_, weight, questions)| weight * share(questions)).sum();
    (sum * 100.0).round() / 100.0
}

impl OneStep for JudgedDiagnosis {
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
        self.messages.clone()
    }

    fn grade(&self, reply: &str, cut: bool, _: u64) -> QuestionVerdict {
        let Some(answers) = JudgedDiagnosis::read(reply) else {
            return QuestionVerdict::unread(if cut { ReplyReading::Truncated } else { ReplyReading::Unparsed });
        };
        let points = score(&answers);
        let told = |one: &JudgeAnswer| {
            let quote = if self.said.contains(one.evidence.trim()) { "" } else { ", no quote" };
            let sure = one.confidence.map_or(String::new(), |sure| format!(", {sure:.2}"));
            format!("{} {}: {}{quote}{sure}", one.id, one.answer, one.evidence)
        };
        QuestionVerdict {
            answer: format!("{points:.2}"),
            correct: points >= PASSES,
            score: points,
            published: Some(points),
            remarks: answers.iter().map(told).collect(),
            ..QuestionVerdict::unread(ReplyReading::Answered)
        }
    }

    fn solution(&self, _: u64) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(no: &[&str]) -> String {
        let ids = CHECKLIST.iter().flat_map(|(_, _, own)| own.iter().map(|(id, _)| *id));
        let one = |id: &str| {
            let answer = if no.contains(&id) { "no" } else { "yes" };
            format!("{{\"id\": \"{id}\", \"answer\": \"{answer}\", \"evidence\": \"geo\", \"confidence\": 0.9}}")
        };
        format!("[{}]", ids.map(one).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn answers_are_weighed_and_what_is_not_whole_is_missing() {
        let check = |reply: &str, expect: Option<f64>| {
            assert_eq!(JudgedDiagnosis::read(reply).map(|answers| score(&answers)), expect, "{reply}");
        };
        check(&reply(&[]), Some(1.0));
        check(&reply(&["P1"]), Some(0.89));
        check(&reply(&["P1", "M1", "S1"]), Some(0.67));
        check(&reply(&["P1", "P2", "P3", "M1", "M2", "M3", "S1", "S2", "S3"]), Some(0.0));
        check(&format!("Here it is:\n```json\n{}\n```", reply(&["S3"])), Some(0.89));
        check(&reply(&[]).replacen("\"P1\"", "\"P9\"", 1), None);
        check(&reply(&[]).replacen("\"yes\"", "\"perhaps\"", 1), None);
        check("It is right.", None);
        check("", None);
        check("[{\"id\": \"P1\", \"answer\": \"yes\"}", None);
    }
}
