//! From names on the command line to tasks and agents.

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use clap::builder::{PossibleValue, PossibleValuesParser};
use harness::tasks::{self, TaskSource};
use harness::{Task, read_text, skills, suites};
use problems::ClusterProblem;

/// The built-in tasks, or those of a folder with the built-in ones behind them.
pub struct TaskLibrary {
    own: Option<Vec<TaskSource>>,
}

impl TaskLibrary {
    /// Opens a folder of tasks, if one is given.
    pub fn open(folder: Option<&Path>) -> anyhow::Result<TaskLibrary> {
        let Some(folder) = folder else { return Ok(TaskLibrary { own: None }) };
        let own = tasks::load_dir(folder)?;
        if own.is_empty() {
            bail!("there is no task file (*.toml) in {}", folder.display());
        }
        Ok(TaskLibrary { own: Some(own) })
    }

    /// The tasks of a suite. Without a name: all of the user's, or else all built-in ones.
    pub fn suite(&self, name: Option<&str>) -> anyhow::Result<Vec<Arc<Task>>> {
        let sources = self.own.as_deref().unwrap_or_else(|| tasks::embedded());
        let Some(name) = name else {
            return Ok(sources.iter().map(TaskSource::task).collect::<Result<_, _>>()?);
        };
        let found = suites::select(sources, name)?;
        if found.is_empty() {
            bail!("no task belongs to the suite `{name}`; `sre-zero tasks` shows the suites of each");
        }
        Ok(found)
    }

    /// The tasks of these names: ids, task files, or folders of task files; each once.
    pub fn named(&self, names: &[String]) -> anyhow::Result<Vec<Arc<Task>>> {
        let mut found: Vec<Arc<Task>> = Vec::new();
        for name in names.iter().map(|name| name.trim()) {
            if name.is_empty() {
                bail!("a name is empty in the list of tasks; write TASK,TASK without a comma at the end");
            }
            for task in self.lookup(name)? {
                match found.iter().find(|t| t.id == task.id) {
                    Some(same) if same.digest != task.digest => bail!("two different tasks are called `{}`", task.id),
                    Some(_) => {}
                    None => found.push(task),
                }
            }
        }
        Ok(found)
    }

    /// The one task of that name.
    pub fn one(&self, name: &str) -> anyhow::Result<Arc<Task>> {
        match &self.lookup(name)?[..] {
            [task] => Ok(task.clone()),
            several => bail!("{name} holds {} tasks; name one of them", several.len()),
        }
    }

    fn lookup(&self, name: &str) -> anyhow::Result<Vec<Arc<Task>>> {
        let path = Path::new(name);
        if name.ends_with(".toml") {
            return Ok(vec![Arc::new(read(path)?)]);
        }
        if name.contains(['/', '\\']) || name == "." {
            return TaskLibrary::open(Some(path))?.suite(None);
        }
        let known = self.own.iter().flatten().chain(tasks::embedded()).any(|source| source.id == name);
        if !known && path.is_dir() {
            return TaskLibrary::open(Some(path))?.suite(None);
        }
        let own = self.own.iter().flatten().any(|source| source.id == name);
        let sources = self.own.as_deref().filter(|_| own).unwrap_or_else(|| tasks::embedded());
        Ok(vec![tasks::find(sources, name)?])
    }
}

fn read(path: &Path) -> anyhow::Result<Task> {
    let text = read_text(path, "read the task file", tasks::ADVICE_SAVE_AS_UTF8)?;
    Ok(Task::parse(&path.to_string_lossy(), &text)?)
}

/// The problems in a cluster that a suite or names ask for; `None` if these are about something else.
pub fn problems(suite: Option<&str>, names: &[String]) -> anyhow::Result<Option<Vec<Arc<ClusterProblem>>>> {
    let of_suite = suite.and_then(problems::suites::select);
    if names.is_empty() {
        return Ok(of_suite);
    }
    let mut known: Vec<_> = names.iter().filter_map(|name| problems::find(name)).cloned().collect();
    let files = names.iter().filter(|name| is_problem_place(Path::new(name.as_str())));
    for name in files.clone() {
        known.extend(problem_files(Path::new(name.as_str()))?);
    }
    if known.len() > names.len() || files.count() == names.len() && !names.is_empty() {
        return Ok(Some(known));
    }
    if known.is_empty() && of_suite.is_none() {
        return Ok(None);
    }
    if let Some(name) = names.iter().find(|name| known.iter().all(|problem| problem.id != **name)) {
        bail!("there is no problem in a cluster called `{name}`; `sre-zero tasks --suite sregym-all` lists them");
    }
    Ok(Some(known))
}

/// The problem in a cluster of an id or in a file; `None` if the name is about something else.
pub fn problem(name: &str) -> anyhow::Result<Option<Arc<ClusterProblem>>> {
    let path = Path::new(name);
    match problems::find(name) {
        Some(known) => Ok(Some(known.clone())),
        None if path.is_file() && is_problem_place(path) => Ok(problem_files(path)?.pop()),
        None => Ok(None),
    }
}

/// Whether a path is a problem file, or a folder that has some.
fn is_problem_place(path: &Path) -> bool {
    let is_file = |path: &Path| {
        path.extension().is_some_and(|ending| ending == "toml")
            && std::fs::read_to_string(path).is_ok_and(|text| text.lines().any(|line| line.starts_with("applications")))
    };
    if path.is_dir() { listed(path).is_ok_and(|files| files.iter().any(|file| is_file(file))) } else { is_file(path) }
}

/// The problem files at a path, in order.
fn problem_files(path: &Path) -> anyhow::Result<Vec<Arc<ClusterProblem>>> {
    let files = if path.is_dir() { listed(path)? } else { vec![path.to_path_buf()] };
    let read = |file: &std::path::PathBuf| {
        let text = read_text(file, "read the problem file", tasks::ADVICE_SAVE_AS_UTF8)?;
        let id = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Arc::new(ClusterProblem::parse(&id, &text)?))
    };
    files.iter().map(read).collect()
}

fn listed(folder: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>();
    let mut files = entries?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    Ok(files)
}

/// A seed.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

/// The names of all suites that can be played: those of tasks, and the questions.
pub fn playable_suites() -> PossibleValuesParser {
    let all = suites::ALL.iter().chain(skills::ALL).chain(problems::suites::ALL);
    all.map(|(name, about)| PossibleValue::new(*name).help(*about)).into()
}

/// The names of all suites of tasks, for help and completion.
pub fn suite_names() -> PossibleValuesParser {
    suites::ALL.iter().chain(problems::suites::ALL).map(|(name, about)| PossibleValue::new(*name).help(*about)).into()
}
