//! What a run that was stopped leaves behind: what it came to so far, and how to go on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use harness::sweep::Outcome;
use harness::write_whole;
use report::Summary;
use serde::Serialize;
use serde_json::Value;

use crate::folder::SUMMARY;

/// The file that says how far a stopped run came.
pub const PARTIAL: &str = "partial.json";

#[derive(Serialize)]
struct Partial<'a> {
    /// Why it stopped.
    stopped: &'a str,
    /// Episodes that are finished.
    finished: usize,
    /// Episodes that could not be played.
    failed: usize,
    /// Episodes that are still to be played, the begun ones among them.
    open: usize,
    /// Episodes that were begun, with the steps they had taken.
    begun: &'a BTreeMap<String, u32>,
    /// The command that goes on.
    go_on: &'a str,
    /// What the finished episodes came to.
    so_far: Value,
}

/// Writes it: all of it or nothing.
pub fn write(folder: &Path, why: &str, swept: &Outcome, summary: &Summary, go_on: &str) -> anyhow::Result<()> {
    let partial = Partial {
        stopped: why,
        finished: swept.lines.len(),
        failed: swept.failures.len(),
        open: swept.open,
        begun: &swept.held,
        go_on,
        so_far: serde_json::from_str(&summary.to_json())?,
    };
    let text = serde_json::to_string_pretty(&partial)? + "\n";
    write_whole(&folder.join(PARTIAL), text.as_bytes())?;
    // A summary that an earlier, smaller run left would pass for this one's.
    let _ = fs::remove_file(folder.join(SUMMARY));
    Ok(())
}

/// Takes it away once the run is whole.
pub fn remove(folder: &Path) {
    // A file that is left behind says when it was written; the summary beside it says the rest.
    let _ = fs::remove_file(folder.join(PARTIAL));
}

/// The command that was given, without what must not be said twice.
pub fn command() -> String {
    let mut words = vec!["sre-zero".to_string()];
    words.extend(once(std::env::args().skip(1)).map(|word| quoted(&word)));
    words.join(" ")
}

/// Without what was done when the run began and would be done, and paid, again.
fn once(words: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    let mut is_value = false;
    words.filter(move |word| {
        let was_value = std::mem::replace(&mut is_value, word == "--from-step");
        !was_value && word != "--fresh" && word != "--from-step" && !word.starts_with("--from-step=")
    })
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::once;

    #[test]
    fn what_was_done_at_the_beginning_is_not_said_again() {
        let check = |given: &str, expect: &str| {
            let left: Vec<String> = once(given.split(' ').map(str::to_string)).collect();
            assert_eq!(left.join(" "), expect);
        };
        check("run --fresh --jobs 2", "run --jobs 2");
        check("run --from-step 3 --jobs 2", "run --jobs 2");
        check("run --jobs 2 --from-step=3", "run --jobs 2");
        check("run --seed 3", "run --seed 3");
    }
}
