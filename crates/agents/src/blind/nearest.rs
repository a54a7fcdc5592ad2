//! `blind-nearest`: the nearest neighbours over everything that is no symptom vote on what to do.

use std::collections::BTreeMap;

use harness::{Example, Memory};

use super::deeds::Decision;
use super::norms::Norms;
use super::seen::{Seen, role};
use super::transfer::Remembered;
use super::{BlindPolicy, Reads};

/// The policy.
pub struct Nearest;

/// How many neighbours vote.
const NEIGHBOURS: usize = 5;

impl BlindPolicy for Nearest {
    fn name(&self) -> &'static str {
        "blind-nearest"
    }

    fn about(&self) -> &'static str {
        "lets the remembered incidents that are nearest in page, configuration and changes vote on the deed"
    }

    fn reads(&self) -> Reads {
        Reads::All
    }

    fn decide(&self, seen: &Seen, memory: &Memory) -> Decision {
        let book = memory.lesson(self.name(), Book::learn);
        let own = book.marks(seen);
        let mut near: Vec<(f64, usize)> =
            book.all.iter().enumerate().map(|(at, (_, marks))| (likeness(&own, marks), at)).collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut votes: BTreeMap<String, (f64, usize)> = BTreeMap::new();
        for (likeness, at) in near.into_iter().take(NEIGHBOURS) {
            votes.entry(book.all[at].0.kind()).or_insert((0.0, at)).0 += likeness;
        }
        let best = votes.into_values().max_by(|a, b| a.0.total_cmp(&b.0));
        best.map_or_else(Decision::nothing, |(_, at)| book.all[at].0.apply(seen))
    }
}

/// What tells incidents apart, with its weight.
type Marks = BTreeMap<String, f64>;

/// Remembered incidents with their marks.
struct Book {
    norms: Norms,
    all: Vec<(Remembered, Marks)>,
}

impl Book {
    fn learn(examples: &[Example]) -> Book {
        let all: Vec<Remembered> = examples.iter().map(Remembered::of).collect();
        let mut book = Book { norms: Norms::learn(&all), all: Vec::new() };
        book.all = all
            .into_iter()
            .map(|one| {
                let marks = book.marks(&one.seen);
                (one, marks)
            })
            .collect();
        book
    }

    fn marks(&self, seen: &Seen) -> Marks {
        let mut marks = Marks::new();
        marks.insert(format!("page {}", seen.rule()), 3.0);
        for word in seen.rule().split_ascii_whitespace() {
            marks.insert(format!("word {word}"), 0.5);
        }
        let size = self.norms.size(seen);
        for (at, own) in seen.config.iter().enumerate() {
            for (key, value) in own.iter().flatten() {
                let odd = self.norms.of(&seen.services[at], key).and_then(|norm| norm.oddness(value, size));
                let text = odd.map_or_else(|| value.clone(), |odd| format!("{:.0}", (odd / 2.0).clamp(-6.0, 6.0)));
                marks.insert(format!("{} {key} {text}", seen.role(at)), 0.3 + 0.2 * odd.map_or(0.0, f64::abs).min(8.0));
            }
        }
        for row in &seen.rows {
            let what = row.setting().map_or("deploy", |(key, _)| key);
            marks.insert(format!("change {} {what}", role(&row.service)), 0.7);
        }
        marks
    }
}

/// The weight of what two have in common, against all that they have.
fn likeness(one: &Marks, other: &Marks) -> f64 {
    let common: f64 = one.iter().filter(|(mark, _)| other.contains_key(*mark)).map(|(_, weight)| weight).sum();
    let all: f64 = one.values().chain(other.values()).sum();
    if all > 0.0 { common / all } else { 0.0 }
}
