//! What replies earn that say nothing, for families without options.

use serde::{Deserialize, Serialize};

use super::ALLOWED;
use crate::{Expected, Question, Skill};

/// What one empty kind of reply earns in one family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FloorResult {
    /// The family.
    pub skill: String,
    /// How many questions it has.
    pub questions: usize,
    /// The kind of reply.
    pub reply: String,
    /// The mean score.
    pub score: f64,
    /// Whether that is more than [`ALLOWED`].
    pub fails: bool,
}

/// A kind of reply that says nothing: its name, and how it is written.
type EmptyReply = (&'static str, fn(&Question) -> String);

/// Copying the question, repeating its last lines, naming every file: none of them knows anything.
pub(super) fn floors(questions: &[Question]) -> Vec<FloorResult> {
    let kinds: [EmptyReply; 4] = [
        ("copying the question", |question| question.text.clone()),
        ("copying it in a code block", |question| format!("```diff\n{}\n```", question.text)),
        ("a general remark", |_| "This change improves the service and makes it more robust and easier to run.".into()),
        ("every direction at once", every_direction),
    ];
    let mut found = Vec::new();
    for skill in [Skill::MaskedChange, Skill::Reverse, Skill::ReverseGrounded] {
        let of_skill: Vec<&Question> = questions.iter().filter(|question| question.skill == skill).collect();
        if of_skill.is_empty() {
            continue;
        }
        for (reply, write) in kinds {
            let earned: f64 = of_skill.iter().map(|question| question.grade(write(question).as_str(), 0).score).sum();
            let score = earned / of_skill.len() as f64;
            let reply = reply.to_string();
            found.push(FloorResult {
                skill: skill.name().into(),
                questions: of_skill.len(),
                reply,
                score,
                fails: score > ALLOWED,
            });
        }
    }
    found.extend(every_file(questions));
    found
}

/// The words of each changed line, with every way it could have gone.
fn every_direction(question: &Question) -> String {
    const WAYS: &str = "raise lower increase reduce longer shorter enable disable before after first last oldest newest more less \
                        all none every single always never allow refuse full partial keep drop follow fixed spread stop continue";
    let changed = question.text.lines().filter(|line| line.starts_with(['+', '-']));
    changed.map(|line| format!("Change {} {WAYS}.\n", crate::words::words(line).join(" "))).collect()
}

/// Naming the whole tree is never right as a whole.
fn every_file(questions: &[Question]) -> Option<FloorResult> {
    let right = |question: &Question| match &question.expected {
        Expected::Places(places) => Some(f64::from(question.grade(places.tree.join("\n").as_str(), 0).correct)),
        _ => None,
    };
    let earned: Vec<f64> = questions.iter().filter_map(right).collect();
    let score = earned.iter().sum::<f64>() / earned.len().max(1) as f64;
    (!earned.is_empty()).then(|| FloorResult {
        skill: Skill::Localise.name().into(),
        questions: earned.len(),
        reply: "naming every file".into(),
        score,
        fails: score > ALLOWED,
    })
}
