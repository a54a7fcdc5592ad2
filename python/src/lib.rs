//! The Rust side of the Python package `srezero`: thin classes over [`doors::gym`]. All logic is
//! there; here values are handed across and the GIL is let go.

mod arrays;
mod episode;
mod fleet;
mod gym;
mod setup;

use harness::{ToolDoc, ToolSet, skills, suites, tasks};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The names of the features of a service.
#[pyfunction]
fn service_features() -> Vec<String> {
    doors::gym::Layout::get().service().to_vec()
}

/// The names of the features of an incident.
#[pyfunction]
fn incident_features() -> Vec<String> {
    doors::gym::Layout::get().incident().to_vec()
}

/// The ids of the tasks of a suite, or of its questions.
#[pyfunction]
fn suite_tasks(suite: &str) -> PyResult<Vec<String>> {
    if let Some(asked) = skills::asked(suite) {
        return Ok(asked.iter().map(|one| one.id().to_string()).collect());
    }
    let tasks = suites::select(tasks::embedded(), suite).map_err(wrong)?;
    Ok(tasks.iter().map(|task| task.id.clone()).collect())
}

/// The names of all suites, each with a line of help.
#[pyfunction]
fn suite_names() -> Vec<(&'static str, &'static str)> {
    suites::ALL.to_vec()
}

/// The names of all suites of questions, each with a line of help.
#[pyfunction]
fn question_suites() -> Vec<(&'static str, &'static str)> {
    skills::ALL.to_vec()
}

/// The questions of a suite: id, family, and what kind it is (`questions` or `terraform`).
#[pyfunction]
fn questions(suite: &str) -> PyResult<Vec<(String, String, &'static str)>> {
    let names = || skills::ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let asked = skills::asked(suite).ok_or_else(|| wrong(format!("`{suite}` holds no questions; there are {}", names())))?;
    Ok(asked.iter().map(|one| (one.id().to_string(), one.family().to_string(), one.kind())).collect())
}

/// The tools of a set as JSON: name, what each is for, its effect, its cost in seconds, and its parameters in order.
#[pyfunction]
fn tool_table(tools: &str) -> PyResult<String> {
    let set: ToolSet = tools.parse().map_err(wrong)?;
    let row = |tool: &&'static dyn harness::Tool| {
        let doc = ToolDoc::of(*tool, &[]);
        let schema = doc.schema();
        let param = |param: &harness::Param| json!({ "name": param.name, "optional": param.optional, "schema": schema["properties"][param.name] });
        json!({
            "name": doc.name,
            "about": doc.about,
            "effect": doc.effect.word(),
            "seconds": doc.cost.as_secs(),
            "params": tool.params().iter().map(param).collect::<Vec<_>>(),
        })
    };
    Ok(json!(set.tools().iter().map(row).collect::<Vec<_>>()).to_string())
}

/// An error of ours as Python has it.
fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<episode::PyEpisode>()?;
    module.add_class::<setup::PySetup>()?;
    module.add_class::<gym::PyGym>()?;
    module.add_class::<fleet::PyVectorGym>()?;
    for function in [
        wrap_pyfunction!(service_features, module)?,
        wrap_pyfunction!(incident_features, module)?,
        wrap_pyfunction!(suite_tasks, module)?,
        wrap_pyfunction!(suite_names, module)?,
        wrap_pyfunction!(question_suites, module)?,
        wrap_pyfunction!(questions, module)?,
        wrap_pyfunction!(tool_table, module)?,
    ] {
        module.add_function(function)?;
    }
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
