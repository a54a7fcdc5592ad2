//! What a person or a client plays so that every episode has its pair: the tasks and seeds of a run, in an order of the
//! player's own.

use super::settings::RunSettings;
use crate::digest::sha256;

/// The incidents of a run, to be played by others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayPlan {
    tasks: Vec<String>,
    seeds: Vec<u64>,
}

impl PlayPlan {
    /// The incidents of a run.
    pub fn of(run: &RunSettings) -> PlayPlan {
        PlayPlan { tasks: run.tasks.keys().cloned().collect(), seeds: run.seeds.clone() }
    }

    /// How many incidents it has.
    pub fn len(&self) -> usize {
        self.tasks.len() * self.seeds.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it has this incident.
    pub fn has(&self, task: &str, seed: u64) -> bool {
        self.seeds.contains(&seed) && self.tasks.iter().any(|own| own == task)
    }

    /// The next incident of a player that was not begun yet: every task once, then every task under the next seed.
    /// The order of tasks is drawn for each player, so that what is learnt on the way favours none of them.
    pub fn next(&self, player: &str, is_begun: impl Fn(&str, u64) -> bool) -> Option<(&str, u64)> {
        let place = |task: &&String, seed: u64| sha256(format!("{player}/{seed}/{task}").as_bytes());
        self.seeds.iter().find_map(|seed| {
            let open = self.tasks.iter().filter(|task| !is_begun(task, *seed));
            open.min_by_key(|task| place(task, *seed)).map(|task| (task.as_str(), *seed))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_incident_comes_once_and_tasks_come_before_seeds() {
        let tasks = ["a", "b", "c", "d"].map(|task| (task.to_owned(), String::new())).into();
        let run = RunSettings { tasks, seeds: vec![7, 3], ..RunSettings::default() };
        let plan = PlayPlan::of(&run);
        let order = |player: &str| {
            let mut begun: Vec<(String, u64)> = Vec::new();
            while let Some((task, seed)) =
                plan.next(player, |task, seed| begun.iter().any(|one| (one.0.as_str(), one.1) == (task, seed)))
            {
                begun.push((task.to_owned(), seed));
            }
            begun
        };
        let ada = order("ada");
        assert_eq!(ada.len(), plan.len());
        assert!(ada.iter().all(|(task, seed)| plan.has(task, *seed)));
        assert_eq!(ada.iter().collect::<BTreeSet<_>>().len(), 8);
        assert_eq!(ada.iter().map(|one| one.1).collect::<Vec<_>>(), [7, 7, 7, 7, 3, 3, 3, 3]);
        assert_eq!(order("ada"), ada, "an order is a player's for good");
        let others = ["bob", "cid", "dan", "eve"].map(order);
        assert!(others.iter().any(|other| *other != ada), "players have orders of their own");
        assert!(!plan.has("e", 7) && !plan.has("a", 8) && !plan.is_empty());
    }
}
