//! One environment.

use doors::gym::{self, GymAction, IncidentWish, StepResult};
use harness::Referee;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Arrays;
use crate::episode::PyEpisode;
use crate::setup::PySetup;
use crate::wrong;

/// One environment; `srezero.Env` wraps it.
#[pyclass(name = "Gym", module = "srezero._native")]
pub struct PyGym {
    inner: gym::Gym,
    referee: Referee,
    arrays: Arrays,
}

#[pymethods]
impl PyGym {
    #[new]
    fn new(py: Python<'_>, setup: &PySetup, seed: u64) -> PyResult<PyGym> {
        let inner = py.detach(|| gym::Gym::new(&setup.inner, seed)).map_err(wrong)?;
        Ok(PyGym { arrays: Arrays::new(py, &setup.inner, 1), referee: setup.referee.clone(), inner })
    }

    /// The arrays that results are written into.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.arrays.named(py)
    }

    /// Draws the next incident.
    #[pyo3(signature = (seed=None))]
    fn reset(&mut self, py: Python<'_>, seed: Option<u64>) -> PyResult<()> {
        let inner = &mut self.inner;
        py.detach(|| inner.reset(seed)).map_err(wrong)?;
        self.write(py)
    }

    /// Takes an incident that was asked for.
    #[pyo3(signature = (task=None, seed=0, number=None))]
    fn reset_to(&mut self, py: Python<'_>, task: Option<String>, seed: u64, number: Option<u64>) -> PyResult<()> {
        let (inner, wish) = (&mut self.inner, IncidentWish { task, seed, number });
        py.detach(|| inner.reset_to(&wish)).map_err(wrong)?;
        self.write(py)
    }

    /// Plays a text; gives the reward, and whether the agent or the budget ended the episode.
    fn step_text(&mut self, py: Python<'_>, text: String) -> PyResult<(f64, bool, bool)> {
        let inner = &mut self.inner;
        let turned = py.detach(|| inner.step(&text));
        self.turned(py, turned)
    }

    /// Plays a tool on a service with a further choice.
    fn step_move(&mut self, py: Python<'_>, tool: usize, service: usize, arg: usize) -> PyResult<(f64, bool, bool)> {
        let inner = &mut self.inner;
        let turned = py.detach(|| inner.play(GymAction { tool, service, arg }));
        self.turned(py, turned)
    }

    /// Plays an action of the flat numbering.
    fn step_number(&mut self, py: Python<'_>, number: usize) -> PyResult<(f64, bool, bool)> {
        let action = self.decode(number)?;
        self.step_move(py, action.0, action.1, action.2)
    }

    /// The tool, the service and the further choice of a number.
    fn decode(&self, number: usize) -> PyResult<(usize, usize, usize)> {
        let space = self.inner.setup().space.as_ref();
        let action = space.and_then(|space| space.decode(number));
        let action = action.ok_or_else(|| wrong(format!("there is no action {number}")))?;
        Ok((action.tool, action.service, action.arg))
    }

    /// The text that an action is played as.
    fn text_of(&self, tool: usize, service: usize, arg: usize) -> String {
        self.inner.text_of(GymAction { tool, service, arg })
    }

    /// What the agent was last shown, as text.
    #[getter]
    fn text(&self) -> &str {
        self.inner.player().observation()
    }

    /// The opaque id of the incident.
    #[getter]
    fn incident(&self) -> &str {
        &self.inner.player().brief().incident
    }

    /// How many steps are left.
    #[getter]
    fn steps_left(&self) -> u32 {
        let player = self.inner.player();
        player.brief().steps.saturating_sub(player.steps_taken())
    }

    /// A fork of the episode being played.
    fn episode(&self) -> PyEpisode {
        PyEpisode::of(self.inner.fork_player(), self.referee.clone())
    }

    /// A copy that goes on from here on its own.
    fn fork(&self, py: Python<'_>) -> PyResult<PyGym> {
        let arrays = Arrays::new(py, self.inner.setup(), 1);
        let fork = PyGym { inner: self.inner.clone(), referee: self.referee.clone(), arrays };
        fork.write(py)?;
        Ok(fork)
    }

    /// Goes on from where another one stands, which stays as it is.
    fn restore(&mut self, py: Python<'_>, other: &PyGym) -> PyResult<()> {
        self.inner.adopt(&other.inner);
        self.write(py)
    }
}

impl PyGym {
    fn turned(&self, py: Python<'_>, turned: StepResult) -> PyResult<(f64, bool, bool)> {
        self.write(py)?;
        Ok((turned.reward, turned.terminated, turned.truncated))
    }

    fn write(&self, py: Python<'_>) -> PyResult<()> {
        let mut held = self.arrays.hold(py)?;
        held.batch()?.put(&self.inner);
        Ok(())
    }
}
