//! Rules that compare words of the question with words of the options, without understanding either.

use std::collections::BTreeSet;

use super::rules::SetFacts;
use super::{AuditItem, TextWords};
use crate::words::{self, cosine, vocabulary};

fn each(item: &AuditItem, score: impl Fn(&str) -> f64) -> Vec<f64> {
    item.options.iter().map(|option| score(option)).collect()
}

fn each_words(item: &AuditItem, score: impl Fn(&TextWords) -> f64) -> Vec<f64> {
    item.held.iter().map(score).collect()
}

pub(super) fn shared(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    each_words(item, |held| held.distinct.intersection(&item.asked.distinct).count() as f64)
}

pub(super) fn shared_scaled(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    each_words(item, |held| {
        let shared = held.distinct.intersection(&item.asked.distinct).count();
        shared as f64 / libm::sqrt(held.distinct.len().max(1) as f64)
    })
}

pub(super) fn shared_rare(item: &AuditItem, facts: &SetFacts) -> Vec<f64> {
    let asked = &item.asked.distinct;
    each_words(item, |held| held.distinct.intersection(asked).map(|word| facts.words.idf(word)).sum())
}

pub(super) fn tf_idf(item: &AuditItem, facts: &SetFacts) -> Vec<f64> {
    let asked = facts.words.vector_of(&item.asked.all);
    each_words(item, |held| cosine(&asked, &facts.words.vector_of(&held.all)))
}

pub(super) fn bm25(item: &AuditItem, facts: &SetFacts) -> Vec<f64> {
    each_words(item, |held| facts.words.bm25(&item.asked.distinct, &held.all))
}

/// Words of paths: a description often names the place.
pub(super) fn file_names(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    each(item, |option| vocabulary(&paths(option)).intersection(&item.asked.distinct).count() as f64)
}

/// Lines that are a path by themselves, or name one to git.
fn paths(option: &str) -> String {
    let is_path = |line: &&str| {
        let line = line.trim();
        let starts = line.starts_with("diff --git") || line.starts_with("+++ ") || line.starts_with("--- ");
        starts || (!line.contains(' ') && line.contains(['/', '.']) && !line.starts_with(['+', '-', '@']))
    };
    option.lines().filter(is_path).collect::<Vec<_>>().join("\n")
}

/// Identifiers that the question spells as the option does.
pub(super) fn identifiers(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    let asked = words::identifiers(item.text);
    each(item, |option| words::identifiers(option).intersection(&asked).count() as f64)
}

/// Numbers that stand in both: versions, ports, limits.
pub(super) fn numbers(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    let asked = numbers_of(item.text);
    each(item, |option| numbers_of(option).intersection(&asked).count() as f64)
}

fn numbers_of(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.')
        .map(|n| n.trim_matches('.'))
        .filter(|n| !n.is_empty())
        .collect()
}

/// Words by their first four letters, so that `retries` meets `retry`.
pub(super) fn stems(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    let asked = stems_of(&item.asked);
    each_words(item, |held| stems_of(held).intersection(&asked).count() as f64)
}

fn stems_of(text: &TextWords) -> BTreeSet<&str> {
    let telling = text.distinct.iter().filter(|word| words::is_informative(word));
    telling.map(|word| word.char_indices().nth(4).map_or(word.as_str(), |(end, _)| &word[..end])).collect()
}
