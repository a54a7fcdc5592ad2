//! What is shown of a commit: one file's change, cut to a size that can be read.

use std::collections::{BTreeMap, BTreeSet};

use super::commit::CommitHistory;
use super::filter::{Dropped, FilterRules};
use crate::diff::{DiffHunk, FileDiff};

/// One file's part of a commit, and the commit's scrubbed message.
#[derive(Clone, Debug)]
pub(super) struct ChangeUnit {
    /// The commit's place in the history.
    pub(super) commit: usize,
    /// The message.
    pub(super) text: String,
    /// The change, cut.
    pub(super) file: FileDiff,
    /// The change as text.
    pub(super) shown: String,
}

const MOST_LINES: usize = 34;
const MOST_BYTES: usize = 1500;
const FEWEST_BYTES: usize = 160;

/// The units of all commits that stay, and why the others do not.
pub(super) fn units(
    history: &CommitHistory,
    rules: &FilterRules,
    per_commit: usize,
) -> (Vec<ChangeUnit>, BTreeMap<Dropped, usize>) {
    let people: BTreeSet<&str> = history.commits.iter().map(|commit| commit.author.as_str()).collect();
    let people: Vec<&str> = people.into_iter().collect();
    let mut dropped = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut units = Vec::new();
    for (at, commit) in history.commits.iter().enumerate() {
        if let Some(why) = rules.drops(commit, &mut seen) {
            *dropped.entry(why).or_default() += 1;
            continue;
        }
        let text = super::scrub(&commit.message(), &people);
        let mut files: Vec<&FileDiff> = commit.files.iter().filter(|file| rules.shows(file)).collect();
        files.sort_by_key(|file| std::cmp::Reverse(file.churn()));
        let all: usize = commit.files.iter().map(|file| file.churn()).sum();
        // A file that is a small part of a commit may have nothing to do with its message.
        files.retain(|file| file.churn() * 4 >= all && tells(file));
        let cut = files.into_iter().filter_map(|file| cut(file, at, &text));
        // Wrong options are drawn from the same units as right ones: what a right one must be like, all are.
        units.extend(cut.filter(|unit| links(&unit.text, &unit.shown) >= EVIDENCE).take(per_commit));
    }
    (units, dropped)
}

/// A message and a change that share fewer words than this cannot be told to belong together.
pub(super) const EVIDENCE: usize = 2;

fn tells(file: &FileDiff) -> bool {
    file.hunks.iter().any(|hunk| tells_by_itself(&hunk.lines))
}

/// Whether changed lines are more than names that are brought in.
pub(super) fn tells_by_itself(lines: &[String]) -> bool {
    let changed = lines.iter().filter(|line| line.starts_with(['+', '-']));
    let code = changed.map(|line| line[1..].trim()).filter(|line| line.len() > 3);
    const NAMES: [&str; 6] = ["use ", "pub use ", "mod ", "pub mod ", "import ", "from "];
    code.filter(|line| !NAMES.iter().any(|start| line.starts_with(start))).count() >= 2
}

/// Words that two texts share by their first five letters: the evidence that one is about the other.
pub(super) fn links(one: &str, other: &str) -> usize {
    let stems = |text: &str| -> BTreeSet<String> {
        crate::words::informative(text).into_iter().map(|word| word.chars().take(5).collect()).collect()
    };
    stems(one).intersection(&stems(other)).count()
}

fn cut(file: &FileDiff, commit: usize, text: &str) -> Option<ChangeUnit> {
    let mut kept = FileDiff { path: file.path.clone(), ..Default::default() };
    let (mut lines, mut bytes) = (0, 0);
    for hunk in &file.hunks {
        let room = MOST_LINES.saturating_sub(lines);
        if room < 4 || bytes > MOST_BYTES {
            break;
        }
        let short = shorten(hunk, room, MOST_BYTES - bytes.min(MOST_BYTES));
        lines += short.lines.len();
        bytes += short.lines.iter().map(String::len).sum::<usize>();
        if short.churn() > 0 {
            kept.hunks.push(short);
        }
    }
    let shown = kept.show();
    let fits = (FEWEST_BYTES..=MOST_BYTES + 400).contains(&shown.len()) && kept.churn() >= 2;
    fits.then(|| ChangeUnit { commit, text: text.into(), file: kept, shown })
}

fn shorten(hunk: &DiffHunk, lines: usize, bytes: usize) -> DiffHunk {
    let mut size = 0;
    let within = |line: &&String| {
        size += line.len();
        size <= bytes
    };
    let kept: Vec<String> = hunk.lines.iter().take(lines).take_while(within).cloned().collect();
    let mut cut = DiffHunk::of(hunk.old.0, kept);
    cut.new.0 = hunk.new.0;
    cut
}

impl ChangeUnit {
    /// The folder that it lies in.
    pub(super) fn folder(&self) -> &str {
        self.file.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The ending of its name.
    pub(super) fn ending(&self) -> &str {
        self.file.path.rsplit_once('.').map_or("", |(_, ending)| ending)
    }
}
