//! Commits as they are harvested.

use crate::diff::FileDiff;

/// A repository's commits, the newest first.
#[derive(Clone, Debug, Default)]
pub struct CommitHistory {
    /// The repository's name.
    pub name: String,
    /// The newest commit.
    pub head: String,
    /// Its licence as an SPDX name, if known.
    pub licence: String,
    /// The commits.
    pub commits: Vec<Commit>,
    /// Which commit caused what another one mends.
    pub causes: Vec<Cause>,
}

/// One commit. The author is for filters; no question holds a name.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// Its id.
    pub id: String,
    /// Who wrote it.
    pub author: String,
    /// Seconds since 1970.
    pub date: i64,
    /// The first line of its message.
    pub subject: String,
    /// The rest.
    pub body: String,
    /// What it changes.
    pub files: Vec<FileDiff>,
    /// `git patch-id`.
    pub patch_id: String,
}

/// A mending commit, and the one that wrote what it mends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The mending commit.
    pub fix: String,
    /// The one that caused it.
    pub culprit: String,
}

impl Commit {
    /// The whole message.
    pub fn message(&self) -> String {
        format!("{}\n\n{}", self.subject, self.body).trim().to_string()
    }

    /// Whether it says that it mends something.
    pub fn is_mending(&self) -> bool {
        let words = crate::words::words(&self.subject);
        const MEND: [&str; 13] = [
            "fix",
            "fixes",
            "fixed",
            "mend",
            "mends",
            "repair",
            "revert",
            "reverts",
            "bug",
            "regression",
            "hotfix",
            "correct",
            "restore",
        ];
        words.iter().any(|word| MEND.contains(&word.as_str()))
    }

    /// The commit that the message names as the cause: "This reverts commit X", "Fixes: X".
    pub fn named_cause(&self) -> Option<String> {
        let message = self.message();
        ["This reverts commit ", "Fixes: "].iter().find_map(|start| {
            let rest = message.split_once(start)?.1;
            let id: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
            (id.len() >= 7).then_some(id)
        })
    }
}
