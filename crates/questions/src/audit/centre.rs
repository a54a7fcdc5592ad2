//! Rules that compare options with each other: the centre of the options, and the odd one out.
//!
//! If wrong options are the right one with one edit each, the right one is the centre of a star. "Not: medoid" is the
//! odd one out.

use std::collections::{BTreeMap, BTreeSet};

use super::AuditItem;
use super::distance::{compressed_size, edit_distance, token_distance};
use super::rules::SetFacts;

pub(super) fn token_medoid(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    let tokens: Vec<Vec<&str>> = item.options.iter().map(|option| option.split(' ').collect()).collect();
    nearest(item, &|one, other| token_distance(&tokens[one], &tokens[other]) as f64)
}

/// As above, and of those that tie the first: where the same option stands there twice, keys are often its first letter.
pub(super) fn token_medoid_first(item: &AuditItem, facts: &SetFacts) -> Vec<f64> {
    let scores = token_medoid(item, facts);
    scores.iter().enumerate().map(|(at, score)| score - 1e-6 * at as f64).collect()
}

pub(super) fn edit_medoid(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    nearest(item, &|one, other| edit_distance(item.options[one], item.options[other]) as f64)
}

/// Normalised compression distance (Cilibrasi and Vitányi 2005), with deflate.
pub(super) fn compression_medoid(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    let sizes: Vec<usize> = item.options.iter().map(|option| compressed_size(option)).collect();
    nearest(item, &|one, other| {
        let both = compressed_size(&[item.options[one], item.options[other]].concat());
        let (small, large) = (sizes[one].min(sizes[other]), sizes[one].max(sizes[other]));
        both.saturating_sub(small) as f64 / large.max(1) as f64
    })
}

/// The sum of distances to the others, turned round: the highest is the centre.
fn nearest(item: &AuditItem, distance: &dyn Fn(usize, usize) -> f64) -> Vec<f64> {
    let count = item.options.len();
    let mut sums = vec![0.0; count];
    for one in 0..count {
        for other in one + 1..count {
            let apart = distance(one, other);
            sums[one] -= apart;
            sums[other] -= apart;
        }
    }
    sums
}

pub(super) fn few_own_lines(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    few_own(item.options.iter().map(|option| option.lines().collect()).collect())
}

pub(super) fn few_own_words(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    few_own(item.held.iter().map(|held| held.distinct.iter().map(String::as_str).collect()).collect())
}

fn few_own(of_each: Vec<BTreeSet<&str>>) -> Vec<f64> {
    let mut holders: BTreeMap<&str, usize> = BTreeMap::new();
    of_each.iter().flatten().for_each(|part| *holders.entry(part).or_default() += 1);
    let own = |parts: &BTreeSet<&str>| parts.iter().filter(|part| holders[*part] == 1).count();
    of_each.iter().map(|parts| -(own(parts) as f64)).collect()
}
