//! What a run was asked to do, kept beside its results so that no folder ever mixes two runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::sha256;
use crate::line::EpisodeLine;
use crate::model::ModelCard;
use crate::shard::Shard;

/// The settings of a run, as `run.json` holds them. The number of jobs changes no result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// The version of the records.
    pub record_version: u32,
    /// The version of the world's behaviour.
    pub world_version: u32,
    /// The version of the tasks and their grading.
    pub suite_version: u32,
    /// The suite.
    pub suite: String,
    /// The seeds under which each agent plays each task.
    pub seeds: Vec<u64>,
    /// How often the same task is played under the same seed.
    pub repeats: u32,
    /// The noise dial.
    pub noise: u8,
    /// The tools at hand.
    pub tools: String,
    /// Which part of the run this is, if it is spread over several machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The agents.
    pub agents: Vec<String>,
    /// The models behind those that have one, and how they are asked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, ModelCard>,
    /// The tasks, with the digests of their files.
    pub tasks: BTreeMap<String, String>,
    /// Tasks that take more noise or more tools than was asked for, with what they are played with.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub raised: BTreeMap<String, Raised>,
    /// Whether episodes come as clients or people begin them: then what was played is what was planned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open_ended: bool,
}

/// What a task is played with if it takes more than was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    /// The noise dial.
    pub noise: u8,
    /// The tools at hand.
    pub tools: String,
}

/// Older settings do not say which tasks take more than was asked for.
const SAYS_RAISED: u32 = 3;

impl RunSettings {
    /// The settings in the text of a `run.json`. Version 1 knew a first seed and a number of episodes.
    pub fn parse(text: &str) -> Result<RunSettings, serde_json::Error> {
        let mut value: Value = serde_json::from_str(text)?;
        if let (Some(first), Some(count)) = (value["seed"].as_u64(), value["episodes"].as_u64()) {
            value["seeds"] = (first..first.saturating_add(count)).collect();
            value["repeats"] = 1.into();
        }
        serde_json::from_value(value)
    }

    /// Why results of `then` cannot be part of this run. More agents or more episodes are no reason.
    pub fn difference(&self, then: &RunSettings) -> Option<String> {
        if then.record_version > self.record_version {
            return Some(format!("a newer program began it, with record version {}", then.record_version));
        }
        let facts = [
            ("world version", then.world_version.to_string(), self.world_version.to_string()),
            ("suite version", then.suite_version.to_string(), self.suite_version.to_string()),
            ("suite", then.suite.clone(), self.suite.clone()),
            ("seed", first(&then.seeds), first(&self.seeds)),
            ("noise", then.noise.to_string(), self.noise.to_string()),
            ("tools", then.tools.clone(), self.tools.clone()),
            ("shard", written(then.shard), written(self.shard)),
        ];
        let fact = facts.into_iter().find(|(_, then, now)| then != now);
        let fact = fact.map(|(what, then, now)| format!("it was begun with {what} {then}, not {now}"));
        fact.or_else(|| self.other_tasks(then)).or_else(|| self.other_models(then)).or_else(|| self.less_than(then))
    }

    fn other_tasks(&self, then: &RunSettings) -> Option<String> {
        let changed = |id: &&String| then.tasks.get(*id).is_some_and(|digest| *digest != self.tasks[*id]);
        if let Some(id) = self.tasks.keys().find(changed) {
            return Some(format!("the file of its task `{id}` has changed"));
        }
        let keys = |one: &RunSettings, other: &RunSettings| {
            one.tasks.keys().find(|id| !other.tasks.contains_key(*id)).cloned()
        };
        let more = keys(self, then).map(|id| format!("`{id}` is not among its tasks"));
        more.or_else(|| keys(then, self).map(|id| format!("it has the task `{id}` too")))
    }

    /// The same agent must be asked in the same way.
    fn other_models(&self, then: &RunSettings) -> Option<String> {
        let (name, card) =
            then.models.iter().find(|(name, card)| self.models.get(*name).is_some_and(|now| now != *card))?;
        let now = &self.models[name];
        let text = |card: &ModelCard| serde_json::to_string(card).expect("a card is plain data");
        Some(format!("its agent `{name}` was asked with {}, not {}", text(card), text(now)))
    }

    fn less_than(&self, then: &RunSettings) -> Option<String> {
        let lost = then.agents.iter().find(|agent| !self.agents.contains(agent));
        let lost = lost.map(|agent| format!("it has the agent `{agent}` too"));
        lost.or_else(|| {
            let fewer = !self.seeds.starts_with(&then.seeds);
            fewer.then(|| format!("it has {} seeds, not {}", then.seeds.len(), self.seeds.len()))
        })
        .or_else(|| {
            let fewer = self.repeats < then.repeats;
            fewer.then(|| format!("it has {} repeats, not {}", then.repeats, self.repeats))
        })
    }

