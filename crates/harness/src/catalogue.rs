//! What a server plays: tasks and other challenges, addressed without telling what they are about. A door asks for an
//! incident and gets a player; which task it is stays in here.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use faces::ToolSet;
use record::folder::PlayPlan;
use serde::Serialize;
use thiserror::Error;
use world::Noise;

use crate::challenge::Challenge;
use crate::episode::EpisodeOptions;
use crate::player::{Player, Referee};
use crate::resting::{Incidents, RestingEpisode};
use crate::task::{Split, Task};

/// How the episodes of a catalogue are played.
#[derive(Clone, Debug)]
pub struct CatalogueSettings {
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
    /// Whether rewards are shown: the records say so.
    pub rewards: bool,
    /// Different incidents (task and seed) in memory at a time: each takes some 250 kilobytes, while a player on a shared one,
    /// or one that rests, takes a few.
    pub incidents: usize,
    /// Whether problems in a cluster are served for clients of the players' own.
    pub clients: bool,
    /// The incidents of a run that clients are to pair with, if there is one.
    pub plan: Option<PairingPlan>,
}

/// The incidents of a run, handed out to each agent one by one.
#[derive(Clone, Debug)]
pub struct PairingPlan {
    /// Tasks and seeds.
    pub plan: PlayPlan,
    /// What was begun in earlier days: agent, task and seed.
    pub begun: BTreeSet<(String, String, u64)>,
}

/// Tasks that can be played, and the incidents that are in memory.
pub struct Catalogue {
    tasks: Vec<Arc<Task>>,
    /// What is played beside tasks, and the tools of it; they stand behind the tasks.
    others: Vec<Arc<dyn Challenge>>,
    other_tools: Option<ToolSet>,
    settings: CatalogueSettings,
    referee: Referee,
    next_seed: AtomicU64,
    incidents: Arc<Incidents>,
    /// What was begun of the plan.
    begun: Mutex<BTreeSet<(String, String, u64)>>,
}

/// A task as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedTask {
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

/// Which incident is wanted. What is left out is for the catalogue to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IncidentChoice {
    /// The task: its place as the list has it, or its published id.
    pub task: Option<String>,
    /// The task by its place in the list, or in the list of its split.
    pub index: Option<usize>,
    /// Only tasks of this split.
    pub split: Option<String>,
    /// The world's seed.
    pub seed: Option<u64>,
}

/// Why an incident cannot be had. Nothing of it names a task.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NoIncident {
    /// There is no such thing.
    #[error("{0}")]
    Unknown(String),
    /// The incident could not be made: a fault of ours or of the task's.
    #[error("this incident cannot be played; choose another seed or task")]
    Unplayable,
}

impl Catalogue {
    /// A catalogue of these tasks. `referee` opens the players that it hands out; `seed` is that of the
    /// first episode for which a client names none.
    pub fn new(tasks: Vec<Arc<Task>>, seed: u64, settings: CatalogueSettings, referee: &Referee) -> Catalogue {
        let begun = Mutex::new(settings.plan.as_ref().map(|plan| plan.begun.clone()).unwrap_or_default());
        let (referee, next_seed) = (referee.clone(), seed.into());
        let (others, other_tools) = (Vec::new(), None);
        let incidents = Arc::new(Incidents::new(settings.noise, settings.incidents));
        Catalogue { tasks, others, other_tools, settings, referee, next_seed, incidents, begun }
    }

    /// The same with other challenges behind the tasks, and the tools of these.
    pub fn with_others(self, others: Vec<Arc<dyn Challenge>>, tools: ToolSet) -> Catalogue {
        Catalogue { other_tools: (!others.is_empty()).then_some(tools), others, ..self }
    }

