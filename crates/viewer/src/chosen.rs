//! What a person plays: an incident of services, or a problem in a cluster.

use std::sync::Arc;

use harness::{
    Brief, Challenge, Episode, EpisodeOptions, Noise, Playable, Player, Referee, Scenario, ScenarioCache, Task,
    ToolSet, tasks,
};
use problems::{ClusterProblem, ProblemChallenge, Stages};
use serde_json::{Value, json};

use super::ask::ViewRefusal;
use super::episode::{of_problem, of_task};
use super::human::{Desk, HumanTurn};
use super::tools;

/// A task or a problem.
#[derive(Clone)]
pub enum Chosen {
    /// A task of services.
    Task(Arc<Task>),
    /// A problem in a cluster.
    Problem(Arc<ClusterProblem>),
}

/// What has begun.
pub enum Begun {
    /// An incident of services.
    Incident(Arc<Scenario>),
    /// A problem in a cluster.
    Problem(Arc<ClusterProblem>),
}

impl Chosen {
    /// The one of that id.
    pub fn find(id: &str) -> Result<Chosen, ViewRefusal> {
        match problems::find(id) {
            Some(problem) => Ok(Chosen::Problem(problem.clone())),
            None => tasks::find(tasks::embedded(), id).map(Chosen::Task).map_err(ViewRefusal::failed),
        }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        match self {
            Chosen::Task(task) => &task.id,
            Chosen::Problem(problem) => &problem.id,
        }
    }

    /// Its digest.
    pub fn digest(&self) -> &str {
        match self {
            Chosen::Task(task) => &task.digest,
            Chosen::Problem(problem) => &problem.digest,
        }
    }

    /// The tools and the noise that it is played with at a desk.
    pub fn played_with(&self, desk: &Desk) -> Result<(ToolSet, Noise), String> {
        match self {
            Chosen::Task(task) => desk.played_with(task),
            Chosen::Problem(_) => desk.asked().map(|(tools, noise)| (tools, Noise(noise))),
        }
    }

    /// Takes it at a desk.
    pub fn take(&self, desk: &Desk, seed: u64) -> anyhow::Result<HumanTurn> {
        match self {
            Chosen::Task(task) => desk.take(task, seed),
            Chosen::Problem(problem) => desk.take_challenge(&challenge(problem), seed),
        }
    }

    /// Begins it.
    pub fn begin(
        &self,
        seed: u64,
        noise: Noise,
        options: EpisodeOptions,
        scenarios: &ScenarioCache,
        referee: &Referee,
    ) -> Result<(Begun, Player), ViewRefusal> {
        match self {
            Chosen::Task(task) => {
                let scenario = scenarios.get(task, seed, noise).map_err(ViewRefusal::failed)?;
                let player = referee.seat(Episode::start(&scenario, options));
                Ok((Begun::Incident(scenario), player))
            }
            Chosen::Problem(problem) => {
                let begun: Box<dyn Playable> =
                    challenge(problem).start(seed, noise, options).map_err(ViewRefusal::failed)?;
                Ok((Begun::Problem(problem.clone()), referee.seat(begun)))
            }
        }
    }
}

fn challenge(problem: &Arc<ClusterProblem>) -> ProblemChallenge {
    ProblemChallenge::new(problem, Stages::default())
}

impl Begun {
    /// The tools with their forms.
    pub fn tools(&self, brief: &Brief) -> Vec<Value> {
        match self {
            Begun::Incident(scenario) => tools::tools(brief.toolset, scenario.at_page().view()),
            Begun::Problem(_) => brief.tools.iter().map(tools::of_doc).collect(),
        }
    }

    /// Whether it is played at a terminal.
    pub fn has_terminal(&self) -> bool {
        matches!(self, Begun::Problem(_))
    }

    /// What really was wrong.
    pub fn truth(&self, chain: &[String]) -> Value {
        match self {
            Begun::Incident(scenario) => of_task(scenario.task(), chain, &scenario.solution()),
            Begun::Problem(problem) => of_problem(problem),
        }
    }
}

/// A problem as the list shows it.
pub fn listed(problem: &ClusterProblem) -> Value {
    json!({
        "id": problem.id,
        "difficulty": problem.file.difficulty.as_deref().unwrap_or("unrated"),
        "split": problem.file.split.as_deref().unwrap_or("test"),
        "suites": problem.file.suites,
        "steps": Value::Null,
        "tools": "terminal",
        "noise": 0,
        "cluster": true,
        "applications": problem.file.applications,
    })
}
