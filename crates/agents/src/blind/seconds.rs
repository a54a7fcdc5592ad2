//! `blind-seconds`: changes that were made at the same second of the minute as most others belong together; the last
//! of them is taken back.

use std::collections::BTreeMap;

use harness::Memory;

use super::deeds::{Decision, Deed};
use super::seen::Seen;
use super::{BlindPolicy, Reads};
use crate::cause::of_setting;
use crate::exploits::history::HistoryRow;

/// The policy.
pub struct BySeconds;

impl BlindPolicy for BySeconds {
    fn name(&self) -> &'static str {
        "blind-seconds"
    }

    fn about(&self) -> &'static str {
        "takes back the changes of settings that were made at the most frequent second of the minute"
    }

    fn reads(&self) -> Reads {
        Reads::All
    }

    fn decide(&self, seen: &Seen, _: &Memory) -> Decision {
        let second = |row: &HistoryRow| row.time.rsplit(':').next().map(str::to_string);
        let mut count: BTreeMap<Option<String>, usize> = BTreeMap::new();
        seen.rows.iter().for_each(|row| *count.entry(second(row)).or_default() += 1);
        let Some((modal, _)) = count.into_iter().max_by_key(|(_, count)| *count) else { return Decision::nothing() };
        // Only settings that exist can have done harm.
        let is_real = |row: &HistoryRow| match (row.setting(), seen.find(&row.service)) {
            (Some((key, _)), Some(at)) => seen.config[at].is_none() || seen.value(at, key).is_some(),
            _ => true,
        };
        undo(seen.rows.iter().rev().filter(|row| second(row) == modal && is_real(row)).take(2))
    }
}

/// Takes these changes back; the last of them is called the cause.
pub(super) fn undo<'a>(rows: impl Iterator<Item = &'a HistoryRow>) -> Decision {
    let rows: Vec<&HistoryRow> = rows.collect();
    let Some(last) = rows.last() else { return Decision::nothing() };
    let cause = match last.push() {
        Some((key, from, to)) => {
            let than = match (from.parse::<f64>(), to.parse::<f64>()) {
                (Ok(from), Ok(to)) if to < from => ", which is too low",
                (Ok(_), Ok(_)) => ", which is too high",
                _ => "",
            };
            format!("{} {key} was set to {to}{than}", last.service)
        }
        None => format!("the change of {}: {}", last.service, last.text),
    };
    let exact = last.push().and_then(|(key, from, to)| of_setting(&last.service, key, to, from));
    Decision::of(rows.iter().map(|row| Deed::Undo(row.id.clone())).collect(), cause).exactly(exact)
}
