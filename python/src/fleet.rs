//! Many environments, stepped without the GIL.

use doors::gym::{self, Autoreset, GymAction, GymActions, Layout};
use harness::Referee;
use numpy::{PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Arrays;
use crate::episode::PyEpisode;
use crate::setup::PySetup;
use crate::wrong;

/// Features of services and of incidents.
type Features<'py> = (Bound<'py, PyArray3<f32>>, Bound<'py, PyArray2<f32>>);

/// Many environments; `srezero.VectorEnv` wraps them.
#[pyclass(name = "Fleet", module = "srezero._native")]
pub struct PyVectorGym {
    inner: gym::VectorGym,
    setup: std::sync::Arc<gym::GymSetup>,
    referee: Referee,
    arrays: Arrays,
}

#[pymethods]
impl PyVectorGym {
    #[new]
    fn new(
        py: Python<'_>,
        setup: &PySetup,
        count: usize,
        seed: u64,
        mode: &str,
        threads: usize,
    ) -> PyResult<PyVectorGym> {
        let mode = match mode {
            "NextStep" => Autoreset::NextStep,
            "SameStep" => Autoreset::SameStep,
            "Disabled" => Autoreset::Disabled,
            other => {
                return Err(wrong(format!("unknown autoreset mode `{other}`; there are NextStep, SameStep, Disabled")));
            }
        };
        if count == 0 {
            return Err(wrong("num_envs is 0; there must be at least one environment"));
        }
        let inner = py.detach(|| gym::VectorGym::new(&setup.inner, count, seed, mode, threads)).map_err(wrong)?;
        let (arrays, referee) = (Arrays::new(py, &setup.inner, count), setup.referee.clone());
        Ok(PyVectorGym { inner, arrays, referee, setup: setup.inner.clone() })
    }

    /// The arrays that results are written into.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.arrays.named(py)
    }

    /// Begins anew with those that are chosen.
    fn reset(&mut self, py: Python<'_>, chosen: Vec<bool>, seeds: Vec<Option<u64>>) -> PyResult<()> {
        let mut held = self.arrays.hold(py)?;
        let mut batch = held.batch()?;
        let inner = &mut self.inner;
        py.detach(|| inner.reset(&chosen, &seeds, &mut batch)).map_err(wrong)
    }

    /// Plays one row of tool, service and further choice for each environment.
    fn step_moves(&mut self, py: Python<'_>, moves: PyReadonlyArray2<'_, i64>) -> PyResult<()> {
        let rows = moves.as_slice()?;
        if moves.as_array().shape() != [self.inner.len(), 3] {
            return Err(wrong(format!(
                "actions have the shape {:?}; one row of three numbers for each of {} environments was expected",
                moves.as_array().shape(),
                self.inner.len()
            )));
        }
        // A negative number is no position of anything, and what is no position is refused in play.
        let at = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        let moves =
            rows.chunks_exact(3).map(|row| GymAction { tool: at(row[0]), service: at(row[1]), arg: at(row[2]) });
        self.step(py, GymActions::Moves(&moves.collect::<Vec<_>>()))
    }

    /// Plays one action of the flat numbering for each environment.
    fn step_numbers(&mut self, py: Python<'_>, numbers: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let numbers = numbers.as_slice()?;
        if numbers.len() != self.inner.len() {
            return Err(wrong(format!("{} actions were given for {} environments", numbers.len(), self.inner.len())));
        }
        let space = self.setup.space.as_ref().ok_or_else(|| wrong("this environment takes texts"))?;
        let decode = |number: &i64| {
            let found = usize::try_from(*number).ok().and_then(|number| space.decode(number));
            found.ok_or_else(|| wrong(format!("there is no action {number}; they go from 0 to {}", space.len() - 1)))
        };
        let moves = numbers.iter().map(decode).collect::<PyResult<Vec<GymAction>>>()?;
        self.step(py, GymActions::Moves(&moves))
    }

    /// Plays one text for each environment.
    fn step_texts(&mut self, py: Python<'_>, texts: Vec<String>) -> PyResult<()> {
        if texts.len() != self.inner.len() {
            return Err(wrong(format!("{} actions were given for {} environments", texts.len(), self.inner.len())));
        }
        self.step(py, GymActions::Texts(&texts))
    }

    /// What each agent was last shown, as text.
    fn texts(&self) -> Vec<&str> {
        (0..self.inner.len()).filter_map(|at| self.inner.gym(at)).map(|gym| gym.player().observation()).collect()
    }

    /// Valid actions at random: rows of tool, service and further choice.
    fn sample<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray2<i64>> {
        let inner = &mut self.inner;
        let moves = py.detach(|| inner.sample());
        let rows = PyArray2::zeros(py, [moves.len(), 3], false);
        if let Ok(cells) = rows.readwrite().as_slice_mut() {
            for (row, action) in cells.chunks_exact_mut(3).zip(moves) {
                row.copy_from_slice(&[action.tool, action.service, action.arg].map(|at| at as i64));
            }
        }
        rows
    }

    /// The same actions in the flat numbering.
    fn numbers_of(&self, moves: PyReadonlyArray2<'_, i64>) -> PyResult<Vec<i64>> {
        let space = self.setup.space.as_ref().ok_or_else(|| wrong("this environment takes texts"))?;
        let number = |row: &[i64]| {
            let action = GymAction { tool: row[0] as usize, service: row[1] as usize, arg: row[2] as usize };
            space.encode(action).map_or(-1, |number| number as i64)
        };
        Ok(moves.as_slice()?.chunks_exact(3).map(number).collect())
    }

    /// The text of an action of one environment.
    fn text_of(&self, at: usize, tool: usize, service: usize, arg: usize) -> PyResult<String> {
        Ok(self.one(at)?.text_of(GymAction { tool, service, arg }))
    }

    /// The last observations of the environments that the last step ended, in arrays of their own.
    fn last<'py>(&self, py: Python<'py>, ended: Vec<usize>) -> PyResult<Features<'py>> {
        let layout = Layout::get();
        let services = self.setup.space.as_ref().map_or(0, |space| space.services());
        let rows = PyArray3::zeros(py, [ended.len(), services, layout.service().len()], false);
        let whole = PyArray2::zeros(py, [ended.len(), layout.incident().len()], false);
        let (mut row_cells, mut whole_cells) = (rows.readwrite(), whole.readwrite());
        let width = services * layout.service().len();
        let places = row_cells.as_slice_mut()?.chunks_exact_mut(width.max(1));
        let places = places.zip(whole_cells.as_slice_mut()?.chunks_exact_mut(layout.incident().len()));
        for (at, (row, whole)) in ended.iter().zip(places) {
            if let Some(last) = self.inner.last(*at) {
                row.copy_from_slice(&last.rows);
                whole.copy_from_slice(&last.whole);
            }
        }
        drop((row_cells, whole_cells));
        Ok((rows, whole))
    }

    /// The last text of an environment that the last step ended.
    fn last_text(&self, at: usize) -> Option<&str> {
        self.inner.last(at).map(|last| last.text.as_str())
    }

    /// Whether the episodes that the last step ended were successes.
    fn successes(&self, ended: Vec<usize>) -> PyResult<Vec<bool>> {
        let success = |at: &usize| match self.inner.last(*at) {
            Some(last) => Ok(last.success),
            None => Ok(self.one(*at)?.success()),
        };
        ended.iter().map(success).collect()
    }

    /// The opaque id of an environment's incident.
    fn incident(&self, at: usize) -> PyResult<&str> {
        Ok(&self.one(at)?.player().brief().incident)
    }

    /// A fork of the episode that an environment plays.
    fn episode(&self, at: usize) -> PyResult<PyEpisode> {
        Ok(PyEpisode::of(self.one(at)?.fork_player(), self.referee.clone()))
    }
}

impl PyVectorGym {
    fn step(&mut self, py: Python<'_>, acts: GymActions<'_>) -> PyResult<()> {
        let mut held = self.arrays.hold(py)?;
        let mut batch = held.batch()?;
        let inner = &mut self.inner;
        py.detach(|| inner.step(acts, &mut batch)).map_err(wrong)
    }

    fn one(&self, at: usize) -> PyResult<&gym::Gym> {
        self.inner.gym(at).ok_or_else(|| wrong(format!("there is no environment {at}")))
    }
}
