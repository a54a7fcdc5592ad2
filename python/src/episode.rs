//! One episode, text in and text out.

use std::sync::Arc;

use harness::generate::{Generator, GeneratorOptions};
use harness::record::{EndReason, QuestionVerdict};
use harness::{Challenge, EarlyEnd, EpisodeOptions, Noise, Player, Referee, Scenario, ToolSet, Trainer, skills};
use pyo3::prelude::*;

use crate::setup::{named, read_noise};
use crate::wrong;

/// One agent on one incident, or on a question.
///
/// Args:
///     task: The id of a task, a task file, or the id of a question (`suite_tasks("skills")`).
///     seed: The seed of its world; for a question, the order of its options.
///     noise: How imperfect the telemetry is, 0 to 3.
///     tools: `classic` (eight actions) or `full` (seventeen).
///     agent: The agent's name, for the record.
///     suite: The suite's name, for the record.
///     episode: Which of a run's seeds this is, for the record.
#[pyclass(name = "Episode", module = "srezero._native")]
pub struct PyEpisode {
    inner: Player,
    referee: Referee,
    trainer: Trainer,
}

impl PyEpisode {
    /// The episode of a player that this referee has seated.
    pub fn of(inner: Player, referee: Referee) -> PyEpisode {
        let trainer = referee.trainer();
        PyEpisode { inner, referee, trainer }
    }

    fn begin(scenario: &Arc<Scenario>, options: EpisodeOptions) -> PyEpisode {
        let referee = Referee::new();
        // The package is for training: steps come with their reward, and the record says so.
        let options = EpisodeOptions { rewards: true, ..options };
        PyEpisode::of(referee.seat(harness::Episode::start(scenario, options)), referee)
    }

    /// A question is an episode of one step.
    fn ask(question: &dyn Challenge, seed: u64, options: EpisodeOptions) -> PyResult<PyEpisode> {
        let referee = Referee::new();
        let begun = question.start(seed, Noise(0), EpisodeOptions { rewards: true, ..options }).map_err(wrong)?;
        Ok(PyEpisode::of(referee.seat(begun), referee))
    }

    fn is_question(&self) -> bool {
        self.inner.brief().messages.is_some()
    }

    /// How a question's reply was graded, once there is one.
    fn graded(&self) -> Option<QuestionVerdict> {
        self.referee.record_so_far(&self.inner).seal().and_then(|seal| seal.question.clone())
    }
}

