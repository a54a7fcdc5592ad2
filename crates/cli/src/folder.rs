//! The folder of a run: its settings, its summary, and what may be in it when a run begins.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use harness::sweep::EPISODES;
use harness::{read_text, write_whole};

use crate::lock::Lock;
use crate::settings::Settings;
use crate::sweeping::partial::PARTIAL;

const SETTINGS: &str = "run.json";
/// The file that says what a run came to.
pub const SUMMARY: &str = "summary.json";
const FAILURES: &str = "failures.jsonl";
const RECORDS: &str = "records";
const EXCHANGES: &str = "exchanges";

/// What to do about a folder that cannot be used.
const ADVICE: &str = "choose another --out, or start over with --fresh";

/// The same where paid answers may be in the folder, and only its settings are lost.
const MEND: &str = "the same command with another --out writes a sound one that can be copied here; choose another --out, \
                    or start over with --fresh, which removes everything";

/// The folder of a run.
pub struct Folder {
    path: PathBuf,
    _lock: Lock,
}

impl Folder {
    /// Opens it for a run with these settings: empty, or begun with the same ones.
    pub fn open(path: &Path, settings: &Settings, fresh: bool) -> anyhow::Result<Folder> {
        refuse_strangers(path)?;
        make(path)?;
        let folder = Folder { path: path.to_path_buf(), _lock: Lock::take(path)? };
        if fresh {
            folder.clear()?;
        }
        folder.admit(settings)?;
        folder.write_settings(settings)?;
        Ok(folder)
    }

    /// Writes the settings anew: a server learns of its agents and seeds as they come.
    pub fn write_settings(&self, settings: &Settings) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(settings)? + "\n";
        Ok(write_whole(&self.path.join(SETTINGS), text.as_bytes())?)
    }

    /// Writes the summary: all of it or nothing.
    pub fn write_summary(&self, text: &str) -> anyhow::Result<()> {
        Ok(write_whole(&self.path.join(SUMMARY), text.as_bytes())?)
    }

    fn admit(&self, settings: &Settings) -> anyhow::Result<()> {
        let then = read_settings(&self.path, MEND)?;
        match then.and_then(|then| settings.difference(&then)) {
            None => Ok(()),
            Some(why) => bail!("{} holds another run: {why}; {ADVICE}", self.path.display()),
        }
    }

    /// Removes what a run wrote, and nothing else.
    fn clear(&self) -> anyhow::Result<()> {
        for folder in [RECORDS, EXCHANGES].map(|name| self.path.join(name)).iter().filter(|path| path.exists()) {
            fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        // The settings go last: until then the folder is known as a run's.
        for path in [EPISODES, FAILURES, SUMMARY, PARTIAL, SETTINGS]
            .map(|name| self.path.join(name))
            .iter()
            .filter(|p| p.exists())
        {
            fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(())
    }
}

/// Makes a folder.
pub fn make(path: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot make the folder {}; choose another --out", path.display()))
}

/// Whether two paths lead to one folder.
pub fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Whether a folder is that of a run.
pub fn is_run(folder: &Path) -> bool {
    [SETTINGS, EPISODES].iter().any(|name| folder.join(name).exists())
}

/// The settings of the run in a folder, if it has any.
pub fn read_settings(folder: &Path, advice: &str) -> anyhow::Result<Option<Settings>> {
    let path = folder.join(SETTINGS);
    if !path.exists() {
        return Ok(None);
    }
    let text = read_text(&path, "read", advice)?;
    let settings = serde_json::from_str(&text)
        .map_err(|e| anyhow::anyhow!("{}: line {}: no settings of a run: {e}; {advice}", path.display(), e.line()))?;
    Ok(Some(settings))
}

/// Without settings, files of our names belong to somebody else.
fn refuse_strangers(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() && !folder.is_dir() {
        bail!("{} is a file, not a folder; choose another --out", folder.display());
    }
    if folder.join(SETTINGS).exists() {
        return Ok(());
    }
    match [EPISODES, FAILURES, SUMMARY, RECORDS].iter().find(|name| folder.join(name).exists()) {
        None => Ok(()),
        Some(name) => bail!(
            "{} holds `{name}` but no `{SETTINGS}`: it is not the folder of a run; choose another --out",
            folder.display()
        ),
    }
}
