//! Sets of questions as lines of JSON: one question per line, what options share written once.

use serde::{Deserialize, Serialize};

use crate::{ChoiceSet, Question};

/// What is wrong with a file of questions.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A line that is no question.
    #[error("line {line}: {source}")]
    Json {
        /// Counted from 1.
        line: usize,
        /// What JSON says.
        source: serde_json::Error,
    },
    /// A question that cannot be asked or graded.
    #[error("line {line}: question `{id}`: {flaw}")]
    Flaw {
        /// Counted from 1.
        line: usize,
        /// The question's id.
        id: String,
        /// What is wrong with it.
        flaw: String,
    },
}

/// Reads a set. Every question that comes out can be asked and graded, and no two have the same id.
pub fn read(text: &str) -> Result<Vec<Question>, StoreError> {
    let mut questions: Vec<Question> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for (at, content) in text.lines().enumerate().filter(|(_, content)| !content.trim().is_empty()) {
        let line = at + 1;
        let question: Question = serde_json::from_str(content).map_err(|source| StoreError::Json { line, source })?;
        let twice = !seen.insert(question.id.clone());
        let flaw = question.flaw().or_else(|| twice.then(|| "the id stands there twice".into()));
        if let Some(flaw) = flaw {
            return Err(StoreError::Flaw { line, id: question.id, flaw });
        }
        questions.push(question);
    }
    Ok(questions)
}

/// Writes a set.
pub fn write(questions: &[Question]) -> String {
    let line = |question: &Question| serde_json::to_string(question).expect("a question is plain data") + "\n";
    questions.iter().map(line).collect()
}

/// Options on disk: versions of one change share most of their text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredChoice {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    head: String,
    options: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    tail: String,
    key: usize,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    last_stays: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    breaks: Vec<String>,
}

impl From<StoredChoice> for ChoiceSet {
    fn from(stored: StoredChoice) -> Self {
        let whole = |middle: &String| [stored.head.as_str(), middle, &stored.tail].concat();
        let options = stored.options.iter().map(whole).collect();
        ChoiceSet { options, key: stored.key, last_stays: stored.last_stays, breaks: stored.breaks }
    }
}

impl From<ChoiceSet> for StoredChoice {
    fn from(choice: ChoiceSet) -> Self {
        let (head, tail) = shared(&choice.options);
        let options = choice.options.iter().map(|option| option[head..option.len() - tail].to_string()).collect();
        let first = choice.options.first().map_or("", String::as_str);
        let ends = (first[..head].to_string(), first[first.len() - tail..].to_string());
        let ChoiceSet { key, last_stays, breaks, .. } = choice;
        StoredChoice { head: ends.0, options, tail: ends.1, key, last_stays, breaks }
    }
}

/// How many bytes all options have in common at their beginnings and ends.
fn shared(options: &[String]) -> (usize, usize) {
    let Some((first, rest)) = options.split_first() else { return (0, 0) };
    let same = |one: &str, other: &str| {
        one.char_indices()
            .zip(other.chars())
            .find(|((_, a), b)| a != b)
            .map_or(one.len().min(other.len()), |((at, _), _)| at)
    };
    let head = rest.iter().map(|other| same(first, other)).min().unwrap_or(0);
    let same_end = |one: &str, other: &str| {
        let both = one[head..].chars().rev().zip(other[head..].chars().rev());
        both.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>()
    };
    let tail = rest.iter().map(|other| same_end(first, other)).min().unwrap_or(0);
    (head, tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::four;
    use proptest::prelude::*;

    #[test]
    fn a_set_is_read_back() {
        let questions = vec![four(1)];
        assert_eq!(read(&write(&questions)).expect("what was written"), questions);
    }

    #[test]
    fn errors_name_the_line() {
        let check = |text: &str, says: &str| {
            let error = read(text).expect_err("wrong on purpose").to_string();
            assert!(error.contains(says), "{error}");
        };
        check("\n{", "line 2: EOF");
        check(&write(&[four(1), four(2)]), "line 2: question `colour`: the id stands there twice");
        check(&write(&[four(7)]), "its key is option 8 of 4");
    }

    proptest! {
        #[test]
        fn options_survive_storing(options in prop::collection::vec("[aé]{0,3}[xyz]{0,3}[aé]{0,3}", 2..6)) {
            let choice = ChoiceSet { options, key: 1, ..Default::default() };
            let stored: StoredChoice = choice.clone().into();
            prop_assert_eq!(ChoiceSet::from(stored), choice);
        }
    }
}
