//! What agents used their steps for: calls by tool, counted from records.

use record::Record;
use report::analysis::ToolUse;
use serde_json::{Value, json};

use super::library::Library;

/// Reading records takes time: of so many episodes the calls are counted, and the page says of how many.
const MOST: usize = 1000;

/// The tool use of these episodes, each named by its run and its key.
pub fn calls(library: &Library, chosen: &[(String, String)]) -> Value {
    let (mut used, mut read) = (ToolUse::default(), 0);
    for (run, key) in spread(chosen) {
        let Some(record) = record(library, run, key) else { continue };
        let steps: Vec<_> = record.steps().collect();
        let Some(end) = record.end() else { continue };
        used.add(&ToolUse::of(&steps, end));
        read += 1;
    }
    let mut calls: Vec<(&String, &u32)> = used.calls.iter().filter(|(tool, _)| !tool.is_empty()).collect();
    calls.sort_by_key(|(_, calls)| std::cmp::Reverse(**calls));
    json!({
        "episodes": chosen.len(),
        "read": read,
        "calls": calls,
        "invalid": used.invalid,
        "looks_before_change": used.mean_reads_before_write(),
    })
}

/// At most so many, from all over the list.
fn spread(chosen: &[(String, String)]) -> impl Iterator<Item = &(String, String)> {
    chosen.iter().step_by(chosen.len().div_ceil(MOST).max(1))
}

/// A record that can be read; others are left out of the count.
fn record(library: &Library, run: &str, key: &str) -> Option<Record> {
    let (_, path, text) = library.run(run).ok()?.record(key).ok()?;
    Record::parse(&path, &text).ok()
}
