//! Open localisation: which files must change, graded as a set.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::grade::{PublishedScore, QuestionOutcome};
use crate::reading::unanswered;
use crate::reply::ModelReply;

/// A tree of files, and those that must change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceSet {
    /// The files that are shown.
    pub tree: Vec<String>,
    /// The files that must change.
    pub files: Vec<String>,
}

impl PlaceSet {
    /// The share that naming one file at random gets right.
    pub fn chance(&self) -> f64 {
        self.files.len() as f64 / self.tree.len().max(1) as f64
    }

    pub(crate) fn flaw(&self) -> Option<String> {
        if self.files.is_empty() {
            return Some("no file must change".into());
        }
        let lost = self.files.iter().find(|file| !self.tree.contains(file))?;
        Some(format!("the tree does not show {lost}"))
    }

    /// F1 over the files that are named; right as a whole if they are exactly those.
    pub(crate) fn grade(&self, reply: ModelReply) -> QuestionOutcome {
        let named = self.named(reply.text);
        let published = PublishedScore::Unknown;
        if named.is_empty() {
            return QuestionOutcome::unanswered(unanswered(reply.text, reply.cut), published);
        }
        let expected: BTreeSet<&str> = self.files.iter().map(String::as_str).collect();
        let hits = named.intersection(&expected).count() as f64;
        let mut outcome = QuestionOutcome::answered(published);
        outcome.answer = named.iter().copied().collect::<Vec<_>>().join("\n");
        outcome.score = 2.0 * hits / (named.len() + expected.len()) as f64;
        outcome.correct = named == expected;
        outcome.remarks = expected.difference(&named).map(|file| format!("does not name {file}")).collect();
        outcome
    }

    /// Files of the tree that a reply names, by path or by a name that only one of them has.
    fn named(&self, reply: &str) -> BTreeSet<&str> {
        let words = reply.split(|c: char| c.is_whitespace() || "`\"'(),;[]{}*:".contains(c));
        let words: BTreeSet<&str> =
            words.map(|word| word.trim_matches(['.', '-', '/'])).filter(|w| !w.is_empty()).collect();
        let ends =
            |file: &str, word: &str| file == word || file.strip_suffix(word).is_some_and(|rest| rest.ends_with('/'));
        let mut named = BTreeSet::new();
        for word in words {
            let mut hits = self.tree.iter().filter(|file| ends(file.trim_start_matches("./"), word));
            if let (Some(file), None) = (hits.next(), hits.next()) {
                named.insert(file.as_str());
            }
        }
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnswerReading;

    #[test]
    fn sets_are_compared() {
        let strings = |paths: &[&str]| paths.iter().map(|path| path.to_string()).collect();
        let places = PlaceSet {
            tree: strings(&["src/pool.rs", "src/cache.rs", "src/lib.rs", "docs/lib.rs", "Makefile"]),
            files: strings(&["src/pool.rs", "src/cache.rs"]),
        };
        let check = |reply: &str, reading, score: f64, correct| {
            let outcome = places.grade(reply.into());
            assert_eq!((outcome.reading, outcome.score, outcome.correct), (reading, score, correct), "{reply}");
        };
        use AnswerReading::{Answered, Refused, Unparsed};
        check("src/pool.rs\nsrc/cache.rs", Answered, 1.0, true);
        check("- `pool.rs`\n- **cache.rs**: the store", Answered, 1.0, true);
        check("src/pool.rs", Answered, 2.0 / 3.0, false);
        check("lib.rs", Unparsed, 0.0, false);
        check("Makefile", Answered, 0.0, false);
        check("I cannot answer that.", Refused, 0.0, false);
        check(&places.tree.join("\n"), Answered, 4.0 / 7.0, false);
    }
}
