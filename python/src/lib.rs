//! The Rust side of the Python package `srezero`: thin classes over [`harness::gym`]. All logic is
//! there; here values are handed across and the GIL is let go.

mod arrays;
mod episode;
mod fleet;
mod gym;
mod setup;

use harness::{suites, tasks};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The names of the features of a service.
#[pyfunction]
fn service_features() -> Vec<String> {
    harness::gym::Layout::get().service().to_vec()
}

/// The names of the features of an incident.
#[pyfunction]
fn incident_features() -> Vec<String> {
    harness::gym::Layout::get().incident().to_vec()
}

/// The ids of the tasks of a suite.
#[pyfunction]
fn suite_tasks(suite: &str) -> PyResult<Vec<String>> {
    let tasks = suites::select(tasks::embedded(), suite).map_err(wrong)?;
    Ok(tasks.iter().map(|task| task.id.clone()).collect())
}

/// The names of all suites, each with a line of help.
#[pyfunction]
fn suite_names() -> Vec<(&'static str, &'static str)> {
    suites::ALL.to_vec()
}

/// An error of ours as Python has it.
fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<episode::Episode>()?;
    module.add_class::<setup::Setup>()?;
    module.add_class::<gym::Gym>()?;
    module.add_class::<fleet::Fleet>()?;
    for function in [
        wrap_pyfunction!(service_features, module)?,
        wrap_pyfunction!(incident_features, module)?,
        wrap_pyfunction!(suite_tasks, module)?,
        wrap_pyfunction!(suite_names, module)?,
    ] {
        module.add_function(function)?;
    }
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
