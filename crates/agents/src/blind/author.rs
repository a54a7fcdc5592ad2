//! `blind-author`: the change of the author who broke things most often.

use std::collections::BTreeMap;

use harness::{Example, Memory};

use super::deeds::{Decision, Deed};
use super::seconds::undo;
use super::seen::Seen;
use super::transfer::Remembered;
use super::{BlindPolicy, Reads};

/// The policy.
pub struct ByAuthor;

/// Of how many changes an author was the culprit.
type Authors = BTreeMap<String, (f64, f64)>;

impl BlindPolicy for ByAuthor {
    fn name(&self) -> &'static str {
        "blind-author"
    }

    fn about(&self) -> &'static str {
        "takes back the last change of the author whose changes most often had to be taken back"
    }

    fn reads(&self) -> Reads {
        Reads::Changes
    }

    fn decide(&self, seen: &Seen, memory: &Memory) -> Decision {
        let authors = memory.lesson(self.name(), learn);
        let guilt = |author: &str| authors.get(author).map_or(0.0, |(guilty, all)| guilty / all);
        let worst = seen.rows.iter().max_by(|a, b| guilt(&a.author).total_cmp(&guilt(&b.author)));
        undo(worst.into_iter())
    }
}

fn learn(examples: &[Example]) -> Authors {
    let mut authors = Authors::new();
    for one in examples.iter().map(Remembered::of) {
        for row in &one.seen.rows {
            let (guilty, all) = authors.entry(row.author.clone()).or_default();
            *all += 1.0;
            *guilty += if is_culprit(&one, row) { 1.0 } else { 0.0 };
        }
    }
    authors
}

/// Whether a change is what the solution took back or set right.
pub(super) fn is_culprit(one: &Remembered, row: &crate::exploits::history::HistoryRow) -> bool {
    one.deeds.iter().any(|deed| match deed {
        Deed::Undo(id) => *id == row.id,
        Deed::Set(service, key, _) => *service == row.service && row.setting().is_some_and(|(own, _)| own == key),
        Deed::Restart(_) => false,
    })
}
