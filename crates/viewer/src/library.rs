//! The runs below a folder. A run is known by its path below that folder, and only by having been
//! found there: no name that a browser sends is ever made into a path.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use harness::sweep::{EpisodeLine, record_path};

use super::ask::ViewRefusal;
use super::index::RunIndex;
use record::RunSettings;
use record::folder::{self, is_run};

/// Runs may be sorted into folders, not into mazes.
const DEEPEST: usize = 4;
/// Folders are looked through again after this time at the earliest.
const RESCAN: Duration = Duration::from_millis(500);
/// The name of the run that is the folder itself.
const ITSELF: &str = ".";

/// All runs below a folder.
pub struct Library {
    root: PathBuf,
    found: Mutex<(Option<Instant>, Vec<Arc<StoredRun>>)>,
}

/// The folder of one run.
pub struct StoredRun {
    /// Its path below the library's folder, with `/` between the parts.
    pub id: String,
    /// Where it is.
    pub path: PathBuf,
    index: Mutex<RunIndex>,
}

impl Library {
    /// The runs below a folder, which need not be there yet.
    pub fn new(root: &Path) -> Library {
        Library { root: root.to_path_buf(), found: Mutex::default() }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the folder is that of a single run.
    pub fn is_single(&self) -> bool {
        is_run(&self.root)
    }

    /// All runs, by id. What was read of them is kept.
    pub fn runs(&self) -> Vec<Arc<StoredRun>> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.0.is_none_or(|then| then.elapsed() >= RESCAN) {
            found.1 = self.scan(&found.1);
            found.0 = Some(Instant::now());
        }
        found.1.clone()
    }

    /// The run of that id.
    pub fn run(&self, id: &str) -> Result<Arc<StoredRun>, ViewRefusal> {
        let found = |runs: Vec<Arc<StoredRun>>| runs.into_iter().find(|run| run.id == id);
        found(self.runs()).ok_or_else(|| ViewRefusal::missing(format!("there is no run `{id}` here")))
    }

    /// Looks for new runs now.
    pub fn forget_scan(&self) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).0 = None;
    }

    fn scan(&self, before: &[Arc<StoredRun>]) -> Vec<Arc<StoredRun>> {
        let mut paths = Vec::new();
        walk(&self.root, DEEPEST, &mut paths);
        let run = |path: PathBuf| {
            let id = id(&self.root, &path);
            let kept = before.iter().find(|run| run.id == id).cloned();
            kept.unwrap_or_else(|| Arc::new(StoredRun { id, path, index: Mutex::default() }))
        };
        let mut runs: Vec<Arc<StoredRun>> = paths.into_iter().map(run).collect();
        runs.sort_by(|one, other| one.id.cmp(&other.id));
        runs
    }
}

