//! Suites: named sets of tasks.

use std::sync::Arc;

use faces::near_hint;
use world::Noise;

use crate::error::Error;
use crate::generate::thousand;
use crate::task::{Difficulty, Split, Task};
use crate::tasks::TaskSource;

pub use crate::suite_names::{DEFAULT, SUITE_VERSION};

/// The forty with imperfect telemetry, and how imperfect it is.
const NOISY: (&str, Noise) = ("srezero-40-noisy", Noise(2));

/// All suites, each with a line of help.
pub const ALL: &[(&str, &str)] = &[
    ("srezero-25", "the 25 tasks of the first report"),
    (DEFAULT, "the forty published tasks"),
    (NOISY.0, "the same with imperfect telemetry (noise 2)"),
    ("recovery", "an earlier responder made a wrong change"),
    ("observation", "telemetry that is stale, late, missing or misleading"),
    ("metastable", "the trigger is gone and the failure stays"),
    ("compound", "several faults at once, or one push to several services"),
    ("postmortems", "causes of public postmortems"),
    (thousand::SUITE, "a thousand generated tasks"),
    ("easy", "easy tasks"),
    ("medium", "medium tasks"),
    ("hard", "hard tasks"),
    ("train", "tasks to learn from"),
    ("dev", "tasks to choose agents by"),
    ("test", "tasks to report"),
    ("unseen_incident", "the same as test"),
];

/// The tasks of a suite, in the order of the sources.
pub fn select(sources: &[TaskSource], suite: &str) -> Result<Vec<Arc<Task>>, Error> {
    let known: Vec<&str> = ALL.iter().map(|s| s.0).collect();
    if !known.contains(&suite) {
        let hint = near_hint(suite, &known);
        return Err(Error::Suite { name: suite.to_string(), hint, known: known.join(", ") });
    }
    let tasks = sources.iter().map(|s| s.task().map_err(Error::from)).collect::<Result<Vec<_>, _>>()?;
    if suite == thousand::SUITE {
        return Ok(thousand::tasks()?);
    }
    if suite == NOISY.0 {
        let noisy = |task: Arc<Task>| Arc::new(task.noisier(NOISY.1));
        return Ok(tasks.into_iter().filter(|t| holds(DEFAULT, t)).map(noisy).collect());
    }
    Ok(tasks.into_iter().filter(|t| holds(suite, t)).collect())
}

/// Whether a task belongs to a suite.
fn holds(suite: &str, task: &Task) -> bool {
    let listed = |name: &str| task.suites.iter().any(|s| s == name);
    let difficulty = Difficulty::ALL.into_iter().find(|d| d.text() == suite);
    let split = Split::ALL.into_iter().find(|s| s.text() == suite);
    match (difficulty, split) {
        (Some(difficulty), _) => task.difficulty == difficulty && listed(DEFAULT),
        (_, Some(split)) => task.split == split,
        _ if suite == "unseen_incident" => task.split == Split::Test,
        _ => listed(suite),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks;

    #[test]
    fn suites_are_sets_of_tasks() {
        let count = |suite: &str| select(tasks::embedded(), suite).expect("all tasks are valid").len();
        let all = count(DEFAULT);
        assert_eq!(all, count("easy") + count("medium") + count("hard"));
        assert_eq!(tasks::embedded().len(), count("train") + count("dev") + count("test"));
        assert_eq!(all, count("srezero-40-noisy"));
        assert_eq!(count("test"), count("unseen_incident"));
        assert!(count("srezero-25") <= all);
    }

    #[test]
    fn every_postmortem_names_what_it_follows() {
        let own: Vec<_> = tasks::embedded().iter().filter(|source| source.file.starts_with("postmortems/")).collect();
        assert!(own.len() >= 60, "{} tasks", own.len());
        assert_eq!(own.len(), select(tasks::embedded(), "postmortems").expect("all tasks are valid").len());
        for source in own {
            let head: Vec<&str> = source.text().lines().take_while(|line| line.starts_with("# ")).collect();
            assert!(head.first().is_some_and(|line| line.starts_with("# Follows ")), "{}", source.file);
            assert!(head.last().is_some_and(|line| line.starts_with("# Source: http")), "{}", source.file);
        }
    }

    #[test]
    fn an_unknown_suite_says_what_there_is() {
        let error = select(&[], "srezero-4").err().expect("there is none").to_string();
        assert_eq!(
            error,
            "unknown suite `srezero-4` (did you mean `srezero-40`?); there are srezero-25, srezero-40, srezero-40-noisy, \
             recovery, observation, metastable, compound, postmortems, generated-1k, easy, medium, hard, \
             train, dev, test, unseen_incident"
        );
    }
}
