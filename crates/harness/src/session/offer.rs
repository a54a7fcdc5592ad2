//! What can be played: the tasks of a server, addressed without telling what they are about.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use faces::ToolSet;
use serde::Serialize;
use world::Noise;

use super::order::{Order, clip};
use super::refusal::Refusal;
use crate::task::{Split, Task};

/// Tasks, and how their episodes are played.
pub struct Offer {
    /// The tasks, in the order in which they are listed.
    pub tasks: Vec<Arc<Task>>,
    /// The suite's name, for the records.
    pub suite: String,
    /// The tools at hand.
    pub tools: ToolSet,
    /// The noise dial.
    pub noise: Noise,
    /// The agent's name in the records of clients that give none.
    pub agent: String,
    /// Whether the list shows the published ids, which name the cause: for experimenters only.
    pub named: bool,
    /// The seed of the next episode for which a client names none.
    pub next_seed: AtomicU64,
}

/// A task as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// `task-07`, or the published id.
    pub id: String,
    /// Its place in the list, from 0.
    pub index: usize,
    /// `easy`, `medium` or `hard`.
    pub difficulty: &'static str,
    /// `train`, `dev` or `test`.
    pub split: &'static str,
    /// The step budget.
    pub max_steps: u32,
}

impl Offer {
    /// All tasks, as a client may see them.
    pub fn list(&self) -> Vec<Listed> {
        let listed = |(index, task): (usize, &Arc<Task>)| Listed {
            id: if self.named { task.id.clone() } else { opaque(index) },
            index,
            difficulty: task.difficulty.text(),
            split: task.split.text(),
            max_steps: task.steps,
        };
        self.tasks.iter().enumerate().map(listed).collect()
    }

    /// The places of the tasks of a split; of all without one.
    pub fn split(&self, name: Option<&str>) -> Result<Vec<usize>, Refusal> {
        let Some(name) = name else { return Ok((0..self.tasks.len()).collect()) };
        let known = |s: &Split| s.text() == name || (name == "validation" && *s == Split::Dev);
        let split = Split::ALL.into_iter().find(known).ok_or_else(|| {
            Refusal::Invalid(format!("there is no split `{}`; there are train, dev and test", clip(name)))
        })?;
        Ok((0..self.tasks.len()).filter(|at| self.tasks[*at].split == split).collect())
    }

    /// The task and the seed of an order. Without a task, the seed picks one; without a seed, the
    /// next number is taken.
    pub fn pick(&self, order: &Order) -> Result<(&Arc<Task>, u64), Refusal> {
        let among = self.split(order.split.as_deref())?;
        let place = match (&order.task, order.index) {
            (Some(_), Some(_)) => return Err(Refusal::Invalid("give `task_id` or `index`, not both".to_string())),
            (Some(name), None) => Some(self.find(name)?),
            (None, Some(index)) => Some(*among.get(index).ok_or_else(|| beyond(index, among.len()))?),
            (None, None) if among.is_empty() => return Err(beyond(0, 0)),
            (None, None) => None,
        };
        // Only an order that can be met uses a number up.
        let seed = order.seed.unwrap_or_else(|| self.next_seed.fetch_add(1, Ordering::Relaxed));
        let place = place.unwrap_or_else(|| among[(seed % among.len() as u64) as usize]);
        Ok((&self.tasks[place], seed))
    }

    fn find(&self, name: &str) -> Result<usize, Refusal> {
        let place = name.strip_prefix(OPAQUE).and_then(|number| number.parse::<usize>().ok()?.checked_sub(1));
        let opaque = place.filter(|place| *place < self.tasks.len() && opaque(*place) == name);
        let named = || self.tasks.iter().position(|task| task.id == name);
        opaque
            .or_else(named)
            .ok_or_else(|| Refusal::Invalid(format!("there is no task `{}`; GET /tasks lists them", clip(name))))
    }
}

const OPAQUE: &str = "task-";

/// A task's name that tells nothing: its place in the list, from 1.
fn opaque(index: usize) -> String {
    format!("{OPAQUE}{:02}", index + 1)
}

fn beyond(index: usize, count: usize) -> Refusal {
    Refusal::Invalid(format!("there is no task {index}; there are {count}, counted from 0"))
}
