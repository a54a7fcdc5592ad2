//! The episodes of a run's folder, for commands that only read.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use harness::sweep::{self, EPISODES, EpisodeLine};

use crate::folder::read_settings;
use crate::say;

const ADVICE: &str = "give the folder of a run, such as runs/RUN";

/// What a folder holds.
pub struct Episodes {
    /// Its finished episodes.
    pub lines: Vec<EpisodeLine>,
    /// How many episodes each agent was to play; `None` if that is not known.
    pub planned: Option<u32>,
}

/// Reads what the folder's index lists, or else its records. Lines that cannot be read are told.
pub fn read(folder: &Path) -> anyhow::Result<Episodes> {
    let records = folder.join("records");
    if !folder.is_dir() {
        bail!("{} is not a folder; {ADVICE}", folder.display());
    }
    if folder.join(EPISODES).exists() {
        let found = sweep::read_lines(folder)?;
        for damage in &found.damaged {
            say::note(&format!(
                "{}: line {} of {EPISODES} left out: {}",
                folder.display(),
                damage.line,
                damage.problem
            ));
        }
        return Ok(Episodes { lines: found.lines, planned: planned(folder)? });
    }
    if !records.is_dir() {
        bail!("{} holds neither `{EPISODES}` nor `records/`; {ADVICE}", folder.display());
    }
    let mut files = Vec::new();
    walk(&records, &mut files)?;
    let lines = files.iter().map(|file| EpisodeLine::read(file)).collect::<Result<_, _>>()?;
    Ok(Episodes { lines, planned: None })
}

/// A shard plays a part of its run only: how large a part is not asked here.
fn planned(folder: &Path) -> anyhow::Result<Option<u32>> {
    let settings = read_settings(folder, ADVICE)?.filter(|settings| settings.shard.is_none());
    Ok(settings.map(|settings| {
        let each = settings.seeds.len() * settings.repeats.max(1) as usize;
        u32::try_from(settings.tasks.len() * each).unwrap_or(u32::MAX)
    }))
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let unread = || format!("cannot read the folder {}; {ADVICE}", folder.display());
    let entries = fs::read_dir(folder).with_context(unread)?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>().with_context(unread)?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            files.push(path);
        }
    }
    Ok(())
}
