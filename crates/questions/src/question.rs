//! A question: what is asked, what is expected, and where it comes from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Skill;

/// One question, an episode of one step.
/// It holds its key: show [`Question::prompt`] to whom is measured, never the question itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Unique within its set, and the same each time that the set is made.
    pub id: String,
    /// Its family.
    pub skill: Skill,
    /// The description, change or regression that it is about.
    pub text: String,
    /// What a right answer is.
    pub expected: Expected,
    /// Where it comes from.
    pub provenance: Provenance,
    /// What it shares with other questions, such as `repository` or `template`: intervals are clustered by these.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub clusters: BTreeMap<String, String>,
}

/// What a right answer is: one shape per way of grading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// One of several options.
    Choice(ChoiceSet),
    /// The lines under the mask.
    Region(crate::masked::MaskedRegion),
    /// A text that says what the change does.
    Account(crate::account::ChangeAccount),
    /// The files to change, out of the tree that is shown.
    Places(crate::localise::PlaceSet),
}

/// Options, of which one is right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "crate::store::StoredChoice", into = "crate::store::StoredChoice")]
pub struct ChoiceSet {
    /// The options in the set's own order. A prompt permutes them.
    pub options: Vec<String>,
    /// The right one.
    pub key: usize,
    /// Whether the last option stays last whatever the seed ("none of these").
    pub last_stays: bool,
    /// For each option what it breaks, in words; empty for the right one. Empty as a whole where this is not known.
    pub breaks: Vec<String>,
}

/// Where a question comes from, so that contamination and licences can be checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// How it was made.
    pub origin: Origin,
    /// The repository's or the model's name.
    pub source: String,
    /// The commit that the right answer is taken from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// `git patch-id` of that commit: the same for a back-port.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub patch_id: String,
    /// The licence of the text, as far as known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub licence: String,
    /// The seed that it was made with.
    #[serde(default)]
    pub seed: u64,
}

/// How a question was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// From a repository's history.
    #[default]
    History,
    /// From the typed model of changes, whose text is written for it.
    Written,
    /// From the typed model of resources.
    Resources,
    /// Read from a file that others published.
    Imported,
}

impl Question {
    /// The options, if it is a choice.
    pub fn choice(&self) -> Option<&ChoiceSet> {
        match &self.expected {
            Expected::Choice(choice) => Some(choice),
            _ => None,
        }
    }

    /// What the set's maker got wrong, if anything: a question that passes can be asked and graded.
    pub fn flaw(&self) -> Option<String> {
        if self.id.is_empty() {
            return Some("it has no id".into());
        }
        if self.text.trim().is_empty() {
            return Some("it has no text".into());
        }
        if self.skill.is_choice() != matches!(self.expected, Expected::Choice(_)) {
            return Some(format!("its family {} expects another kind of answer", self.skill.name()));
        }
        match &self.expected {
            Expected::Choice(choice) => choice.flaw(),
            Expected::Region(region) => region.lines.is_empty().then(|| "nothing is masked".into()),
            Expected::Account(account) => {
                (account.facts.is_empty() && account.reference.is_empty()).then(|| "no fact is expected".into())
            }
            Expected::Places(places) => places.flaw(),
        }
    }
}

impl ChoiceSet {
    /// The share that guessing gets.
    pub fn chance(&self) -> f64 {
        1.0 / self.options.len().max(1) as f64
    }

    fn flaw(&self) -> Option<String> {
        let count = self.options.len();
        if !(2..=10).contains(&count) {
            return Some(format!("it has {count} options; 2 to 10 are possible"));
        }
        if self.key >= count {
            return Some(format!("its key is option {} of {count}", self.key + 1));
        }
        if !self.breaks.is_empty() && self.breaks.len() != count {
            return Some("it says of some options only what they break".into());
        }
        let twice = (1..count).find(|at| self.options[..*at].contains(&self.options[*at]))?;
        Some(format!("option {} stands there twice", twice + 1))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A choice among four colours.
    pub(crate) fn four(key: usize) -> Question {
        let options = ["red", "green", "blue", "white"].map(String::from).to_vec();
        Question {
            id: "colour".into(),
            skill: Skill::GmcqEasy,
            text: "Which colour does the change paint?".into(),
            expected: Expected::Choice(ChoiceSet { options, key, ..Default::default() }),
            provenance: Provenance::default(),
            clusters: BTreeMap::new(),
        }
    }

    #[test]
    fn flaws_are_named() {
        let check = |change: &dyn Fn(&mut ChoiceSet), says: &str| {
            let mut question = four(0);
            let Expected::Choice(choice) = &mut question.expected else { panic!("a choice") };
            change(choice);
            assert_eq!(question.flaw().unwrap_or_default(), says);
        };
        check(&|_| {}, "");
        check(&|c| c.key = 4, "its key is option 5 of 4");
        check(&|c| c.options[3] = "red".into(), "option 4 stands there twice");
        check(&|c| c.options.truncate(1), "it has 1 options; 2 to 10 are possible");
        check(&|c| c.breaks = vec![String::new()], "it says of some options only what they break");
    }
}
