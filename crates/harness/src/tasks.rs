//! Where tasks come from: those that the program carries, and the user's own folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, OnceLock};

use faces::near_hint;

use crate::error::{Error, TaskError};
use crate::generate::thousand;
use crate::record::{RecordError, read_text};
use crate::task::Task;

/// What to do about a task file that is no text.
pub const ADVICE_SAVE_AS_UTF8: &str = "save the task file as UTF-8";

/// Names and texts of the repository's task files, sorted by name.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/tasks.rs"));

static EMBEDDED: LazyLock<Vec<TaskSource>> = LazyLock::new(|| {
    let mut all: Vec<TaskSource> = FILES.iter().map(|(file, text)| TaskSource::new(file, (*text).into())).collect();
    all.sort_by(|a, b| a.id.cmp(&b.id));
    all
});

/// A task file that is parsed when its task is first asked for.
pub struct TaskSource {
    /// The id that its name promises.
    pub id: String,
    /// The file, for errors.
    pub file: String,
    text: std::borrow::Cow<'static, str>,
    task: OnceLock<Result<Arc<Task>, TaskError>>,
}

impl TaskSource {
    fn new(file: &str, text: std::borrow::Cow<'static, str>) -> TaskSource {
        let stem = Path::new(file).file_stem().map(|s| s.to_string_lossy().into_owned());
        TaskSource { id: stem.unwrap_or_default(), file: file.to_string(), text, task: OnceLock::new() }
    }

    /// The task.
    pub fn task(&self) -> Result<Arc<Task>, TaskError> {
        self.task.get_or_init(|| Task::parse(&self.file, &self.text).map(Arc::new)).clone()
    }

    /// The file's text, to the letter.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The tasks that the program carries, sorted by id. Nothing is parsed yet.
pub fn embedded() -> &'static [TaskSource] {
    &EMBEDDED
}

/// The task files in a folder of the user's and in its subfolders, sorted by id.
pub fn load_dir(folder: &Path) -> Result<Vec<TaskSource>, Error> {
    let mut files = Vec::new();
    walk(folder, &mut files)?;
    let read = |path: &PathBuf| {
        let text = read_text(path, "read the task file", ADVICE_SAVE_AS_UTF8)?;
        Ok(TaskSource::new(&path.to_string_lossy(), text.into()))
    };
    let mut all = files.iter().map(read).collect::<Result<Vec<TaskSource>, Error>>()?;
    all.sort_by(|a, b| (&a.id, &a.file).cmp(&(&b.id, &b.file)));
    if let Some(pair) = all.windows(2).find(|pair| pair[0].id == pair[1].id) {
        let problem = format!("{} has the same id; rename one of them", pair[0].file);
        return Err(TaskError { file: pair[1].file.clone(), problem }.into());
    }
    Ok(all)
}

/// The task of that id.
pub fn find(sources: &[TaskSource], id: &str) -> Result<Arc<Task>, Error> {
    match sources.iter().find(|s| s.id == id) {
        Some(source) => Ok(source.task()?),
        None if thousand::find(id).is_some() => Ok(thousand::find(id).expect("it was found just now")?),
        None => {
            let known: Vec<&str> = sources.iter().map(|s| s.id.as_str()).collect();
            Err(Error::UnknownTask { id: id.to_string(), hint: near_hint(id, &known) })
        }
    }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(RecordError::io("read the folder", folder))? {
        let path = entry.map_err(RecordError::io("read the folder", folder))?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "toml") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::GONE;

    /// A folder of the test's own with these files in it.
    fn folder(name: &str, files: &[&str]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("sre-zero-tasks-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        for file in files {
            let file = path.join(file);
            fs::create_dir_all(file.parent().expect("it is in the folder")).expect("it can be made");
            fs::write(file, GONE).expect("it can be written");
        }
        path
    }

    #[test]
    fn the_tasks_carried_are_valid_and_sorted() {
        let ids: Vec<&str> = embedded().iter().map(|s| s.id.as_str()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        for source in embedded() {
            assert_eq!(source.task().map_or_else(|e| e.to_string(), |t| t.id.clone()), source.id);
        }
    }

    #[test]
    fn a_folder_of_ones_own_is_read() {
        let path = folder("own", &["mine/gone.toml", "other.toml", "notes.md"]);
        let sources = load_dir(&path).expect("it can be read");
        assert_eq!(sources.iter().map(|s| s.id.as_str()).collect::<Vec<_>>(), ["gone", "other"]);
        assert!(find(&sources, "gone").is_ok());
        let error = |id: &str| find(&sources, id).err().map_or("no error".to_string(), |e| e.to_string());
        assert!(error("other").ends_with("other.toml: id: `gone` differs from the file's name; rename one of them"));
        assert_eq!(error("gon"), "unknown task `gon` (did you mean `gone`?); `sre-zero tasks` lists them");
        fs::remove_dir_all(path).expect("it was there");
    }

    #[test]
    fn what_is_wrong_with_a_folder_is_said() {
        let error = |path: &Path| load_dir(path).err().map_or("no error".to_string(), |e| e.to_string());
        assert!(error(Path::new("/no/such/folder")).starts_with("cannot read the folder /no/such/folder: "));
        let path = folder("twice", &["a/gone.toml", "b/gone.toml"]);
        assert!(error(&path).ends_with("has the same id; rename one of them"));
        fs::remove_dir_all(path).expect("it was there");
    }
}