    /// How many tasks there are.
    pub fn len(&self) -> usize {
        self.tasks.len() + self.others.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tools of its episodes.
    pub fn tools(&self) -> ToolSet {
        self.other_tools.filter(|_| self.tasks.is_empty()).unwrap_or(self.settings.tools)
    }

    /// All tasks, as a client may see them.
    pub fn list(&self) -> Vec<ListedTask> {
        let listed = |(index, task): (usize, &Arc<Task>)| ListedTask {
            id: if self.settings.named { task.id.clone() } else { opaque(index) },
            index,
            difficulty: task.difficulty.text(),
            split: task.split.text(),
            max_steps: task.steps,
        };
        let other = |(index, other): (usize, &Arc<dyn Challenge>)| ListedTask {
            id: if self.settings.named { other.id().to_string() } else { opaque(index) },
            index,
            difficulty: UNRATED,
            split: Split::Test.text(),
            max_steps: OTHER_STEPS,
        };
        let others = self.others.iter().enumerate().map(|(at, one)| (at + self.tasks.len(), one)).map(other);
        self.tasks.iter().enumerate().map(listed).chain(others).collect()
    }

    /// The places of the tasks of a split; of all without one.
    pub fn split(&self, name: Option<&str>) -> Result<Vec<usize>, NoIncident> {
        let Some(name) = name else { return Ok((0..self.len()).collect()) };
        let known = |s: &Split| s.text() == name || (name == "validation" && *s == Split::Dev);
        let split = Split::ALL.into_iter().find(known).ok_or_else(|| {
            NoIncident::Unknown(format!("there is no split `{}`; there are train, dev and test", clip(name)))
        })?;
        let is_in = |at: &usize| self.tasks.get(*at).map_or(split == Split::Test, |task| task.split == split);
        Ok((0..self.len()).filter(is_in).collect())
    }

    /// Begins an episode for an agent of this name.
    pub fn start(&self, choice: &IncidentChoice, agent: Option<String>) -> Result<Player, NoIncident> {
        let agent = agent.unwrap_or_else(|| self.settings.agent.clone());
        let (place, seed) = match &self.settings.plan {
            Some(plan) => self.planned(&plan.plan, choice, &agent)?,
            None => self.pick(choice)?,
        };
        let options = EpisodeOptions {
            tools: self.settings.tools,
            agent,
            suite: self.settings.suite.clone(),
            rewards: self.settings.rewards,
            clients: self.settings.clients,
            ..EpisodeOptions::default()
        };
        let Some(task) = self.tasks.get(place) else {
            let begun = self.others[place - self.tasks.len()].start(seed, self.settings.noise, options);
            return Ok(self.referee.seat(begun.map_err(|_| NoIncident::Unplayable)?));
        };
        let begun = RestingEpisode::start(task, seed, &self.incidents, options);
        Ok(self.referee.seat(begun.map_err(|_| NoIncident::Unplayable)?))
    }

    fn id_at(&self, place: usize) -> &str {
        self.tasks.get(place).map_or_else(|| self.others[place - self.tasks.len()].id(), |task| &task.id)
    }

    /// The place and the seed of a choice. Without a task, the seed picks one; without a seed, the next
    /// number is taken.
    fn pick(&self, choice: &IncidentChoice) -> Result<(usize, u64), NoIncident> {
        let among = self.split(choice.split.as_deref())?;
        let place = match (&choice.task, choice.index) {
            (Some(_), Some(_)) => return Err(NoIncident::Unknown("give `task_id` or `index`, not both".to_string())),
            (Some(name), None) => Some(self.find(name)?),
            (None, Some(index)) => Some(*among.get(index).ok_or_else(|| beyond(index, among.len()))?),
            (None, None) if among.is_empty() => return Err(beyond(0, 0)),
            (None, None) => None,
        };
        // Only a choice that can be met uses a number up.
        let seed = choice.seed.unwrap_or_else(|| self.next_seed.fetch_add(1, Ordering::Relaxed));
        let place = place.unwrap_or_else(|| among[(seed % among.len() as u64) as usize]);
        Ok((place, seed))
    }

    /// What an agent plays of a plan: what it asks for, if the plan has it, or else the next that it has not begun.
    fn planned(&self, plan: &PlayPlan, choice: &IncidentChoice, agent: &str) -> Result<(usize, u64), NoIncident> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = choice.task.is_some() || choice.index.is_some() || choice.split.is_some() || choice.seed.is_some();
        let (place, seed) = if asked {
            let (place, seed) = self.pick(choice)?;
            if !plan.has(self.id_at(place), seed) {
                return Err(NoIncident::Unknown(format!(
                    "seed {seed} is none of the plan; ask for none to get the next"
                )));
            }
            (place, seed)
        } else {
            let next = plan.next(agent, |task, seed| begun.contains(&(agent.to_string(), task.to_string(), seed)));
            let (task, seed) = next.ok_or_else(|| {
                NoIncident::Unknown(format!("`{}` has begun all {} incidents of the plan", clip(agent), plan.len()))
            })?;
            (self.find(task)?, seed)
        };
        begun.insert((agent.to_string(), self.id_at(place).to_string(), seed));
        Ok((place, seed))
    }

