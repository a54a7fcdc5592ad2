//! Rules that learn: a logit over what the other rules say, and one over the options' words without the question.
//!
//! A rule of thumb can be hidden from each plain rule and still be there in their sum. What is learned on one part of a
//! set is tried on another: with one repository left out, and in five folds.

use std::collections::{BTreeMap, BTreeSet};

use world::Seed;

use super::AuditItem;
use super::rules::credit;

/// The trained rules' names.
pub(super) const NAMES: [&str; 3] =
    ["trained, one repository left out", "trained, in five folds", "trained on options without the question"];

const BUCKETS: usize = 1024;
const ROUNDS: usize = 12;

/// Sparse features of one option.
type Sparse = Vec<(usize, f64)>;

/// What the trained rules are credited, rule by rule.
pub(super) fn credits(items: &[AuditItem], scores: &[Vec<Vec<f64>>]) -> Vec<Vec<f64>> {
    let dense: Vec<Vec<Sparse>> = scores.iter().map(|rules| centred(rules)).collect();
    let bags: Vec<Vec<Sparse>> = items.iter().map(bag).collect();
    let folds: Vec<String> = items.iter().map(|item| (hash(item.id) % 5).to_string()).collect();
    let repositories: BTreeSet<&str> = items.iter().map(|item| item.repository).collect();
    let by_repository = if repositories.len() > 1 {
        items.iter().map(|item| item.repository.to_string()).collect()
    } else {
        folds.clone()
    };
    vec![tried(items, &dense, &by_repository), tried(items, &dense, &folds), tried(items, &bags, &folds)]
}

/// Trains without each group in turn and tries on it.
fn tried(items: &[AuditItem], features: &[Vec<Sparse>], groups: &[String]) -> Vec<f64> {
    let mut credits = vec![0.0; items.len()];
    for group in groups.iter().collect::<BTreeSet<_>>() {
        let train: Vec<usize> = (0..items.len()).filter(|at| &groups[*at] != group).collect();
        let weights = train_logit(items, features, &train);
        for at in (0..items.len()).filter(|at| &groups[*at] == group) {
            let scores: Vec<f64> = features[at].iter().map(|option| dot(&weights, option)).collect();
            credits[at] = credit(&scores, &items[at].right);
        }
    }
    credits
}

/// A conditional logit: the right option's odds against the others, by gradient steps with a little decay.
fn train_logit(items: &[AuditItem], features: &[Vec<Sparse>], train: &[usize]) -> Vec<f64> {
    let width = features.iter().flatten().flatten().map(|(at, _)| at + 1).max().unwrap_or(0);
    let mut weights = vec![0.0; width];
    for round in 0..ROUNDS {
        let rate = 0.2 / (1.0 + round as f64);
        for &at in train {
            let options = &features[at];
            let shares = softmax(options.iter().map(|option| dot(&weights, option)).collect());
            let rights = items[at].right.iter().filter(|right| **right).count().max(1) as f64;
            for ((option, share), right) in options.iter().zip(shares).zip(&items[at].right) {
                let error = f64::from(*right) / rights - share;
                option.iter().for_each(|(feature, value)| weights[*feature] += rate * error * value);
            }
        }
        weights.iter_mut().for_each(|weight| *weight *= 0.98);
    }
    weights
}

fn softmax(scores: Vec<f64>) -> Vec<f64> {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| libm::exp(score - top)).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

fn dot(weights: &[f64], option: &Sparse) -> f64 {
    option.iter().map(|(feature, value)| weights[*feature] * value).sum()
}

/// Every rule's numbers within a question, with mean 0 and deviation 1, so that long diffs do not outweigh short ones.
fn centred(rules: &[Vec<f64>]) -> Vec<Sparse> {
    let options = rules.first().map_or(0, Vec::len);
    let mut features: Vec<Sparse> = vec![Vec::new(); options];
    for (rule, scores) in rules.iter().enumerate() {
        let mean = scores.iter().sum::<f64>() / options as f64;
        let spread =
            libm::sqrt(scores.iter().map(|score| (score - mean) * (score - mean)).sum::<f64>() / options as f64);
        if spread > 1e-12 {
            scores.iter().zip(&mut features).for_each(|(score, own)| own.push((rule, (score - mean) / spread)));
        }
    }
    features
}

/// Words that some options hold and others do not, and a few marks, hashed.
fn bag(item: &AuditItem) -> Vec<Sparse> {
    let counts: Vec<BTreeMap<String, f64>> =
        item.options.iter().zip(&item.held).map(|(option, held)| counted(option, &held.all)).collect();
    let all: BTreeSet<&String> = counts.iter().flat_map(BTreeMap::keys).collect();
    let mut features: Vec<Sparse> = vec![Vec::new(); counts.len()];
    for word in all {
        let of_each: Vec<f64> = counts.iter().map(|own| own.get(word).copied().unwrap_or(0.0)).collect();
        let mean = of_each.iter().sum::<f64>() / of_each.len() as f64;
        let bucket = (hash(word) % BUCKETS as u64) as usize;
        for (own, count) in features.iter_mut().zip(&of_each).filter(|(_, count)| **count != mean) {
            own.push((bucket, (count - mean).clamp(-2.0, 2.0) * 0.3));
        }
    }
    features
}

fn counted(option: &str, words: &[String]) -> BTreeMap<String, f64> {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    for word in words {
        *counts.entry(word.clone()).or_default() += 1.0;
    }
    for mark in option.chars().filter(|c| c.is_ascii_punctuation()) {
        *counts.entry(mark.into()).or_default() += 1.0;
    }
    counts
}

fn hash(text: &str) -> u64 {
    Seed(0).stream(text).at(0).bits()
}
