//! Reverse question: a text that says what a change does, graded by facts and by what it invents.
//!
//! The published scoring has an unnamed judge compare with a reference that holds what no diff shows (issue numbers,
//! test plans). Here a question carries the facts that its change does show, and a claim is unfounded if it names a
//! thing that stands nowhere in the change.

use serde::{Deserialize, Serialize};

use crate::grade::{PublishedScore, QuestionOutcome};
use crate::reading::unanswered;
use crate::reply::ModelReply;
use crate::{AnswerReading, Skill};

mod grounds;
pub use grounds::unfounded;

/// What a description of a change must say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeAccount {
    /// The facts, each worth the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<StatedFact>,
    /// The description that was published with the change, for a judge.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reference: String,
}

/// One fact: it is said if every group has one of its words, and denied if a word of `against` stands there instead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedFact {
    /// Groups of words that mean the same; all groups must be met within one sentence or two in a row.
    pub groups: Vec<Vec<String>>,
    /// Words that say the opposite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<String>,
}

impl ChangeAccount {
    pub(crate) fn grade(&self, reply: ModelReply, change: &str, skill: Skill) -> QuestionOutcome {
        let text = prose(reply.text, change);
        if text.split_whitespace().count() < 4 {
            return QuestionOutcome::unanswered(unanswered(reply.text, reply.cut), PublishedScore::NeedsJudge);
        }
        let said: Vec<bool> = self.facts.iter().map(|fact| fact.is_said(&text)).collect();
        let mut outcome = QuestionOutcome::answered(PublishedScore::NeedsJudge);
        if self.facts.is_empty() {
            // An imported item has a reference and no facts: only a judge can tell.
            outcome.reading = AnswerReading::Unparsed;
            outcome.remarks.push("without facts only a judge can grade it".into());
            return outcome;
        }
        let share = said.iter().filter(|said| **said).count() as f64 / said.len() as f64;
        outcome.answer = text.trim().into();
        outcome.unfounded = unfounded(&text, change);
        let missing = self.facts.iter().zip(&said).filter(|(_, said)| !**said);
        outcome.remarks = missing.map(|(fact, _)| format!("does not say: {}", fact.show())).collect();
        let invents = skill == Skill::ReverseGrounded && !outcome.unfounded.is_empty();
        outcome.score = if invents { 0.0 } else { share };
        outcome.correct = share == 1.0 && !invents;
        outcome
    }
}

impl StatedFact {
    fn is_said(&self, text: &str) -> bool {
        let sentences: Vec<String> = text.split(['.', '\n', ';']).map(spaced).filter(|s| s.len() > 2).collect();
        let met = |part: &str, words: &Vec<String>| words.iter().any(|word| has(part, word));
        let holds = |part: &str| self.groups.iter().all(|words| met(part, words));
        let turned = |part: &str| says_both_ways(part) || self.against.iter().any(|word| affirms(part, word));
        // What is said of another thing in the same sentence counts for nothing, so denials are sought within clauses.
        let topic = |clause: &str| self.groups.first().is_some_and(|words| met(clause, words));
        let denies = |clause: &String| topic(clause) && turned(clause);
        let denied = sentences.iter().flat_map(|sentence| clauses(sentence)).any(|clause| denies(&clause));
        let in_two = |two: &[String]| !two.iter().any(|one| turned(one)) && holds(&two.concat());
        !denied && (sentences.iter().any(|one| holds(one)) || sentences.windows(2).any(in_two))
    }

    fn show(&self) -> String {
        let firsts = self.groups.iter().filter_map(|group| group.first());
        firsts.cloned().collect::<Vec<_>>().join(", ")
    }
}

/// Whether a word stands there, and not behind a "not".
fn affirms(part: &str, word: &str) -> bool {
    let negated = ["not", "no longer", "without", "never", "no", "instead of", "rather than"];
    has(part, word) && !negated.iter().any(|not| has(part, &format!("{not} {word}")))
}

/// Whether a part claims a thing and its opposite: then it claims nothing.
fn says_both_ways(part: &str) -> bool {
    const OPPOSITES: [(&str, &str); 14] = [
        ("rais*", "lower*"),
        ("increas*", "reduc*"),
        ("increas*", "decreas*"),
        ("longer", "shorter"),
        ("enabl*", "disabl*"),
        ("before", "after"),
        ("first", "last"),
        ("oldest", "newest"),
        ("more", "less"),
        ("always", "never"),
        ("every", "none"),
        ("allow*", "refus*"),
        ("keep*", "drop*"),
        ("stop*", "continu*"),
    ];
    OPPOSITES.iter().any(|(one, other)| has(part, one) && has(part, other))
}

/// The parts of a sentence that speak of one thing each.
fn clauses(sentence: &str) -> Vec<String> {
    let joined = [" and ", " while ", " but ", " then "]
        .iter()
        .fold(sentence.to_string(), |text, word| text.replace(word, " | "));
    joined.split('|').map(String::from).collect()
}

/// Words in lower case between single spaces, with a space at both ends.
fn spaced(text: &str) -> String {
    let commas = text.to_lowercase().replace([',', ':', '('], " and ");
    let kept = commas.replace(|c: char| !c.is_alphanumeric() && c != '%' && c != '=' && c != '\'', " ");
    format!(" {} ", kept.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether a word or phrase stands there. A trailing star stands for any ending.
fn has(sentence: &str, word: &str) -> bool {
    match word.strip_suffix('*') {
        Some(stem) => sentence.contains(&format!(" {stem}")),
        None => sentence.contains(&format!(" {word} ")),
    }
}

/// The reply without lines that are copied from the change: repeating a diff describes nothing.
fn prose(reply: &str, change: &str) -> String {
    let bare = |line: &str| line.trim().trim_start_matches(['+', '-']).trim().to_string();
    let copied: std::collections::BTreeSet<String> = change.lines().map(bare).collect();
    reply.lines().filter(|line| !copied.contains(&bare(line))).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGE: &str = "config/client.toml\n@@ -1,2 +1,2 @@\n [client]\n-timeout_ms = 300\n+timeout_ms = 3000\n";

    fn account() -> ChangeAccount {
        let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
        let raise = words(&["rais*", "increas*", "longer", "from 300", "more time"]);
        let fact = StatedFact { groups: vec![words(&["timeout", "time limit"]), raise], against: words(&["lower*"]) };
        ChangeAccount { facts: vec![fact], reference: String::new() }
    }

    fn check(reply: &str, skill: Skill, correct: bool) {
        let outcome = account().grade(reply.into(), CHANGE, skill);
        assert_eq!(outcome.correct, correct, "{reply}: {outcome:?}");
    }

    #[test]
    fn facts_decide() {
        check("Title: Raise the client timeout\nBody: calls may take three seconds.", Skill::Reverse, true);
        check("Give calls more time. The time limit is now 3 s.", Skill::Reverse, true);
        check("Lower the client timeout from 300 ms", Skill::Reverse, false);
        check("Raises or lowers the client timeout", Skill::Reverse, false);
        check("Lower the number of tries and raise the client timeout", Skill::Reverse, true);
        check("Change a setting of the client.", Skill::Reverse, false);
        check(CHANGE, Skill::Reverse, false);
    }

    #[test]
    fn inventions_are_named() {
        let reply = "Raise the client timeout, fixes #812 in `retry_budget`.";
        check(reply, Skill::Reverse, true);
        check(reply, Skill::ReverseGrounded, false);
        let outcome = account().grade(reply.into(), CHANGE, Skill::ReverseGrounded);
        assert_eq!(outcome.unfounded, ["#812", "retry_budget"]);
    }
}
