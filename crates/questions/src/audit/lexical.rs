//! Rules that compare words of the question with words of the options, without understanding either.

use std::collections::BTreeSet;

use super::AuditItem;
use super::rules::SetFacts;
use crate::words::{self, cosine, vocabulary};

fn each(item: &AuditItem, score: impl Fn(&str) -> f64) -> Vec<f64> {
    item.options.iter().map(|option| score(option)).collect()
}

pub(super) fn shared(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    let asked = vocabulary(item.text);
    each(item, |option| vocabulary(option).intersection(&asked).count() as f64)
}

pub(super) fn shared_scaled(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    let asked = vocabulary(item.text);
    each(item, |option| {
        let held = vocabulary(option);
        held.intersection(&asked).count() as f64 / libm::sqrt(held.len().max(1) as f64)
    })
}

pub(super) fn shared_rare(item: &AuditItem, facts: &SetFacts) -> Vec<f64> {
    let asked = vocabulary(item.text);
    each(item, |option| vocabulary(option).intersection(&asked).map(|word| facts.words.idf(word)).sum())
}

pub(super) fn tf_idf(item: &AuditItem, facts: &SetFacts) -> Vec<f64> {
    let asked = facts.words.vector(item.text);
    each(item, |option| cosine(&asked, &facts.words.vector(option)))
}

pub(super) fn bm25(item: &AuditItem, facts: &SetFacts) -> Vec<f64> {
    let asked = vocabulary(item.text);
    each(item, |option| facts.words.bm25(&asked, option))
}

/// Words of paths: a description often names the place.
pub(super) fn file_names(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    let asked = vocabulary(item.text);
    each(item, |option| vocabulary(&paths(option)).intersection(&asked).count() as f64)
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
    let asked = stems_of(item.text);
    each(item, |option| stems_of(option).intersection(&asked).count() as f64)
}

fn stems_of(text: &str) -> BTreeSet<String> {
    words::informative(text).into_iter().map(|word| word.chars().take(4).collect()).collect()
}
