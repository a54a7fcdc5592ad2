//! Reads a repository's history through the `git` program: the only place of this crate that starts a process.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::diff;
use crate::make::{Cause, Commit, CommitHistory};

/// Why a history cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// `git` did not start, or its output could not be read.
    #[error("git: {0}")]
    Start(#[from] std::io::Error),
    /// A part of the history is missing.
    #[error("the repository is a shallow clone, so its history is cut off; `git fetch --unshallow` brings the rest")]
    Shallow,
    /// `git` refused.
    #[error("git {command}: {says}")]
    Refused {
        /// What was asked.
        command: String,
        /// What it says.
        says: String,
    },
}

/// Which commits are read.
#[derive(Clone, Debug)]
pub struct HarvestOptions {
    /// The newest commit: a branch, tag or id.
    pub revision: String,
    /// The oldest date, as git reads it. Commits after a model's training end cannot be remembered.
    pub since: Option<String>,
    /// At most so many commits, the newest ones.
    pub most: Option<usize>,
    /// Whether to follow first parents only, where a merge stands for its branch; otherwise merges are left out.
    pub first_parent: bool,
    /// The repository's name in ids and manifests; the folder's name if none is given.
    pub name: Option<String>,
}

impl Default for HarvestOptions {
    fn default() -> Self {
        HarvestOptions { revision: "HEAD".into(), since: None, most: None, first_parent: true, name: None }
    }
}

/// Fields of a commit end in this; it stands in no message.
const FIELD: char = '\u{1f}';
/// A commit begins with this.
const START: char = '\u{1e}';

/// Reads commits with their diffs and patch ids, the newest first.
pub fn history(folder: &Path, options: &HarvestOptions) -> Result<CommitHistory, GitError> {
    let head =
        text(folder, &["rev-parse", "--verify", &format!("{}^{{commit}}", options.revision)])?.trim().to_string();
    let format = format!("--format={START}%H{FIELD}%an{FIELD}%ct{FIELD}%s{FIELD}%b{FIELD}");
    let mut args = vec!["log", "-p", "--no-color", "--no-ext-diff", "--no-textconv", "--unified=3", "--no-renames"];
    args.push(&format);
    let walk = walk(options);
    args.extend(walk.iter().map(String::as_str));
    args.push(&head);
    let log = text(folder, &args)?;
    let ids = patch_ids(folder, &log)?;
    let commits = log.split(START).skip(1).filter_map(|part| commit(part, &ids)).collect();
    let name = options.name.clone().unwrap_or_else(|| folder_name(folder));
    Ok(CommitHistory { name, head: head.clone(), licence: licence(folder, &head), commits, causes: Vec::new() })
}

/// Finds for each mending commit the one that wrote the lines it takes away: `git blame` of what it removes.
/// Costs a process per file, so only the `most` newest mending commits are looked at.
pub fn trace_causes(folder: &Path, history: &mut CommitHistory, most: usize) -> Result<(), GitError> {
    let mending: Vec<&Commit> = history.commits.iter().filter(|commit| commit.is_mending()).take(most).collect();
    let mut causes = Vec::new();
    for fix in mending {
        if let Some(named) = fix.named_cause().and_then(|id| history.commits.iter().find(|c| c.id.starts_with(&id))) {
            causes.push(Cause { fix: fix.id.clone(), culprit: named.id.clone() });
            continue;
        }
        let mut blamed: BTreeMap<String, usize> = BTreeMap::new();
        for file in fix.files.iter().filter(|file| !file.is_special).take(4) {
            for hunk in file.hunks.iter().filter(|hunk| hunk.lines.iter().any(|line| line.starts_with('-'))).take(4) {
                blame(folder, &fix.id, &file.path, hunk, &mut blamed)?;
            }
        }
        let most = blamed.iter().max_by_key(|(_, lines)| **lines);
        if let Some((culprit, lines)) = most
            && 2 * lines > blamed.values().sum()
        {
            causes.push(Cause { fix: fix.id.clone(), culprit: culprit.clone() });
        }
    }
    history.causes = causes;
    Ok(())
}

fn blame(
    folder: &Path,
    fix: &str,
    path: &str,
    hunk: &diff::DiffHunk,
    blamed: &mut BTreeMap<String, usize>,
) -> Result<(), GitError> {
    let mut line = hunk.old.0;
    let mut removed = Vec::new();
    for text in &hunk.lines {
        if text.starts_with('-') {
            removed.push(line);
        }
        line += usize::from(!text.starts_with('+'));
    }
    let (Some(first), Some(last)) = (removed.first(), removed.last()) else { return Ok(()) };
    let range = format!("{first},{last}");
    let found = text(folder, &["blame", "-l", "-s", "-L", &range, &format!("{fix}^"), "--", path])?;
    for (at, line) in found.lines().enumerate() {
        if removed.contains(&(first + at)) {
            let id = line.split_whitespace().next().unwrap_or_default().trim_start_matches('^');
            *blamed.entry(id.into()).or_default() += 1;
        }
    }
    Ok(())
}