impl StoredRun {
    /// Its episodes, as they stand in the file now.
    pub fn index(&self) -> Result<MutexGuard<'_, RunIndex>, ViewRefusal> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let unread = |e| ViewRefusal::failed(format!("cannot read the episodes of {}: {e}", self.id));
        index.refresh(&self.path).map_err(unread)?;
        Ok(index)
    }

    /// What the run was asked to do, if its folder says so.
    pub fn settings(&self) -> Option<RunSettings> {
        folder::read_settings(&self.path, "").ok().flatten()
    }

    /// The line of an episode and the text of its record.
    pub fn record(&self, key: &str) -> Result<(EpisodeLine, PathBuf, String), ViewRefusal> {
        let line = self.index()?.find(key).cloned();
        let line = line.ok_or_else(|| ViewRefusal::missing(format!("the run `{}` has no episode `{key}`", self.id)))?;
        let path = self.inside(&line.key)?;
        let unread =
            |e| ViewRefusal::failed(format!("the record of `{key}` cannot be read: {e}; run the episode again"));
        let bytes = fs::read(&path).map_err(unread)?;
        Ok((line, path, String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The file in which what was said to a model is kept.
    pub fn exchanges(&self, key: &str) -> Result<PathBuf, ViewRefusal> {
        let line = self.index()?.find(key).cloned();
        let line = line.ok_or_else(|| ViewRefusal::missing(format!("the run `{}` has no episode `{key}`", self.id)))?;
        self.within(&line.key, folder::exchange_path)
    }

    /// The file in which the steps of an episode under way are.
    pub fn live(&self, key: &str) -> Result<PathBuf, ViewRefusal> {
        self.within(key, folder::live_path)
    }

    /// The file of a record. A key comes from a file of unknown origin, so it must lead
    /// to a place inside the run's folder, and links must not lead out of it.
    fn inside(&self, key: &str) -> Result<PathBuf, ViewRefusal> {
        self.within(key, record_path)
    }

    fn within(&self, key: &str, place: fn(&Path, &str) -> PathBuf) -> Result<PathBuf, ViewRefusal> {
        let strange = || ViewRefusal::forbidden("the episode's key leads out of the run's folder");
        if !record::is_plain(key) {
            return Err(strange());
        }
        let path = place(&self.path, key);
        let missing = |e| ViewRefusal::missing(format!("the file of `{key}` is missing ({e}); run the episode again"));
        let real = path.canonicalize().map_err(missing)?;
        let home = self.path.canonicalize().map_err(missing)?;
        if real.starts_with(home) && real.is_file() { Ok(real) } else { Err(strange()) }
    }
}

/// Folders of runs. A run's own folder is not searched for more, and links are not followed.
fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    if is_run(folder) {
        return found.push(folder.to_path_buf());
    }
    let Some(depth) = depth.checked_sub(1) else { return };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if !hidden && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&entry.path(), depth, found);
        }
    }
}

fn id(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    if parts.is_empty() { ITSELF.to_string() } else { parts.join("/") }
}

#[cfg(test)]
mod tests {
    use super::super::stage::{Folder, line};
    use super::*;

    #[test]
    fn runs_are_found_below_the_folder_and_kept() {
        let folder = Folder::new("found");
        folder.run("one", &[line("a", 0)]);
        folder.run("deep/two", &[line("a", 0), line("a", 1)]);
        fs::create_dir_all(folder.path.join("empty")).expect("it can be made");
        let library = Library::new(&folder.path);
        let ids: Vec<String> = library.runs().iter().map(|run| run.id.clone()).collect();
        assert_eq!(ids, ["deep/two", "one"]);
        let two = library.run("deep/two").expect("it is there");
        assert_eq!(two.index().expect("it can be read").lines.len(), 2);
        library.forget_scan();
        assert!(Arc::ptr_eq(&two, &library.run("deep/two").expect("it is still there")));
    }

    #[test]
    fn a_folder_may_be_a_run_itself() {
        let folder = Folder::new("itself");
        folder.run("", &[line("a", 0)]);
        let library = Library::new(&folder.path);
        assert!(library.is_single());
        assert_eq!(library.run(".").expect("it is there").index().expect("it can be read").lines.len(), 1);
    }

    #[test]
    fn no_name_leads_elsewhere() {
        let folder = Folder::new("elsewhere");
        let keys = ["../../secret", "/etc/hostname", "a/../../../secret", "a//b", "a\0b", "a\\..\\b", "", "out/0"];
        let lines = keys.iter().map(|key| harness::sweep::EpisodeLine { key: key.to_string(), ..line("a", 0) });
        folder.run("run", &lines.collect::<Vec<_>>());
        fs::write(folder.path.join("secret.jsonl"), "secret").expect("it can be written");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&folder.path, folder.path.join("run/records/out")).expect("a link can be made");
        fs::write(folder.path.join("0.jsonl"), "secret").expect("it can be written");
        let library = Library::new(&folder.path);
        for id in ["..", "../run", "/etc", "run/../run", "run\0"] {
            assert_eq!(library.run(id).err().map(|r| r.status), Some(404), "{id:?}");
        }
        let run = library.run("run").expect("it is there");
        for key in keys {
            let refused = run.record(key).err().map(|r| r.status);
            assert!(matches!(refused, Some(403 | 404)), "{key:?}: {refused:?}");
        }
        assert_eq!(run.record("not/listed/0").err().map(|r| r.status), Some(404));
    }
}
