//! The folder of a run: its settings, its summary, and what may be in it when a run begins.

use std::fs;
use std::path::{Path, PathBuf};

use super::{EPISODES, EXCHANGES, FAILURES, FolderLock, PARTIAL, RECORDS, RunSettings, SETTINGS, SUMMARY};
use crate::error::RecordError;
use crate::record::{read_text, write_whole};

/// What to do about a folder that cannot be used.
const ADVICE: &str = "choose another --out, or start over with --fresh";

/// The same where paid answers may be in the folder, and only its settings are lost.
const MEND: &str = "the same command with another --out writes a sound one that can be copied here; choose another --out, \
                    or start over with --fresh, which removes everything";

/// The folder of a run, held by the one who writes to it.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    _lock: FolderLock,
}

impl RunFolder {
    /// Opens it for a run with these settings: empty, or begun with the same ones.
    pub fn open(path: &Path, settings: &RunSettings, fresh: bool) -> Result<RunFolder, RecordError> {
        refuse_strangers(path)?;
        make(path)?;
        let folder = RunFolder { path: path.to_path_buf(), _lock: FolderLock::take(path)? };
        if fresh {
            folder.clear()?;
        }
        folder.admit(settings)?;
        folder.write_settings(settings)?;
        Ok(folder)
    }

    /// Writes the settings anew: a server learns of its agents and seeds as they come.
    pub fn write_settings(&self, settings: &RunSettings) -> Result<(), RecordError> {
        let text = serde_json::to_string_pretty(settings).expect("settings are plain data") + "\n";
        write_whole(&self.path.join(SETTINGS), text.as_bytes())
    }

    /// Ends a whole run: its summary, all of it or nothing. Settings that were removed meanwhile are written again,
    /// or no command would take the folder any more.
    pub fn finish(&self, settings: &RunSettings, summary: &str) -> Result<(), RecordError> {
        if !self.path.join(SETTINGS).exists() {
            self.write_settings(settings)?;
        }
        write_whole(&self.path.join(SUMMARY), summary.as_bytes())?;
        // A partial result that is left behind says when it was written; the summary beside it says the rest.
        let _ = fs::remove_file(self.path.join(PARTIAL));
        Ok(())
    }

    fn admit(&self, settings: &RunSettings) -> Result<(), RecordError> {
        let then = read_settings(&self.path, MEND)?;
        match then.and_then(|then| settings.difference(&then)) {
            None => Ok(()),
            Some(why) => {
                Err(RecordError::Folder(format!("{} holds another run: {why}; {ADVICE}", self.path.display())))
            }
        }
    }

    /// Removes what a run wrote, and nothing else.
    fn clear(&self) -> Result<(), RecordError> {
        for folder in [RECORDS, EXCHANGES].map(|name| self.path.join(name)).iter().filter(|path| path.exists()) {
            fs::remove_dir_all(folder).map_err(RecordError::io("remove", folder))?;
        }
        // The settings go last: until then the folder is known as a run's.
        for path in [EPISODES, FAILURES, SUMMARY, PARTIAL, SETTINGS]
            .map(|name| self.path.join(name))
            .iter()
            .filter(|p| p.exists())
        {
            fs::remove_file(path).map_err(RecordError::io("remove", path))?;
        }
        Ok(())
    }
}

/// Makes a folder.
pub fn make(path: &Path) -> Result<(), RecordError> {
    let problem = |e| format!("cannot make the folder {}; choose another --out: {e}", path.display());
    fs::create_dir_all(path).map_err(|e| RecordError::Folder(problem(e)))
}

/// The settings of the run in a folder, if it has any.
pub fn read_settings(folder: &Path, advice: &str) -> Result<Option<RunSettings>, RecordError> {
    let path = folder.join(SETTINGS);
    if !path.exists() {
        return Ok(None);
    }
    let text = read_text(&path, "read", advice)?;
    let problem =
        |e: serde_json::Error| format!("{}: line {}: no settings of a run: {e}; {advice}", path.display(), e.line());
    RunSettings::parse(&text).map(Some).map_err(|e| RecordError::Folder(problem(e)))
}

/// Without settings, files of our names belong to something else.
fn refuse_strangers(folder: &Path) -> Result<(), RecordError> {
    let shown = folder.display();
    if folder.exists() && !folder.is_dir() {
        return Err(RecordError::Folder(format!("{shown} is a file, not a folder; choose another --out")));
    }
    if folder.join(SETTINGS).exists() {
        return Ok(());
    }
    match [EPISODES, FAILURES, SUMMARY, RECORDS].iter().find(|name| folder.join(name).exists()) {
        None => Ok(()),
        Some(name) => Err(RecordError::Folder(format!(
            "{shown} holds `{name}` but no `{SETTINGS}`: it is not the folder of a run; choose another --out"
        ))),
    }
}