#[pymethods]
impl PyEpisode {
    #[new]
    #[pyo3(signature = (task, seed=0, *, noise=0, tools="classic", agent="python", suite="", episode=0))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        task: String,
        seed: u64,
        noise: u8,
        tools: &str,
        agent: &str,
        suite: &str,
        episode: u32,
    ) -> PyResult<PyEpisode> {
        let tools: ToolSet = tools.parse().map_err(wrong)?;
        let options = EpisodeOptions { tools, agent: agent.into(), suite: suite.into(), episode, ..Default::default() };
        if let Some(question) = skills::find(&task) {
            return PyEpisode::ask(&*question, seed, options);
        }
        let (task, noise) = (named(&[task])?.remove(0), read_noise(noise)?);
        let scenario = py.detach(|| Scenario::prepare(&task, seed, noise)).map_err(wrong)?;
        Ok(PyEpisode::begin(&Arc::new(scenario), options))
    }

    /// An episode on the incident that a generator makes of a number.
    #[staticmethod]
    #[pyo3(signature = (generator_seed, number, *, families=None, difficulty=None, services=None, tools="classic",
        agent="python"))]
    #[allow(clippy::too_many_arguments)]
    fn generated(
        py: Python<'_>,
        generator_seed: u64,
        number: u64,
        families: Option<Vec<String>>,
        difficulty: Option<&str>,
        services: Option<&str>,
        tools: &str,
        agent: &str,
    ) -> PyResult<PyEpisode> {
        let options = GeneratorOptions::parse(&families.unwrap_or_default(), difficulty, services).map_err(wrong)?;
        let tools: ToolSet = tools.parse().map_err(wrong)?;
        let scenario = py.detach(|| Generator::new(generator_seed, options).start(number)).map_err(wrong)?;
        Ok(PyEpisode::begin(&scenario, EpisodeOptions { tools, agent: agent.into(), ..Default::default() }))
    }

    /// Does what the agent wrote; gives the reply, the reward and whether the episode is over.
    fn step(&mut self, py: Python<'_>, text: String) -> (String, f64, bool) {
        let (inner, trainer) = (&mut self.inner, &self.trainer);
        py.detach(|| {
            let was_over = inner.is_over();
            let outcome = inner.step(&text);
            let (observation, done) = (outcome.observation.to_string(), outcome.done);
            (observation, if was_over { 0.0 } else { trainer.reward(inner) }, done)
        })
    }

    /// What the agent is told at the start.
    #[getter]
    fn brief(&self) -> &str {
        &self.inner.brief().text
    }

    /// The system and the user message of a question; `None` for an incident.
    #[getter]
    fn messages(&self) -> Option<(&str, &str)> {
        self.inner.brief().messages.as_ref().map(|messages| (messages.system.as_str(), messages.user.as_str()))
    }

    /// How the reply to a question was graded, as JSON: how it could be read, whether it is right, its points, and for
    /// Terraform every stage; `None` before the reply, and for an incident.
    #[getter]
    fn verdict(&self) -> PyResult<Option<String>> {
        self.graded().map(|verdict| serde_json::to_string(&verdict).map_err(wrong)).transpose()
    }

    /// The opaque id of the incident.
    #[getter]
    fn incident(&self) -> &str {
        &self.inner.brief().incident
    }

    /// The services that there are.
    #[getter]
    fn services(&self) -> Vec<String> {
        self.inner.brief().services.clone()
    }

    /// The tools at hand: name, signature and what each is for.
    #[getter]
    fn tools(&self) -> Vec<(&'static str, &'static str, &'static str)> {
        self.inner.brief().tools.iter().map(|tool| (tool.name, tool.signature, tool.about)).collect()
    }

    /// What the agent was last shown.
    #[getter]
    fn observation(&self) -> &str {
        self.inner.observation()
    }

    /// How many steps were taken.
    #[getter]
    fn steps_taken(&self) -> u32 {
        self.inner.steps_taken()
    }

    /// How many steps are left.
    #[getter]
    fn steps_left(&self) -> u32 {
        self.inner.brief().steps.saturating_sub(self.inner.steps_taken())
    }

    /// Whether it has ended.
    #[getter]
    fn is_over(&self) -> bool {
        self.inner.is_over()
    }

    /// Why it ended: `resolved`, `escalated`, `gave_up`, `budget_spent` or `answered`; `None` while it goes on.
    #[getter]
    fn ending(&self) -> Option<String> {
        let word = |reason: EndReason| serde_json::to_value(reason).ok()?.as_str().map(str::to_string);
        self.inner.ending().and_then(word)
    }

    /// The sum of the rewards so far, clipped to 0 to 1: the published reward of the episode.
    #[getter]
    fn reward(&self) -> f64 {
        if self.is_question() {
            return self.trainer.total(&self.inner);
        }
        self.trainer.parts(&self.inner).raw().clamp(0.0, 1.0)
    }

    /// Whether the agent resolved the incident and it was over; for a question, whether the reply is right.
    #[getter]
    fn success(&self) -> bool {
        if self.is_question() {
            return self.graded().is_some_and(|verdict| verdict.correct);
        }
        self.trainer.parts(&self.inner).resolution
    }

    /// The task's id. A spoiler: never show it to an agent.
    #[getter]
    fn task(&self) -> String {
        self.referee.answer(&self.inner).0
    }

    /// Calls that solve it, or a right reply. A spoiler: never show them to an agent.
    fn answer(&self) -> Vec<String> {
        self.referee.answer(&self.inner).1.solution
    }

    /// Ends it: the agent gave up.
    fn give_up(&mut self) {
        self.inner.end(EarlyEnd::GaveUp);
    }

    /// A copy that goes on from here on its own.
    fn fork(&self) -> PyEpisode {
        PyEpisode::of(self.trainer.fork(&self.inner), self.referee.clone())
    }

    /// How things stand, to come back to with `restore`.
    fn snapshot(&self) -> PyEpisode {
        self.fork()
    }

    /// Goes back (or on) to a snapshot, which stays as it is.
    fn restore(&mut self, snapshot: &PyEpisode) {
        *self = snapshot.fork();
    }

    /// The record so far as JSON lines. An episode that has not ended is recorded as given up here,
    /// and goes on all the same.
    fn record(&self, py: Python<'_>) -> String {
        py.detach(|| self.referee.record_so_far(&self.inner).text())
    }

    /// The SHA-256 of the record.
    fn digest(&self, py: Python<'_>) -> String {
        py.detach(|| self.referee.record_so_far(&self.inner).digest())
    }

    /// The score so far as JSON: what `sre-zero run` writes for an episode.
    fn score(&self, py: Python<'_>) -> PyResult<String> {
        let score = py.detach(|| self.referee.record_so_far(&self.inner).score()).map_err(wrong)?;
        serde_json::to_string(&score).map_err(wrong)
    }

    fn __copy__(&self) -> PyEpisode {
        self.fork()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyEpisode {
        self.fork()
    }

    fn __repr__(&self) -> String {
        let ending = self.ending().map_or_else(|| format!("{} left", self.steps_left()), |word| word.clone());
        format!("<Episode {} steps={} {ending}>", self.incident(), self.steps_taken())
    }
}
