//! The table of rules, and what each is credited.

use super::{AuditItem, centre, lexical, structure, trained};
use crate::words::WordStatistics;

/// What rules may know of a set: its options' word statistics.
pub(super) struct SetFacts {
    pub(super) words: WordStatistics,
}

/// A rule: a number per option; the highest is chosen.
type Scorer = fn(&AuditItem, &SetFacts) -> Vec<f64>;

/// Rules that need no training. Each is also tried the other way round, unless that is a rule of its own.
const RULES: [(&str, Scorer, bool); 22] = [
    ("longest", structure::length, true),
    ("neither longest nor shortest", structure::middle_length, true),
    ("most lines", structure::lines, true),
    ("token medoid", centre::token_medoid, true),
    ("edit-distance medoid", centre::edit_medoid, true),
    ("compression medoid", centre::compression_medoid, true),
    ("token medoid, ties to the first", centre::token_medoid_first, false),
    ("fewest lines of its own", centre::few_own_lines, true),
    ("fewest words of its own", centre::few_own_words, true),
    ("valid diff", structure::valid_diff, false),
    ("balanced brackets and quotes", structure::balanced, false),
    ("most digits", structure::digits, true),
    ("most words of caution", structure::caution, true),
    ("shared words", lexical::shared, true),
    ("shared words by vocabulary", lexical::shared_scaled, true),
    ("shared rare words", lexical::shared_rare, true),
    ("TF-IDF", lexical::tf_idf, true),
    ("BM25", lexical::bm25, true),
    ("file names", lexical::file_names, true),
    ("identifiers", lexical::identifiers, true),
    ("numbers", lexical::numbers, true),
    ("shared beginnings of words", lexical::stems, true),
];

/// Letters that are tried by themselves.
pub(crate) const LETTERS: usize = 5;

/// The rules' names, in the order of credits.
pub fn names() -> Vec<String> {
    let mut names = plain_names();
    names.extend(trained::NAMES.iter().map(|name| name.to_string()));
    names
}

fn plain_names() -> Vec<String> {
    let mut names: Vec<String> = (0..LETTERS).map(|at| format!("always {}", crate::ask::letter(at))).collect();
    for (name, _, both) in RULES {
        names.push(name.into());
        if both {
            names.push(format!("not: {name}"));
        }
    }
    names
}

/// For each question, what each rule is credited.
pub(super) fn credits(items: &[AuditItem]) -> Vec<Vec<f64>> {
    let scores = scores(items);
    let mut credits = credits_of(items, &scores);
    for learned in trained::credits(items, &scores) {
        credits.iter_mut().zip(learned).for_each(|(all, credit)| all.push(credit));
    }
    credits
}

/// The same without the trained rules.
pub(super) fn plain_credits(items: &[AuditItem]) -> Vec<Vec<f64>> {
    credits_of(items, &scores(items))
}

fn credits_of(items: &[AuditItem], scores: &[Vec<Vec<f64>>]) -> Vec<Vec<f64>> {
    let of_item = |(item, scores): (&AuditItem, &Vec<Vec<f64>>)| {
        let letters = (0..LETTERS).map(|at| f64::from(item.right.get(at) == Some(&true)));
        let mut all: Vec<f64> = letters.collect();
        for ((_, _, both), scores) in RULES.iter().zip(scores) {
            all.push(credit(scores, &item.right));
            if *both {
                let turned: Vec<f64> = scores.iter().map(|score| -score).collect();
                all.push(credit(&turned, &item.right));
            }
        }
        all
    };
    items.iter().zip(scores).map(of_item).collect()
}

/// For each question and rule, a number per option.
fn scores(items: &[AuditItem]) -> Vec<Vec<Vec<f64>>> {
    let texts = items.iter().flat_map(|item| item.held.iter().map(|held| held.all.as_slice()));
    let facts = SetFacts { words: WordStatistics::of_words(texts) };
    items.iter().map(|item| RULES.iter().map(|(_, rule, _)| rule(item, &facts)).collect()).collect()
}

/// The credit for taking the highest: shared among those that tie.
pub(super) fn credit(scores: &[f64], right: &[bool]) -> f64 {
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let ties = |score: &f64| *score >= best - 1e-9;
    let tied = scores.iter().filter(|score| ties(score)).count();
    let hits = scores.iter().zip(right).filter(|(score, right)| ties(score) && **right).count();
    hits as f64 / tied.max(1) as f64
}
