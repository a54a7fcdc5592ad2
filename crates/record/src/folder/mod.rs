//! The folder of a run, with one owner: where its files are, what may be in it, and whether it is the same run.
//!
//! ```text
//! run.json         what was asked for          episodes.jsonl   one line per finished episode
//! summary.json     what it came to             records/         one record per episode
//! partial.json     instead, if it was stopped  exchanges/       what was said to models
//! failures.jsonl   episodes that broke         .lock            one writer at a time
//! live/            steps of episodes under way
//! ```

mod audit;
mod index;
mod live;
mod lock;
mod open;
mod partial;
mod plan;
mod reading;
mod settings;
mod store;

use std::fs;
use std::path::{Path, PathBuf};

pub use audit::{Checked, Doubt, Verified, check, doubt, each, verify};
pub use index::{Damage, Index, Lines, read_lines, write_lines};
pub use live::{LIVE, LiveEpisode, LiveSteps, keys_below, live_keys, live_path, read_live};
pub use lock::FolderLock;
pub use open::{RunFolder, make, read_settings};
pub use partial::Partial;
pub use plan::PlayPlan;
pub use reading::{Episodes, read_episodes, run_folders};
pub use settings::{Raised, RunSettings, SELECTION};
pub use store::{Again, Store};

use crate::error::RecordError;
use crate::key::is_plain;

/// What was asked for.
pub const SETTINGS: &str = "run.json";
/// The index of a run.
pub const EPISODES: &str = "episodes.jsonl";
/// What a run came to.
pub const SUMMARY: &str = "summary.json";
/// How far a stopped run came.
pub const PARTIAL: &str = "partial.json";
/// Episodes that could not be played.
pub const FAILURES: &str = "failures.jsonl";
/// One file per episode.
pub const RECORDS: &str = "records";
/// One file per episode of an agent that asks a provider.
pub const EXCHANGES: &str = "exchanges";

/// Where the record of an episode is kept.
pub fn record_path(folder: &Path, key: &str) -> PathBuf {
    inside(folder, RECORDS, key)
}

/// Where the exchanges of an episode with its provider are kept.
pub fn exchange_path(folder: &Path, key: &str) -> PathBuf {
    inside(folder, EXCHANGES, key)
}

/// Keys of files are checked where they are read: one that leads elsewhere is a bug here.
fn inside(folder: &Path, kind: &str, key: &str) -> PathBuf {
    assert!(is_plain(key), "the key {key:?} would lead out of the folder");
    folder.join(kind).join(format!("{key}.jsonl"))
}

/// Whether a folder is that of a run.
pub fn is_run(folder: &Path) -> bool {
    [SETTINGS, EPISODES].iter().any(|name| folder.join(name).exists())
}

/// Whether two paths lead to one folder.
pub fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// A record file, with its place below `records/`, which should be its key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordFile {
    /// `agent/task/seed`.
    pub place: String,
    /// The file.
    pub path: PathBuf,
}

/// All record files of a folder, by place.
pub fn record_files(folder: &Path) -> Result<Vec<RecordFile>, RecordError> {
    let root = folder.join(RECORDS);
    let mut files = Vec::new();
    walk(&root, &root, &mut files)?;
    files.sort();
    Ok(files)
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<RecordFile>) -> Result<(), RecordError> {
    for entry in fs::read_dir(folder).map_err(RecordError::io("read the folder", folder))? {
        let path = entry.map_err(RecordError::io("read the folder", folder))?.path();
        if path.is_dir() {
            walk(root, &path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            let place = path.strip_prefix(root).unwrap_or(&path).with_extension("");
            files.push(RecordFile { place: place.to_string_lossy().replace('\\', "/"), path });
        }
    }
    Ok(())
}
