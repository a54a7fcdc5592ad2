//! NumPy arrays that results are written into, made once and used again.

use doors::gym::{GymBatch, Layout};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadwriteArray1, PyReadwriteArray2, PyReadwriteArray3};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Room for the results of so many environments.
pub struct Arrays {
    rows: Py<PyArray3<f32>>,
    whole: Py<PyArray2<f32>>,
    mask: Py<PyArray2<u8>>,
    rewards: Py<PyArray1<f64>>,
    terminated: Py<PyArray1<bool>>,
    truncated: Py<PyArray1<bool>>,
}

/// The same, held for writing.
pub struct Held<'py> {
    rows: PyReadwriteArray3<'py, f32>,
    whole: PyReadwriteArray2<'py, f32>,
    mask: PyReadwriteArray2<'py, u8>,
    rewards: PyReadwriteArray1<'py, f64>,
    terminated: PyReadwriteArray1<'py, bool>,
    truncated: PyReadwriteArray1<'py, bool>,
}

impl Arrays {
    /// Arrays of zeros that fit a setup.
    pub fn new(py: Python<'_>, setup: &doors::gym::GymSetup, count: usize) -> Arrays {
        let layout = Layout::get();
        let services = setup.space.as_ref().map_or(0, |space| space.services());
        let whole = if services == 0 { 0 } else { layout.incident().len() };
        Arrays {
            rows: PyArray3::zeros(py, [count, services, layout.service().len()], false).unbind(),
            whole: PyArray2::zeros(py, [count, whole], false).unbind(),
            mask: PyArray2::zeros(py, [count, setup.mask_len()], false).unbind(),
            rewards: PyArray1::zeros(py, [count], false).unbind(),
            terminated: PyArray1::zeros(py, [count], false).unbind(),
            truncated: PyArray1::zeros(py, [count], false).unbind(),
        }
    }

    /// Their Python side, by name.
    pub fn named<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(py);
        named.set_item("services", self.rows.bind(py))?;
        named.set_item("incident", self.whole.bind(py))?;
        named.set_item("action_mask", self.mask.bind(py))?;
        named.set_item("rewards", self.rewards.bind(py))?;
        named.set_item("terminated", self.terminated.bind(py))?;
        named.set_item("truncated", self.truncated.bind(py))?;
        Ok(named)
    }

    /// Holds them for writing; fails if Python has taken away their writability.
    pub fn hold<'py>(&self, py: Python<'py>) -> PyResult<Held<'py>> {
        Ok(Held {
            rows: self.rows.bind(py).try_readwrite()?,
            whole: self.whole.bind(py).try_readwrite()?,
            mask: self.mask.bind(py).try_readwrite()?,
            rewards: self.rewards.bind(py).try_readwrite()?,
            terminated: self.terminated.bind(py).try_readwrite()?,
            truncated: self.truncated.bind(py).try_readwrite()?,
        })
    }
}

impl Held<'_> {
    /// The memory behind them.
    pub fn batch(&mut self) -> PyResult<GymBatch<'_>> {
        Ok(GymBatch {
            rows: self.rows.as_slice_mut()?,
            whole: self.whole.as_slice_mut()?,
            mask: self.mask.as_slice_mut()?,
            rewards: self.rewards.as_slice_mut()?,
            terminated: self.terminated.as_slice_mut()?,
            truncated: self.truncated.as_slice_mut()?,
        })
    }
}