    /// Why an episode cannot be one of this run.
    pub fn excludes(&self, line: &EpisodeLine) -> Option<String> {
        let score = &line.score;
        let seed = self.seeds.get(score.episode as usize);
        let (seed, of) = (seed.map_or("none of the run".to_string(), u64::to_string), &*score.task);
        let (noise, tools) = self.played_with(line);
        let facts = [
            ("world version", line.world_version.to_string(), self.world_version.to_string()),
            ("suite version", line.suite_version.to_string(), self.suite_version.to_string()),
            ("suite", score.suite.to_string(), self.suite.clone()),
            ("seed", score.seed.to_string(), seed),
            ("noise", line.noise.to_string(), noise.to_string()),
            ("tools", line.tools.to_string(), tools.to_string()),
        ];
        let fact = facts.into_iter().find(|(_, its, ours)| its != ours);
        let fact = fact.map(|(what, its, ours)| format!("its {what} is {its}, not {ours}"));
        fact.or_else(|| match self.tasks.get(of) {
            _ if !self.agents.iter().any(|own| *own == score.agent) => {
                Some(format!("the run has no agent `{}`", score.agent))
            }
            None => Some(format!("the run has no task `{of}`")),
            Some(digest) if *digest != line.task_digest => Some(format!("its task `{of}` is another one")),
            Some(_) if score.repeat >= self.repeats.max(1) => Some(format!("the run has {} repeats", self.repeats)),
            Some(_) => None,
        })
    }

    /// The noise and the tools that the episode's task is played with in this run.
    fn played_with<'a>(&'a self, line: &'a EpisodeLine) -> (u8, &'a str) {
        match self.raised.get(&*line.score.task) {
            Some(raised) => (raised.noise, &raised.tools),
            // The file of the task is the same, so it was raised then as it is now.
            None if self.record_version < SAYS_RAISED => (self.noise.max(line.noise), &line.tools),
            None => (self.noise, &self.tools),
        }
    }

    /// How many episodes each agent was to play; nothing if they come as clients begin them.
    pub fn planned(&self) -> BTreeMap<String, u32> {
        if self.open_ended {
            return BTreeMap::new();
        }
        let each = self.tasks.len() * self.seeds.len() * self.repeats.max(1) as usize;
        let agents = self.agents.len();
        let Shard { index, of } = self.shard.unwrap_or(Shard { index: 1, of: 1 });
        // The jobs of a run are numbered with the agents innermost.
        let own = |agent: usize| (0..each).filter(|job| (job * agents + agent) % of == index - 1).count() as u32;
        self.agents.iter().enumerate().map(|(at, agent)| (agent.clone(), own(at))).collect()
    }

    /// A folder's name that tells these settings apart from others.
    pub fn folder_name(&self) -> String {
        let tasks = match (&self.suite[..], self.tasks.len()) {
            (SELECTION, 1) => self.tasks.keys().next().cloned().unwrap_or_default(),
            (SELECTION, n) => format!("{n}-tasks-{}", short(self.tasks.keys())),
            (suite, _) => suite.to_string(),
        };
        let agents = match self.agents.len() {
            1..=4 if self.agents.iter().map(String::len).sum::<usize>() <= 120 => {
                self.agents.join("+").replace('/', "-")
            }
            n => format!("{n}-agents-{}", short(&self.agents)),
        };
        let tools = if self.tools == "classic" { String::new() } else { format!("_{}-tools", self.tools) };
        let noise = if self.noise == 0 { String::new() } else { format!("_noise{}", self.noise) };
        let repeats = if self.repeats == 1 { String::new() } else { format!("_{}-repeats", self.repeats) };
        let shard = self.shard.map_or(String::new(), |shard| format!("_shard-{}-of-{}", shard.index, shard.of));
        format!("{tasks}_{agents}_{}{repeats}{tools}{noise}{shard}", seeds(&self.seeds))
    }
}

/// Seeds in a row are counted, others are told apart by a few letters.
fn seeds(seeds: &[u64]) -> String {
    let first = first(seeds);
    match seeds.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1])) {
        true => format!("{}x_seed{first}", seeds.len()),
        false => format!("{}-seeds-{}", seeds.len(), short(&seeds.iter().map(u64::to_string).collect::<Vec<_>>())),
    }
}

fn first(seeds: &[u64]) -> String {
    seeds.first().map_or("none".to_string(), u64::to_string)
}

fn written(shard: Option<Shard>) -> String {
    shard.map_or("1/1".to_string(), |shard| format!("{}/{}", shard.index, shard.of))
}

/// The name under which hand-picked tasks are recorded.
pub const SELECTION: &str = "selection";

/// A few letters that stand for many names.
fn short<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let all: Vec<&str> = names.into_iter().map(String::as_str).collect();
    sha256(all.join(",").as_bytes())[..6].to_string()
}
