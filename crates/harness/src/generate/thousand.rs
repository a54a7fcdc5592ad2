//! The suite `generated-1k`: a thousand certified tasks that are kept as numbers, not as files. For
//! each number the list has the candidate that was certified, and how hard it was measured to be.

use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock, OnceLock};

use super::{Generator, GeneratorOptions};
use crate::error::TaskError;
use crate::task::{Difficulty, Task};

/// The suite's name.
pub const SUITE: &str = "generated-1k";
/// The seed of its generator, which has the usual options.
pub const SEED: u64 = 1;

/// So many candidates are tried from the listed one on.
const NEXT: u32 = 40;

/// Candidate and difficulty of each number, such as `0e` or `2h`.
const LIST: &str = include_str!("thousand.txt");

static GENERATOR: LazyLock<Generator> = LazyLock::new(|| Generator::new(SEED, GeneratorOptions::default()));

/// All tasks of the suite, made once.
pub fn tasks() -> Result<Vec<Arc<Task>>, TaskError> {
    static TASKS: OnceLock<Result<Vec<Arc<Task>>, TaskError>> = OnceLock::new();
    TASKS.get_or_init(make).clone()
}

/// The task of that id, if it is one of the suite's.
pub fn find(id: &str) -> Option<Result<Arc<Task>, TaskError>> {
    let number: usize = id.strip_prefix(&format!("gen_{SEED}_"))?.parse().ok()?;
    let entry = LIST.split_whitespace().nth(number)?;
    Some(one(number, entry).and_then(|task| if task.id == id { Ok(task) } else { Err(wrong(number)) }))
}

/// The list that belongs to what a generator made: what `thousand.txt` holds.
pub fn list(made: &[super::Made]) -> String {
    let entry = |m: &super::Made| format!("{}{}", m.attempt, &m.task.difficulty.text()[..1]);
    let entries: Vec<String> = made.iter().map(entry).collect();
    entries.chunks(20).map(|line| line.join(" ") + "\n").collect()
}

fn make() -> Result<Vec<Arc<Task>>, TaskError> {
    let entries: Vec<(usize, &str)> = LIST.split_whitespace().enumerate().collect();
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = entries.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = entries
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().map(|(n, e)| one(*n, e)).collect::<Result<Vec<_>, _>>()))
            .collect();
        let mut all = Vec::with_capacity(entries.len());
        for part in parts {
            all.extend(part.join().expect("making a task does not panic")?);
        }
        Ok(all)
    })
}

fn one(number: usize, entry: &str) -> Result<Arc<Task>, TaskError> {
    let (attempt, letter) = entry.split_at(entry.len() - 1);
    let difficulty = Difficulty::ALL.into_iter().find(|d| d.text().starts_with(letter));
    let (Ok(attempt), Some(difficulty)) = (attempt.parse::<u32>(), difficulty) else { return Err(wrong(number)) };
    // A list that is a little older than the world may name a candidate that makes no task now: then the next one does.
    let made = (attempt..attempt + NEXT).find_map(|attempt| GENERATOR.rebuild(number as u64, attempt).ok());
    let task = made.ok_or_else(|| wrong(number))?;
    let figures = task.figures;
    Ok(Arc::new(task.listed(SUITE).measured(difficulty, figures)))
}

fn wrong(number: usize) -> TaskError {
    let problem = format!("number {number} makes no task: the list is of another version of the generator");
    TaskError { file: SUITE.to_string(), problem }
}