fn walk(options: &HarvestOptions) -> Vec<String> {
    let mut args: Vec<String> = Vec::new();
    if options.first_parent {
        args.extend(["--first-parent".into(), "--diff-merges=first-parent".into()]);
    } else {
        args.push("--no-merges".into());
    }
    args.extend(options.since.iter().map(|date| format!("--since={date}")));
    args.extend(options.most.iter().map(|most| format!("--max-count={most}")));
    args
}

fn commit(part: &str, ids: &BTreeMap<String, String>) -> Option<Commit> {
    let mut fields = part.splitn(6, FIELD);
    let id = fields.next()?.to_string();
    let author = fields.next()?.to_string();
    let date = fields.next()?.parse().ok()?;
    let subject = fields.next()?.trim().to_string();
    let body = fields.next()?.trim().to_string();
    let files = diff::parse(fields.next()?);
    let patch_id = ids.get(&id).cloned().unwrap_or_default();
    Some(Commit { id, author, date, subject, body, files, patch_id })
}

/// `git patch-id` of every commit in a log that was read: nothing is compared a second time.
fn patch_ids(folder: &Path, log: &str) -> Result<BTreeMap<String, String>, GitError> {
    let mut program =
        git(folder).args(["patch-id", "--stable"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut stdin = program.stdin.take().expect("it was asked for");
    let output = std::thread::scope(|threads| {
        // It answers while it reads: both ends must move, or both wait.
        let writer = threads.spawn(move || {
            for part in log.split(START).skip(1) {
                let (Some(id), Some(changes)) = (part.split(FIELD).next(), part.splitn(6, FIELD).nth(5)) else {
                    continue;
                };
                stdin.write_all(format!("commit {id}\n").as_bytes())?;
                stdin.write_all(changes.as_bytes())?;
            }
            std::io::Result::Ok(())
        });
        let output = program.wait_with_output();
        writer.join().expect("writing does not panic")?;
        output
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    Ok(pairs.map(|(patch, commit)| (commit.trim().to_string(), patch.to_string())).collect())
}

/// Whether the repository holds a part of its history only.
pub fn is_shallow(folder: &Path) -> Result<bool, GitError> {
    Ok(text(folder, &["rev-parse", "--is-shallow-repository"])?.trim() == "true")
}

/// The licence by the words of its file, as an SPDX name; empty if unknown.
fn licence(folder: &Path, head: &str) -> String {
    let listed = text(folder, &["ls-tree", "--name-only", head]).unwrap_or_default();
    let is_licence = |name: &&str| {
        let lower = name.to_lowercase();
        lower.starts_with("licen") || lower.starts_with("copying")
    };
    let names: Vec<&str> = listed.lines().filter(is_licence).collect();
    let mut found: Vec<&str> = Vec::new();
    for name in names {
        let words = text(folder, &["show", &format!("{head}:{name}")]).unwrap_or_default();
        let known = [
            ("Apache License", "Apache-2.0"),
            ("Permission is hereby granted, free of charge", "MIT"),
            ("GNU AFFERO GENERAL", "AGPL-3.0"),
            ("GNU LESSER GENERAL", "LGPL-3.0"),
            ("GNU GENERAL PUBLIC", "GPL"),
            ("Mozilla Public License", "MPL-2.0"),
            ("Redistribution and use in source and binary", "BSD"),
        ];
        found.extend(known.iter().find(|(words_of_it, _)| words.contains(words_of_it)).map(|(_, spdx)| spdx));
    }
    found.sort_unstable();
    found.join(" OR ")
}

fn folder_name(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_else(|| "repository".into())
}

fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    // Settings of the machine must not change what is read.
    command.arg("-C").arg(folder).args([
        "-c",
        "core.quotePath=false",
        "-c",
        "diff.noprefix=false",
        "-c",
        "diff.mnemonicPrefix=false",
    ]);
    command.env("LC_ALL", "C").stdin(Stdio::null());
    command
}

fn text(folder: &Path, args: &[&str]) -> Result<String, GitError> {
    let output = git(folder).args(args).output()?;
    if !output.status.success() {
        let says = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(GitError::Refused { command: args.first().unwrap_or(&"").to_string(), says });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