    fn find(&self, name: &str) -> Result<usize, NoIncident> {
        let place = name.strip_prefix(OPAQUE).and_then(|number| number.parse::<usize>().ok()?.checked_sub(1));
        let opaque = place.filter(|place| *place < self.len() && opaque(*place) == name);
        let named = || (0..self.len()).find(|place| self.id_at(*place) == name);
        opaque
            .or_else(named)
            .ok_or_else(|| NoIncident::Unknown(format!("there is no task `{}`; GET /tasks lists them", clip(name))))
    }

    /// Whether more incidents are in memory than should be: players that rest make room.
    pub fn is_crowded(&self) -> bool {
        self.incidents.is_crowded()
    }
}

/// What the list says of challenges that are no tasks.
const UNRATED: &str = "unrated";
const OTHER_STEPS: u32 = 60;

const OPAQUE: &str = "task-";

/// A task's name that tells nothing: its place in the list, from 1.
fn opaque(index: usize) -> String {
    format!("{OPAQUE}{:02}", index + 1)
}

fn beyond(index: usize, count: usize) -> NoIncident {
    NoIncident::Unknown(format!("there is no task {index}; there are {count}, counted from 0"))
}

/// As much of a stranger's text as is needed to recognise it.
pub fn clip(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::task;

    #[test]
    fn tasks_are_addressed_without_naming_them() {
        let settings = CatalogueSettings {
            suite: "selection".to_string(),
            tools: ToolSet::CLASSIC,
            noise: Noise(1),
            agent: "serve".to_string(),
            named: false,
            rewards: false,
            incidents: 2,
            clients: false,
            plan: None,
        };
        let catalogue = Catalogue::new(vec![task()], 1, settings, &Referee::new());
        let shown = serde_json::to_string(&catalogue.list()).expect("plain data");
        assert_eq!(shown, r#"[{"id":"task-01","index":0,"difficulty":"easy","split":"train","max_steps":8}]"#);
        let check = |choice: IncidentChoice, expect: Result<(), &str>| {
            let found = catalogue.pick(&choice).map(|_| ()).map_err(|e| e.to_string());
            assert_eq!(found, expect.map_err(str::to_string));
        };
        let choice = IncidentChoice::default;
        let task = |name: &str| IncidentChoice { task: Some(name.to_string()), ..choice() };
        check(task("task-01"), Ok(()));
        check(task("gone"), Ok(()));
        check(task("task-1"), Err("there is no task `task-1`; GET /tasks lists them"));
        check(task("task-00"), Err("there is no task `task-00`; GET /tasks lists them"));
        check(task("../gone"), Err("there is no task `../gone`; GET /tasks lists them"));
        check(IncidentChoice { index: Some(0), ..choice() }, Ok(()));
        check(IncidentChoice { index: Some(1), ..choice() }, Err("there is no task 1; there are 1, counted from 0"));
        let test = IncidentChoice { split: Some("test".to_string()), ..choice() };
        check(test, Err("there is no task 0; there are 0, counted from 0"));
        check(IncidentChoice { index: Some(0), ..task("gone") }, Err("give `task_id` or `index`, not both"));
    }
}
