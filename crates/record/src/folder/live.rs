//! Episodes under way: what was done in them so far, for those who look on. The files are gone when the episodes are over.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::inside;
use crate::events::Step;
use crate::problem::LiveTimes;

/// One file per episode under way.
pub const LIVE: &str = "live";

/// What is played under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveEpisode {
    /// The task or problem.
    pub task: String,
    /// Its digest.
    pub digest: String,
    /// The seed.
    pub seed: u64,
    /// The noise dial.
    pub noise: u8,
    /// The agent's name.
    pub agent: String,
    /// When it was set up, if clients with a clock of their own play it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveTimes>,
}

/// Where the steps of an episode under way are kept.
pub fn live_path(folder: &Path, key: &str) -> PathBuf {
    inside(folder, LIVE, key)
}

/// Writes the steps of an episode down as they are taken. Looking on is a courtesy: what cannot be written is left out.
pub struct LiveSteps {
    path: PathBuf,
    file: Option<File>,
    written: usize,
}

impl LiveSteps {
    /// Begins the file of an episode.
    pub fn begin(folder: &Path, key: &str, about: &LiveEpisode) -> LiveSteps {
        let path = live_path(folder, key);
        let opened = path.parent().map_or(Ok(()), fs::create_dir_all);
        let file = opened.and_then(|()| OpenOptions::new().create(true).truncate(true).write(true).open(&path));
        let mut steps = LiveSteps { path, file: file.ok(), written: 0 };
        steps.line(about);
        steps
    }

    /// Writes what is new of all steps so far.
    pub fn follow(&mut self, all: &[Step]) {
        for step in all.iter().skip(self.written) {
            self.line(step);
        }
        self.written = all.len();
    }

    fn line(&mut self, value: &impl Serialize) {
        let text = serde_json::to_string(value).expect("steps are plain data") + "\n";
        if self.file.as_mut().is_some_and(|file| file.write_all(text.as_bytes()).is_err()) {
            self.file = None;
        }
    }
}

impl Drop for LiveSteps {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        // Folders that are empty now go too; those of other episodes are not.
        let mut above = self.path.parent();
        while let Some(folder) = above.filter(|folder| fs::remove_dir(folder).is_ok()) {
            above = if folder.ends_with(LIVE) { None } else { folder.parent() };
        }
    }
}

/// What an episode under way is about and its steps so far; a line that is not whole yet is left out.
pub fn read_live(path: &Path) -> Option<(LiveEpisode, Vec<Step>)> {
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    let about = serde_json::from_str(lines.next()?).ok()?;
    Some((about, lines.map_while(|line| serde_json::from_str(line).ok()).collect()))
}

/// The keys of the episodes under way, sorted.
pub fn live_keys(folder: &Path) -> Vec<String> {
    keys_below(&folder.join(LIVE))
}

/// The keys of the logs below a folder that has one for each episode, sorted.
pub fn keys_below(folder: &Path) -> Vec<String> {
    let mut keys = Vec::new();
    collect(folder, "", &mut keys);
    keys.sort();
    keys
}

fn collect(folder: &Path, above: &str, keys: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), &format!("{name}/"), keys),
            Ok(_) => keys.extend(name.strip_suffix(".jsonl").map(str::to_string)),
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_while_they_are_written_and_gone_in_the_end() {
        let folder = std::env::temp_dir().join(format!("sre-zero-live-{}", std::process::id()));
        let about = LiveEpisode { task: "geo".into(), seed: u64::MAX, agent: "a@b/c".into(), ..LiveEpisode::default() };
        let step = |index| Step { index, text: "kubectl get pods".into(), ..Step::default() };
        let mut steps = LiveSteps::begin(&folder, "a@b/c/geo/7", &about);
        assert_eq!(live_keys(&folder), ["a@b/c/geo/7"]);
        steps.follow(&[step(1)]);
        steps.follow(&[step(1), step(2)]);
        let path = live_path(&folder, "a@b/c/geo/7");
        assert_eq!(read_live(&path), Some((about, vec![step(1), step(2)])));
        let whole = fs::read_to_string(&path).expect("it is there");
        fs::write(&path, &whole[..whole.len() - 9]).expect("it can be written");
        assert_eq!(read_live(&path).map(|(_, steps)| steps.len()), Some(1), "half a line is no step");
        drop(steps);
        assert!(folder.exists() && !folder.join(LIVE).exists());
        let _ = fs::remove_dir_all(folder);
    }
}
