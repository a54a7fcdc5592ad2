//! Which commits and files make questions, and why the others do not.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::commit::Commit;
use crate::diff::FileDiff;
use crate::words;

/// Why a commit was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dropped {
    /// Written by a program.
    Bot,
    /// Takes another one back.
    Revert,
    /// Its message says too little to decide anything.
    TooShort,
    /// Touches too many files to be about one thing.
    TooWide,
    /// Changes no code.
    NoCode,
    /// The same change as another one, by patch id or message.
    Duplicate,
    /// Its message names the machine or the people behind it.
    Private,
}

impl Dropped {
    /// The reason in a few words.
    pub fn name(self) -> &'static str {
        match self {
            Dropped::Bot => "by programs",
            Dropped::Revert => "that take others back",
            Dropped::TooShort => "whose message says too little",
            Dropped::TooWide => "that touch too many files",
            Dropped::NoCode => "without code",
            Dropped::Duplicate => "that repeat others",
            Dropped::Private => "that name people or machines",
        }
    }
}

/// What a commit must be like.
#[derive(Clone, Debug)]
pub struct FilterRules {
    /// Words that say something, at least.
    pub words: usize,
    /// Files, at most.
    pub files: usize,
    /// Beginnings of paths that are never shown.
    pub hidden_paths: Vec<String>,
    /// Text that must stand in no message and no line that is shown.
    pub forbidden: Vec<String>,
}

impl Default for FilterRules {
    fn default() -> Self {
        FilterRules { words: 8, files: 12, hidden_paths: Vec::new(), forbidden: Vec::new() }
    }
}

impl FilterRules {
    /// Why a commit is left out; none if it stays. `seen` holds patch ids and messages of those before it.
    pub(super) fn drops(&self, commit: &Commit, seen: &mut BTreeSet<String>) -> Option<Dropped> {
        let text = super::scrub(&commit.message(), &[]);
        if is_bot(commit) {
            Some(Dropped::Bot)
        } else if commit.subject.to_lowercase().starts_with("revert") {
            Some(Dropped::Revert)
        } else if self.is_forbidden(&commit.message()) {
            Some(Dropped::Private)
        } else if words::informative(&text).len() < self.words {
            Some(Dropped::TooShort)
        } else if commit.files.len() > self.files {
            Some(Dropped::TooWide)
        } else if !commit.files.iter().any(|file| self.shows(file)) {
            Some(Dropped::NoCode)
        } else {
            let patch = !commit.patch_id.is_empty() && !seen.insert(commit.patch_id.clone());
            let message = !seen.insert(text.to_lowercase());
            (patch || message).then_some(Dropped::Duplicate)
        }
    }

    /// Whether a file's change may be shown: code, not prose, not made by a program, nothing forbidden in it.
    pub(super) fn shows(&self, file: &FileDiff) -> bool {
        let hidden = self.hidden_paths.iter().any(|start| file.path.starts_with(start.as_str()));
        let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
        is_code(&file.path) && !hidden && !lines.into_iter().any(|line| self.is_forbidden(line))
    }

    fn is_forbidden(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        self.forbidden.iter().any(|word| lower.contains(word.as_str()))
    }
}

fn is_bot(commit: &Commit) -> bool {
    let author = commit.author.to_lowercase();
    let subject = commit.subject.to_lowercase();
    const BOTS: [&str; 7] =
        ["[bot]", "dependabot", "renovate", "release-please", "github-actions", "weblate", "crowdin"];
    const SUBJECTS: [&str; 7] = [
        "chore(deps",
        "build(deps",
        "bump ",
        "chore: release",
        "new translations",
        "update dependency ",
        "translated using",
    ];
    BOTS.iter().any(|bot| author.contains(bot)) || SUBJECTS.iter().any(|start| subject.starts_with(start))
}

/// Code and configuration that people write; not prose, locks, copies or what a program wrote.
pub(super) fn is_code(path: &str) -> bool {
    const ENDINGS: [&str; 30] = [
        "rs", "py", "js", "ts", "tsx", "go", "rb", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs", "swift", "scala",
        "sh", "tf", "toml", "yaml", "yml", "sql", "proto", "ex", "erl", "php", "lua", "zig", "json",
    ];
    const NOT: [&str; 12] = [
        "lock",
        "vendor/",
        "node_modules/",
        "generated",
        ".min.",
        "snapshot",
        "/locales/",
        "/i18n/",
        "package.json",
        "go.sum",
        "testdata/",
        "third_party/",
    ];
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ENDINGS.contains(&ending) && !NOT.iter().any(|part| path.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::parse;

    #[test]
    fn reasons_are_told_apart() {
        let files = parse("src/a.rs\n@@ -1,1 +1,1 @@\n-x\n+y\n");
        let long = "Let the pool wait for a free slot before it refuses a caller that could be served";
        let rules = FilterRules { forbidden: vec!["secret place".into()], ..Default::default() };
        let check = |author: &str, subject: &str, path: &str, expected: Option<Dropped>| {
            let mut files = files.clone();
            files[0].path = path.into();
            let commit = Commit { author: author.into(), subject: subject.into(), files, ..Default::default() };
            assert_eq!(rules.drops(&commit, &mut BTreeSet::new()), expected, "{author}: {subject}");
        };
        check("ann", long, "src/a.rs", None);
        check("dependabot[bot]", long, "src/a.rs", Some(Dropped::Bot));
        check("ann", "Bump serde from 1 to 2", "src/a.rs", Some(Dropped::Bot));
        check("ann", &format!("Revert \"{long}\""), "src/a.rs", Some(Dropped::Revert));
        check("ann", "Fix typo (#12)", "src/a.rs", Some(Dropped::TooShort));
        check("ann", long, "docs/a.md", Some(Dropped::NoCode));
        check("ann", long, "Cargo.lock", Some(Dropped::NoCode));
        check("ann", &format!("{long} in the secret place"), "src/a.rs", Some(Dropped::Private));
    }

    #[test]
    fn a_back_port_is_a_duplicate() {
        let files = parse("src/a.rs\n@@ -1,1 +1,1 @@\n-x\n+y\n");
        let subject = "Let the pool wait for a free slot before it refuses a caller that could be served".to_string();
        let commit = Commit { subject, files, patch_id: "p".into(), ..Default::default() };
        let mut seen = BTreeSet::new();
        assert_eq!(FilterRules::default().drops(&commit, &mut seen), None);
        let other = Commit { subject: format!("{} again", commit.subject), ..commit };
        assert_eq!(FilterRules::default().drops(&other, &mut seen), Some(Dropped::Duplicate));
    }
}
