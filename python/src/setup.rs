//! What all environments of a learner share: incidents, tools, actions, pay.

use std::path::Path;
use std::sync::Arc;

use doors::gym::{self, ActionSpace, RewardScheme, Shaping};
use harness::generate::{Generator, GeneratorOptions};
use harness::{EpisodeOptions, Noise, Pool, Referee, Task, ToolSet, read_text, suites, tasks};
use pyo3::prelude::*;

use crate::wrong;

/// The most services that a world can have.
const MOST_SERVICES: usize = 50;

/// See `srezero.Env`: the same arguments.
#[pyclass(frozen, name = "Setup", module = "srezero._native")]
pub struct PySetup {
    /// The setup.
    pub inner: Arc<gym::GymSetup>,
    /// Opens its players.
    pub referee: Referee,
}

#[pymethods]
impl PySetup {
    #[new]
    #[pyo3(signature = (*, suite=None, tasks=None, generator_seed=None, numbers=None, families=None, difficulty=None,
        services=None, seeds=8, noise=0, tools="classic", reward="published", gamma=None, shaping_weight=0.5,
        structured=true, factored=false, max_services=None, keep=512, agent="python"))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        suite: Option<&str>,
        tasks: Option<Vec<String>>,
        generator_seed: Option<u64>,
        numbers: Option<(u64, u64)>,
        families: Option<Vec<String>>,
        difficulty: Option<&str>,
        services: Option<&str>,
        seeds: u64,
        noise: u8,
        tools: &str,
        reward: &str,
        gamma: Option<f64>,
        shaping_weight: f64,
        structured: bool,
        factored: bool,
        max_services: Option<usize>,
        keep: usize,
        agent: &str,
    ) -> PyResult<PySetup> {
        let referee = Referee::new();
        let pool = match (generator_seed, tasks) {
            (Some(seed), None) if suite.is_none() => {
                let options =
                    GeneratorOptions::parse(&families.unwrap_or_default(), difficulty, services).map_err(wrong)?;
                let (from, to) = numbers.unwrap_or((0, 10_000));
                Pool::of_numbers(Generator::new(seed, options), from..to, keep, &referee)
            }
            (None, Some(names)) if suite.is_none() => {
                Pool::of_tasks(named(&names)?, seeds, read_noise(noise)?, keep, &referee)
            }
            (None, None) => {
                let found = suites::select(tasks::embedded(), suite.unwrap_or(suites::DEFAULT)).map_err(wrong)?;
                Pool::of_tasks(found, seeds, read_noise(noise)?, keep, &referee)
            }
            _ => return Err(wrong("name a suite, or tasks, or a generator's seed: one of the three")),
        };
        let (pool, tools) = (pool.map_err(wrong)?, tools.parse::<ToolSet>().map_err(wrong)?);
        let room = max_services.unwrap_or(pool.most_services());
        if !(1..=MOST_SERVICES).contains(&room) {
            return Err(wrong(format!("max_services is {room}; it can be from 1 to {MOST_SERVICES}")));
        }
        if pool.most_services() > room {
            let most = pool.most_services();
            return Err(wrong(format!("max_services is {room}, but a world of this pool has up to {most} services")));
        }
        let inner = gym::GymSetup {
            reward: reward.parse::<RewardScheme>().map_err(wrong)?,
            shaping: gamma.map(|gamma| read_shaping(gamma, shaping_weight)).transpose()?,
            space: structured.then(|| ActionSpace::new(tools, room)),
            options: EpisodeOptions {
                agent: agent.into(),
                suite: suite.unwrap_or_default().into(),
                tools,
                ..Default::default()
            },
            factored,
            pool,
            trainer: referee.trainer(),
            tools,
        };
        Ok(PySetup { inner: Arc::new(inner), referee })
    }

    /// How many services an observation has room for.
    #[getter]
    fn max_services(&self) -> usize {
        self.inner.space.as_ref().map_or(0, |space| space.services())
    }

    /// How many actions the flat numbering has.
    #[getter]
    fn action_count(&self) -> usize {
        self.inner.space.as_ref().map_or(0, |space| space.len())
    }

    /// How many tools, services and further choices there are.
    #[getter]
    fn action_sizes(&self) -> [usize; 3] {
        self.inner.space.as_ref().map_or([0; 3], |space| space.sizes())
    }

    /// Tools in order, each with the names of its further choices.
    #[getter]
    fn action_names(&self) -> Vec<(&'static str, Vec<String>)> {
        let choices = |at: usize| self.inner.space.as_ref().map_or(Vec::new(), |space| space.choices(at).to_vec());
        self.inner.tools.tools().iter().enumerate().map(|(at, tool)| (tool.name(), choices(at))).collect()
    }
}

/// Tasks by id or as files.
pub fn named(names: &[String]) -> PyResult<Vec<Arc<Task>>> {
    names.iter().map(|name| one(name)).collect()
}

fn one(name: &str) -> PyResult<Arc<Task>> {
    if !name.ends_with(".toml") {
        return tasks::find(tasks::embedded(), name).map_err(wrong);
    }
    let text = read_text(Path::new(name), "read the task file", tasks::ADVICE_SAVE_AS_UTF8).map_err(wrong)?;
    Ok(Arc::new(Task::parse(name, &text).map_err(wrong)?))
}

/// A noise level.
pub fn read_noise(level: u8) -> PyResult<Noise> {
    if level > 3 { Err(wrong(format!("noise is {level}; it can be from 0 to 3"))) } else { Ok(Noise(level)) }
}

fn read_shaping(gamma: f64, weight: f64) -> PyResult<Shaping> {
    if !(0.0..=1.0).contains(&gamma) || !weight.is_finite() {
        return Err(wrong(format!("gamma is {gamma} and shaping_weight {weight}; gamma lies between 0 and 1")));
    }
    Ok(Shaping { gamma, weight })
}
